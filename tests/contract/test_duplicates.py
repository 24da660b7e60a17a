"""An order like an earlier one, with a request that names only what differs."""

from typing import Any

import pytest

from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from probe import refused
from stage import Firm

COPIED = (
    "notes", "pod_required", "pod_method", "required_skills", "order_config", "meta", "cod_amount",
    "cod_currency", "distance",
)  # fmt: skip


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def duplicate(shop: Shop, order: dict[str, Any], **body: Any) -> dict[str, Any]:
    answer = await shop.attempt(order, "duplicate", **body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def full(shop: Shop, **more: Any) -> dict[str, Any]:
    stops = [
        {"place": RAFFLES, "type": "pickup", "service_time": 60},
        {
            "place": {**MANDAI, "name": "Zoo", "security_access_code": "1234"},
            "contact": {"name": "Grace", "phone": "+6591110000"}, "notes": "Ring.",
            "time_window_start": "2026-01-20T01:00:00Z", "time_window_end": "2026-01-20T02:00:00Z",
        },
        {"place": CHANGI},
    ]  # fmt: skip
    return await shop.ready(
        waypoints=stops, pickup=None, dropoff=None, notes="Twice.", pod_required=True,
        pod_method="photo", required_skills=["cold_chain"], meta={"shift": "am"},
        customer={"name": "Ada", "phone": "+6591234567"}, cod_amount=700, cod_currency="SGD",
        entities=[
            {"name": "Box", "weight": 4.2, "destination": 1, "expected_codes": ["4006381333931"]},
            {"name": "Bag", "length": 10, "declared_value": 5, "currency": "SGD"},
        ],
        internal_id="SO-1", scheduled_at="2026-01-20T00:00:00Z", **more,
    )  # fmt: skip


async def test_everything_is_copied_but_its_driver_number_and_times(shop: Shop) -> None:
    order = await full(shop)
    copy = await duplicate(shop, order, internal_id="SO-2")
    assert copy["id"] != order["id"]
    assert {name: copy[name] for name in COPIED} == {name: order[name] for name in COPIED}
    assert copy["customer"] == order["customer"]
    assert (copy["status"], copy["internal_id"]) == ("created", "SO-2")
    assert (copy["driver_assigned"], copy["scheduled_at"]) == (None, None)
    before, after = order["payload"], copy["payload"]
    for name in ("type", "contact", "recipient", "notes", "service_time"):
        assert [stop[name] for stop in after["waypoints"]] == [
            stop[name] for stop in before["waypoints"]
        ]
    for name in ("name", "street1", "security_access_code", "location"):
        assert [stop["place"][name] for stop in after["waypoints"]] == [
            stop["place"][name] for stop in before["waypoints"]
        ]
    assert {stop["time_window_end"] for stop in after["waypoints"]} == {None}
    # An address that belongs to the earlier order is not shared with the new one.
    assert not {stop["place"]["id"] for stop in after["waypoints"]} & {
        stop["place"]["id"] for stop in before["waypoints"]
    }
    box, bag = after["entities"]
    assert (box["destination"], box["weight"]) == (after["waypoints"][1]["id"], 4.2)
    assert (box["expected_codes"], bag["length"]) == (["4006381333931"], 10)


async def test_times_move_to_another_day_by_the_companys_clocks(shop: Shop, acme: Firm) -> None:
    await acme.admin.patch("/int/v1/settings", json={"time_zone": "Europe/Berlin"})
    order = await full(shop)
    copy = await duplicate(shop, order, day="2026-03-30")
    # Summer time has begun in between.
    assert copy["scheduled_at"] == "2026-03-29T23:00:00.000Z"
    stop = copy["payload"]["waypoints"][1]
    assert (stop["time_window_start"], stop["time_window_end"]) == (
        "2026-03-30T00:00:00.000Z",
        "2026-03-30T01:00:00.000Z",
    )
    refused(await shop.attempt(order, "duplicate", day="2026-01-01"), 422, "validation_failed")


async def test_times_that_would_leave_the_years_of_the_api_are_refused(
    shop: Shop, acme: Firm
) -> None:
    await acme.admin.patch("/int/v1/settings", json={"time_zone": "Europe/Berlin"})
    window = {
        "time_window_start": "2026-01-19T23:00:00Z", "time_window_end": "2026-01-21T05:00:00Z"
    }  # fmt: skip
    order = await shop.ready(**window)
    for day in ("2100-12-31", "1970-01-01", "9999-12-31"):
        problem = refused(await shop.attempt(order, "duplicate", day=day), 422, "validation_failed")
        assert [field["path"] for field in problem["fields"]] == ["day"]


async def test_a_saved_place_is_shared_and_what_was_deleted_is_left_out(shop: Shop) -> None:
    place = await shop.post("places", **RAFFLES)
    ada = await shop.post("contacts", name="Ada", phone="+6591234567")
    order = await shop.order(pickup=place["id"], customer=ada["id"])
    copy = await duplicate(shop, order)
    assert copy["payload"]["pickup"]["id"] == place["id"]
    assert (await shop.firm.api.delete(f"/v1/places/{place['id']}")).status_code == 200
    assert (await shop.firm.api.delete(f"/v1/contacts/{ada['id']}")).status_code == 200
    copy = await duplicate(shop, order)
    assert copy["customer"] is None
    assert copy["payload"]["pickup"]["street1"] == RAFFLES["street1"]


async def test_closed_orders_are_duplicated_and_those_of_others_are_not_found(
    shop: Shop, rival: Firm
) -> None:
    order = await shop.ready()
    await shop.act(order, "cancel")
    assert (await duplicate(shop, order))["status"] == "created"
    answer = await rival.api.post(f"/v1/orders/{order['id']}/duplicate", json={})
    refused(answer, 404, "not_found")
    foreign = await Shop(rival).driver()
    refused(await shop.attempt(order, "duplicate", driver=foreign["id"]), 404, "not_found")
    assert len(await shop.get("orders")) == 2
