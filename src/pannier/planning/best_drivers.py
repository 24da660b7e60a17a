"""Finding the best drivers for an order, quickly enough for a dispatcher who waits."""

import asyncio
from datetime import date
from typing import TYPE_CHECKING, Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import Pace
from pannier.db import Db
from pannier.errors import Invalid
from pannier.fleet.models import Driver, Vehicle
from pannier.kit.geo import Point
from pannier.orders.aggregate import OrderClosed
from pannier.orders.flow import IllegalMove
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.planning import building, reading, selection
from pannier.planning.figures import PromisedTimes
from pannier.planning.material import PlanMaterial, ShiftMaterial
from pannier.planning.plan import PlannedRoute
from pannier.planning.plan_out import (
    REASON_MESSAGES,
    BestDriverOut,
    PlanDriverOut,
    PlanVehicleOut,
)
from pannier.planning.problem import Roads
from pannier.planning.reading import PlanSelection
from pannier.planning.schemas import BestDriversIn, PlanIn
from pannier.planning.selection import PlanDay
from pannier.routing.router import Router
from pannier.web.times import to_rfc3339

if TYPE_CHECKING:
    from pannier.planning.ranking import RankedInsertion, ShiftProblem

# Drivers measured by road in addition to the limit, because roads can change the ranks.
EXTRA_MEASURED: Final = 3
# Matrices measured at a time. Other requests need the routing engine too.
CONCURRENCY: Final = 4


class InsertionSearch(msgspec.Struct):
    """An order to insert, and the drivers with their present work."""

    job: str
    limit: int
    material: PlanMaterial
    points: list[Point]
    pace: Pace
    drivers: dict[UUID, Driver]
    vehicles: dict[UUID, Vehicle]


async def load_search(db: Db, company: UUID, order_id: str, data: BestDriversIn) -> InsertionSearch:
    """Load an order and the drivers who could take it."""
    order = await ORDERS.get(db, company, order_id)
    if not order.open:
        raise OrderClosed
    if order.started_at is not None:
        raise IllegalMove(f"A {order.status} order stays with its driver.", ())
    day = await selection.load_day(db, company, await _choose_day(db, order, data))
    request = PlanIn(
        day=day.day,
        drivers=data.drivers,
        fleets=data.fleets,
        aim=data.aim,
        service_time=data.service_time,
        pickup_time=data.pickup_time,
        default_hours=data.default_hours,
    )
    plan_selection = await _select_work(db, company, day, request, order)
    planning_data = await reading.load_data(db, company, day, request, plan_selection)
    # In a thread, because a thousand orders would block the event loop.
    draft = await asyncio.to_thread(building.build_draft, planning_data)
    _check_fit(draft.material, order)
    return InsertionSearch(
        order.public_id,
        data.limit,
        _remove_from_route(draft.material, order.public_id),
        draft.points,
        (await company_settings.load(db, company)).routing,
        {driver.uuid: driver for driver in plan_selection.drivers},
        dict(planning_data.vehicles),
    )


async def _choose_day(db: Db, order: Order, data: BestDriversIn) -> date:
    """Choose the requested day, or the day on which the order is scheduled or due, or today."""
    today = (await selection.load_day(db, order.company, None)).day
    if data.day is not None:
        return data.day
    zone = (await company_settings.load(db, order.company)).zone
    moment = order.scheduled_at or order.time_window_start or order.time_window_end
    return today if moment is None else max(today, moment.astimezone(zone).date())


async def _select_work(
    db: Db, company: UUID, day: PlanDay, request: PlanIn, order: Order
) -> PlanSelection:
    """Select the drivers, the order, and the drivers' own orders, which stay with them."""
    drivers = await selection.list_drivers(db, company, day, request, strict=True)
    uuids = [driver.uuid for driver in drivers]
    try:
        assigned_orders = await selection.list_assigned_orders(db, company, day, uuids)
    except selection.TooManyOrders:
        raise Invalid(selection.TOO_MANY_ORDERS) from None
    other_orders = [
        assigned_order for assigned_order in assigned_orders if assigned_order.uuid != order.uuid
    ]
    fixed_drivers = {
        other_order.uuid: other_order.driver
        for other_order in other_orders
        if other_order.driver is not None
    }
    return PlanSelection([order, *other_orders], drivers, fixed_drivers)


