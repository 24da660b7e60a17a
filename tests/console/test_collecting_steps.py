"""Collecting steps are offered once to companies whose default flow is from before them."""

from typing import Any, Final

from console.reading import Page
from console.seat import Seat
from orders.shop import CHANGI, RAFFLES, Shop
from stage import Firm

FORMER: Final = [
    {
        "code": "enroute",
        "status": "En route",
        "details": "The driver is en route.",
        "next": ["completed"],
    },
    {
        "code": "completed",
        "status": "Completed",
        "details": "The order was delivered.",
        "complete": True,
    },
]
LABEL: Final = "Add collecting steps"


async def former(acme: Firm) -> dict[str, Any]:
    """Save the flow that companies had before there were steps at the pickup."""
    answer = await acme.api.post("/v1/order-configs", json={"name": "Old", "flow": FORMER})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def upcoming(acme: Firm, order: dict[str, Any]) -> list[str]:
    rows = (await acme.api.get(f"/v1/orders/{order['id']}/next-activity")).json()
    return [row["code"] for row in rows]


async def test_steps_are_added_once_to_an_unchanged_flow_and_orders_keep_theirs(
    acme: Firm, seat: Seat
) -> None:
    config = await former(acme)
    shop, route = Shop(acme), {"pickup": RAFFLES, "dropoff": CHANGI, "type": config["key"]}
    begun = await shop.started(**route)
    path = f"/console/order-configs/{config['id']}"
    page = await seat.open(path)
    assert LABEL in page.main.text
    action = f"{path}/add-collecting-steps"
    asked = await seat.send(action, {"version": str(config["version"]), "sure": ""})
    assert "Existing orders keep their flow." in asked.text
    unchanged = (await acme.api.get(f"/v1/order-configs/{config['id']}")).json()
    assert unchanged["flow_version"] == 1
    added = await seat.send(action, {"version": str(config["version"])})
    assert added.status_code == 303, added.text
    changed = (await acme.api.get(f"/v1/order-configs/{config['id']}")).json()
    # Only the identifiers differ from the flow of a new company.
    transport = (await acme.api.get("/v1/order-configs?key=transport")).json()[0]
    assert changed["flow"] == transport["flow"]
    assert LABEL not in (await seat.open(path)).main.text
    assert await upcoming(acme, begun) == ["enroute"]
    assert await upcoming(acme, await shop.started(**route)) == ["enroute", "arrived_at_pickup"]
    # A form of the page from before changes nothing.
    await seat.send(action, {"version": str(config["version"])})
    again = (await acme.api.get(f"/v1/order-configs/{config['id']}")).json()
    assert again["version"] == changed["version"]
    log = (await acme.admin.get(f"/int/v1/audit?subject={config['id']}")).json()["data"]
    assert [entry["action"] for entry in log] == [
        "order_config.changed",
        "order_config.created",
    ]


async def test_edited_flows_and_viewers_get_no_offer(acme: Firm, seat: Seat) -> None:
    config = await former(acme)
    path = f"/console/order-configs/{config['id']}"
    viewer = await Seat.of(acme, "viewer")
    assert LABEL not in (await viewer.open(path)).main.text
    edited = {"flow": [{**FORMER[0], "details": "Hurrying."}, FORMER[1]]}
    assert (await acme.api.patch(f"/v1/order-configs/{config['id']}", json=edited)).is_success
    assert LABEL not in (await seat.open(path)).main.text
    transport = (await acme.api.get("/v1/order-configs?key=transport")).json()[0]
    shown: Page = await seat.open(f"/console/order-configs/{transport['id']}")
    assert LABEL not in shown.main.text
