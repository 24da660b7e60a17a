"""Building a planning problem from orders, drivers and vehicles. Pure rules."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.kit.geo import Point
from pannier.orders.views import OrderAggregate
from pannier.planning.driver_shifts import build_shifts, driver_skill
from pannier.planning.material import OrderMaterial, OutsideOrder, PlanMaterial, ShiftMaterial
from pannier.planning.order_jobs import Misfit, build_job
from pannier.planning.planning_data import PlanningData, PointIndex
from pannier.planning.problem import PlanJob, PlanningProblem, PresentRoute

# Sorts after every position and time.
LAST: Final = 2**31


class PlanDraft(NamedTuple):
    """A problem without roads, and the points between which to measure them."""

    material: PlanMaterial
    points: list[Point]


def build(data: PlanningData) -> PlanDraft:
    """Build the problem. Orders that cannot be planned are listed with a reason."""
    points = PointIndex()
    pairs = list(build_shifts(data, points))
    shifts = [material for material, _ in pairs]
    jobs, orders, outside = _build_jobs(data, points, shifts)
    problem = PlanningProblem(
        jobs=tuple(jobs),
        shifts=tuple(shift for _, shift in pairs),
        roads={},
        aim=data.request.aim,
        present=tuple(_list_present(data, orders, shifts)),
    )
    material = PlanMaterial(
        origin=data.origin,
        read_at=data.now,
        problem=problem,
        orders=tuple(orders),
        shifts=tuple(shifts),
        outside=tuple(outside),
        currency=data.currency,
    )
    return PlanDraft(material, points.points)


def _build_jobs(
    data: PlanningData, points: PointIndex, shifts: Sequence[ShiftMaterial]
) -> tuple[list[PlanJob], list[OrderMaterial], list[OutsideOrder]]:
    jobs, orders, outside = list[PlanJob](), list[OrderMaterial](), list[OutsideOrder]()
    working = {shift.driver for shift in shifts}
    for order in data.orders:
        row, driver = order.row, _find_fixed_driver(data, order)
        try:
            _check_driver(order, driver, working)
            job, material = build_job(order, data, points)
        except Misfit as misfit:
            outside.append(OutsideOrder(row.uuid, row.public_id, misfit.reason))
            continue
        if driver is not None:
            job = _fix(job, driver, shifts)
            material = msgspec.structs.replace(material, is_fixed=True)
        jobs.append(job)
        orders.append(material)
    return jobs, orders, outside


def _check_driver(order: OrderAggregate, driver: UUID | None, working: Collection[UUID]) -> None:
    """Refuse an order that has to go to a driver who does not work."""
    if driver is not None and driver not in working:
        raise Misfit("fixed_driver" if order.row.started_at is None else "other_driver")


def _find_fixed_driver(data: PlanningData, order: OrderAggregate) -> UUID | None:
    """Return the driver to whom an order has to go. Started orders stay where they are."""
    row = order.row
    if row.driver is not None and row.started_at is not None:
        return row.driver
    return data.fixed.get(row.uuid) or (row.driver if data.request.keep_assigned else None)


def _fix(job: PlanJob, driver: UUID, shifts: Sequence[ShiftMaterial]) -> PlanJob:
    """Fix a job to a driver, who may have several shifts."""
    own = [shift.key for shift in shifts if shift.driver == driver]
    if len(own) == 1:
        return msgspec.structs.replace(job, shift=own[0])
    return msgspec.structs.replace(job, skills=job.skills | {driver_skill(driver)})


def _list_present(
    data: PlanningData, orders: Sequence[OrderMaterial], shifts: Sequence[ShiftMaterial]
) -> list[PresentRoute]:
    """List the present work of each driver, all of it in the first shift that is not over."""
    routes, seen = list[PresentRoute](), set[UUID]()
    for shift in shifts:
        own = [order for order in orders if order.driver == shift.driver]
        if shift.driver in seen or not own:
            continue
        seen.add(shift.driver)
        own.sort(key=lambda order: _present_rank(data, order))
        routes.append(PresentRoute(shift=shift.key, jobs=tuple(order.key for order in own)))
    return routes


def _present_rank(data: PlanningData, order: OrderMaterial) -> tuple[bool, int, int, UUID]:
    """Sort as the driver's app does: started first, then as planned, then by due times."""
    due = min((stop.promised for stop in order.stops if stop.promised is not None), default=LAST)
    return not order.is_started, data.sequence.get(order.uuid, LAST), due, order.uuid
