"""A return after delivery is a new order, and brings back at most what was delivered."""

import asyncio
from typing import Any

import pytest

from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from probe import refused
from stage import Firm, House

Order = dict[str, Any]
BOX = {"name": "Box", "quantity": 3, "cod_amount": 700, "cod_currency": "SGD"}
STOPS = [{"place": RAFFLES, "type": "pickup"}, {"place": MANDAI}, {"place": CHANGI}]


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def complete(shop: Shop, order: Order) -> Order:
    await shop.fire(order, "enroute")
    return await shop.fire(order, "completed")


async def delivered(shop: Shop, **more: Any) -> Order:
    order = await shop.started(type=await shop.plain_type(), **more)
    for _ in order["payload"]["waypoints"] or [None]:
        order = await complete(shop, order)
    assert order["status"] == "completed"
    return order


def addresses(order: Order) -> list[str]:
    payload = order["payload"]
    places = [stop["place"] for stop in payload["waypoints"]]
    return [place["street1"] for place in places or (payload["pickup"], payload["dropoff"])]


def pieces(order: Order) -> dict[str, int]:
    return {item["name"]: item["quantity"] for item in order["payload"]["entities"]}


async def test_a_return_is_an_order_with_swapped_stops(shop: Shop) -> None:
    order = await delivered(
        shop, entities=[BOX, {"name": "Bag"}], pod_method="photo", notes="Ring.",
        customer={"name": "Ada", "phone": "+6591234567"},
    )  # fmt: skip
    back = await shop.act(order, "return", reason="Wrong size.")
    assert addresses(back) == [MANDAI["street1"], RAFFLES["street1"]]
    assert pieces(back) == {"Box": 3, "Bag": 1}
    assert (back["status"], back["type"], back["notes"]) == ("created", "plain", "Wrong size.")
    assert (back["customer"], back["driver"]) == (order["customer"], None)
    assert (back["cash_to_collect"], back["pod_method"]) == (None, None)
    assert (back["return_of"], back["returns"]) == (order["id"], [])
    assert back["tracking"] != order["tracking"]
    now = await shop.get(f"orders/{order['id']}")
    assert (now["return_of"], now["returns"]) == (None, [back["id"]])
    told = [event["data"] for event in await shop.told("order.updated")]
    assert [event["id"] for event in told if event["changed"] == ["returns"]] == [order["id"]]
    changed = await shop.get(f"orders?updated_since={now['updated_at']}")
    assert order["id"] in [row["id"] for row in changed]
    created = [event["data"] for event in await shop.told("order.created")]
    assert {event["id"]: event["return_of"] for event in created} == {
        order["id"]: None,
        back["id"]: order["id"],
    }
    label = await shop.firm.api.get(f"/v1/orders/{back['id']}/label?format=zpl")
    assert "Return: plain" in label.text


async def test_at_most_the_delivered_pieces_go_back(shop: Shop) -> None:
    order = await delivered(shop, entities=[BOX, {"name": "Bag"}])
    box = {"entity": order["payload"]["entities"][0]["id"]}
    first = await shop.act(order, "return", items=[{**box, "quantity": 2}])
    assert pieces(first) == {"Box": 2}
    answer = await shop.attempt(order, "return", items=[{**box, "quantity": 2}])
    problem = refused(answer, 409, "return_exceeds_delivered")
    assert problem["fields"] == [{"path": "items[0]", "message": "At most 1 can be returned."}]
    rest = await shop.act(order, "return")
    assert pieces(rest) == {"Box": 1, "Bag": 1}
    for body in ({}, {"items": [box]}):
        refused(await shop.attempt(order, "return", **body), 409, "return_exceeds_delivered")
    await shop.act(first, "cancel")
    again = await shop.act(order, "return", items=[box])
    assert pieces(again) == {"Box": 2}
    refused(await shop.attempt(first, "reopen"), 409, "return_exceeds_delivered")
    await shop.act(again, "cancel")
    await shop.act(first, "reopen")
    refused(await shop.attempt(order, "return"), 409, "return_exceeds_delivered")
    ids = (await shop.get(f"orders/{order['id']}"))["returns"]
    assert ids == [first["id"], rest["id"], again["id"]]


