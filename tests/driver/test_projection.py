"""Where an order will stand, told by the phone alone: as the server tells it afterwards."""

import random
from typing import Any, Final

import pytest

from driver.handset import STEPS, Dispatcher, Handset
from orders.shop import CHANGI, MANDAI, RAFFLES
from stage import Firm, House

pytestmark = pytest.mark.slow

STANDING: Final = ("status", "activity", "open", "current_waypoint", "next", "undelivered")
AT_STOPS: Final = ("id", "activity", "done", "undelivered", "attempts", "next")
DETOUR: Final = (
    {"code": "arrived", "status": "Arrived", "next": ["waiting", "handed_over"]},
    {"code": "waiting", "status": "Waiting", "next": ["waiting", "handed_over"]},
    STEPS[1],
)
REASONS: Final = ("nobody_home", "wrong_address", "refused")
RETURNED: Final = "returned"
AFTER: Final = "return (await import(given.projection)).applyEntry(given.flow, given.entry)"


def seen(flow: dict[str, Any]) -> list[Any]:
    """Keep what the rules of the flow decide."""
    stops = [[stop[name] for name in AT_STOPS] for stop in flow["waypoints"]]
    codes = [activity["code"] for activity in flow["activities"]]
    return [*(flow[name] for name in STANDING), codes, stops]


