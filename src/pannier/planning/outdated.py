"""Finding the changes after which a plan can no longer be accepted or reverted."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import Db
from pannier.errors import Conflict
from pannier.fleet import eligibility
from pannier.fleet.models import Driver
from pannier.fleet.queries import DRIVERS
from pannier.fleet.schemas import DriverId
from pannier.orders.models import Order
from pannier.orders.views import OrderAggregate
from pannier.planning import queries, selection
from pannier.planning.material import OrderMaterial, PlanMaterial
from pannier.planning.models import PlanRow
from pannier.planning.order_jobs import make_fingerprint
from pannier.planning.plan import Plan
from pannier.planning.schemas import PlanId
from pannier.planning.selection import TooManyOrders
from pannier.web.identifiers import OrderId

ChangeCode = Literal[
    "order_deleted", "order_canceled", "order_completed", "order_started", "order_dispatched",
    "order_reassigned", "order_changed", "order_added", "driver_deleted", "driver_inactive",
    "vehicle_changed", "newer_plan", "day_over",
]  # fmt: skip
MESSAGES: Final[dict[ChangeCode, str]] = {
    "order_deleted": "The order was deleted.",
    "order_canceled": "The order was canceled.",
    "order_completed": "The order was completed by another driver.",
    "order_started": "Another driver has started the order.",
    "order_dispatched": "The order was dispatched.",
    "order_reassigned": "The order was assigned to another driver.",
    "order_changed": "The order's stops, time windows or items have changed.",
    "order_added": "The driver has another order that is not in the plan.",
    "driver_deleted": "The driver was deleted.",
    "driver_inactive": "The driver may no longer work.",
    "vehicle_changed": "The driver now has another vehicle.",
    "newer_plan": "A newer plan for this driver was accepted.",
    "day_over": "The day is over.",
}
MAX_CHANGES: Final = 100


class PlanChangeOut(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A change since the plan was made."""

    code: ChangeCode
    message: Annotated[str, Meta(examples=["The order was canceled."])]
    order: OrderId | None = None
    driver: DriverId | None = None
    plan: PlanId | None = None


class PlanOutdated(Conflict):
    """Orders, drivers or vehicles have changed since the plan was made. `changes` lists them."""

    code = "plan_outdated"
    title = "The plan is outdated."
    remedy = "Request a new plan. Its `based_on` keeps the orders that you locked."

    def __init__(self, changes: Sequence[PlanChangeOut]) -> None:
        super().__init__(
            f"{self.title} {changes[0].message}",
            changes=[msgspec.to_builtins(change) for change in changes[:MAX_CHANGES]],
        )


class AssignedPlan(msgspec.Struct):
    """A plan with its locked orders, and the planned driver of each."""

    plan: PlanRow
    material: PlanMaterial
    solution: Plan
    # Deleted orders are left out.
    orders: dict[UUID, Order]
    drivers: dict[UUID, Driver]
    # The planned driver of each order.
    order_drivers: dict[UUID, UUID]

    @property
    def planned_orders(self) -> Iterator[OrderMaterial]:
        """The orders that have a driver in the plan."""
        return (order for order in self.material.orders if order.uuid in self.order_drivers)


def make_change(code: ChangeCode, **subject: Any) -> PlanChangeOut:  # noqa: ANN401 - an id
    """Describe a change."""
    return PlanChangeOut(code=code, message=MESSAGES[code], **subject)


async def list_changes(
    db: Db, assigned_plan: AssignedPlan, orders: Mapping[UUID, OrderAggregate]
) -> list[PlanChangeOut]:
    """List the changes since a plan was made."""
    plan, company = assigned_plan.plan, assigned_plan.plan.company
    today = (await selection.load_day(db, company, None)).day
    if plan.day < today:
        return [make_change("day_over")]
    changes = list[PlanChangeOut]()
    for order in assigned_plan.planned_orders:
        code = _find_order_change(
            order, orders.get(order.uuid), assigned_plan.order_drivers[order.uuid]
        )
        if code is not None:
            changes.append(make_change(code, order=order.key))
    changes += _list_driver_changes(assigned_plan)
    changes += await _list_added_orders(db, assigned_plan)
    since = assigned_plan.material.read_at
    return [*changes, *await _list_newer_plans(db, assigned_plan, since)]


def _find_order_change(
    material: OrderMaterial, order: OrderAggregate | None, driver: UUID
) -> ChangeCode | None:
    """Find a change that keeps an order from being assigned to its planned driver.

    If that driver already has the order, progress on it is allowed.
    """
    if order is None:
        return "order_deleted"
    row = order.row
    if row.canceled_at is not None:
        return "order_canceled"
    if row.driver != driver:
        if row.driver != material.driver:
            return "order_reassigned"
        if row.completed_at is not None:
            return "order_completed"
        if row.started_at is not None:
            return "order_started"
    if row.open and make_fingerprint(order) != material.fingerprint:
        return "order_changed"
    return None


