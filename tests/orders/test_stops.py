"""Orders with several stops."""

from typing import Any

from orders.shop import CHANGI, DELIVERED, MANDAI, RAFFLES, Shop
from probe import paths, refused
from stage import Firm

STOPS: list[dict[str, Any]] = [{**RAFFLES, "type": "pickup"}, {"place": MANDAI}, {"place": CHANGI}]


async def test_each_stop_runs_its_own_flow_and_the_last_completes_the_order(shop: Shop) -> None:
    order = await shop.started(waypoints=STOPS)
    stops = [stop["id"] for stop in order["payload"]["waypoints"]]
    seen = []
    for _ in stops:
        shown = await shop.get(f"orders/{order['id']}")
        seen.append((shown["status"], shown["current_waypoint"]))
        await shop.fire(order, "enroute")
        shown = await shop.fire(order, "completed")
    assert seen == [("started", stop) for stop in stops]
    assert shown["status"] == "completed"
    assert [stop["complete"] for stop in shown["payload"]["waypoints"]] == [True] * 3
    assert len(await shop.told("order.completed")) == 1


async def test_an_order_is_not_complete_while_a_stop_is_left(shop: Shop) -> None:
    order = await shop.started(waypoints=STOPS)
    await shop.fire(order, "enroute")
    refused(await shop.attempt(order, "complete"), 409, "illegal_move")


async def test_a_stop_names_a_flow_of_its_own(shop: Shop, acme: Firm) -> None:
    await shop.config(
        {"code": "delivered", "complete": True},
        key="mixed",
        subflows={"collect": [{"code": "loaded", "complete": True}]},
    )
    stops = [{**STOPS[0], "subflow": "collect"}, STOPS[1]]
    order = await shop.started(type="mixed", waypoints=stops)
    assert await shop.upcoming(order) == ["loaded"]
    await shop.fire(order, "loaded")
    assert await shop.upcoming(order) == ["delivered"]
    wrong = [{**STOPS[0], "subflow": "fly"}, STOPS[1]]
    answer = await acme.api.post("/v1/orders", json={"type": "mixed", "waypoints": wrong})
    assert paths(answer) == ["waypoints[0].subflow"]


async def test_the_driver_chooses_the_next_stop_where_that_is_legal(shop: Shop) -> None:
    order = await shop.started(waypoints=STOPS)
    first, second, third = order["payload"]["waypoints"]
    moved = await shop.act(order, f"set-destination/{third['id']}")
    assert moved["current_waypoint"] == third["id"]
    [event] = await shop.told("order.updated")
    assert event["data"]["changed"] == ["current_waypoint"]
    await shop.act(order, f"set-destination/{third['uuid']}")
    assert len(await shop.told("order.updated")) == 1
    by_place = await shop.act(order, f"set-destination/{second['place']['id']}")
    assert by_place["current_waypoint"] == second["id"]
    await shop.fire(order, "enroute")
    refused(await shop.attempt(order, f"set-destination/{first['id']}"), 409, "illegal_move")
    await shop.fire(order, "completed")
    refused(await shop.attempt(order, f"set-destination/{second['id']}"), 409, "illegal_move")
    refused(
        await shop.attempt(order, "set-destination/waypoint_0000000000000000"), 404, "not_found"
    )


async def test_an_activity_may_name_its_stop(shop: Shop) -> None:
    order = await shop.started(waypoints=STOPS)
    third = order["payload"]["waypoints"][2]
    moved = await shop.fire(order, "enroute", waypoint=third["id"])
    assert moved["current_waypoint"] == third["id"]
    assert moved["payload"]["waypoints"][2]["status_code"] == "enroute"


async def test_what_may_happen_is_asked_of_a_stop(shop: Shop) -> None:
    order = await shop.ready(waypoints=STOPS)
    first, second, _ = order["payload"]["waypoints"]
    assert await shop.upcoming(order) == ["dispatched"]
    assert await shop.upcoming(order, f"waypoint={first['id']}") == []
    await shop.act(order, "start", skip_dispatch=True)
    assert await shop.upcoming(order, f"waypoint={first['id']}") == [
        "enroute",
        "arrived_at_pickup",
    ]
    assert await shop.upcoming(order, f"waypoint={second['id']}") == []


async def test_different_stops_can_need_different_proofs(shop: Shop) -> None:
    stops = [
        {**STOPS[0], "pod_required": True, "pod_method": "scan"},
        {**STOPS[1], "pod_required": True, "pod_method": "signature"},
    ]
    order = await shop.started(waypoints=stops)
    await shop.fire(order, "enroute")
    answer = await shop.attempt(order, "update-activity", activity="completed")
    refused(answer, 422, "pod_required")
    first = order["payload"]["waypoints"][0]["id"]
    assert answer.json()["missing"] == [
        {"subject_type": "waypoint", "subject_id": first, "method": "scan"}
    ]


async def test_the_pickup_and_dropoff_told_are_the_first_and_last_stop(shop: Shop) -> None:
    await shop.ready(waypoints=STOPS, dispatch=True)
    [event] = await shop.told("order.dispatched")
    assert event["data"]["payload"]["pickup"].startswith("1 Raffles Place")
    assert event["data"]["payload"]["dropoff"].startswith("60 Airport Boulevard")


async def test_a_stop_added_under_way_must_be_done_too(shop: Shop) -> None:
    order = await shop.started(waypoints=STOPS[:2])
    for _ in range(1):
        await shop.fire(order, "enroute")
        await shop.fire(order, "completed")
    await shop.post("waypoints", payload=order["payload"]["id"], place=CHANGI)
    await shop.fire(order, "enroute")
    moved = await shop.fire(order, "completed")
    assert moved["status"] == "started"
    await shop.fire(order, "enroute")
    assert (await shop.act(order, "complete"))["status"] == "completed"


async def test_a_place_that_was_visited_before_is_gone_to_again(shop: Shop) -> None:
    await shop.config(*DELIVERED, key="quick")
    depot = await shop.post("places", **RAFFLES)
    stops = [{"place": depot["id"]}, *STOPS[1:], {"place": depot["id"]}]
    for name in (depot["id"], depot["uuid"]):
        order = await shop.started(type="quick", waypoints=stops)
        await shop.fire(order, "delivered")
        moved = await shop.act(order, f"set-destination/{name}")
        assert moved["current_waypoint"] == order["payload"]["waypoints"][-1]["id"]


async def test_a_pickup_that_is_also_the_first_stop_is_a_pickup(shop: Shop) -> None:
    depot = await shop.post("places", **RAFFLES)
    stops = [{"place": depot["id"]}, {"place": MANDAI}, {"place": CHANGI}]
    order = await shop.order(pickup=depot["id"], waypoints=stops)
    types = [stop["type"] for stop in order["payload"]["waypoints"]]
    assert types == ["pickup", "dropoff", "dropoff"]
