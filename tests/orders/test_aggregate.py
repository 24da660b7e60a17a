"""An order is one thing with its payload, stops and items, whichever door they change through."""

from typing import Any, Final

import httpx
import pytest

from orders.shop import CHANGI, DELIVERED, MANDAI, RAFFLES, Shop
from pannier.orders import remeasure
from probe import paths, refused
from stage import Firm, House

Order = dict[str, Any]
STOPS: Final = [{"place": place} for place in (RAFFLES, MANDAI)]
ITEMS: Final = [{"name": "Box", "sku": "B-1"}, {"name": "Bag"}]
FAR: Final = {"payload", "distance", "time"}
NEAR: Final = {"payload"}
# What changes a part of an order, and the fields of the order that differ then.
DOORS: Final[list[Any]] = [
    ("PATCH", "payloads/{payload}", {"meta": {"fragile": True}}, NEAR),
    ("PATCH", "payloads/{payload}", {"dropoff": CHANGI}, FAR),
    ("PATCH", "payloads/{payload}", {"waypoints": [RAFFLES, CHANGI]}, {*FAR, "current_waypoint"}),
    ("PATCH", "payloads/{payload}", {"entities": []}, NEAR),
    ("PUT", "payloads/{payload}", {"cod_amount": 500, "cod_currency": "SGD"}, NEAR),
    ("POST", "waypoints", {"payload": "{payload}", "place": CHANGI}, FAR),
    ("PATCH", "waypoints/{stop}", {"place": CHANGI}, FAR),
    ("PATCH", "waypoints/{stop}", {"notes": "Ground floor."}, NEAR),
    ("DELETE", "waypoints/{stop}", None, FAR),
    ("POST", "entities", {"payload": "{payload}", "name": "Tube"}, NEAR),
    ("PATCH", "entities/{item}", {"name": "Crate"}, NEAR),
    ("PATCH", "entities/{item}", {"destination": "{stop}"}, NEAR),
    ("PATCH", "entities/{item}", {"payload": None}, NEAR),
    ("DELETE", "entities/{item}", None, NEAR),
    ("PATCH", "orders/{order}", {"waypoints": [RAFFLES, CHANGI]}, {*FAR, "current_waypoint"}),
    ("PATCH", "orders/{order}", {"entities": [{"name": "Tube"}], "notes": "Ring."},
     {*NEAR, "notes"}),
]  # fmt: skip


async def updates(shop: Shop, order: Order) -> list[dict[str, Any]]:
    """What was told as changes of an order."""
    told = await shop.told("order.updated")
    return [event["data"] for event in told if event["data"]["id"] == order["id"]]


def named(order: Order, value: Any) -> Any:
    """Put the names of an order's parts where they belong."""
    if isinstance(value, dict):
        return {key: named(order, each) for key, each in value.items()}
    if not isinstance(value, str):
        return value
    payload = order["payload"]
    return value.format(
        order=order["id"],
        payload=payload["id"],
        stop=payload["waypoints"][-1]["id"],
        item=payload["entities"][0]["id"],
    )


async def through(firm: Firm, order: Order, door: Any, **headers: str) -> httpx.Response:
    method, path, body, _ = door
    address = f"/v1/{named(order, path)}"
    return await firm.api.request(method, address, json=named(order, body), headers=headers)


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS, ids=lambda door: f"{door[0]} {door[1]} {door[2]}")
async def test_a_change_through_any_door_is_a_change_of_the_order(
    shop: Shop, acme: Firm, door: Any
) -> None:
    order = await shop.order(waypoints=STOPS, entities=ITEMS)
    answer = await through(acme, order, door)
    assert answer.is_success, answer.text
    now = await acme.api.get(f"/v1/orders/{order['id']}")
    shown = now.json()
    assert now.headers["etag"] == f'"{order["version"] + 1}"'
    assert shown["version"] == order["version"] + 1
    [told] = await updates(shop, order)
    assert set(told["changed"]) == door[-1]
    way = await shop.get(f"orders/{order['id']}/distance-and-time")
    assert (shown["distance"], shown["time"]) == (way["distance"], way["time"])
    assert (told["distance"], told["current_waypoint"]) == (
        shown["distance"], shown["current_waypoint"],
    )  # fmt: skip
    assert (shown["distance"] != order["distance"]) == ("distance" in door[-1])


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS, ids=lambda door: f"{door[0]} {door[1]} {door[2]}")
async def test_what_was_read_of_an_order_is_old_after_a_change_of_its_parts(
    shop: Shop, acme: Firm, door: Any
) -> None:
    order = await shop.order(waypoints=STOPS, entities=ITEMS)
    before = (await acme.api.get(f"/v1/orders/{order['id']}")).headers["etag"]
    assert (await through(acme, order, door)).is_success
    path, headers = f"/v1/orders/{order['id']}", {"If-Match": before}
    late = await acme.api.patch(path, json={"notes": "Ring twice."}, headers=headers)
    refused(late, 412, "precondition_failed")
    refused(await acme.api.delete(path, headers=headers), 412, "precondition_failed")