async def test_the_items_of_a_return_stay(shop: Shop, house: House) -> None:
    back = await shop.act(await delivered(shop, entities=[BOX]), "return")
    [item] = back["payload"]["entities"]
    path = f"/v1/entities/{item['id']}"
    payload = f"/v1/payloads/{back['payload']['id']}"
    more = {"payload": back["payload"]["id"], "name": "Bag"}
    order_path, item_path = "/v1/orders/{order_id}", "/v1/entities/{entity_id}"
    document = (await house.client().get("/openapi.json")).json()
    for template, answer in (
        (item_path, await shop.firm.api.patch(path, json={"quantity": 4})),
        (item_path, await shop.firm.api.delete(path)),
        ("/v1/entities", await shop.firm.api.post("/v1/entities", json=more)),
        (order_path, await shop.firm.api.put(f"/v1/orders/{back['id']}", json={"entities": []})),
        (order_path, await shop.firm.api.patch(f"/v1/orders/{back['id']}", json={"entities": []})),
        ("/v1/payloads/{payload_id}", await shop.firm.api.patch(payload, json={"entities": []})),
    ):
        refused(answer, 409, "return_items_fixed")
        conflict = document["paths"][template][answer.request.method.lower()]["responses"]["409"]
        name = conflict["$ref"].rpartition("/")[2]
        codes = document["components"]["responses"][name]["x-problem-codes"]
        assert "return_items_fixed" in codes, template
    await shop.patch(f"entities/{item['id']}", weight=2)


async def test_stops_of_the_items_are_collected(shop: Shop) -> None:
    items = [{"name": "Box", "destination": 1}, {"name": "Bag"}]
    stops = [STOPS[0], {**STOPS[1], "contact": {"name": "Grace"}}, STOPS[2]]
    order = await delivered(shop, waypoints=stops, entities=items)
    box = order["payload"]["entities"][0]
    back = await shop.act(order, "return", items=[{"entity": box["id"]}])
    assert addresses(back) == [MANDAI["street1"], RAFFLES["street1"]]
    first, last = back["payload"]["waypoints"]
    assert (first["type"], first["recipient"]["name"], last["type"]) == (
        "pickup", "Grace", "dropoff",
    )  # fmt: skip
    assert back["payload"]["entities"][0]["destination"] == last["id"]
    rest = await shop.act(order, "return")
    assert (addresses(rest), pieces(rest)) == ([CHANGI["street1"], RAFFLES["street1"]], {"Bag": 1})


async def test_goods_of_a_failed_attempt_stay_in_their_order(shop: Shop) -> None:
    items = [{"name": "Box", "destination": 1}, {"name": "Bag", "destination": 2}]
    order = await shop.started(type=await shop.plain_type(), waypoints=STOPS, entities=items)
    await complete(shop, order)
    await shop.act(order, "fail-attempt", reason="refused")
    await complete(shop, order)
    refused(await shop.attempt(order, "return"), 409, "order_not_completed")
    order = await shop.fire(order, "returned")
    assert order["status"] == "completed"
    box = order["payload"]["entities"][0]
    answer = await shop.attempt(order, "return", items=[{"entity": box["id"]}])
    refused(answer, 409, "return_exceeds_delivered")
    assert pieces(await shop.act(order, "return")) == {"Bag": 1}


async def test_an_order_without_items_goes_back_once(shop: Shop) -> None:
    order = await delivered(shop, waypoints=STOPS)
    back = await shop.act(order, "return")
    streets = [place["street1"] for place in (MANDAI, CHANGI, RAFFLES)]
    assert addresses(back) == streets
    refused(await shop.attempt(order, "return"), 409, "return_exceeds_delivered")
    await shop.act(back, "cancel")
    await shop.act(order, "return")


async def test_without_a_dropoff_the_last_stop_was_the_delivery(shop: Shop) -> None:
    stops = [{**stop, "type": "pickup"} for stop in STOPS]
    back = await shop.act(await delivered(shop, waypoints=stops), "return")
    assert addresses(back) == [CHANGI["street1"], RAFFLES["street1"]]


