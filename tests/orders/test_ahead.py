"""What lies ahead of an order: enough to go on without reception."""

import sys
from types import FrameType
from typing import Any

from orders.shop import CHANGI, MANDAI, RAFFLES, Shop, statements
from probe import refused
from stage import Firm, House

FLOW = [
    {"code": "arrived", "status": "Arrived", "next": ["scanned"], "color": "#aa0000"},
    {
        "code": "scanned", "status": "Scanned", "next": ["handed_over"],
        "require_pod": True, "pod_method": "scan", "pod_scope": "entity",
    },
    {
        "code": "handed_over", "status": "Handed over", "complete": True,
        "require_pod": True, "pod_method": "signature", "pod_scope": "waypoint",
    },
]  # fmt: skip


async def ahead(shop: Shop, order: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = await shop.get(f"orders/{order['id']}/flow")
    return found


def activity(part: dict[str, Any], code: str) -> dict[str, Any]:
    """Find an activity of an order or of a stop by its code."""
    found: dict[str, Any] = next(each for each in part["activities"] if each["code"] == code)
    return found


async def rounds(shop: Shop, **more: Any) -> dict[str, Any]:
    """Place an order of two stops with three items."""
    config = await shop.config(*FLOW)
    entities = [
        {"name": "Lamp", "destination": 0, "expected_codes": ["LAMP-1", "LAMP-2"]},
        {"name": "Chair", "destination": 0},
        {"name": "Table", "destination": 1},
    ]
    return await shop.ready(
        order_config=config["id"], waypoints=[MANDAI, CHANGI], entities=entities, **more
    )


async def test_the_whole_flow_of_an_order_without_stops_is_told(shop: Shop) -> None:
    order = await shop.ready()
    told = await ahead(shop, order)
    assert (told["order"], told["activity"], told["next"]) == (
        order["id"],
        "created",
        ["dispatched"],
    )
    assert [(each["code"], each["next"]) for each in told["activities"]] == [
        ("created", ["dispatched"]), ("dispatched", ["started"]),
        ("started", ["enroute", "arrived_at_pickup"]), ("arrived_at_pickup", ["collected"]),
        ("collected", ["enroute"]), ("enroute", ["completed"]), ("completed", []),
    ]  # fmt: skip
    assert (told["waypoints"], told["current_waypoint"], told["open"]) == ([], None, True)
    assert activity(told, "completed")["complete"]


async def test_each_stop_tells_its_own_flow_and_the_proofs_it_needs(shop: Shop) -> None:
    order = await rounds(shop)
    told = await ahead(shop, order)
    first, second = order["payload"]["waypoints"]
    lamp, chair, table = order["payload"]["entities"]
    assert [each["code"] for each in told["activities"]] == ["created", "dispatched", "started"]
    assert [each["id"] for each in told["waypoints"]] == [first["id"], second["id"]]
    one, two = told["waypoints"]
    assert (one["begin"], one["next"], one["activity"]) == (["arrived"], ["arrived"], None)
    assert activity(one, "arrived")["color"] == "#aa0000"
    wanted = [(each["subject_id"], each["method"]) for each in activity(one, "scanned")["demands"]]
    assert wanted == [(lamp["id"], "scan"), (chair["id"], "scan")]
    assert [each["subject_id"] for each in activity(two, "scanned")["demands"]] == [table["id"]]
    signed = [
        {
            "subject_type": "waypoint",
            "subject_id": second["id"],
            "method": "signature",
            "met": False,
        }
    ]
    assert activity(two, "handed_over")["demands"] == signed


async def test_what_may_be_scanned_is_told_as_the_server_compares_it(shop: Shop) -> None:
    order = await rounds(shop)
    started = await shop.act(order, "start", skip_dispatch=True)
    lamp, chair, _ = order["payload"]["entities"]
    told = await ahead(shop, started)
    expected, known = told["expected"], told["known"]
    assert known[chair["id"]] == [chair["tracking_number"], chair["id"], chair["uuid"]]
    assert expected == {
        lamp["id"]: ["LAMP-1", "LAMP-2", lamp["tracking_number"], lamp["id"], lamp["uuid"]]
    }
    for number, code in enumerate(expected[lamp["id"]]):
        answer = await shop.attempt(order, f"capture-qr/{lamp['id']}", code=code)
        assert answer.status_code == 201, (number, answer.text)
    refused(await shop.attempt(order, f"capture-qr/{lamp['id']}", code="X"), 422, "code_mismatch")
    taken = await shop.attempt(order, f"capture-qr/{chair['id']}", code="X")
    assert taken.status_code == 201, taken.text


async def test_a_proof_that_is_there_already_meets_its_demand(shop: Shop) -> None:
    order = await rounds(shop)
    await shop.act(order, "start", skip_dispatch=True)
    lamp, chair, _ = order["payload"]["entities"]

    async def met() -> list[bool]:
        stop = (await ahead(shop, order))["waypoints"][0]
        return [each["met"] for each in activity(stop, "scanned")["demands"]]

    await shop.attempt(order, f"capture-qr/{lamp['id']}", code="LAMP-1", activity="scanned")
    # Captured for no activity, before the one that comes first: it will not serve by then.
    await shop.attempt(order, f"capture-qr/{chair['id']}", code="CHAIR")
    assert await met() == [True, False]
    await shop.fire(order, "arrived")
    await shop.attempt(order, f"capture-qr/{chair['id']}", code="CHAIR")
    assert await met() == [True, True]
    await shop.fire(order, "scanned")
    one, two = (await ahead(shop, order))["waypoints"]
    assert (one["activity"], one["next"], one["done"]) == ("scanned", ["handed_over"], False)
    assert two["next"] == ["arrived"]


async def test_what_follows_is_what_the_order_itself_says(shop: Shop) -> None:
    order = await shop.ready(waypoints=[RAFFLES, MANDAI])
    for _ in range(20):
        told = await ahead(shop, order)
        assert told["next"] == await shop.upcoming(order)
        if not told["next"]:
            break
        order = await shop.fire(order, told["next"][0])
        assert (await ahead(shop, order))["current_waypoint"] == order["current_waypoint"]
    assert (told["status"], told["open"]) == ("completed", False)
    assert [stop["done"] for stop in told["waypoints"]] == [True, True]


async def test_a_larger_order_is_told_in_no_more_statements(shop: Shop, house: House) -> None:
    async def asked(stops: int) -> int:
        order = await shop.ready(waypoints=[f"{number} Street" for number in range(stops)])
        await ahead(shop, order)
        async with statements(house) as heard:
            await ahead(shop, order)
        return len(heard)

    assert await asked(20) == await asked(2)


async def test_an_order_with_many_items_is_told_with_no_more_work_for_each(shop: Shop) -> None:
    config = await shop.config(*FLOW)

    async def work(items: int) -> float:
        """Count the calls of functions for each item."""
        entities = [{"name": "Box", "expected_codes": [f"B-{n}"]} for n in range(items)]
        order = await shop.ready(order_config=config["id"], entities=entities)
        await ahead(shop, order)
        calls = 0

        def count(_: FrameType, event: str, __: object) -> None:
            nonlocal calls
            calls += event == "call"

        sys.setprofile(count)
        try:
            told = await ahead(shop, order)
        finally:
            sys.setprofile(None)
        assert len(activity(told, "scanned")["demands"]) == len(told["expected"]) == items
        return calls / items

    assert await work(400) < 1.2 * await work(100)


async def test_the_flow_of_another_company_is_not_there(shop: Shop, rival: Firm) -> None:
    order = await shop.order()
    refused(await rival.api.get(f"/v1/orders/{order['id']}/flow"), 404, "not_found")
