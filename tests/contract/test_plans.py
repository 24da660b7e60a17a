"""Decisions §11, `POST /v1/plans` and what follows: made by a worker, then edited or accepted."""

import asyncio
from typing import Any

import msgspec
import pytest

from contract.test_every_route import driving
from orders.shop import MANDAI, RAFFLES
from pannier.kit.clock import ManualClock
from planning.day import TOMORROW, Yard, at, place, runner
from stage import Broom, Firm, House


@pytest.fixture
def yard(acme: Firm) -> Yard:
    return Yard(acme)


@pytest.fixture
def market(rival: Firm) -> Yard:
    return Yard(rival)


async def refused(yard: Yard, **more: Any) -> dict[str, str]:
    """Request a plan that is refused, and return the fields."""
    answer = await yard.firm.api.post("/v1/plans", json={"day": TOMORROW, **more})
    assert answer.status_code in {404, 422}, answer.text
    return {field["path"]: field["message"] for field in answer.json()["fields"]}


class Planned(Yard):
    """A yard with four orders and two drivers, and a plan of tomorrow that is done."""

    things: dict[str, Any]

    @property
    def path(self) -> str:
        return f"plans/{self.things['plan']['id']}"

    @property
    def orders(self) -> list[str]:
        names: list[str] = self.things["orders"]
        return names

    @property
    def drivers_by_order(self) -> dict[str, str]:
        """The driver whom the plan gives to each order."""
        routes = self.things["plan"]["routes"]
        return {stop["order"]: route["driver"]["id"] for route in routes for stop in route["stops"]}

    async def assigned(self) -> dict[str, str | None]:
        """The driver whom each order has."""
        rows = [await self.get(f"orders/{order}") for order in self.orders]
        return {row["id"]: row["driver_assigned"] and row["driver_assigned"]["id"] for row in rows}

    async def outdated(self, action: str = "accept", **body: Any) -> list[dict[str, Any]]:
        """Do what is refused, and return the changes."""
        answer = await self.firm.api.post(f"/v1/{self.path}/{action}", json=body)
        assert (answer.status_code, answer.json()["code"]) == (409, "plan_outdated"), answer.text
        changes: list[dict[str, Any]] = answer.json()["changes"]
        assert all(change.pop("message") in answer.text for change in changes)
        return changes


@pytest.fixture
async def planned(house: House, broom: Broom) -> Planned:
    """Two drivers with two orders each, of which one is somebody else's at present."""

    async def furnish(firm: Firm) -> dict[str, Any]:
        yard = Yard(firm)
        first, second = await yard.drivers(2)
        orders = await yard.deliveries(4)
        await yard.assign(orders[0], first)
        fixed = [
            {"order": order["id"], "driver": driver["id"]}
            for order, driver in zip(orders, [second, second, first, first], strict=True)
        ]
        plan = await yard.done(house, fixed=fixed)
        return {
            "plan": plan,
            "orders": [order["id"] for order in orders],
            "drivers": [first["id"], second["id"]],
        }

    firm, things = await broom.furnish(house, "Planned", furnish)
    planned = Planned(firm)
    planned.things = things
    return planned


async def orders_of(plan: dict[str, Any]) -> dict[str, set[str]]:
    """The orders of each driver."""
    return {
        route["driver"]["id"]: {stop["order"] for stop in route["stops"]}
        for route in plan["routes"]
    }


