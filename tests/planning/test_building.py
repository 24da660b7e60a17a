"""What a problem is built from: orders, drivers and vehicles as they are at some moment."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from orders.shop import CHANGI, MANDAI, RAFFLES
from pannier.kit.clock import ManualClock
from pannier.planning import building, reading, selection
from pannier.planning.material import PlanMaterial
from pannier.planning.problem import MAX_TIME, PlanJob
from pannier.planning.schemas import PlanIn
from planning.day import Yard, at
from stage import Firm, House

TODAY = "2026-01-15"
HOUR = 3600
# The clock of the tests begins at noon.
NOON = 12 * HOUR


@pytest.fixture
def yard(acme: Firm) -> Yard:
    return Yard(acme)


async def build(yard: Yard, **request: Any) -> PlanMaterial:
    """Build the problem of a day, today by default."""
    async with yard.firm.house.database.reading() as db:
        asked = PlanIn(**request)
        day = await selection.load_day(db, yard.firm.uuid, asked.day)
        chosen = await reading.select_work(db, yard.firm.uuid, day, asked, strict=True)
        data = await reading.load_data(db, yard.firm.uuid, day, asked, chosen)
        return building.build_draft(data).material


def job_of(material: PlanMaterial, order: dict[str, Any]) -> PlanJob:
    return next(job for job in material.problem.jobs if job.key == order["id"])


async def test_once_work_has_started_routes_begin_where_drivers_are(
    yard: Yard, clock: ManualClock
) -> None:
    here, there = await yard.driver(name="Here"), await yard.driver(name="There")
    location = {"latitude": 1.3, "longitude": 103.8}
    await yard.post(f"drivers/{here['id']}/track", **location)
    clock.advance(minutes=5)
    depot = await yard.post("places", **RAFFLES)
    await yard.order()
    material = await build(yard, start_place=depot["id"])
    starts = {shift.driver_id: (shift.start, shift.is_from_position) for shift in material.shifts}
    assert starts[here["id"]] == ((103.8, 1.3), True)
    assert starts[there["id"]] == ((103.851, 1.284), False)
    assert {shift.opens for shift in material.problem.shifts} == {NOON + 300}
    clock.advance(minutes=26)
    material = await build(yard, start_place=depot["id"])
    assert not any(shift.is_from_position for shift in material.shifts)


async def test_started_orders_stay_and_done_stops_are_left_out(yard: Yard) -> None:
    driver, _ = await yard.driver(), await yard.driver(name="Other")
    order = await yard.order(waypoints=[RAFFLES, MANDAI, CHANGI], driver=driver["id"])
    await yard.act(order, "start", skip_dispatch=True)
    for code in ("enroute", "completed"):
        await yard.fire(order, code)
    simple = await yard.order(driver=driver["id"])
    await yard.act(simple, "start", skip_dispatch=True)
    material = await build(yard)
    assert [visit.kind for visit in job_of(material, simple).visits] == ["pickup", "dropoff"]
    await yard.fire(simple, "enroute")
    material = await build(yard)
    stops = [stop["id"] for stop in order["payload"]["waypoints"]]
    job = job_of(material, order)
    assert [visit.key for visit in job.visits] == stops[1:]
    assert job.shift == f"{driver['id']}/1"
    assert [visit.kind for visit in job_of(material, simple).visits] == ["dropoff"]
    assert all(each.is_started and each.is_fixed for each in material.orders)
    # Goods that were collected are on board, so there is nowhere to begin but where they are.
    assert next(s for s in material.shifts if s.driver_id == driver["id"]).start is None


async def test_an_order_that_another_driver_has_started_is_named(yard: Yard) -> None:
    driver, other = await yard.driver(), await yard.driver(name="Other")
    order = await yard.order(driver=driver["id"])
    await yard.act(order, "start", skip_dispatch=True)
    material = await build(yard, orders=[order["id"]], drivers=[other["id"]])
    assert [(each.key, each.reason) for each in material.outside] == [(order["id"], "other_driver")]


async def test_a_window_that_is_over_is_ignored_but_not_forgotten(yard: Yard) -> None:
    await yard.driver()
    missed = await yard.order(time_window_end=at("11:00", TODAY))
    ahead = await yard.order(
        time_window_start=at("13:00", TODAY), time_window_end=at("14:00", TODAY)
    )
    material = await build(yard)
    last = job_of(material, missed).visits[-1]
    assert (last.opens, last.closes) == (0, MAX_TIME)
    stops = {order.key: order.stops for order in material.orders}
    assert stops[missed["id"]][-1].promised == 11 * HOUR
    pickup, dropoff = job_of(material, ahead).visits
    assert (pickup.closes, dropoff.opens, dropoff.closes) == (MAX_TIME, 13 * HOUR, 14 * HOUR)


async def test_goods_are_dropped_at_their_destination(yard: Yard) -> None:
    await yard.driver()
    order = await yard.order(
        waypoints=[{"place": RAFFLES, "type": "pickup"}, MANDAI, CHANGI],
        entities=[
            {"name": "Box", "weight": 2.5, "destination": 1},
            {"name": "Bag", "weight": 400, "weight_unit": "g", "length": 10, "width": 10,
             "height": 10},
        ],
    )  # fmt: skip
    material = await build(yard, service_time=100, pickup_time=20)
    visits = job_of(material, order).visits
    assert [visit.loads for visit in visits] == [
        (2_900, 1_000, 2), (2_500, 0, 1), (400, 1_000, 1)
    ]  # fmt: skip
    assert [visit.service for visit in visits] == [20, 100, 100]


async def test_vehicles_give_capacity_profile_and_costs_in_one_currency(yard: Yard) -> None:
    van = await yard.vehicle(
        capacity={"weight": 0.29, "volume": 1.5, "items": 7},
        profile="van",
        cost_per_km=30,
        currency="EUR",
    )
    await yard.driver(vehicle=van["id"], cost_per_hour=1_000, currency="SGD")
    await yard.driver(name="Walker", cost_per_hour=900, currency="SGD")
    await yard.order()
    material = await build(yard)
    by_profile = {shift.profile: shift for shift in material.problem.shifts}
    assert by_profile["van"].capacity == (290, 1_500_000, 7)
    assert by_profile["car"].capacity == (None, None, None)
    assert material.currency == "SGD"
    assert (by_profile["van"].cost_hour, by_profile["van"].cost_km) == (1_000, 0)


async def test_a_night_shift_belongs_to_the_day_on_which_it_begins(yard: Yard) -> None:
    await yard.firm.admin.patch("/int/v1/settings", json={"time_zone": "Asia/Singapore"})
    night = {"days": ["thu"], "start": "22:00", "end": "06:00"}
    pause = {"earliest": "00:00", "latest": "02:00", "duration": 1800}
    await yard.driver(shifts=[{**night, "breaks": [pause]}])
    await yard.order()
    material = await build(yard)
    [shift] = material.problem.shifts
    assert (shift.opens, shift.closes) == (22 * HOUR, 30 * HOUR)
    assert material.origin == datetime.fromisoformat("2026-01-14T16:00:00+00:00")
    [taken] = shift.breaks
    assert (taken.opens, taken.closes, taken.duration) == (24 * HOUR, 26 * HOUR, 1800)


async def test_orders_that_cannot_be_planned_are_listed_with_a_reason(yard: Yard) -> None:
    driver = await yard.driver()
    lost = await yard.order(dropoff="Nowhere in particular")
    held = await yard.order(driver=driver["id"])
    await yard.act(held, "start", skip_dispatch=True)
    await yard.act(held, "fail-attempt", reason="nobody_home")
    material = await build(yard, orders=[lost["id"], held["id"]])
    reasons = {each.key: each.reason for each in material.outside}
    assert reasons[lost["id"]] == "no_location"
    assert reasons.get(held["id"], "on_hold") == "on_hold"


async def test_a_scheduled_order_begins_when_it_is_dispatched(yard: Yard) -> None:
    await yard.driver()
    order = await yard.order(scheduled_at=at("15:00", TODAY))
    first = job_of(await build(yard), order).visits[0]
    assert first.opens == 15 * HOUR


async def test_shifts_that_are_over_take_no_part(yard: Yard, clock: ManualClock) -> None:
    shifts = [
        {"days": ["thu"], "start": "08:00", "end": "12:00"},
        {"days": ["thu"], "start": "14:00", "end": "18:00"},
    ]
    driver = await yard.driver(shifts=shifts)
    order = await yard.order(driver=driver["id"])
    material = await build(yard)
    [shift] = material.problem.shifts
    assert (shift.opens, shift.closes) == (14 * HOUR, 18 * HOUR)
    [present] = material.problem.present
    assert (present.shift, present.jobs) == (shift.key, (order["id"],))
    whole = await build(yard, from_="start")
    assert len(whole.problem.shifts) == 2
    clock.advance(seconds=timedelta(hours=5, minutes=57).total_seconds())
    assert (await build(yard)).problem.shifts == ()


async def test_a_driver_with_two_shifts_keeps_fixed_orders_in_either(
    yard: Yard, house: House
) -> None:
    shifts = [
        {"days": ["thu"], "start": "13:00", "end": "15:00"},
        {"days": ["thu"], "start": "16:00", "end": "18:00"},
    ]
    driver = await yard.driver(shifts=shifts)
    await yard.driver(name="Other")
    order = await yard.order(driver=driver["id"])
    job = job_of(await build(yard, keep_assigned=True), order)
    assert job.shift is None
    material = await build(yard, keep_assigned=True)
    can = [shift.key for shift in material.problem.shifts if job.skills <= shift.skills]
    assert can == [f"{driver['id']}/1", f"{driver['id']}/2"]
    count = await house.value("select count(*) from plans")
    assert count == 0
