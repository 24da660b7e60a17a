"""Accepting and reverting a plan: assigning its orders and storing the sequence of their stops.

Both refuse a plan whose orders, drivers or vehicles have changed since, and list the changes.
"""

from collections.abc import Iterator, Mapping
from typing import Final
from uuid import UUID

from msgspec import UNSET

from pannier.db import Db, columns
from pannier.errors import Conflict
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.orders import assignment, views
from pannier.orders.models import Order
from pannier.orders.views import OrderAggregate
from pannier.planning import outdated, queries
from pannier.planning.material import PlanMaterial
from pannier.planning.models import PlannedStopRow, PlanRow
from pannier.planning.outdated import AssignedPlan, PlanOutdated
from pannier.planning.plan import Plan
from pannier.planning.queries import PLANS

# A company accepts one plan at a time, because plans share drivers.
LOCK_KEY: Final = "hashtextextended('plans of ' || :company::uuid::text, 0)"


class PlanNotDone(Conflict):
    """Only a plan in the state `done` can be edited or accepted."""

    code = "plan_not_done"
    title = "The plan is not ready."
    remedy = "Wait until its state is `done`, or request a new plan."


class PlanNotAccepted(Conflict):
    """Only an accepted plan can be reverted."""

    code = "plan_not_accepted"
    title = "The plan is not accepted."
    remedy = "Accept it first."


async def accept(db: Db, plan: PlanRow) -> PlanRow:
    """Assign a plan's orders to its drivers, and store the sequence of their stops."""
    if plan.state == "accepted":
        return plan
    if plan.state != "done":
        raise PlanNotDone
    assigned_plan = await _lock_orders(db, plan)
    related = await views.load_related(db, plan.company, list(assigned_plan.orders.values()))
    aggregates = {uuid: OrderAggregate(row, related) for uuid, row in assigned_plan.orders.items()}
    changes = await outdated.list_changes(db, assigned_plan, aggregates)
    if changes:
        raise PlanOutdated(changes)
    for order in assigned_plan.planned_orders:
        driver, aggregate = assigned_plan.order_drivers[order.uuid], aggregates[order.uuid]
        if aggregate.row.open and aggregate.row.driver != driver:
            await assignment.assign(db, aggregate, assigned_plan.drivers[driver].public_id)
    await _save_stops(db, assigned_plan, aggregates)
    accepted_plan, _ = await PLANS.change(
        db, plan, state="accepted", accepted_at=db.now, reverted_at=None, log_action="accepted"
    )
    return accepted_plan


async def revert(db: Db, plan: PlanRow, *, skip_changed: bool) -> PlanRow:
    """Give the orders of an accepted plan back to the drivers who had them before.

    Refuse orders that have changed since, or skip them if `skip_changed`.
    """
    if plan.state == "done" and plan.reverted_at is not None:
        return plan
    if plan.state != "accepted":
        raise PlanNotAccepted
    assigned_plan = await _lock_orders(db, plan)
    changes = await outdated.list_changes_since(db, assigned_plan)
    if changes and not skip_changed:
        raise PlanOutdated(changes)
    skipped_ids = {subject for change in changes for subject in (change.order, change.driver)}
    await _restore_drivers(db, assigned_plan, skipped_ids)
    await _delete_stops(db, assigned_plan)
    reverted_plan, _ = await PLANS.change(
        db, plan, state="done", accepted_at=None, reverted_at=db.now, log_action="reverted"
    )
    return reverted_plan


async def _restore_drivers(
    db: Db, assigned_plan: AssignedPlan, skipped_ids: set[str | None]
) -> None:
    """Assign the orders that the plan moved to the drivers who had them before.

    Skip changed orders, and those of drivers with a newer plan. An order whose vehicle was deleted
    gets its driver's vehicle.
    """
    company, rows = assigned_plan.plan.company, list(assigned_plan.orders.values())
    related = await views.load_related(db, company, rows)
    uuids = {order.vehicle for order in assigned_plan.planned_orders if order.vehicle is not None}
    vehicles = await VEHICLES.load_many(db, company, sorted(uuids))
    active_vehicles = {uuid for uuid, vehicle in vehicles.items() if vehicle.deleted_at is None}
    for order in assigned_plan.planned_orders:
        row, planned_driver = (
            assigned_plan.orders.get(order.uuid),
            assigned_plan.order_drivers[order.uuid],
        )
        driver_id = assigned_plan.drivers[planned_driver].public_id
        is_skipped = order.key in skipped_ids or driver_id in skipped_ids
        if row is None or is_skipped or order.driver == planned_driver:
            continue
        driver = None if order.driver is None else str(order.driver)
        vehicle = str(order.vehicle) if order.vehicle in active_vehicles else UNSET
        await assignment.assign(db, OrderAggregate(row, related), driver, vehicle)