@pytest.mark.slow
async def test_a_plan_has_routes_with_times_loads_and_figures_beside_the_present(
    yard: Yard, house: House
) -> None:
    van = await yard.vehicle(capacity={"weight": 30}, cost_per_km=50, currency="SGD")
    [driver] = await yard.drivers(1, vehicle=van["id"], cost_per_hour=2000, currency="SGD")
    orders = await yard.deliveries(3)
    heavy = await yard.order(
        scheduled_at=at("09:00"), entities=[{"name": "Safe", "weight": 31}], internal_id="SO-1"
    )
    await yard.assign(orders[0], driver)
    plan = await yard.done(house, aim="cost")
    assert (plan["state"], plan["progress"], plan["roads"]) == ("done", 100, "great_circle")
    [route] = plan["routes"]
    assert route["driver"] == {"id": driver["id"], "name": "Driver 0"}
    assert route["vehicle"]["id"] == van["id"]
    assert {stop["order"] for stop in route["stops"]} == {order["id"] for order in orders}
    numbers = {
        order["id"]: order["internal_id"] or order["tracking_number"]["tracking_number"]
        for order in orders
    }
    assert {stop["order"]: stop["number"] for stop in route["stops"]} == numbers
    assert max(stop["load"]["weight"] for stop in route["stops"]) <= 30
    assert not route["overloaded"]
    assert route["starts_at"] >= at("08:00").replace("Z", ".000Z")
    arrivals = [stop["arrives_at"] for stop in route["stops"]]
    assert arrivals == sorted(arrivals)
    assert route["distance"] == sum(stop["distance"] for stop in route["stops"])
    assert route["cost"] > 0
    [left] = plan["unassigned"]
    assert left == {
        "order": heavy["id"],
        "internal_id": "SO-1",
        "number": "SO-1",
        "reason": "too_large",
        "message": "No vehicle is large enough for the items.",
    }
    assert plan["summary"]["orders"] == 3
    assert plan["summary"]["unassigned"] == 1
    assert plan["summary"]["currency"] == "SGD"
    assert (plan["present"]["orders"], plan["present"]["unassigned"]) == (1, 3)
    [present] = plan["present_routes"]
    assert {stop["order"] for stop in present["stops"]} == {orders[0]["id"]}


@pytest.mark.slow
async def test_windows_skills_and_breaks_are_kept(yard: Yard, house: House) -> None:
    pause = {"earliest": "12:00", "latest": "13:00", "duration": 1800}
    shifts = [{"days": ["fri"], "start": "08:00", "end": "18:00", "breaks": [pause]}]
    cold = await yard.driver(name="Cold", shifts=shifts, skills=["cold"])
    await yard.driver(name="Warm", shifts=shifts)
    window = {"time_window_start": at("10:00"), "time_window_end": at("10:30")}
    order = await yard.order(required_skills=["cold"], **window)
    late = {"time_window_start": at("16:00"), "time_window_end": at("16:30")}
    other = await yard.order(required_skills=["cold"], **late)
    plan = await yard.done(house)
    [route] = plan["routes"]
    assert route["driver"]["id"] == cold["id"]
    begins = {stop["order"]: stop["begins_at"] for stop in route["stops"]}
    assert at("10:00")[:-1] <= begins[order["id"]] <= at("10:30")
    assert at("16:00")[:-1] <= begins[other["id"]] <= at("16:30")
    [taken] = route["breaks"]
    assert at("12:00")[:-1] <= taken["begins_at"] <= at("13:00")


@pytest.mark.slow
async def test_fixed_and_own_orders_stay_with_their_drivers(yard: Yard, house: House) -> None:
    first, second = await yard.drivers(2)
    orders = await yard.deliveries(4)
    await yard.assign(orders[0], first)
    plan = await yard.done(
        house,
        orders=[order["id"] for order in orders[1:]],
        drivers=[first["id"], second["id"]],
        fixed=[{"order": orders[1]["id"], "driver": second["id"]}],
    )
    routes = await orders_of(plan)
    assert orders[0]["id"] in routes[first["id"]]
    assert orders[1]["id"] in routes[second["id"]]
    kept = {stop["order"]: stop["fixed"] for route in plan["routes"] for stop in route["stops"]}
    assert [kept[order["id"]] for order in orders] == [True, True, False, False]


