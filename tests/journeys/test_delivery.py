"""From nothing to a delivered multi-stop order, with every event in its place."""

from typing import Any

import pytest

from orders.shop import Shop
from pannier.kit.clock import ManualClock
from stage import Firm

FLOW = [
    {"code": "arrived", "status": "Arrived", "next": ["handed_over"]},
    {"code": "handed_over", "status": "Handed over", "complete": True},
]
COLLECT = [{"code": "loaded", "status": "Loaded", "complete": True}]
# The driver, and the vehicle that they drive.
MOVED = ["driver.location_changed", "vehicle.updated"]


@pytest.mark.slow
async def test_a_company_delivers_to_three_stops(acme: Firm, clock: ManualClock) -> None:
    shop = Shop(acme)
    warehouse, ada, grace = [
        await shop.post("places", name=name, latitude=1.3 + number / 100, longitude=103.8)
        for number, name in enumerate(("Warehouse", "Ada's", "Grace's"))
    ]
    van = await shop.vehicle()
    driver = await shop.driver(vehicle=van["id"])
    await shop.post(
        "order-configs", name="Round", key="round", flow=FLOW, subflows={"collect": COLLECT}
    )
    order = await shop.post(
        "orders",
        type="round",
        waypoints=[
            {"place": warehouse["id"], "type": "pickup", "subflow": "collect"},
            {"place": ada["id"]},
            {"place": grace["id"]},
        ],
        entities=[{"name": "A book", "destination": 1}, {"name": "A lamp", "destination": 2}],
        customer={"name": "Ada", "phone": "+6591234567"},
    )
    await shop.post(f"drivers/{driver['id']}/toggle-online", online=True)
    await shop.act(order, "assign-driver", driver=driver["id"])
    await shop.act(order, "dispatch")
    await shop.act(order, "start")
    await walk(shop, clock, order, driver)
    done = await shop.get(f"orders/{order['id']}")
    assert done["status"] == "completed"
    assert [stop["complete"] for stop in done["payload"]["waypoints"]] == [True, True, True]
    assert await shop.names() == [
        "vehicle.assigned",
        "order.created",
        *["tracking_number.created"] * 6,
        "tracking_status.created",
        "driver.online",
        "order.updated",
        "driver.assigned",
        "order.dispatched",
        "tracking_status.created",
        "order.started",
        "tracking_status.created",
        # At the warehouse one activity, and on to the next stop.
        *MOVED,
        "order.updated",
        "tracking_status.created",
        # At Ada's two: arrived, and handed over.
        *MOVED,
        *["order.updated", "tracking_status.created"] * 2,
        # At Grace's the last one completes the order.
        *MOVED,
        "order.updated",
        "tracking_status.created",
        "order.completed",
        "tracking_status.created",
    ]
    story = await shop.get(f"tracking-numbers/{order['tracking_number']['tracking_number']}")
    assert [status["status"] for status in story["statuses"]] == [
        "Order created", "Order dispatched", "Order started", "Loaded", "Arrived", "Handed over",
        "Arrived", "Handed over",
    ]  # fmt: skip


async def walk(
    shop: Shop, clock: ManualClock, order: dict[str, Any], driver: dict[str, Any]
) -> None:
    """Visit every stop as the driver's application does: look what is next, and let it happen."""
    for stop in order["payload"]["waypoints"]:
        longitude, latitude = stop["location"]["coordinates"]
        clock.advance(minutes=5)
        await shop.post(f"drivers/{driver['id']}/track", latitude=latitude, longitude=longitude)
        shown = await shop.get(f"orders/{order['id']}")
        assert shown["current_waypoint"] == stop["id"]
        while codes := await shop.upcoming(order, f"waypoint={stop['id']}"):
            await shop.fire(order, codes[0])