async def _lock_orders(db: Db, plan: PlanRow) -> AssignedPlan:
    """Lock the orders of a plan, sorted by UUID to avoid deadlocks."""
    company = plan.company
    await db.fetch_value(f"select pg_advisory_xact_lock({LOCK_KEY})", company=company)
    contents = await queries.load_contents(db, company, plan.uuid)
    material, result = contents.material, contents.solution
    if material is None or result is None:
        raise PlanNotDone
    order_drivers = _map_drivers(material, result.plan)
    rows = await db.fetch_all(
        Order,
        f"""select {columns(Order)} from orders
            where company = :company and uuid = any(:uuids) and deleted_at is null
            order by uuid for no key update""",
        company=company,
        uuids=list(order_drivers),
    )
    drivers = await DRIVERS.load_many(db, company, list(set(order_drivers.values())))
    return AssignedPlan(
        plan, material, result.plan, {row.uuid: row for row in rows}, drivers, order_drivers
    )


def _map_drivers(material: PlanMaterial, plan: Plan) -> dict[UUID, UUID]:
    """Map each planned order to its driver."""
    uuids = {order.key: order.uuid for order in material.orders}
    drivers = {shift.key: shift.driver for shift in material.shifts}
    return {uuids[job]: drivers[route.shift] for route in plan.routes for job in route.jobs}


async def _save_stops(
    db: Db, assigned_plan: AssignedPlan, aggregates: Mapping[UUID, OrderAggregate]
) -> None:
    """Replace the stored sequence of each driver's stops."""
    plan, uuids = assigned_plan.plan, list(assigned_plan.orders)
    await db.execute(
        """delete from planned_stops
           where company = :company
             and (driver = any(:drivers) and day = :day or order_uuid = any(:orders))""",
        company=plan.company,
        drivers=sorted(set(assigned_plan.order_drivers.values())),
        day=plan.day,
        orders=uuids,
    )
    db.queue_inserts("planned_stops", *_list_stops(db, assigned_plan, aggregates))


def _list_stops(
    db: Db, assigned_plan: AssignedPlan, aggregates: Mapping[UUID, OrderAggregate]
) -> Iterator[PlannedStopRow]:
    """Yield the stops that are not done, by driver and position."""
    plan, material = assigned_plan.plan, assigned_plan.material
    orders = {order.key: order for order in material.orders}
    drivers = {shift.key: shift.driver for shift in material.shifts}
    positions = dict.fromkeys(drivers.values(), 0)
    for route in sorted(assigned_plan.solution.routes, key=lambda route: route.start):
        driver = drivers[route.shift]
        for stop in route.stops:
            order = orders[stop.job]
            waypoint = next(
                stop_material.waypoint
                for stop_material in order.stops
                if stop_material.key == stop.visit
            )
            if not _is_pending(aggregates.get(order.uuid), waypoint):
                continue
            positions[driver] += 1
            yield PlannedStopRow(
                **db.new_row_fields(plan.company),
                plan=plan.uuid,
                day=plan.day,
                driver=driver,
                order_uuid=order.uuid,
                waypoint=waypoint,
                type=stop.kind,
                position=positions[driver],
                arrives_at=material.to_moment(stop.arrival),
                begins_at=material.to_moment(stop.begin),
                leaves_at=material.to_moment(stop.end),
            )


def _is_pending(order: OrderAggregate | None, waypoint: UUID | None) -> bool:
    """Return whether a stop is not done and its order is open."""
    if order is None or not order.row.open:
        return False
    return not any(
        stop.uuid == waypoint and stop.done for stop in order.payload_aggregate.waypoints
    )


async def _delete_stops(db: Db, assigned_plan: AssignedPlan) -> None:
    await db.execute(
        """delete from planned_stops
           where company = :company and driver = any(:drivers) and day = :day and plan = :plan""",
        company=assigned_plan.plan.company,
        drivers=sorted(set(assigned_plan.order_drivers.values())),
        day=assigned_plan.plan.day,
        plan=assigned_plan.plan.uuid,
    )