async def test_a_request_is_refused_field_by_field(yard: Yard, market: Yard) -> None:
    [driver] = await yard.drivers(1)
    assert await refused(yard) == {"filter": "No open orders are due on this day."}
    [order] = await yard.deliveries(1)
    [stranger] = await market.deliveries(1)
    [outsider] = await market.drivers(1)
    assert await refused(yard, orders=[order["id"], stranger["id"]]) == {
        "orders[1]": "There is no such order."
    }
    assert await refused(yard, drivers=[outsider["id"]]) == {
        "drivers[0]": "There is no such driver."
    }
    assert await refused(yard, fleets=["fleet_none"]) == {"fleets[0]": "There is no such fleet."}
    assert await refused(yard, day="2026-01-14") == {"day": "must not be in the past."}
    assert await refused(yard, orders=[order["id"]], filter={}) == {
        "filter": "cannot be combined with `orders`."
    }
    assert await refused(yard, start_place="place_none") == {
        "start_place": "There is no such place."
    }
    fixed = [{"order": order["id"], "driver": driver["id"]}]
    [other] = await yard.drivers(1)
    assert await refused(yard, drivers=[other["id"]], fixed=fixed) == {
        "fixed[0].driver": "is not among the drivers of the plan."
    }
    assert set(await refused(yard, max_seconds=121)) == {"max_seconds"}
    assert set(await refused(yard, aim="fun")) == {"aim"}
    assert await refused(yard, based_on="plan_none") == {"based_on": "There is no such plan."}
    await yard.act(order, "cancel")
    assert await refused(yard, orders=[order["id"]]) == {"orders[0]": "is canceled."}


async def test_a_day_without_drivers_is_refused(yard: Yard) -> None:
    await yard.deliveries(1)
    assert await refused(yard) == {"drivers": "No driver works on this day."}
    await yard.driver(shifts=[{"days": ["mon"], "start": "08:00", "end": "16:00"}])
    assert await refused(yard) == {"drivers": "No driver works on this day."}


async def test_a_plan_is_of_its_company_only(yard: Yard, rival: Firm) -> None:
    await yard.drivers(1)
    await yard.deliveries(1)
    plan = await yard.plan()
    for client in (rival.api,):
        assert (await client.get(f"/v1/plans/{plan['id']}")).status_code == 404
        assert (await client.post(f"/v1/plans/{plan['id']}/cancel")).status_code == 404
        assert (await client.get("/v1/plans")).json() == []
    assert [each["id"] for each in await yard.get("plans")] == [plan["id"]]
    assert await yard.get("plans?state=done") == []
    assert [each["id"] for each in await yard.get(f"plans?day={TOMORROW}")] == [plan["id"]]


async def test_only_keys_with_the_scope_plan(yard: Yard, house: House) -> None:
    path = "/v1/plans"
    assert (await house.client().post(path, json={})).status_code == 401
    made = {"kind": "api", "name": "Reader", "scopes": ["plans:read"]}
    key = (await yard.firm.admin.post("/int/v1/keys", json=made)).json()["key"]
    assert (await house.client(key).get(path)).status_code == 200
    assert (await house.client(key).post(path, json={})).status_code == 403


async def test_a_plan_is_canceled_once_and_never_made(yard: Yard, house: House) -> None:
    await yard.drivers(1)
    await yard.deliveries(1)
    plan = await yard.plan()
    assert plan["state"] == "queued"
    canceled = await yard.post(f"plans/{plan['id']}/cancel")
    assert canceled["state"] == "canceled"
    assert await yard.post(f"plans/{plan['id']}/cancel") == canceled
    assert not await runner(house).step()


async def test_a_company_waits_for_a_limited_number_of_plans(yard: Yard) -> None:
    await yard.drivers(1)
    await yard.deliveries(1)
    plans = [await yard.plan() for _ in range(20)]
    answer = await yard.firm.api.post("/v1/plans", json={"day": TOMORROW})
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_plans")
    await yard.post(f"plans/{plans[0]['id']}/cancel")
    await yard.plan()


