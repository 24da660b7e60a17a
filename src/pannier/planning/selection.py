"""Selecting the orders and drivers of a plan."""

from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime
from typing import Any, Final, NamedTuple, TypeVar
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import CompanySettings
from pannier.db import Db, Table, Where, columns
from pannier.errors import FieldError, Invalid, NotFound
from pannier.fleet import eligibility
from pannier.fleet.models import Driver
from pannier.fleet.queries import DRIVERS, FLEETS
from pannier.kit import ids
from pannier.orders import queries as order_queries
from pannier.orders.filters import OrderFilters
from pannier.orders.internal_ids import resolve_internal_ids
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.orders.stages import DUE_TODAY, OPEN
from pannier.places.queries import places
from pannier.planning.driver_shifts import list_intervals
from pannier.planning.schemas import MAX_DRIVERS, MAX_ORDERS, OrderSelectionIn, PlanIn

Row = TypeVar("Row", bound=msgspec.Struct)
# Drivers read to find those who work on a day.
MAX_DRIVERS_READ: Final = 1_000
# Orders due on a later day. Orders without any time are due today.
DUE_LATER: Final = f"""({OPEN} and coalesce(scheduled_at, time_window_start) >= :day_start
    and coalesce(scheduled_at, time_window_start) < :today_end)"""
# Ad-hoc orders are offered to drivers instead. Orders on hold wait for a decision.
PLANNABLE: Final = "not (adhoc and driver is null) and undelivered is distinct from 'hold'"
TOO_MANY_ORDERS: Final = (
    f"More than {MAX_ORDERS:,} orders are due on this day. Select some of them."
)
TOO_MANY_DRIVERS: Final = f"More than {MAX_DRIVERS} drivers work on this day. Select some of them."


class PlanDay(NamedTuple):
    """A day of a company, with its bounds."""

    day: date
    start: datetime
    end: datetime
    is_today: bool


class TooManyOrders(Exception):  # noqa: N818 - the caller turns it into an error
    """More orders are due on a day than one plan can have."""


async def load_day(db: Db, company: UUID, day: date | None) -> PlanDay:
    """Load the bounds of a day, today by default, in the company's time zone."""
    settings = await company_settings.load(db, company)
    today = db.now.astimezone(settings.zone).date()
    plan_day = day or today
    start, end = settings.get_day_bounds(plan_day)
    return PlanDay(plan_day, start, end, is_today=plan_day == today)


async def find_orders(
    db: Db, company: UUID, order_ids: Sequence[str], path: str, *, strict: bool
) -> list[Order | None]:
    """Find open orders by their ids. Refuse others if `strict`, else return None for them."""
    public_ids = await resolve_internal_ids(db, company, order_ids)
    rows = await _find_by_ids(db, ORDERS, company, public_ids)
    if strict:
        _refuse_missing(rows, path, "order")
        _refuse_fields(
            (path.format(number), f"is {order.status}.")
            for number, order in enumerate(rows)
            if order is not None and not order.open
        )
    return [order if order is not None and order.open else None for order in rows]


async def find_drivers(
    db: Db, company: UUID, driver_ids: Sequence[str], path: str, *, strict: bool
) -> list[Driver | None]:
    """Find drivers who may work. Refuse others if `strict`, else return None for them."""
    rows = await _find_by_ids(db, DRIVERS, company, driver_ids)
    if strict:
        _refuse_missing(rows, path, "driver")
        _refuse_fields(
            (path.format(number), f"is {driver.status}.")
            for number, driver in enumerate(rows)
            if driver is not None and not eligibility.can_work(driver.status)
        )
    return [
        driver if driver is not None and eligibility.can_work(driver.status) else None
        for driver in rows
    ]


async def check_references(
    db: Db, company: UUID, table: Table[Row], row_ids: Sequence[str], path: str
) -> None:
    """Refuse ids without a row of the company, in whatever state the plan is."""
    if row_ids:
        _refuse_missing(await _find_by_ids(db, table, company, row_ids), path, table.noun)


async def _find_by_ids(
    db: Db, table: Table[Row], company: UUID, row_ids: Sequence[str]
) -> list[Row | None]:
    """Find rows by public id or UUID, in one query."""
    uuids = [ids.parse_uuid(row_id) for row_id in row_ids]
    where = table.where(company).add(
        "(public_id = any(:public_ids) or uuid = any(:uuids))",
        public_ids=list(row_ids),
        uuids=[uuid for uuid in uuids if uuid is not None],
    )
    rows = await db.fetch_all(
        table.row, f"select {table.columns} from {table.name} {where}", **where.values
    )
    by_id: dict[Any, Row] = {row.public_id: row for row in rows}  # type: ignore[attr-defined]  # every row has one
    by_id |= {row.uuid: row for row in rows}  # type: ignore[attr-defined]  # every row has one
    return [
        by_id.get(row_id) or by_id.get(uuid) for row_id, uuid in zip(row_ids, uuids, strict=True)
    ]


