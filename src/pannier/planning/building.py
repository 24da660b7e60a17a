"""Building a planning problem from orders, drivers and vehicles. Pure rules."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.kit.geo import Point
from pannier.orders.views import OrderAggregate
from pannier.planning.driver_shifts import build_shifts, make_driver_skill
from pannier.planning.material import OrderMaterial, OutsideOrder, PlanMaterial, ShiftMaterial
from pannier.planning.order_jobs import Misfit, build_job
from pannier.planning.planning_data import PlanningData, PointIndex
from pannier.planning.problem import PlanJob, PlanningProblem, PresentRoute

# Sorts after every position and time.
LAST_RANK: Final = 2**31


class ProblemDraft(NamedTuple):
    """A problem without roads, and the points between which to measure them."""

    material: PlanMaterial
    points: list[Point]


def build_draft(data: PlanningData) -> ProblemDraft:
    """Build the problem, and list the orders that cannot be planned with a reason."""
    points = PointIndex()
    shift_pairs = list(build_shifts(data, points))
    shifts = [material for material, _ in shift_pairs]
    jobs, orders, outside_orders = _build_jobs(data, points, shifts)
    problem = PlanningProblem(
        jobs=tuple(jobs),
        shifts=tuple(shift for _, shift in shift_pairs),
        roads={},
        aim=data.request.aim,
        present=tuple(_list_present_routes(data, orders, shifts)),
    )
    material = PlanMaterial(
        origin=data.origin,
        read_at=data.now,
        problem=problem,
        orders=tuple(orders),
        shifts=tuple(shifts),
        outside=tuple(outside_orders),
        currency=data.currency,
    )
    return ProblemDraft(material, points.points)


def _build_jobs(
    data: PlanningData, points: PointIndex, shifts: Sequence[ShiftMaterial]
) -> tuple[list[PlanJob], list[OrderMaterial], list[OutsideOrder]]:
    jobs, orders, outside_orders = list[PlanJob](), list[OrderMaterial](), list[OutsideOrder]()
    working_drivers = {shift.driver for shift in shifts}
    for order in data.orders:
        row, driver = order.row, _find_fixed_driver(data, order)
        try:
            _check_driver(order, driver, working_drivers)
            job, material = build_job(order, data, points)
        except Misfit as misfit:
            outside_orders.append(OutsideOrder(row.uuid, row.public_id, misfit.reason))
            continue
        if driver is not None:
            job = _fix_job(job, driver, shifts)
            material = msgspec.structs.replace(material, is_fixed=True)
        jobs.append(job)
        orders.append(material)
    return jobs, orders, outside_orders


def _check_driver(
    order: OrderAggregate, driver: UUID | None, working_drivers: Collection[UUID]
) -> None:
    """Raise Misfit if an order is fixed to a driver who does not work."""
    if driver is not None and driver not in working_drivers:
        raise Misfit("fixed_driver" if order.row.started_at is None else "other_driver")


def _find_fixed_driver(data: PlanningData, order: OrderAggregate) -> UUID | None:
    """Find the driver to whom an order is fixed. Started orders stay with their drivers."""
    row = order.row
    if row.driver is not None and row.started_at is not None:
        return row.driver
    return data.fixed.get(row.uuid) or (row.driver if data.request.keep_assigned else None)


def _fix_job(job: PlanJob, driver: UUID, shifts: Sequence[ShiftMaterial]) -> PlanJob:
    """Fix a job to a driver, who may have several shifts."""
    shift_keys = [shift.key for shift in shifts if shift.driver == driver]
    if len(shift_keys) == 1:
        return msgspec.structs.replace(job, shift=shift_keys[0])
    return msgspec.structs.replace(job, skills=job.skills | {make_driver_skill(driver)})


def _list_present_routes(
    data: PlanningData, orders: Sequence[OrderMaterial], shifts: Sequence[ShiftMaterial]
) -> list[PresentRoute]:
    """List the present work of each driver, all of it in the first shift that is not over."""
    routes, seen_drivers = list[PresentRoute](), set[UUID]()
    for shift in shifts:
        driver_orders = [order for order in orders if order.driver == shift.driver]
        if shift.driver in seen_drivers or not driver_orders:
            continue
        seen_drivers.add(shift.driver)
        driver_orders.sort(key=lambda order: _make_sort_key(data, order))
        jobs = tuple(order.key for order in driver_orders)
        routes.append(PresentRoute(shift=shift.key, jobs=jobs))
    return routes


def _make_sort_key(data: PlanningData, order: OrderMaterial) -> tuple[bool, int, int, UUID]:
    """Sort as the driver app does: started orders first, then by planned position and due time."""
    due_time = min(
        (stop.promised for stop in order.stops if stop.promised is not None), default=LAST_RANK
    )
    return not order.is_started, data.sequence.get(order.uuid, LAST_RANK), due_time, order.uuid