def _check_fit(material: PlanMaterial, order: Order) -> None:
    """Refuse an order that cannot be planned for any driver."""
    for unplannable in material.outside:
        if unplannable.uuid == order.uuid:
            raise Invalid(REASON_MESSAGES[unplannable.reason])


def _remove_from_route(material: PlanMaterial, job: str) -> PlanMaterial:
    """Remove a job from its present route."""
    present = tuple(
        msgspec.structs.replace(route, jobs=tuple(key for key in route.jobs if key != job))
        for route in material.problem.present
    )
    problem = msgspec.structs.replace(material.problem, present=present)
    return msgspec.structs.replace(material, problem=problem)


async def find_drivers(router: Router, search: InsertionSearch) -> "list[RankedInsertion]":
    """Find the best drivers. It waits for the routing engine: never call it in a transaction."""
    from pannier.planning import ranking  # noqa: PLC0415 - loads numpy

    problems = await asyncio.to_thread(ranking.split_by_shift, search.material.problem, search.job)
    insertions = await asyncio.to_thread(
        ranking.rank_by_great_circles, problems, search.job, search.points, search.pace
    )
    best_insertions = insertions[: search.limit + EXTRA_MEASURED]
    if router.has_engine:
        by_shift = {problem.shift: problem for problem in problems}
        best_insertions = await _rank_by_road(
            router, search, [by_shift[insertion.shift] for insertion in best_insertions]
        )
    return best_insertions[: search.limit]


async def _rank_by_road(
    router: Router, search: InsertionSearch, problems: "list[ShiftProblem]"
) -> "list[RankedInsertion]":
    from pannier.planning import ranking  # noqa: PLC0415 - loads numpy

    slots = asyncio.Semaphore(CONCURRENCY)

    async def insert_by_road(problem: "ShiftProblem") -> "RankedInsertion | None":
        [shift] = problem.part.problem.shifts
        points = [search.points[number] for number in problem.part.points]
        async with slots:
            matrix = await router.measure_matrix(points, search.pace, shift.profile)
        roads = Roads(matrix.distances, matrix.times)
        return await asyncio.to_thread(
            ranking.insert_job, problem, search.job, roads, matrix.source
        )

    insertions = await asyncio.gather(*map(insert_by_road, problems))
    return ranking.sort_insertions(insertion for insertion in insertions if insertion is not None)


def to_outs(search: InsertionSearch, insertions: "list[RankedInsertion]") -> list[BestDriverOut]:
    """Render the ranked drivers."""
    shifts = {shift.key: shift for shift in search.material.shifts}
    return [_to_out(search, shifts[insertion.shift], insertion) for insertion in insertions]


def _to_out(
    search: InsertionSearch, shift: ShiftMaterial, insertion: "RankedInsertion"
) -> BestDriverOut:
    present_route, new_route = insertion.present_route, insertion.new_route
    material = search.material
    promises, driver = PromisedTimes(material), search.drivers[shift.driver]
    order_stops = [stop for stop in new_route.stops if stop.job == search.job]
    vehicle = None if shift.vehicle is None else search.vehicles[shift.vehicle]
    lateness = sum(promises.list_lateness(new_route))
    lateness -= sum(promises.list_lateness(present_route)) if present_route else 0

    def compute_difference(name: str) -> int:
        return int(getattr(new_route, name)) - int(getattr(present_route, name, 0))

    return BestDriverOut(
        driver=PlanDriverOut(driver.public_id, driver.name),
        vehicle=None
        if vehicle is None
        else PlanVehicleOut(vehicle.public_id, vehicle.plate_number),
        time=compute_difference("duration"),
        drive_time=compute_difference("drive"),
        distance=compute_difference("distance"),
        cost=compute_difference("cost"),
        currency=material.currency,
        lateness=lateness,
        overtime=max(0, new_route.end - shift.closes),
        on_time=insertion.is_feasible,
        in_time=insertion.is_feasible,
        position=_find_position(new_route, search.job),
        arrives_at=to_rfc3339(material.to_moment(order_stops[0].arrival)),
        completes_at=to_rfc3339(material.to_moment(order_stops[-1].end)),
        stops=len(new_route.stops),
        roads=insertion.source,
    )


def _find_position(route: PlannedRoute, job: str) -> int:
    """Find the index of a job's first stop, which is also its index among the other stops."""
    return next(number for number, stop in enumerate(route.stops) if stop.job == job)