async def test_accepting_assigns_all_orders_and_keeps_the_sequence(
    planned: Planned, house: House
) -> None:
    accepted = await planned.post(f"{planned.path}/accept")
    assert accepted["state"] == "accepted"
    assert await planned.assigned() == planned.drivers_by_order
    names = await planned.names()
    assert names.count("order.updated") == 5  # one of them before the plan
    assert names.count("driver.assigned") == 5
    stops = await house.value(
        """select json_agg(json_build_array(d.public_id, o.public_id, s.type)
                           order by s.driver, s.position)
           from planned_stops s join drivers d on d.uuid = s.driver
           join orders o on o.uuid = s.order_uuid"""
    )
    routes = {
        route["driver"]["id"]: [[stop["order"], stop["type"]] for stop in route["stops"]]
        for route in accepted["routes"]
    }
    kept: dict[str, list[list[str]]] = {}
    for driver, order, kind in msgspec.json.decode(stops):
        kept.setdefault(driver, []).append([order, kind])
    assert kept == routes


async def test_accepting_twice_changes_nothing_more(planned: Planned) -> None:
    accepted = await planned.post(f"{planned.path}/accept")
    events = len(await planned.names())
    assert await planned.post(f"{planned.path}/accept") == accepted
    assert len(await planned.names()) == events


async def test_of_two_who_accept_at_once_one_does(planned: Planned) -> None:
    before = len(await planned.names())
    path = f"/v1/{planned.path}/accept"
    answers = await asyncio.gather(*(planned.firm.api.post(path) for _ in range(4)))
    assert {answer.status_code for answer in answers} == {200}
    assert len(await planned.names()) - before == 8


@pytest.mark.parametrize(
    ("action", "body", "code"),
    [
        ("cancel", {}, "order_canceled"),
        ("assign-driver", {"driver": 1}, "order_reassigned"),
    ],
)
async def test_an_order_that_changed_meanwhile_is_named(
    planned: Planned, action: str, body: dict[str, Any], code: str
) -> None:
    order = planned.orders[2]
    if "driver" in body:
        body = {"driver": planned.things["drivers"][body["driver"]]}
    await planned.act({"id": order}, action, **body)
    assert await planned.outdated() == [{"code": code, "order": order}]
    before = await planned.assigned()
    assert (before[planned.orders[3]], before[planned.orders[0]]) == (
        None,
        planned.things["drivers"][0],
    )


async def test_changed_stops_drivers_and_vehicles_are_named(planned: Planned) -> None:
    first, second = planned.things["drivers"]
    await planned.patch(f"orders/{planned.orders[1]}", dropoff=MANDAI)
    await planned.patch(f"drivers/{first}", status="suspended")
    van = await planned.vehicle()
    await planned.patch(f"drivers/{second}", vehicle=van["id"])
    assert sorted(await planned.outdated(), key=lambda change: change["code"]) == [
        {"code": "driver_inactive", "driver": first},
        {"code": "order_changed", "order": planned.orders[1]},
        {"code": "vehicle_changed", "driver": second},
    ]


async def test_an_order_that_the_driver_got_meanwhile_is_named(planned: Planned) -> None:
    driver = planned.things["drivers"][0]
    order = await planned.order(driver=driver, scheduled_at=at("10:00"))
    assert await planned.outdated() == [
        {"code": "order_added", "order": order["id"], "driver": driver}
    ]


async def test_a_plan_of_a_day_that_is_over_is_refused(
    planned: Planned, clock: ManualClock
) -> None:
    clock.advance(days=2)
    assert await planned.outdated() == [{"code": "day_over"}]


