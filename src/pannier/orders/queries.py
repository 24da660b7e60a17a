"""Database reads of orders."""

from datetime import datetime
from typing import Final
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.customers.queries import CUSTOMERS
from pannier.db import Db, Page, Sort, Table, Where, columns
from pannier.db.table import literal, words_of, words_wanted
from pannier.errors import Field, NotFound
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.kit import ids
from pannier.orders.configs import service as configs
from pannier.orders.flow import CREATED
from pannier.orders.models import Order
from pannier.orders.schemas import OrderFilters
from pannier.orders.stages import ATTENTION, NEEDING_ATTENTION, OF_THE_DAY, OPEN
from pannier.orders.statuses import check_statuses, check_type
from pannier.partners import queries as partners
from pannier.partners.models import Contact, Vendor
from pannier.payloads import numbers
from pannier.payloads.queries import PAYLOADS
from pannier.places.queries import places

# Orders with notes or an internal id, and their indexed words.
NOTED: Final = "(internal_id is not null or notes is not null)"
NOTES: Final = words_of(("internal_id", "notes"))

ORDERS: Final = Table("orders", Order, sort=Sort(("created_at", "updated_at", "status")))


async def orders(
    db: Db, company: UUID, filters: OrderFilters, *, driver: UUID | None = None
) -> Page[Order]:
    """List orders, newest first. `driver` limits the list to that driver's own."""
    return await ORDERS.page(db, await narrowed(db, company, filters, driver=driver), filters)


async def narrowed(
    db: Db, company: UUID, filters: OrderFilters, *, driver: UUID | None = None
) -> Where:
    """Build the condition for orders that match the filters."""
    where = ORDERS.where(company).equal(
        driver=driver,
        type=filters.type,
        internal_id=filters.internal_id,
    )
    await _pointing(db, company, where, filters)
    await check_statuses(db, company, filters.status)
    await check_type(db, company, filters.type)
    _standing(where, filters)
    where.within("created_at", filters.since, filters.until)
    where.within("scheduled_at", filters.scheduled_since, filters.scheduled_until)
    if filters.on is not None:
        settings = await company_settings.of(db, company)
        _on_day(where, settings.day(filters.on))
    if filters.today is not None:
        await _today(db, company, where, wanted=filters.today)
    _searched(where, filters.query)
    _named(where, filters.id)
    if filters.attention is not None:
        # Most orders need no attention, so they are filtered row by row in list order.
        needing = f"uuid in ({NEEDING_ATTENTION})"
        where.that(needing if filters.attention else f"not ({OPEN} and {ATTENTION})", now=db.now)
    return where


async def of_sheet(db: Db, public_id: str, count: int, begins: str) -> Order | None:
    """Find the order of a printed proof sheet, before the company is known.

    The sheet is identified by its number of proofs and by the start of the last hash.
    """
    sql = f"""select {columns(Order)} from orders where public_id = :public_id
              and exists (select from proofs where order_uuid = orders.uuid
                          and sequence = :count and encode(hash, 'hex') like :begins)"""
    return await db.find(Order, sql, public_id=public_id, count=count, begins=f"{begins}%")


async def told_of(db: Db, company: UUID, public_id: str) -> Order | None:
    """Find the order that an event refers to, even if it was deleted."""
    where = Where(company).equal(public_id=public_id)
    return await db.find(Order, f"select {columns(Order)} from orders {where}", **where.values)


async def proved(db: Db, company: UUID, identifier: str) -> Order:
    """Get an order to show its proofs. A deleted order is found if it has any."""
    where = Where(company).named(identifier)
    where.that("(deleted_at is null or exists (select from proofs where order_uuid = orders.uuid))")
    return await db.one(Order, f"select {columns(Order)} from orders {where}", **where.values)


async def _pointing(db: Db, company: UUID, where: Where, filters: OrderFilters) -> None:
    """Filter by related records, and reject unknown ones."""
    if filters.driver is not None:
        found = await DRIVERS.get(db, company, filters.driver)
        where.that("driver = :of_driver", of_driver=found.uuid)
    if filters.vehicle is not None:
        where.equal(vehicle=(await VEHICLES.get(db, company, filters.vehicle)).uuid)
    if filters.order_config is not None:
        config = await configs.named(db, company, filters.order_config)
        # Keys never change, and orders are indexed by type.
        where.equal(order_config=config.uuid).that("type = :config_key", config_key=config.key)
    if filters.payload is not None:
        where.equal(payload=(await PAYLOADS.get(db, company, filters.payload)).uuid)
    for name in ("customer", "facilitator"):
        wanted = getattr(filters, name)
        if wanted is not None:
            where.equal(**{name: (await partner(db, company, name, wanted)).uuid})
    for name in ("pickup", "dropoff"):
        wanted = getattr(filters, name)
        if wanted is not None:
            place = await places.get(db, company, wanted)
            where.that(
                f"payload in (select uuid from payloads where {name} = :at_{name})",
                **{f"at_{name}": place.uuid},
            )
    if filters.tracking is not None:
        number = numbers.normalise(filters.tracking) or filters.tracking
        where.that(
            """uuid in (select order_uuid from tracking_numbers
               where company = :company and number = :number)""",
            number=number,
        )


