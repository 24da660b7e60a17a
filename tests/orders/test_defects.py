"""What delivery platforms are known to get wrong, and this one must not."""

import pytest

from orders.shop import CHANGI, MANDAI, RAFFLES, Shop, statements
from pannier.kit import geo
from pannier.kit.geo import Point
from probe import refused
from stage import Firm, House


async def test_requiring_a_proof_is_no_server_error(shop: Shop) -> None:
    for method in ("scan", "signature", "photo", "sms"):
        order = await shop.order(pod_required=True, pod_method=method)
        assert (order["pod_required"], order["pod_method"]) == (True, method)


async def test_changing_an_order_with_a_payload_object_is_no_server_error(shop: Shop) -> None:
    order = await shop.order()
    changed = await shop.patch(f"orders/{order['id']}", payload={"dropoff": CHANGI})
    assert changed["payload"]["dropoff"]["street1"] == "60 Airport Boulevard"
    assert changed["payload"]["id"] == order["payload"]["id"]


async def test_the_way_through_several_stops_is_the_sum_of_its_legs(shop: Shop) -> None:
    order = await shop.order(waypoints=[RAFFLES, MANDAI, CHANGI])
    spots = [Point(place["longitude"], place["latitude"]) for place in (RAFFLES, MANDAI, CHANGI)]
    legs = geo.distance(spots[0], spots[1]) + geo.distance(spots[1], spots[2])
    assert order["distance"] == round(1.3 * legs), "with the usual detour"


async def test_an_order_whose_last_item_is_wrong_leaves_nothing_behind(
    shop: Shop, acme: Firm, house: House
) -> None:
    items = [{"name": "Box"}, {"name": "Box", "destination": "waypoint_0000000000000000"}]
    body = {"pickup": RAFFLES, "dropoff": MANDAI, "entities": items, "customer": {"name": "Ada"}}
    assert (await acme.api.post("/v1/orders", json=body)).status_code == 404
    for table in ("orders", "payloads", "places", "entities", "contacts", "events"):
        assert await house.value(f"select count(*) from {table}") == 0, table
    assert await shop.told() == []


async def test_an_order_sent_twice_under_one_key_is_placed_once(shop: Shop, acme: Firm) -> None:
    body = {"pickup": RAFFLES, "dropoff": MANDAI}
    headers = {"Idempotency-Key": "one"}
    first = await acme.api.post("/v1/orders", json=body, headers=headers)
    again = await acme.api.post("/v1/orders", json=body, headers=headers)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["idempotent-replayed"] == "true"
    assert again.json() == first.json()
    assert len(await shop.told("order.created")) == 1


async def test_the_answer_is_whole_when_it_comes(shop: Shop) -> None:
    order = await shop.ready(entities=[{"name": "Box"}], dispatch=True)
    assert order["status"] == "dispatched"
    assert None not in (order["distance"], order["time"], order["tracking_number"])
    assert order["payload"]["entities"][0]["tracking_number"] is not None
    assert await shop.get(f"orders/{order['id']}") == order


async def test_nobody_looks_an_order_up_without_a_credential(house: House, shop: Shop) -> None:
    order = await shop.order()
    number = order["tracking_number"]["tracking_number"]
    for path in (f"/v1/tracking-numbers/{number}", f"/v1/orders?tracking={number}"):
        answer = await house.client().get(path)
        assert answer.status_code == 401
        assert "Raffles" not in answer.text


async def test_the_wrong_companys_credential_finds_nothing_by_number(
    shop: Shop, market: Shop
) -> None:
    order = await shop.order()
    number = order["tracking_number"]["tracking_number"]
    assert await market.get(f"orders?tracking={number}") == []
    assert await market.get(f"orders?query={number}") == []
    assert await market.get(f"tracking-numbers?tracking_number={number}") == []


async def test_an_order_for_whoever_comes_calls_nobody_of_another_company(
    shop: Shop, market: Shop
) -> None:
    stranger = await market.driver(online=True, location="1.284,103.851")
    order = await shop.order(adhoc=True)
    await shop.act(order, "dispatch")
    refused(await shop.attempt(order, "start", assign=stranger["id"]), 404, "not_found")
    assert [event["event"] for event in await market.told()] == [
        "driver.location_changed",
        "driver.online",
    ]


async def test_deleting_a_vehicle_leaves_driver_and_order_alone(shop: Shop, acme: Firm) -> None:
    van = await shop.vehicle()
    driver = await shop.driver(vehicle=van["id"])
    order = await shop.order(driver=driver["id"])
    await acme.api.delete(f"/v1/vehicles/{van['id']}")
    assert (await shop.get(f"drivers/{driver['id']}"))["name"] == "Ada"
    shown = await shop.get(f"orders/{order['id']}")
    assert shown["driver_assigned"]["id"] == driver["id"]
    assert shown["vehicle_assigned"]["id"] == van["id"]


@pytest.mark.parametrize("path", ["orders", "payloads", "tracking-numbers", "tracking-statuses"])
async def test_a_longer_page_takes_no_more_statements(shop: Shop, house: House, path: str) -> None:
    async def place() -> None:
        await shop.ready(waypoints=[RAFFLES, MANDAI], entities=[{"name": "Box", "destination": 0}])

    await place()
    async with statements(house) as few:
        await shop.get(path)
    for _ in range(4):
        await place()
    async with statements(house) as many:
        await shop.get(path)
    assert len(many) == len(few) > 0