async def test_a_return_of_a_return_goes_to_the_recipient_again(shop: Shop) -> None:
    order = await delivered(shop, entities=[BOX])
    item = {"entity": order["payload"]["entities"][0]["id"], "quantity": 2}
    back = await shop.act(order, "return", items=[item])
    driver = await shop.driver()
    await shop.act(back, "assign-driver", driver=driver["id"])
    back = await complete(shop, await shop.act(back, "start", skip_dispatch=True))
    forth = await shop.act(back, "return")
    assert (addresses(forth), pieces(forth)) == (addresses(order), {"Box": 2})
    assert forth["return_of"] == back["id"]
    # A completed return keeps its pieces even when it is deleted: the goods are back.
    assert (await shop.firm.api.delete(f"/v1/orders/{back['id']}")).status_code == 200
    assert pieces(await shop.act(order, "return")) == {"Box": 1}


async def test_bad_requests_are_refused(shop: Shop, rival: Firm) -> None:
    order = await delivered(shop, entities=[BOX])
    item = {"entity": order["payload"]["entities"][0]["id"]}
    for items, status, code in (
        ([{"entity": "entity_unknown"}], 404, "not_found"),
        ([item, item], 422, "validation_failed"),
        ([{**item, "quantity": 0}], 422, "validation_failed"),
        ([], 422, "validation_failed"),
    ):
        refused(await shop.attempt(order, "return", items=items), status, code)
    for body in ({"scheduled_at": "2020-01-01T00:00:00Z"}, {"cod_amount": 5}):
        assert (await shop.attempt(order, "return", **body)).status_code == 422
    answer = await rival.api.post(f"/v1/orders/{order['id']}/return", json={})
    refused(answer, 404, "not_found")
    assert (await shop.get(f"orders/{order['id']}"))["returns"] == []


async def test_a_repeated_request_creates_one_return(shop: Shop) -> None:
    order = await delivered(shop, entities=[BOX])
    path, headers = f"/v1/orders/{order['id']}/return", {"Idempotency-Key": "return-1"}
    body = {"items": [{"entity": order["payload"]["entities"][0]["id"], "quantity": 1}]}
    first, second = [await shop.firm.api.post(path, json=body, headers=headers) for _ in range(2)]
    assert (first.status_code, first.json()) == (201, second.json())
    assert (await shop.get(f"orders/{order['id']}"))["returns"] == [first.json()["id"]]


async def test_of_concurrent_returns_only_one_gets_the_pieces(shop: Shop, house: House) -> None:
    order = await delivered(shop, entities=[BOX])
    item = {"entity": order["payload"]["entities"][0]["id"], "quantity": 2}
    canceled = await shop.act(order, "return", items=[item])
    await shop.act(canceled, "cancel")
    answers = await asyncio.gather(
        *(shop.attempt(order, "return", items=[item]) for _ in range(3)),
        shop.attempt(canceled, "reopen"),
    )
    assert sum(answer.is_success for answer in answers) == 1, [a.text for a in answers]
    for answer in answers:
        if not answer.is_success:
            refused(answer, 409, "return_exceeds_delivered")
    count = await house.value(
        """select sum(quantity) from returned_items i join orders o on o.uuid = i.return_order
           where o.canceled_at is null"""
    )
    assert count == 2


async def test_the_pieces_that_are_left_are_listed(shop: Shop, rival: Firm) -> None:
    order = await shop.started(type=await shop.plain_type(), entities=[BOX, {"name": "Bag"}])
    path = f"/v1/orders/{order['id']}/returnable-items"
    rows = (await shop.firm.api.get(path)).json()
    assert [(row["delivered"], row["returnable"]) for row in rows] == [(0, 0), (0, 0)]
    order = await complete(shop, order)
    box, bag = (item["id"] for item in order["payload"]["entities"])
    await shop.act(order, "return", items=[{"entity": box, "quantity": 1}])
    assert (await shop.firm.api.get(path)).json() == [
        {"entity": box, "name": "Box", "delivered": 3, "returned": 1, "returnable": 2},
        {"entity": bag, "name": "Bag", "delivered": 1, "returned": 0, "returnable": 1},
    ]
    refused(await rival.api.get(path), 404, "not_found")
    whole = await delivered(shop, waypoints=STOPS)
    assert await shop.get(f"orders/{whole['id']}/returnable-items") == [
        {"entity": None, "name": None, "delivered": 1, "returned": 0, "returnable": 1}
    ]