async def test_what_drivers_do_as_planned_is_no_change(planned: Planned) -> None:
    order, driver = planned.orders[2], planned.things["drivers"][0]
    assert planned.drivers_by_order[order] == driver
    await planned.act({"id": order}, "assign-driver", driver=driver)
    await planned.act({"id": order}, "start", skip_dispatch=True)
    await planned.post(f"{planned.path}/accept")
    assert await planned.assigned() == planned.drivers_by_order


async def test_reverting_gives_orders_back_and_the_plan_can_be_accepted_again(
    planned: Planned, house: House
) -> None:
    before = await planned.assigned()
    await planned.post(f"{planned.path}/accept")
    reverted = await planned.post(f"{planned.path}/revert")
    assert (reverted["state"], reverted["accepted_at"]) == ("done", None)
    assert reverted["reverted_at"] is not None
    assert await planned.assigned() == before
    assert await house.value("select count(*) from planned_stops") == 0
    assert await planned.post(f"{planned.path}/revert") == reverted
    await planned.post(f"{planned.path}/accept")
    assert await planned.assigned() == planned.drivers_by_order


async def test_an_order_that_moved_on_is_not_given_back(planned: Planned) -> None:
    await planned.post(f"{planned.path}/accept")
    order = planned.orders[1]
    await planned.act({"id": order}, "start", skip_dispatch=True)
    assert await planned.outdated("revert") == [{"code": "order_started", "order": order}]
    assert await planned.assigned() == planned.drivers_by_order
    await planned.post(f"{planned.path}/revert", skip_changed=True)
    assigned = await planned.assigned()
    assert assigned == {
        planned.orders[0]: planned.things["drivers"][0],
        order: planned.things["drivers"][1],
        planned.orders[2]: None,
        planned.orders[3]: None,
    }


async def test_an_order_whose_vehicle_was_deleted_is_given_back(
    planned: Planned, house: House
) -> None:
    order, (first, second) = planned.orders[0], planned.things["drivers"]
    van = await planned.vehicle()
    await planned.patch(f"orders/{order}", vehicle=van["id"])
    plan = await planned.done(house, fixed=[{"order": order, "driver": second}])
    await planned.post(f"plans/{plan['id']}/accept")
    answer = await planned.firm.api.delete(f"/v1/vehicles/{van['id']}")
    assert answer.status_code == 200, answer.text
    await planned.post(f"plans/{plan['id']}/revert")
    row = await planned.get(f"orders/{order}")
    assert (row["driver_assigned"]["id"], row["vehicle_assigned"]) == (first, None)


async def test_a_newer_plan_keeps_its_orders_when_an_older_one_is_reverted(
    planned: Planned, house: House, clock: ManualClock
) -> None:
    await planned.post(f"{planned.path}/accept")
    clock.advance(seconds=1)
    newer = await planned.done(house, keep_assigned=True)
    clock.advance(seconds=1)
    await planned.post(f"plans/{newer['id']}/accept")
    changes = await planned.outdated("revert")
    assert {change["code"] for change in changes} == {"newer_plan"}
    await planned.post(f"{planned.path}/revert", skip_changed=True)
    assert await planned.assigned() == planned.drivers_by_order


async def test_only_plans_that_are_done_are_accepted_and_reverted(yard: Yard) -> None:
    await yard.drivers(1)
    await yard.deliveries(1)
    plan = await yard.plan()
    for action, code in (("accept", "plan_not_done"), ("revert", "plan_not_accepted")):
        answer = await yard.firm.api.post(f"/v1/plans/{plan['id']}/{action}", json={})
        assert (answer.status_code, answer.json()["code"]) == (409, code)


async def test_another_company_cannot_accept_it(planned: Planned, rival: Firm) -> None:
    for action in ("accept", "revert", "cancel"):
        answer = await rival.api.post(f"/v1/{planned.path}/{action}", json={})
        assert answer.status_code == 404


