"""Database reads of orders."""

from datetime import datetime
from typing import Final
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.customers.recognition import get_partner
from pannier.db import Db, Page, Sort, Where, columns
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.kit import ids
from pannier.kit.hooks import Hook
from pannier.orders.configs import service as configs
from pannier.orders.driver_days.queries import build_forecast_query, build_freshness_values
from pannier.orders.filters import OrderFilters
from pannier.orders.flow import CREATED
from pannier.orders.internal_ids import OrderTable, resolve_internal_ids
from pannier.orders.models import Order
from pannier.orders.stages import ATTENTION, DUE, DUE_TODAY, NEEDING_ATTENTION, OPEN
from pannier.orders.statuses import check_statuses, check_type
from pannier.orders.text_search import add_text_search
from pannier.payloads import numbers
from pannier.payloads.queries import PAYLOADS
from pannier.places.queries import places

# Called with the public id of each deleted order.
after_delete: Final = Hook[[Db, str], None]("pannier.reports.subscriber")
ORDERS: Final = OrderTable("orders", Order, sort=Sort(("created_at", "updated_at", "status")))


async def list_orders(
    db: Db, company: UUID, filters: OrderFilters, *, driver: UUID | None = None
) -> Page[Order]:
    """List orders, newest first. `driver` limits the list to one driver's orders."""
    where = await build_where(db, company, filters, driver=driver)
    return await ORDERS.load_page(db, where, filters)


async def build_where(
    db: Db, company: UUID, filters: OrderFilters, *, driver: UUID | None = None
) -> Where:
    """Build the condition for orders that match the filters."""
    where = ORDERS.where(company).add_equal(
        driver=driver,
        type=filters.type,
        internal_id=filters.internal_id,
    )
    await _filter_by_references(db, company, where, filters)
    await check_statuses(db, company, filters.status)
    await check_type(db, company, filters.type)
    _filter_by_state(where, filters)
    where.add_time_range("created_at", filters.since, filters.until)
    where.add_time_range("scheduled_at", filters.scheduled_since, filters.scheduled_until)
    await _filter_by_days(db, company, where, filters)
    if filters.today is not None:
        await _filter_by_today(db, company, where, is_due=filters.today)
    _filter_by_lateness(where, filters, db.now)
    if filters.query is not None:
        country = (await company_settings.load(db, company)).country
        add_text_search(where, filters.query, country)
    if filters.id is not None:
        identifiers = await resolve_internal_ids(db, company, filters.id)
        _filter_by_identifiers(where, identifiers)
    if filters.attention is not None:
        # Most orders need no attention, so they are filtered row by row in list order.
        condition = f"uuid in ({NEEDING_ATTENTION})"
        where.add(condition if filters.attention else f"not ({OPEN} and {ATTENTION})", now=db.now)
    if filters.forecast is not None:
        forecast_queries = " union all ".join(
            map(build_forecast_query, dict.fromkeys(filters.forecast))
        )
        where.add(f"uuid in ({forecast_queries})", **build_freshness_values(db.now))
    return where


async def find_by_sheet(db: Db, public_id: str, count: int, hash_prefix: str) -> Order | None:
    """Find the order of a printed proof sheet, before the company is known.

    The sheet is identified by its number of proofs and by the start of the last hash.
    """
    sql = f"""select {columns(Order)} from orders where public_id = :public_id
              and exists (select from proofs where order_uuid = orders.uuid
                          and sequence = :count and encode(hash, 'hex') like :begins)"""
    return await db.find(Order, sql, public_id=public_id, count=count, begins=f"{hash_prefix}%")


async def find_by_public_id(db: Db, company: UUID, public_id: str) -> Order | None:
    """Find the order that an event refers to, even if it was deleted."""
    where = Where(company).add_equal(public_id=public_id)
    return await db.find(Order, f"select {columns(Order)} from orders {where}", **where.values)


async def get_for_proofs(db: Db, company: UUID, identifier: str) -> Order:
    """Return an order, even a deleted one if it has proofs."""
    where = ORDERS.add_identifier(Where(company), identifier)
    where.add("(deleted_at is null or exists (select from proofs where order_uuid = orders.uuid))")
    return await db.get(Order, f"select {columns(Order)} from orders {where}", **where.values)


async def lock_with_deleted(db: Db, company: UUID, identifier: str) -> Order:
    """Lock an order, even a deleted one: a late report of cash is about real money."""
    where = ORDERS.add_identifier(Where(company), identifier)
    sql = f"select {columns(Order)} from orders {where} for no key update"
    return await db.get(Order, sql, **where.values)


async def _filter_by_references(db: Db, company: UUID, where: Where, filters: OrderFilters) -> None:
    """Filter by related records; raise NotFound for an unknown one."""
    if filters.driver is not None:
        driver = await DRIVERS.get(db, company, filters.driver)
        where.add("driver = :of_driver", of_driver=driver.uuid)
    if filters.vehicle is not None:
        where.add_equal(vehicle=(await VEHICLES.get(db, company, filters.vehicle)).uuid)
    if filters.order_config is not None:
        config = await configs.get_config(db, company, filters.order_config)
        # Keys never change, and orders are indexed by type.
        where.add_equal(order_config=config.uuid).add("type = :config_key", config_key=config.key)
    if filters.payload is not None:
        where.add_equal(payload=(await PAYLOADS.get(db, company, filters.payload)).uuid)
    for name in ("customer", "facilitator"):
        identifier = getattr(filters, name)
        if identifier is not None:
            where.add_equal(**{name: (await get_partner(db, company, name, identifier)).uuid})
    for name in ("pickup", "dropoff"):
        identifier = getattr(filters, name)
        if identifier is not None:
            place = await places.get(db, company, identifier)
            where.add(
                f"payload in (select uuid from payloads where {name} = :at_{name})",
                **{f"at_{name}": place.uuid},
            )
    if filters.tracking is not None:
        number = numbers.parse(filters.tracking) or filters.tracking
        where.add(
            """uuid in (select order_uuid from tracking_numbers
               where company = :company and number = :number)""",
            number=number,
        )