def moves(flow: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """List what a driver may try now: not all of it is allowed."""
    stops = [stop["id"] for stop in flow["waypoints"]]
    named: list[dict[str, Any]] = [{}, *({"waypoint": stop} for stop in stops)]
    steps = [("update-activity", {"activity": code}) for code in flow["next"]]
    steps += [
        ("update-activity", {"activity": stop["next"][0], "waypoint": stop["id"]})
        for stop in flow["waypoints"]
        if stop["next"]
    ]
    steps += [("fail-attempt", {"reason": code, **at}) for code in REASONS for at in named]
    steps += [(f"set-destination/{stop}", {}) for stop in stops]
    return [*steps, ("complete", {}), ("start", {})]


async def called_returned(house: House) -> None:
    """Have flows end with an activity of their own called so, from before it was reserved."""
    async with house.database.transaction() as db:
        for table in ("order_configs", "order_config_versions"):
            await db.execute(
                f"update {table} set flow = replace(flow::text, 'handed_over', :code)::jsonb",
                code=RETURNED,
            )


@pytest.mark.parametrize(
    ("seed", "own"), [(0, False), (1, False), (2, False), (3, True), (4, True)]
)
async def test_the_phone_tells_where_an_order_will_stand_as_the_server_does(
    handset: Handset, dispatcher: Dispatcher, acme: Firm, seed: int, *, own: bool
) -> None:
    chance = random.Random(seed)
    await dispatcher.post("order-configs", name="Detour", key="detour", flow=list(DETOUR))
    if own:
        await called_returned(acme.house)
    for stops in ([], [RAFFLES, MANDAI, CHANGI]):
        more = {"waypoints": stops} if stops else {}
        order = await dispatcher.give(handset.driver, type="detour", **more)
        address = f"/v1/orders/{order['id']}"
        for _ in range(40):
            before = await dispatcher.get(f"orders/{order['id']}/flow")
            if not before["open"]:
                break
            # A step that the flow has next is likelier than any other.
            forward = [("update-activity", {"activity": code}) for code in before["next"]]
            action, body = chance.choice([*forward * 4, *moves(before)])
            answer = await acme.api.post(f"{address}/{action}", json=body)
            assert answer.status_code in {200, 409}, answer.text
            told = await handset.js(
                AFTER,
                projection=handset.address("projection"),
                flow=before,
                entry={"kind": "activity", "path": f"{address}/{action}", "body": body},
            )
            server = await dispatcher.get(f"orders/{order['id']}/flow")
            if answer.status_code == 200:
                assert seen(told) == seen(server), (action, body, seen(before))


async def test_a_companys_own_activity_is_not_taken_for_goods_that_went_back(
    handset: Handset, dispatcher: Dispatcher, acme: Firm
) -> None:
    await dispatcher.post("order-configs", name="Rentals", key="rentals", flow=list(STEPS))
    await called_returned(acme.house)
    for more in ({}, {"waypoints": [RAFFLES, MANDAI]}):
        order = await dispatcher.give(handset.driver, type="rentals", **more)
        await dispatcher.act(order, "start")
        await dispatcher.act(order, "update-activity", activity="arrived")
        script = """const { toJobs } = await import(given.jobs);
            const { findActivity } = await import(given.projection);
            const status = findActivity(given.flow, "returned").status;
            return { kinds: toJobs(given).map(({ kind }) => kind), status }"""
        given = {"jobs": handset.address("screens/jobs"), "order": order}
        flow = await dispatcher.get(f"orders/{order['id']}/flow")
        assert flow["next"] == [RETURNED]
        told = await handset.js(
            script, **given, projection=handset.address("projection"), flow=flow
        )
        assert ("return" in told["kinds"], told["status"]) == (False, "Handed over")


async def test_what_the_server_did_already_happens_at_no_other_stop(
    handset: Handset, dispatcher: Dispatcher
) -> None:
    await dispatcher.post("order-configs", name="Short", key="short", flow=[STEPS[1]])
    order = await dispatcher.give(handset.driver, type="short", waypoints=[RAFFLES, MANDAI, CHANGI])
    await dispatcher.act(order, "start")
    first, second, _ = [stop["id"] for stop in order["payload"]["waypoints"]]
    steps = [
        ("update-activity", {"activity": "handed_over", "waypoint": first}),
        ("fail-attempt", {"reason": "wrong_address", "waypoint": second}),
    ]
    for action, body in steps:
        await dispatcher.act(order, action, **body)
        flow = await dispatcher.get(f"orders/{order['id']}/flow")
        # Its answer has not come yet, and the order was read meanwhile.
        entry = {"kind": "activity", "path": f"/v1/orders/{order['id']}/{action}", "body": body}
        given = {"projection": handset.address("projection"), "flow": flow, "entry": entry}
        assert seen(await handset.js(AFTER, **given)) == seen(flow)


async def test_the_next_button_is_right_without_reception(
    handset: Handset, dispatcher: Dispatcher, weather: Any
) -> None:
    order = await dispatcher.give(handset.driver)
    assert (await handset.js("return orders.pullOrders()"))["status"] == 200
    weather.gone = True
    await handset.press(order, "started")
    await handset.press(order, "arrived")
    script = """const { flow, waiting } = await orders.findOrder(given.id);
        const { findActivity } = await import(given.projection);
        const missing = findActivity(flow, "handed_over").demands.filter(({ met }) => !met).length;
        return { waiting, next: flow.next, missing }"""
    given = {"id": order["id"], "projection": handset.address("projection")}
    told = await handset.js(script, **given)
    assert told == {"waiting": 2, "next": ["handed_over"], "missing": 1}
    await handset.photo(order)
    assert (await handset.js(script, **given))["missing"] == 0
    await handset.press(order, "handed_over")
    assert (await handset.js(script, **given))["next"] == []
    weather.gone = False
    assert await handset.send() == 0
    # What has arrived is not shown as it was before, even when nothing was pulled since.
    assert (await handset.js(script, **given)) == {"waiting": 0, "next": [], "missing": 0}
    await handset.js("return orders.pullOrders()")
    assert await handset.js("return orders.listOrders()") == []


async def test_an_order_that_is_gone_stays_while_something_of_it_waits(
    handset: Handset, dispatcher: Dispatcher, weather: Any
) -> None:
    order = await dispatcher.give(handset.driver)
    await handset.js("return orders.pullOrders()")
    weather.meets = lambda scope: scope["method"] == "POST"
    weather.coming.extend(["gone"] * 50)
    await handset.press(order, "started")
    grace = await dispatcher.driver(name="Grace")
    await dispatcher.act(order, "assign-driver", driver=grace["id"])
    await handset.js("return orders.pullOrders()")
    [kept] = await handset.js("return orders.listOrders()")
    assert (kept["id"], kept["gone"], kept["waiting"]) == (order["id"], True, 1)
    weather.coming.clear()
    await handset.send()
    [refused] = await handset.entries()
    await handset.js("return outbox.discardEntry(given.id)", id=refused["id"])
    await handset.js("return orders.pullOrders()")
    assert await handset.js("return orders.listOrders()") == []
