"""Reading everything that a plan depends on."""

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


class Selected(msgspec.Struct):
    """The orders and drivers of a plan, and the orders that have to go to certain drivers."""

    orders: list[Order]
    drivers: list[Driver]
    fixed: dict[UUID, UUID]


async def select(
    db: Db, company: UUID, day: PlanDay, request: PlanIn, *, strict: bool = False
) -> Selected:
    """Select the orders and drivers of a plan.

    If `strict`, refuse a request with unusable ones; otherwise leave them out.
    """
    drivers = await selection.list_drivers(db, company, day, request, strict=strict)
    driver_uuids = [driver.uuid for driver in drivers]
    if request.orders is not None:
        found = await selection.find_orders(
            db, company, request.orders, "orders[{}]", strict=strict
        )
        orders = list({order.uuid: order for order in found if order is not None}.values())
    else:
        has_chosen = request.drivers is not None or request.fleets is not None
        with prefix_fields("filter"):
            orders = await selection.list_due_orders(
                db,
                company,
                day,
                request.filter or OrderSelectionIn(),
                drivers=driver_uuids if has_chosen else None,
            )
    fixed = await _load_fixed(db, company, request, driver_uuids, strict=strict)
    locked = await _load_locked(db, company, request, driver_uuids)
    chosen = Selected(orders, drivers, locked | fixed)
    return await _add_own_orders(db, company, day, chosen)


async def _load_fixed(
    db: Db, company: UUID, request: PlanIn, drivers: Sequence[UUID], *, strict: bool
) -> dict[UUID, UUID]:
    """Load the orders that the request fixes to drivers."""
    if not request.fixed:
        return {}
    names = [each.order for each in request.fixed]
    orders = await selection.find_orders(db, company, names, "fixed[{}].order", strict=strict)
    people = [each.driver for each in request.fixed]
    found = await selection.find_drivers(db, company, people, "fixed[{}].driver", strict=strict)
    strangers = [
        FieldError(f"fixed[{number}].driver", "is not among the drivers of the plan.")
        for number, driver in enumerate(found)
        if driver is not None and driver.uuid not in drivers
    ]
    if strangers and strict:
        raise Invalid(fields=strangers)
    return {
        order.uuid: driver.uuid
        for order, driver in zip(orders, found, strict=True)
        if order is not None and driver is not None
    }


async def _load_locked(
    db: Db, company: UUID, request: PlanIn, drivers: Sequence[UUID]
) -> dict[UUID, UUID]:
    """Load the locked orders of the plan on which this one is based, with their drivers."""
    if request.based_on is None:
        return {}
    before = await PLANS.resolve_reference(db, company, "based_on", request.based_on, label="plan")
    contents = await queries.load_contents(db, company, before.uuid)
    material, solution = contents.material, contents.solution
    if material is None or solution is None:
        raise Invalid(fields=[FieldError("based_on", f"is {before.state}.")])
    uuids = {order.key: order.uuid for order in material.orders}
    shifts = {shift.key: shift.driver for shift in material.shifts}
    return {
        uuids[job]: shifts[route.shift]
        for route in solution.plan.routes
        for job in route.jobs
        if job in before.locked and shifts[route.shift] in drivers
    }


async def _add_own_orders(db: Db, company: UUID, day: PlanDay, chosen: Selected) -> Selected:
    """Add the drivers' other work of the day, which stays with them."""
    drivers = [driver.uuid for driver in chosen.drivers]
    known = {order.uuid for order in chosen.orders}
    own = await selection.list_own_orders(db, company, day, drivers)
    others = [order for order in own if order.uuid not in known]
    kept = {order.uuid: order.driver for order in others if order.driver is not None}
    if len(chosen.orders) + len(others) > MAX_ORDERS:
        raise selection.TooManyOrders
    return Selected([*chosen.orders, *others], chosen.drivers, chosen.fixed | kept)


async def load_data(
    db: Db, company: UUID, day: PlanDay, request: PlanIn, chosen: Selected
) -> PlanningData:
    """Load everything that the problem is built from."""
    settings = await company_settings.load(db, company)
    drivers, orders = chosen.drivers, chosen.orders
    related = await views.load_related(db, company, orders)
    vehicle_uuids = {driver.vehicle for driver in drivers if driver.vehicle is not None}
    vehicles = await VEHICLES.load_many(db, company, list(vehicle_uuids))
    default_start = await _find_place(db, company, request.start_place)
    default_end = await _find_place(db, company, request.end_place)
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
        fixed=chosen.fixed,
        starts_from=_choose_start(db, day, request, settings.zone, chosen),
    )


async def _find_place(db: Db, company: UUID, name: str | None) -> UUID | None:
    row = None if name is None else await places.find(db, company, name)
    return None if row is None else row.uuid


def _choose_currency(
    own: str | None, drivers: Sequence[Driver], vehicles: Sequence[Vehicle]
) -> str | None:
    """Return the currency of the plan: the company's, else the one that most costs have."""
    costs = [driver.currency for driver in drivers if driver.cost_per_hour is not None]
    costs += [vehicle.currency for vehicle in vehicles if vehicle.cost_per_km is not None]
    currencies = Counter(currency for currency in costs if currency is not None)
    if own in currencies or not currencies:
        return own
    return currencies.most_common(1)[0][0]


async def _load_positions(
    db: Db, company: UUID, drivers: Sequence[Driver]
) -> dict[UUID, Whereabouts]:
    """Load the newest position of each driver, or of the driver's vehicle."""
    subjects = [subject for driver in drivers for subject in (driver.uuid, driver.vehicle)]
    found = await whereabouts.load(db, company, subjects)
    positions = dict[UUID, Whereabouts]()
    for driver in drivers:
        rows = [found[each] for each in (driver.uuid, driver.vehicle) if each in found]
        if rows:
            positions[driver.uuid] = max(rows, key=lambda row: row.located_at)
    return positions


def _choose_start(
    db: Db, day: PlanDay, request: PlanIn, zone: ZoneInfo, chosen: Selected
) -> StartsFrom:
    """Return where routes begin. Once work has started today, that is where drivers are now."""
    if request.from_ is not None:
        return request.from_
    if not day.is_today:
        return "start"
    has_started = any(order.started_at is not None for order in chosen.orders)
    shifts = (
        interval
        for driver in chosen.drivers
        for interval in list_intervals(driver, day.day, zone, request.default_hours)
    )
    return "now" if has_started or any(shift.start < db.now for shift in shifts) else "start"