def _standing(where: Where, filters: OrderFilters) -> None:
    """Filter by status, price, assignment and schedule."""
    if filters.status is not None:
        where.one_of("status", filters.status)
    if filters.price_status is not None:
        where.one_of("price_status", filters.price_status)
    for name in ("dispatched", "started"):
        wanted = getattr(filters, name)
        if wanted is not None:
            where.that(f"{name}_at is {'not null' if wanted else 'null'}")
    for name in ("pod_required", "adhoc"):
        wanted = getattr(filters, name)
        if wanted is not None:
            where.that(name if wanted else f"not {name}")
    if filters.unassigned is not None:
        where.that(f"driver is {'null' if filters.unassigned else 'not null'}")
    if filters.scheduled is not None:
        where.that(f"scheduled_at is {'not null' if filters.scheduled else 'null'}")
    if filters.active is not None:
        # In progress: dispatched and still open. These are few and have their own index.
        moving = f"{OPEN} and status <> '{CREATED}'"
        where.that(moving if filters.active else f"not ({moving})")


def _on_day(where: Where, day: tuple[datetime, datetime]) -> None:
    """Filter orders that are scheduled for a day, or were created on it."""
    begin, end = day
    where.that(
        """(scheduled_at >= :day_begin and scheduled_at < :day_end
            or scheduled_at is null and created_at >= :day_begin and created_at < :day_end)""",
        day_begin=begin,
        day_end=end,
    )


async def _today(db: Db, company: UUID, where: Where, *, wanted: bool) -> None:
    """Filter orders still to be done today, in the company's time zone."""
    settings = await company_settings.of(db, company)
    _, end = settings.day(db.now.astimezone(settings.zone).date())
    where.that(OF_THE_DAY if wanted else f"not {OF_THE_DAY}", today_end=end)


def _searched(where: Where, query: str | None) -> None:
    """Filter by text: tracking numbers, internal ids, notes and customer names."""
    if query is None:
        return
    said = query.strip()
    words = words_wanted(where.values["company"], said)
    begun = numbers.beginning(said) or ""

    def by(index: str | None) -> str:
        """Return the condition on a word index, which narrows the rows before `ilike`."""
        return f"{index} @@ to_tsquery('simple', :words)" if index and words else "true"

    where.that(
        f"""uuid in (
            select uuid from orders where company = :company and public_id = :said
            union all
            select order_uuid from tracking_numbers where company = :company
                and number >= :number and number < :beyond
            union all
            select uuid from orders where company = :company and {NOTED} and {by(NOTES)}
                and (internal_id ilike :query or notes ilike :query)
            union all
            select uuid from orders
            where company = :company and deleted_at is null and customer in (
                select uuid from contacts
                where company = :company and {by(partners.contacts.words)}
                    and name ilike :query
                union all
                select uuid from vendors
                where company = :company and {by(partners.vendors.words)}
                    and name ilike :query))""",
        said=said,
        words=words,
        query=f"%{literal(said)}%",
        number=begun,
        beyond=f"{begun}~" if begun else "",
    )


def _named(where: Where, names: list[str] | None) -> None:
    if names is None:
        return
    where.that(
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
        names=names,
        uuids=[uuid for uuid in map(ids.as_uuid, names) if uuid is not None],
        numbers=[numbers.normalise(name) or name for name in names],
    )


async def partner(db: Db, company: UUID, path: str, identifier: str) -> Contact | Vendor:
    """Find the customer, contact or vendor that a field names, or reject the field."""
    customer = await CUSTOMERS.find(db, company, identifier)
    if customer is not None and customer.closed_at is None:
        # A customer account outlives its contact, so a deleted contact still counts.
        return (await partners.contacts.among(db, company, [customer.contact]))[customer.contact]
    name = identifier if customer is None else customer.contact
    found: Contact | Vendor | None = await partners.contacts.find(db, company, name)
    if found is None:
        found = await partners.vendors.find(db, company, identifier)
    if found is None:
        raise NotFound(fields=[Field(path, "There is no such customer, contact or vendor.")])
    return found