CHANGING: Final = [door for door in DOORS if door[0] != "POST"]


@pytest.mark.slow
@pytest.mark.parametrize("door", CHANGING, ids=lambda door: f"{door[0]} {door[1]} {door[2]}")
async def test_a_part_is_changed_only_as_it_was_read(shop: Shop, acme: Firm, door: Any) -> None:
    order = await shop.order(waypoints=STOPS, entities=ITEMS)
    late = await through(acme, order, door, **{"If-Match": '"99"'})
    refused(late, 412, "precondition_failed")
    assert await shop.get(f"orders/{order['id']}") == order
    assert await updates(shop, order) == []
    read = await acme.api.get(f"/v1/{named(order, door[1])}")
    answer = await through(acme, order, door, **{"If-Match": read.headers["etag"]})
    assert answer.is_success, answer.text


async def test_what_changes_nothing_is_no_change_of_the_order(shop: Shop) -> None:
    order = await shop.order(waypoints=STOPS, entities=ITEMS)
    payload = order["payload"]
    await shop.patch(f"payloads/{payload['id']}", meta={})
    await shop.patch(f"waypoints/{payload['waypoints'][0]['id']}", type="dropoff")
    await shop.patch(f"entities/{payload['entities'][0]['id']}", name="Box")
    assert await shop.get(f"orders/{order['id']}") == order
    assert await updates(shop, order) == []


async def test_a_stop_that_is_done_changes_the_order_even_where_its_status_stays(
    shop: Shop, acme: Firm
) -> None:
    await shop.config(*DELIVERED, key="quick")
    order = await shop.started(type="quick", waypoints=STOPS)
    moved = await shop.fire(order, "delivered")
    assert (moved["status"], moved["version"]) == ("started", order["version"] + 1)
    path, headers = f"/v1/orders/{order['id']}", {"If-Match": f'"{order["version"]}"'}
    late = await acme.api.patch(path, json={"notes": "Ring."}, headers=headers)
    refused(late, 412, "precondition_failed")


async def test_a_payload_and_its_parts_are_not_changed_at_once(shop: Shop, acme: Firm) -> None:
    order = await shop.order(entities=ITEMS)
    path, parts = f"/v1/orders/{order['id']}", {"entities": []}
    both = await acme.api.patch(path, json={"payload": {"meta": {"fragile": True}}, **parts})
    assert paths(both) == ["payload"]
    named = await acme.api.patch(path, json={"payload": order["payload"]["id"], **parts})
    assert named.json()["payload"]["entities"] == []


async def test_parts_without_an_order_change_as_ever(shop: Shop) -> None:
    payload = await shop.post("payloads", waypoints=STOPS, entities=ITEMS)
    stop, item = payload["waypoints"][0], payload["entities"][0]
    await shop.patch(f"waypoints/{stop['id']}", notes="Ground floor.")
    await shop.post("waypoints", payload=payload["id"], place=CHANGI)
    await shop.patch(f"entities/{item['id']}", name="Crate", payload=None)
    now = await shop.get(f"payloads/{payload['id']}")
    assert now["version"] == payload["version"] + 3
    assert (len(now["waypoints"]), len(now["entities"])) == (3, 1)
    assert await shop.told() == []


async def test_an_item_that_moves_changes_both_orders_once(shop: Shop) -> None:
    one, two = [await shop.order(waypoints=STOPS, entities=ITEMS) for _ in range(2)]
    item = one["payload"]["entities"][0]
    moved = await shop.patch(f"entities/{item['id']}", payload=two["payload"]["id"], name="Crate")
    assert moved["tracking_number"] == item["tracking_number"]
    for order, count in ((one, 1), (two, 3)):
        now = await shop.get(f"orders/{order['id']}")
        assert (now["version"], len(now["payload"]["entities"])) == (order["version"] + 1, count)
        [told] = await updates(shop, order)
        assert told["changed"] == ["payload"]