async def test_a_drivers_token_opens_no_plan(yard: Yard) -> None:
    await yard.drivers(1)
    await yard.deliveries(1)
    plan = await yard.plan()
    client = await driving(yard.firm)
    assert (await client.get(f"/v1/plans/{plan['id']}")).status_code == 401
    assert (await client.post(f"/v1/plans/{plan['id']}/accept")).status_code == 401


async def test_the_plan_names_what_it_moves_and_who_has_nothing_to_do(planned: Planned) -> None:
    plan = await planned.get(planned.path)
    first, second = planned.things["drivers"]
    moves = {
        move["order"]: (move["from"] and move["from"]["id"], move["to"]["id"])
        for move in plan["moves"]
    }
    assert moves == {
        planned.orders[0]: (first, second),
        planned.orders[1]: (None, second),
        planned.orders[2]: (None, first),
        planned.orders[3]: (None, first),
    }
    assert plan["idle"] == []


async def test_a_preview_tells_the_difference_and_changes_nothing(planned: Planned) -> None:
    first, second = planned.things["drivers"]
    before = await planned.get(planned.path)
    moves = [{"order": order, "driver": first} for order in planned.orders[:2]]
    preview = await planned.post(f"{planned.path}/preview", moves=moves)
    by_driver = {route["driver"]["id"]: route for route in preview["routes"]}
    assert by_driver[second]["after"] is None
    assert by_driver[second]["change"]["time"] < 0
    assert by_driver[first]["change"]["time"] > 0
    assert len(by_driver[first]["after"]["stops"]) == 8
    total = sum(route["change"]["distance"] for route in preview["routes"])
    assert preview["after"]["distance"] - preview["before"]["distance"] == total
    assert preview["before"]["drivers"] == 2
    assert preview["after"]["drivers"] == 1
    assert await planned.get(planned.path) == before


async def test_the_lines_of_a_plan_go_from_stop_to_stop(planned: Planned) -> None:
    plan = await planned.get(planned.path)
    lines = {line["driver"]: line["line"] for line in await planned.get(f"{planned.path}/lines")}
    for route in plan["routes"]:
        points = [stop["place"]["location"]["coordinates"] for stop in route["stops"]]
        line = lines[route["driver"]["id"]]
        assert line["source"] == "great_circle"
        assert line["coordinates"] == [
            point for number, point in enumerate(points) if point not in points[:number]
        ]


async def test_moves_are_kept_and_accepted(planned: Planned) -> None:
    first, second = planned.things["drivers"]
    moves: list[dict[str, Any]] = [
        {"order": planned.orders[1], "driver": first, "position": 0},
        {"order": planned.orders[2], "driver": None},
    ]
    edited = await planned.patch(planned.path, moves=moves, locked=[planned.orders[1]])
    assert edited["version"] > planned.things["plan"]["version"]
    assert edited["locked"] == [planned.orders[1]]
    [left] = edited["unassigned"]
    assert (left["order"], left["reason"]) == (planned.orders[2], "removed")
    routes = {route["driver"]["id"]: route for route in edited["routes"]}
    assert routes[first]["stops"][0]["order"] == planned.orders[1]
    assert edited["summary"]["unassigned"] == 1
    preview = await planned.post(f"{planned.path}/preview", moves=moves)
    assert preview["routes"] == []
    await planned.post(f"{planned.path}/accept")
    assert await planned.assigned() == {
        planned.orders[0]: second,
        planned.orders[1]: first,
        planned.orders[2]: None,
        planned.orders[3]: first,
    }


async def test_what_a_dispatcher_wants_is_possible_even_if_late(planned: Planned) -> None:
    driver = planned.things["drivers"][0]
    order = planned.orders[3]
    others = [stop["order"] for stop in planned.things["plan"]["routes"][0]["stops"]]
    moves = [{"order": order, "driver": driver, "position": len(others)}]
    edited = await planned.patch(planned.path, moves=moves)
    [route] = [route for route in edited["routes"] if route["driver"]["id"] == driver]
    assert [stop["order"] for stop in route["stops"]][-2:] == [order, order]
    assert route["overtime"] == 0