def _filter_by_state(where: Where, filters: OrderFilters) -> None:
    """Filter by status, price, assignment and schedule."""
    if filters.status is not None:
        where.add_any_of("status", filters.status)
    if filters.price_status is not None:
        where.add_any_of("price_status", filters.price_status)
    _filter_by_payment(where, filters)
    for name in ("dispatched", "started"):
        filter_value = getattr(filters, name)
        if filter_value is not None:
            where.add(f"{name}_at is {'not null' if filter_value else 'null'}")
    for name in ("pod_required", "adhoc"):
        filter_value = getattr(filters, name)
        if filter_value is not None:
            where.add(name if filter_value else f"not {name}")
    if filters.unassigned is not None:
        where.add(f"driver is {'null' if filters.unassigned else 'not null'}")
    if filters.scheduled is not None:
        where.add(f"scheduled_at is {'not null' if filters.scheduled else 'null'}")
    if filters.active is not None:
        # In progress: dispatched and still open. These are few and have their own index.
        in_progress = f"{OPEN} and status <> '{CREATED}'"
        where.add(in_progress if filters.active else f"not ({in_progress})")


def _filter_by_lateness(where: Where, filters: OrderFilters, now: datetime) -> None:
    """Filter by whether orders are late, on hold, or were on time."""
    if filters.late is not None:
        late = f"{OPEN} and {DUE} < :late_now"
        where.add(late if filters.late else f"({late}) is not true", late_now=now)
    if filters.held is not None:
        held = f"{OPEN} and undelivered = 'hold'"
        where.add(held if filters.held else f"({held}) is not true")
    if filters.on_time is not None:
        where.add("completed_at is not null and time_window_end is not null")
        where.add(f"completed_at {'<=' if filters.on_time else '>'} time_window_end")


def _filter_by_payment(where: Where, filters: OrderFilters) -> None:
    if filters.payment_status is not None:
        where.add_any_of("payment_status", filters.payment_status)
    where.add_equal(balance=filters.balance)
    lowest, highest = filters.balance_min, filters.balance_max
    if lowest is not None:
        where.add("balance >= :balance_min", balance_min=lowest)
    if highest is not None:
        where.add("balance <= :balance_max", balance_max=highest)
    if (lowest is not None and lowest > 0) or (highest is not None and highest < 0):
        # Few orders have a balance, and these have their own index.
        where.add("balance <> 0")


async def _filter_by_days(db: Db, company: UUID, where: Where, filters: OrderFilters) -> None:
    """Filter by days in the company's time zone."""
    if filters.on is None and filters.completed_on is None and filters.failed_on is None:
        return
    settings = await company_settings.load(db, company)
    if filters.on is not None:
        _filter_by_day(where, settings.get_day_bounds(filters.on))
    if filters.completed_on is not None:
        where.add_time_range("completed_at", *settings.get_day_bounds(filters.completed_on))
    if filters.failed_on is not None:
        start, end = settings.get_day_bounds(filters.failed_on)
        where.add(
            """uuid in (select order_uuid from delivery_attempts
               where company = :company and deleted_at is null
                   and created_at >= :failed_begin and created_at < :failed_end)""",
            failed_begin=start,
            failed_end=end,
        )


def _filter_by_day(where: Where, day: tuple[datetime, datetime]) -> None:
    """Filter orders that are scheduled for a day, or were created on it."""
    start, end = day
    where.add(
        """(scheduled_at >= :day_begin and scheduled_at < :day_end
            or scheduled_at is null and created_at >= :day_begin and created_at < :day_end)""",
        day_begin=start,
        day_end=end,
    )


async def _filter_by_today(db: Db, company: UUID, where: Where, *, is_due: bool) -> None:
    """Filter orders by whether they are due today, in the company's time zone."""
    settings = await company_settings.load(db, company)
    _, end = settings.get_day_bounds(db.now.astimezone(settings.zone).date())
    where.add(DUE_TODAY if is_due else f"not {DUE_TODAY}", today_end=end)


def _filter_by_identifiers(where: Where, identifiers: list[str]) -> None:
    where.add(
        """uuid in (
            select uuid from orders where company = :company and public_id = any(:names)
            union all
            select uuid from orders where company = :company and uuid = any(:uuids)
            union all
            select order_uuid from tracking_numbers
            where company = :company and number = any(:numbers)
            union all
            select uuid from orders where company = :company and internal_id = any(:names)
                and deleted_at is null)""",
        names=identifiers,
        uuids=[uuid for uuid in map(ids.parse_uuid, identifiers) if uuid is not None],
        numbers=[numbers.parse(identifier) or identifier for identifier in identifiers],
    )
