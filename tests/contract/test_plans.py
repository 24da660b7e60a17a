"""Decisions §11, `POST /v1/plans` and what follows: made by a worker, then edited or accepted."""

from typing import Any

import pytest

from planning.day import FRIDAYS, TOMORROW, Yard, at, runner
from stage import Firm, House

DRIVE: Any = {"shifts": FRIDAYS}


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
        "reason": "too_large",
        "message": "The goods fit into no vehicle.",
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