def _refuse_fields(errors: Iterable[tuple[str, str]]) -> None:
    fields = [FieldError(path, message) for path, message in errors]
    if fields:
        raise Invalid(fields=fields)


def _refuse_missing(rows: Sequence[object], path: str, noun: str) -> None:
    errors = [
        FieldError(path.format(number), f"There is no such {noun}.")
        for number, row in enumerate(rows)
        if row is None
    ]
    if errors:
        raise NotFound(fields=errors)


async def list_due_orders(
    db: Db,
    company: UUID,
    day: PlanDay,
    selection: OrderSelectionIn,
    *,
    drivers: Collection[UUID] | None,
) -> list[Order]:
    """List the open orders of a day. With `drivers`, list only theirs and unassigned ones."""
    filters = OrderFilters(
        type=selection.type,
        customer=selection.customer,
        facilitator=selection.facilitator,
        pickup=selection.pickup,
        unassigned=selection.unassigned or None,
    )
    if selection.pickup is not None:
        await places.resolve_reference(db, company, "pickup", selection.pickup)
    where = await order_queries.build_where(db, company, filters)
    where.add(PLANNABLE)
    if drivers is not None:
        where.add("(driver is null or driver = any(:drivers))", drivers=list(drivers))
    return await _list_due_rows(db, where, day)


async def list_assigned_orders(
    db: Db, company: UUID, day: PlanDay, drivers: Collection[UUID]
) -> list[Order]:
    """List the open orders of a day that are assigned to certain drivers."""
    where = ORDERS.where(company).add(PLANNABLE)
    where.add("driver = any(:drivers)", drivers=list(drivers))
    return await _list_due_rows(db, where, day)


async def _list_due_rows(db: Db, where: Where, day: PlanDay) -> list[Order]:
    if day.is_today:
        where.add(DUE_TODAY, today_end=day.end)
    else:
        where.add(DUE_LATER, day_start=day.start, today_end=day.end)
    rows = await db.fetch_all(
        Order,
        f"""select {columns(Order)} from orders {where}
            order by created_at, uuid limit {MAX_ORDERS + 1}""",
        **where.values,
    )
    if len(rows) > MAX_ORDERS:
        raise TooManyOrders
    return rows


async def list_drivers(
    db: Db, company: UUID, day: PlanDay, request: PlanIn, *, strict: bool
) -> list[Driver]:
    """List the drivers of a plan: those in the request, or all who work on the day."""
    if request.drivers is None and request.fleets is None:
        return await _list_working_drivers(db, company, day, request)
    named_drivers = await find_drivers(
        db, company, request.drivers or (), "drivers[{}]", strict=strict
    )
    members = await _list_fleet_drivers(db, company, request.fleets or (), strict=strict)
    drivers = {driver.uuid: driver for driver in (*named_drivers, *members) if driver is not None}
    if len(drivers) > MAX_DRIVERS:
        raise Invalid(fields=[FieldError("fleets", TOO_MANY_DRIVERS)])
    return list(drivers.values())


async def _list_fleet_drivers(
    db: Db, company: UUID, fleet_ids: Sequence[str], *, strict: bool
) -> list[Driver]:
    rows = await _find_by_ids(db, FLEETS, company, fleet_ids)
    if strict:
        _refuse_missing(rows, "fleets[{}]", "fleet")
    where = DRIVERS.where(company).add(
        "uuid in (select driver from fleet_members where fleet = any(:fleets))",
        fleets=[fleet.uuid for fleet in rows if fleet is not None],
    )
    return await _load_active_drivers(db, where)


async def _list_working_drivers(
    db: Db, company: UUID, day: PlanDay, request: PlanIn
) -> list[Driver]:
    settings: CompanySettings = await company_settings.load(db, company)
    drivers = [
        driver
        for driver in await _load_active_drivers(db, DRIVERS.where(company))
        if list_intervals(driver, day.day, settings.zone, request.default_hours)
    ]
    if len(drivers) > MAX_DRIVERS:
        raise Invalid(fields=[FieldError("drivers", TOO_MANY_DRIVERS)])
    return drivers


async def _load_active_drivers(db: Db, where: Where) -> list[Driver]:
    """Load the drivers who may work, the oldest first."""
    barred_statuses: Any = sorted(eligibility.BARRED_STATUSES)
    where.add("status <> all(:barred)", barred=barred_statuses)
    return await db.fetch_all(
        Driver,
        f"""select {columns(Driver)} from drivers {where}
            order by created_at, uuid limit {MAX_DRIVERS_READ}""",
        **where.values,
    )
