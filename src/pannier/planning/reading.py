"""Reading the records that a plan depends on."""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import FieldError, Invalid, prefix_fields
from pannier.fleet import whereabouts
from pannier.fleet.models import Driver, Vehicle, Whereabouts
from pannier.fleet.queries import VEHICLES
from pannier.orders import views
from pannier.orders.models import Order
from pannier.orders.views import OrderAggregate
from pannier.places.queries import places
from pannier.planning import queries, selection
from pannier.planning.driver_shifts import list_intervals
from pannier.planning.planning_data import PlanningData
from pannier.planning.queries import PLANS
from pannier.planning.schemas import MAX_ORDERS, OrderSelectionIn, PlanIn, StartsFrom
from pannier.planning.selection import PlanDay


class PlanSelection(msgspec.Struct):
    """The orders and drivers of a plan, and the driver of each fixed order."""

    orders: list[Order]
    drivers: list[Driver]
    fixed: dict[UUID, UUID]


async def select_work(
    db: Db, company: UUID, day: PlanDay, request: PlanIn, *, strict: bool = False
) -> PlanSelection:
    """Select the orders and drivers of a plan.

    If `strict`, refuse a request with unusable ones. Otherwise leave them out.
    """
    drivers = await selection.list_drivers(db, company, day, request, strict=strict)
    driver_uuids = [driver.uuid for driver in drivers]
    if request.orders is not None:
        rows = await selection.find_orders(db, company, request.orders, "orders[{}]", strict=strict)
        orders = list({order.uuid: order for order in rows if order is not None}.values())
    else:
        names_drivers = request.drivers is not None or request.fleets is not None
        with prefix_fields("filter"):
            orders = await selection.list_due_orders(
                db,
                company,
                day,
                request.filter or OrderSelectionIn(),
                drivers=driver_uuids if names_drivers else None,
            )
    fixed_orders = await _load_fixed_orders(db, company, request, driver_uuids, strict=strict)
    locked_orders = await _load_locked_orders(db, company, request, driver_uuids)
    plan_selection = PlanSelection(orders, drivers, locked_orders | fixed_orders)
    return await _add_assigned_orders(db, company, day, plan_selection)


async def _load_fixed_orders(
    db: Db, company: UUID, request: PlanIn, drivers: Sequence[UUID], *, strict: bool
) -> dict[UUID, UUID]:
    """Load the orders that the request fixes to drivers, with these drivers."""
    if not request.fixed:
        return {}
    order_ids = [fixed_order.order for fixed_order in request.fixed]
    orders = await selection.find_orders(db, company, order_ids, "fixed[{}].order", strict=strict)
    driver_ids = [fixed_order.driver for fixed_order in request.fixed]
    fixed_drivers = await selection.find_drivers(
        db, company, driver_ids, "fixed[{}].driver", strict=strict
    )
    errors = [
        FieldError(f"fixed[{number}].driver", "is not among the drivers of the plan.")
        for number, driver in enumerate(fixed_drivers)
        if driver is not None and driver.uuid not in drivers
    ]
    if errors and strict:
        raise Invalid(fields=errors)
    return {
        order.uuid: driver.uuid
        for order, driver in zip(orders, fixed_drivers, strict=True)
        if order is not None and driver is not None
    }


async def _load_locked_orders(
    db: Db, company: UUID, request: PlanIn, drivers: Sequence[UUID]
) -> dict[UUID, UUID]:
    """Load the locked orders of the plan in `based_on`, with their drivers."""
    if request.based_on is None:
        return {}
    base = await PLANS.resolve_reference(db, company, "based_on", request.based_on, label="plan")
    contents = await queries.load_contents(db, company, base.uuid)
    material, solution = contents.material, contents.solution
    if material is None or solution is None:
        raise Invalid(
            fields=[FieldError("based_on", f"is {base.state}; it must be a finished plan.")]
        )
    uuids = {order.key: order.uuid for order in material.orders}
    shifts = {shift.key: shift.driver for shift in material.shifts}
    return {
        uuids[job]: shifts[route.shift]
        for route in solution.plan.routes
        for job in route.jobs
        if job in base.locked and shifts[route.shift] in drivers
    }