async def test_an_edit_is_refused_field_by_field(planned: Planned, rival: Firm) -> None:
    stranger = (await Yard(rival).drivers(1))[0]["id"]
    driver = planned.things["drivers"][0]
    for move, path in (
        ({"order": "order_none", "driver": driver}, "moves[0].order"),
        ({"order": planned.orders[0], "driver": stranger}, "moves[0].driver"),
    ):
        for send, where in (("patch", ""), ("post", "/preview")):
            client = planned.firm.api
            answer = await getattr(client, send)(
                f"/v1/{planned.path}{where}", json={"moves": [move]}
            )
            assert answer.status_code == 404
            assert answer.json()["fields"][0]["path"] == path
    answer = await planned.firm.api.patch(f"/v1/{planned.path}", json={"locked": ["order_none"]})
    assert answer.json()["fields"][0]["path"] == "locked[0]"
    await planned.post(f"{planned.path}/accept")
    answer = await planned.firm.api.patch(f"/v1/{planned.path}", json={})
    assert (answer.status_code, answer.json()["code"]) == (409, "plan_not_done")


async def test_an_edit_of_an_older_version_is_refused(planned: Planned) -> None:
    version = planned.things["plan"]["version"]
    await planned.patch(planned.path, locked=[planned.orders[0]])
    answer = await planned.firm.api.patch(
        f"/v1/{planned.path}", json={"locked": []}, headers={"If-Match": f'"{version}"'}
    )
    assert answer.status_code == 412


@pytest.mark.slow
async def test_a_plan_based_on_another_keeps_locked_orders(planned: Planned, house: House) -> None:
    await planned.patch(planned.path, locked=planned.orders[:1])
    again = await planned.done(house, based_on=planned.things["plan"]["id"], aim="vehicles")
    assert again["based_on"] == planned.things["plan"]["id"]
    assert again["locked"] == planned.orders[:1]
    second = planned.things["drivers"][1]
    routes = await orders_of(again)
    assert planned.orders[0] in routes[second]
    assert len(routes) == 1


@pytest.mark.slow
async def test_the_rest_of_a_day_is_planned_again(
    yard: Yard, house: House, clock: ManualClock
) -> None:
    first, second = await yard.driver(name="First"), await yard.driver(name="Second")
    orders = [
        await yard.order(pickup=RAFFLES, dropoff=place(number), driver=first["id"])
        for number in range(4)
    ]
    await yard.act(orders[0], "start", skip_dispatch=True)
    await yard.fire(orders[0], "enroute")
    clock.advance(minutes=10)
    for driver, where in ((first, place(0)), (second, RAFFLES)):
        location = {"latitude": where["latitude"], "longitude": where["longitude"]}
        await yard.post(f"drivers/{driver['id']}/track", **location)
    plan = await yard.done(house, day="2026-01-15", aim="balance")
    routes = {route["driver"]["id"]: route for route in plan["routes"]}
    begun = routes[first["id"]]
    assert begun["from_position"]
    assert begun["starts_at"] >= "2026-01-15T12:10:00.000Z"
    started = [stop for stop in begun["stops"] if stop["order"] == orders[0]["id"]]
    assert [(stop["type"], stop["started"]) for stop in started] == [("dropoff", True)]
    assert len(routes[second["id"]]["stops"]) > 0
    assert plan["summary"]["time"] <= plan["present"]["time"] + plan["summary"]["drivers"] * 600
    await yard.fire(orders[0], "completed")
    accepted = await yard.post(f"plans/{plan['id']}/accept")
    assert accepted["state"] == "accepted"
    kept = await house.value(
        "select count(*) from planned_stops s join orders o on o.uuid = s.order_uuid "
        "where o.public_id = :order",
        order=orders[0]["id"],
    )
    assert kept == 0