async def test_a_payload_with_an_item_of_another_order_can_be_ordered(shop: Shop) -> None:
    order = await shop.order(waypoints=STOPS, entities=ITEMS)
    item = order["payload"]["entities"][0]
    free = await shop.post("payloads", pickup=RAFFLES, dropoff=CHANGI)
    moved = await shop.patch(f"entities/{item['id']}", payload=free["id"])
    assert moved["tracking_number"] is None, "nobody follows it without an order"
    again = await shop.post("orders", payload=free["id"])
    [shown] = again["payload"]["entities"]
    assert shown["tracking_number"] == item["tracking_number"]
    number = await shop.get(f"tracking-numbers/{item['tracking_number']}")
    assert (number["order"], number["subject"]) == (again["id"], item["id"])


async def test_an_item_that_moves_keeps_what_happened_to_it(shop: Shop) -> None:
    one, two = [await shop.order(entities=ITEMS) for _ in range(2)]
    item = one["payload"]["entities"][0]
    number = item["tracking_number"]
    await shop.post("tracking-statuses", tracking_number=number, code="seen", status="Seen")
    await shop.patch(f"entities/{item['id']}", payload=two["payload"]["id"])
    told = (await shop.get(f"tracking-numbers/{number}"))["statuses"]
    assert [(each["code"], each["order"]) for each in told] == [
        ("created", two["id"]), ("seen", one["id"]),
    ]  # fmt: skip


async def test_what_is_over_takes_only_meta_and_counts_it(shop: Shop) -> None:
    order = await shop.order(waypoints=STOPS)
    over = await shop.act(order, "cancel")
    await shop.patch(f"payloads/{order['payload']['id']}", meta={"claim": 7})
    now = await shop.get(f"orders/{order['id']}")
    assert (now["version"], now["payload"]["meta"]) == (over["version"] + 1, {"claim": 7})
    [told] = await updates(shop, order)
    assert told["changed"] == ["payload"]


async def test_the_parts_of_a_deleted_order_are_still_there(shop: Shop, acme: Firm) -> None:
    order = await shop.order(waypoints=STOPS)
    assert (await acme.api.delete(f"/v1/orders/{order['id']}")).status_code == 200
    path = f"payloads/{order['payload']['id']}"
    assert (await shop.patch(path, meta={"claim": 7}))["meta"] == {"claim": 7}
    assert await updates(shop, order) == []


async def test_when_a_place_moves_the_open_orders_through_it_are_measured_again(
    shop: Shop, house: House
) -> None:
    depot = await shop.post("places", **RAFFLES)
    stops = [{"place": depot["id"]}, {"place": MANDAI}]
    ends, route, gone = (
        await shop.order(pickup=depot["id"], dropoff=MANDAI),
        await shop.order(waypoints=stops),
        await shop.order(waypoints=stops),
    )
    elsewhere = await shop.order()
    await shop.act(gone, "cancel")
    await shop.patch(f"places/{depot['id']}", location=[CHANGI["longitude"], CHANGI["latitude"]])
    while await remeasure.step(house.database):
        pass
    right = (await shop.order(pickup=CHANGI, dropoff=MANDAI))["distance"]
    for order in (ends, route):
        now = await shop.get(f"orders/{order['id']}")
        assert (now["distance"], now["version"]) == (right, order["version"] + 1)
        (told,) = await updates(shop, order)
        assert set(told["changed"]) == {"distance", "time"}
    for order in (elsewhere, gone):
        now = await shop.get(f"orders/{order['id']}")
        assert now["distance"] == order["distance"]
    await shop.patch(f"places/{depot['id']}", name="Depot")
    assert await remeasure.step(house.database) is False, "only what moves is measured"


async def test_an_order_is_measured_from_where_its_place_is_when_it_moves_meanwhile(
    shop: Shop, house: House
) -> None:
    depot = await shop.post("places", **RAFFLES)
    orders = [await shop.order(pickup=depot["id"], dropoff=MANDAI) for _ in range(2)]
    await shop.patch(f"places/{depot['id']}", location=[CHANGI["longitude"], CHANGI["latitude"]])
    assert await remeasure.step(house.database) is True
    await shop.patch(f"places/{depot['id']}", location=[103.8, 1.3])
    while await remeasure.step(house.database):
        pass
    first, second = [(await shop.get(f"orders/{order['id']}"))["distance"] for order in orders]
    assert first == second
    right = await shop.order(
        pickup={**RAFFLES, "longitude": 103.8, "latitude": 1.3}, dropoff=MANDAI
    )
    assert first == right["distance"]