async def _add_assigned_orders(
    db: Db, company: UUID, day: PlanDay, plan_selection: PlanSelection
) -> PlanSelection:
    """Add the drivers' other orders of the day, which stay with them."""
    orders, drivers = plan_selection.orders, plan_selection.drivers
    selected_orders = {order.uuid for order in orders}
    assigned_orders = await selection.list_assigned_orders(
        db, company, day, [driver.uuid for driver in drivers]
    )
    other_orders = [order for order in assigned_orders if order.uuid not in selected_orders]
    if len(orders) + len(other_orders) > MAX_ORDERS:
        raise selection.TooManyOrders
    present = {order.uuid: order.driver for order in other_orders if order.driver is not None}
    return PlanSelection([*orders, *other_orders], drivers, plan_selection.fixed | present)


async def load_data(
    db: Db, company: UUID, day: PlanDay, request: PlanIn, plan_selection: PlanSelection
) -> PlanningData:
    """Load the records from which the problem is built."""
    settings = await company_settings.load(db, company)
    drivers, orders = plan_selection.drivers, plan_selection.orders
    related = await views.load_related(db, company, orders)
    vehicle_uuids = {driver.vehicle for driver in drivers if driver.vehicle is not None}
    vehicles = await VEHICLES.load_many(db, company, list(vehicle_uuids))
    default_start = await _find_place_uuid(db, company, request.start_place)
    default_end = await _find_place_uuid(db, company, request.end_place)
    ends = {default_start, default_end}
    for driver in drivers:
        ends |= {driver.start_place, driver.end_place}
    return PlanningData(
        request=request,
        day=day.day,
        now=db.now,
        origin=day.start,
        zone=settings.zone,
        currency=_choose_currency(settings.currency, drivers, list(vehicles.values())),
        orders=[OrderAggregate(order, related) for order in orders],
        drivers=drivers,
        vehicles=vehicles,
        positions=await _load_positions(db, company, drivers),
        places=await places.load_many(db, company, [uuid for uuid in ends if uuid is not None]),
        default_start=default_start,
        default_end=default_end,
        sequence=await queries.load_sequence(db, company, [order.uuid for order in orders]),
        fixed=plan_selection.fixed,
        starts_from=_choose_start(db, day, request, settings.zone, plan_selection),
    )


async def _find_place_uuid(db: Db, company: UUID, place_id: str | None) -> UUID | None:
    row = None if place_id is None else await places.find(db, company, place_id)
    return None if row is None else row.uuid


def _choose_currency(
    company_currency: str | None, drivers: Sequence[Driver], vehicles: Sequence[Vehicle]
) -> str | None:
    """Choose the plan's currency: the company's if any cost has it, else the most frequent one."""
    costs = [driver.currency for driver in drivers if driver.cost_per_hour is not None]
    costs += [vehicle.currency for vehicle in vehicles if vehicle.cost_per_km is not None]
    currencies = Counter(currency for currency in costs if currency is not None)
    if company_currency in currencies or not currencies:
        return company_currency
    return currencies.most_common(1)[0][0]


async def _load_positions(
    db: Db, company: UUID, drivers: Sequence[Driver]
) -> dict[UUID, Whereabouts]:
    """Load the newest position of each driver, or of the driver's vehicle."""
    subjects = [subject for driver in drivers for subject in (driver.uuid, driver.vehicle)]
    rows_by_subject = await whereabouts.load(db, company, subjects)
    positions = dict[UUID, Whereabouts]()
    for driver in drivers:
        subjects = [driver.uuid, driver.vehicle]
        rows = [rows_by_subject[uuid] for uuid in subjects if uuid in rows_by_subject]
        if rows:
            positions[driver.uuid] = max(rows, key=lambda row: row.located_at)
    return positions


def _choose_start(
    db: Db, day: PlanDay, request: PlanIn, zone: ZoneInfo, plan_selection: PlanSelection
) -> StartsFrom:
    """Choose where routes begin: at the drivers' live positions, once work has started today."""
    if request.from_ is not None:
        return request.from_
    if not day.is_today:
        return "start"
    has_started = any(order.started_at is not None for order in plan_selection.orders)
    shifts = (
        interval
        for driver in plan_selection.drivers
        for interval in list_intervals(driver, day.day, zone, request.default_hours)
    )
    return "now" if has_started or any(shift.start < db.now for shift in shifts) else "start"