def _list_driver_changes(assigned_plan: AssignedPlan) -> Iterator[PlanChangeOut]:
    """Yield the drivers who can no longer work, or have another vehicle."""
    planned_drivers = set(assigned_plan.order_drivers.values())
    shifts = {
        shift.driver: shift
        for shift in assigned_plan.material.shifts
        if shift.driver in planned_drivers
    }
    for uuid, shift in shifts.items():
        driver = assigned_plan.drivers[uuid]
        if driver.deleted_at is not None:
            yield make_change("driver_deleted", driver=shift.driver_id)
        elif not eligibility.can_work(driver.status):
            yield make_change("driver_inactive", driver=shift.driver_id)
        elif driver.vehicle != shift.vehicle:
            yield make_change("vehicle_changed", driver=shift.driver_id)


async def _list_added_orders(db: Db, assigned_plan: AssignedPlan) -> list[PlanChangeOut]:
    """List the orders assigned to the drivers since the plan was made."""
    company, material = assigned_plan.plan.company, assigned_plan.material
    planned_orders = {order.uuid for order in material.orders}
    planned_orders |= {order.uuid for order in material.outside}
    drivers = set(assigned_plan.order_drivers.values())
    day = await selection.load_day(db, company, assigned_plan.plan.day)
    try:
        assigned_orders = await selection.list_assigned_orders(db, company, day, drivers)
    except TooManyOrders:
        assigned_orders = []
    return [
        make_change(
            "order_added",
            order=order.public_id,
            driver=None if order.driver is None else assigned_plan.drivers[order.driver].public_id,
        )
        for order in assigned_orders
        if order.uuid not in planned_orders
    ]


async def _list_newer_plans(
    db: Db, assigned_plan: AssignedPlan, since: datetime
) -> list[PlanChangeOut]:
    """List the drivers for whom another plan was accepted since."""
    company, plan = assigned_plan.plan.company, assigned_plan.plan
    drivers = sorted(set(assigned_plan.order_drivers.values()))
    stops = await queries.list_planned_stops(db, company, plan.day, drivers)
    newer_plans = {
        stop.driver: stop.plan
        for stop in stops
        if stop.plan != plan.uuid and stop.created_at > since
    }
    plan_ids = await queries.load_plan_ids(db, company, set(newer_plans.values()))
    return [
        make_change(
            "newer_plan",
            driver=assigned_plan.drivers[driver].public_id,
            plan=plan_ids.get(newer_plan),
        )
        for driver, newer_plan in newer_plans.items()
    ]


async def list_changes_since(db: Db, assigned_plan: AssignedPlan) -> list[PlanChangeOut]:
    """List the changes since a plan was accepted, for the orders that it moved."""
    changes = list[PlanChangeOut]()
    previous_drivers = {
        order.driver
        for order in assigned_plan.planned_orders
        if order.driver is not None and order.driver != assigned_plan.order_drivers[order.uuid]
    }
    drivers = await DRIVERS.load_many(db, assigned_plan.plan.company, sorted(previous_drivers))
    accepted_at = assigned_plan.plan.accepted_at or db.now
    for order in assigned_plan.planned_orders:
        if order.driver != assigned_plan.order_drivers[order.uuid]:
            code = _find_obstacle(assigned_plan, order, drivers, accepted_at)
            if code is not None:
                changes.append(make_change(code, order=order.key))
    return [*changes, *await _list_newer_plans(db, assigned_plan, accepted_at)]


def _find_obstacle(
    assigned_plan: AssignedPlan,
    material: OrderMaterial,
    drivers: Mapping[UUID, Driver],
    accepted_at: datetime,
) -> ChangeCode | None:
    """Find a change that keeps an order from going back to its previous driver."""
    row = assigned_plan.orders.get(material.uuid)
    if row is None:
        return "order_deleted"
    if row.canceled_at is not None:
        return "order_canceled"
    if row.driver != assigned_plan.order_drivers[material.uuid]:
        return "order_reassigned"
    if row.completed_at is not None:
        return "order_completed"
    if row.started_at is not None:
        return "order_started"
    if row.dispatched_at is not None and (
        material.driver is None or row.dispatched_at > accepted_at
    ):
        return "order_dispatched"
    driver = None if material.driver is None else drivers[material.driver]
    if driver is not None and driver.deleted_at is not None:
        return "driver_deleted"
    if driver is not None and not eligibility.can_work(driver.status):
        return "driver_inactive"
    return None
