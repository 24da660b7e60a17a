"""Arriving and collecting at a pickup: with stops and without, skipped, required and repeated."""

from typing import Any

import pytest

from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from pannier.orders import flow, flow_faults
from pannier.orders.activities import Activity
from pannier.orders.default_flow import DEFAULT
from probe import refused

LOADING = {"code": "loaded", "at": "pickup", "next": ["done"]}
STOPS = [{**RAFFLES, "type": "pickup"}, CHANGI]
DONE = {"code": "done", "complete": True}
SCAN = {"require_pod": True, "pod_method": "scan"}


async def codes(shop: Shop, order: dict[str, Any]) -> list[str]:
    """List what may happen next."""
    return [one["code"] for one in await shop.get(f"orders/{order['id']}/next-activity")]


async def day(shop: Shop, order: dict[str, Any]) -> list[str]:
    """List the driver's remaining stops."""
    driver = (await shop.get(f"orders/{order['id']}"))["driver_assigned"]["id"]
    return [stop["type"] for stop in (await shop.get(f"drivers/{driver}/stops"))["stops"]]


async def test_the_pickup_stays_in_the_drivers_day_until_the_goods_are_collected(
    shop: Shop,
) -> None:
    order = await shop.started(pickup=RAFFLES, dropoff=CHANGI)
    assert await codes(shop, order) == ["enroute", "arrived_at_pickup"]
    assert (await shop.get(f"orders/{order['id']}/flow"))["collecting"] is True
    await shop.fire(order, "arrived_at_pickup")
    assert await codes(shop, order) == ["collected"]
    assert await day(shop, order) == ["pickup", "dropoff"]
    await shop.fire(order, "collected")
    assert await day(shop, order) == ["dropoff"]
    assert (await shop.get(f"orders/{order['id']}/flow"))["collecting"] is False
    for code in ("enroute", "completed"):
        await shop.fire(order, code)
    assert (await shop.get(f"orders/{order['id']}"))["status"] == "completed"


async def test_etas_count_an_optional_pickup_until_it_is_collected_or_skipped(shop: Shop) -> None:
    order = await shop.started(pickup=RAFFLES, dropoff=CHANGI)
    driver = f"drivers/{order['driver_assigned']['id']}"
    near_changi = {"latitude": 1.36, "longitude": 103.98}
    await shop.post(f"{driver}/track", **near_changi)
    stops = (await shop.get(f"orders/{order['id']}/tracker"))["stops"]
    assert [stop["complete"] for stop in stops] == [False, False]
    # To the pickup, and back again.
    assert stops[0]["eta"] < stops[1]["eta"]
    assert await day(shop, order) == ["pickup", "dropoff"]
    for code in ("arrived_at_pickup", "collected"):
        await shop.fire(order, code)
    collected = (await shop.get(f"orders/{order['id']}/tracker"))["stops"]
    assert [stop["complete"] for stop in collected] == [True, False]
    assert collected[1]["eta"] < stops[0]["eta"]
    assert await day(shop, order) == ["dropoff"]


async def test_a_started_order_without_steps_at_the_pickup_heads_for_its_drop_off(
    shop: Shop,
) -> None:
    await shop.config(DONE, key="plain")
    order = await shop.started(type="plain", pickup=RAFFLES, dropoff=CHANGI)
    await shop.post(
        f"drivers/{order['driver_assigned']['id']}/track", latitude=1.3, longitude=103.8
    )
    stops = (await shop.get(f"orders/{order['id']}/tracker"))["stops"]
    assert [(stop["complete"], stop["eta"] is None) for stop in stops] == [
        (True, True),
        (False, False),
    ]
    assert await day(shop, order) == ["dropoff"]


async def test_clients_that_know_no_steps_at_the_pickup_go_on_as_before(shop: Shop) -> None:
    order = await shop.started(pickup=RAFFLES, dropoff=CHANGI)
    await shop.fire(order, "enroute")
    assert await day(shop, order) == ["dropoff"]
    assert await codes(shop, order) == ["completed"]
    stops = await shop.started(waypoints=STOPS)
    for code in ("enroute", "completed") * 2:
        await shop.fire(stops, code)
    assert (await shop.get(f"orders/{stops['id']}"))["status"] == "completed"


async def test_collecting_completes_a_stop_and_a_drop_off_has_no_such_steps(shop: Shop) -> None:
    order = await shop.started(waypoints=[*STOPS, MANDAI])
    assert await codes(shop, order) == ["enroute", "arrived_at_pickup"]
    await shop.fire(order, "enroute")
    assert await codes(shop, order) == ["completed", "arrived_at_pickup"]
    for code in ("arrived_at_pickup", "collected"):
        await shop.fire(order, code)
    first, second, _ = (await shop.get(f"orders/{order['id']}"))["payload"]["waypoints"]
    assert (first["complete"], second["complete"]) == (True, False)
    assert await codes(shop, order) == ["enroute"]


async def test_a_failed_delivery_does_not_lead_back_to_the_pickup(shop: Shop) -> None:
    order = await shop.started(pickup=RAFFLES, dropoff=CHANGI)
    for code in ("arrived_at_pickup", "collected", "enroute"):
        await shop.fire(order, code)
    await shop.post(f"orders/{order['id']}/fail-attempt", reason="nobody_home", then="retry")
    assert await codes(shop, order) == ["enroute"]
    # A failed pickup is tried again.
    other = await shop.started(pickup=RAFFLES, dropoff=CHANGI)
    await shop.fire(other, "arrived_at_pickup")
    await shop.post(f"orders/{other['id']}/fail-attempt", reason="closed", then="retry")
    assert await codes(shop, other) == ["enroute", "arrived_at_pickup"]


async def test_a_step_that_requires_a_proof_is_not_skipped(shop: Shop) -> None:
    await shop.config({**LOADING, **SCAN}, DONE, key="loading")
    for route in ({"pickup": RAFFLES, "dropoff": CHANGI}, {"waypoints": STOPS}):
        order = await shop.started(type="loading", **route)
        assert await codes(shop, order) == ["loaded"]
        assert await day(shop, order) == ["pickup", "dropoff"]
        body = {"activity": "loaded"}
        refused(await shop.attempt(order, "update-activity", **body), 422, "pod_required")
        await shop.post(f"orders/{order['id']}/capture-qr", code=order["id"])
        await shop.fire(order, "loaded")
        assert await codes(shop, order) == ["done"]
        await shop.fire(order, "done")
        assert (await shop.get(f"orders/{order['id']}"))["status"] == "completed"


@pytest.mark.parametrize(
    ("steps", "fault"),
    [
        ([{**LOADING, "complete": True, "next": []}, DONE], "cannot be a step at the pickup"),
        ([LOADING, {"code": "a", "next": ["loaded", "done"]}, DONE], "cannot lead back"),
        ([LOADING], "leads to done"),
    ],
)
def test_misplaced_steps_are_refused(steps: list[dict[str, Any]], fault: str) -> None:
    activities = [Activity(**{**one, "next": tuple(one.get("next", ()))}) for one in steps]
    found = [one.message for one in flow_faults.find_faults(activities)]
    assert any(fault in message for message in found), found
    assert flow_faults.find_faults(list(DEFAULT)) == []
    assert flow_faults.find_faults(
        [Activity(**LOADING | {"next": ("done",)}), Activity(**DONE)], is_stop_flow=True
    )
    assert flow.prepend_head(DEFAULT)["started"].next == ("enroute", "arrived_at_pickup")
