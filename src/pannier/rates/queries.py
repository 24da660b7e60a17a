"""Queries for rates, their versions and the records that they refer to."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings.rules import currency
from pannier.accounts.queries import count_rate_change
from pannier.db import Db, Page, Sort, Table
from pannier.db.row import Named
from pannier.errors import Field, NotFound, checked
from pannier.kit.hooks import Hook
from pannier.partners import queries as partners
from pannier.partners.models import Contact, Vendor
from pannier.places import queries as places
from pannier.rates.models import ServiceRate
from pannier.rates.schemas import Names, ServiceRateFilters, ServiceRateOut

RATES: Final = Table(
    "service_rates",
    ServiceRate,
    prefix="service",
    configuration=True,
    on_change=count_rate_change,
    sort=Sort(("created_at", "service_name")),
    search=("service_name", "service_type"),
)
# The columns of a rate's references, with the tables that may contain the record.
_POINTED: Final = {
    "service_area": ("service_areas",),
    "zone": ("zones",),
    "order_config": (),
    "facilitator": ("vendors", "contacts"),
}


class OrderTerms(msgspec.Struct):
    """An order's fields that rates look at, besides its payload."""

    order_config: UUID | None = None
    facilitator: UUID | None = None
    scheduled_at: datetime | None = None


# Provided by the orders package.
load_order_terms: Final = Hook[[Db, UUID, UUID], OrderTerms | None]("pannier.orders.names")
find_order_config: Final = Hook[[Db, UUID, str], UUID | None]("pannier.orders.configs.queries")
load_order_config_names: Final = Hook[[Db, UUID, Sequence[UUID]], dict[UUID, str]](
    "pannier.orders.configs.queries"
)


async def order_of(db: Db, company: UUID, order: UUID | None) -> OrderTerms:
    """Return a payload's order's terms, or empty ones without an order."""
    found = None if order is None else await load_order_terms(db, company, order)
    return found or OrderTerms()


async def rate_page(db: Db, company: UUID, filters: ServiceRateFilters) -> Page[ServiceRate]:
    """List rates, newest first by default."""
    where = RATES.where(company).like(filters, "service_type", "status", "public")
    if filters.currency is not None:
        where.equal(currency=checked("currency", currency, filters.currency))
    if filters.service_area is not None:
        where.equal(service_area=await area_named(db, company, filters.service_area))
    if filters.zone is not None:
        where.equal(zone=await zone_named(db, company, filters.zone))
    return await RATES.page(db, where, filters, query=filters.query)


async def rate_count(db: Db, company: UUID) -> int:
    where = RATES.where(company)
    count: int = await db.value(f"select count(*) from service_rates {where}", **where.values)
    return count


async def shown_rates(db: Db, company: UUID, rows: Sequence[ServiceRate]) -> list[ServiceRateOut]:
    """Return rates with the public ids of what they refer to, deleted records included."""
    names = await _names(db, company, rows)
    return [ServiceRateOut.of(row, names) for row in rows]


async def _names(db: Db, company: UUID, rows: Sequence[ServiceRate]) -> Names:
    pointed = {name: {getattr(row, name) for row in rows} for name in _POINTED}
    for row in rows:
        pointed["zone"] |= {fee.zone for fee in row.zone_fees}
        pointed["service_area"] |= {fee.service_area for fee in row.zone_fees}
    found: dict[UUID, str] = {}
    for name, tables in _POINTED.items():
        wanted = [uuid for uuid in pointed[name] if uuid is not None]
        for table in tables if wanted else ():
            found |= await _named(db, company, table, wanted)
    configs = [uuid for uuid in pointed["order_config"] if uuid is not None]
    if configs:
        found |= await load_order_config_names(db, company, configs)
    return Names(found)


async def _named(db: Db, company: UUID, table: str, uuids: Iterable[UUID]) -> dict[UUID, str]:
    rows = await db.many(
        Named,
        f"select uuid, public_id from {table} where company = :company and uuid = any(:uuids)",
        company=company,
        uuids=list(uuids),
    )
    return {row.uuid: row.public_id for row in rows}


async def area_named(db: Db, company: UUID, identifier: str, path: str = "service_area") -> UUID:
    """Return the service area that a field refers to. Raise NotFound for the field."""
    return (await places.areas.named(db, company, path, identifier)).uuid


async def zone_named(db: Db, company: UUID, identifier: str, path: str = "zone") -> UUID:
    """Return the zone that a field refers to. Raise NotFound for the field."""
    return (await places.zones.named(db, company, path, identifier)).uuid


async def order_config_named(db: Db, company: UUID, identifier: str) -> UUID:
    """Find an order configuration by UUID, public id or key. Raise NotFound for the field."""
    found = await find_order_config(db, company, identifier)
    if found is None:
        raise NotFound(fields=[Field("order_config", "There is no such order configuration.")])
    return found


async def facilitator_named(db: Db, company: UUID, identifier: str) -> Contact | Vendor:
    """Find the vendor or contact that carries out orders. Raise NotFound for the field."""
    vendor = await partners.vendors.find(db, company, identifier)
    found = vendor or await partners.contacts.find(db, company, identifier)
    if found is None:
        raise NotFound(fields=[Field("facilitator", "There is no such vendor or contact.")])
    return found


async def rate_named(db: Db, company: UUID, identifier: str) -> ServiceRate:
    """Return the rate that a field refers to. Raise NotFound for the field."""
    return await RATES.named(db, company, "service_rate", identifier, called="rate")


async def idle_rates(db: Db, company: UUID, most: int) -> list[ServiceRate]:
    """List inactive rates, oldest first."""
    where = RATES.where(company).that("status <> 'active'")
    return await db.many(
        ServiceRate,
        f"select {RATES.columns} from service_rates {where} order by created_at, uuid limit {most}",
        **where.values,
    )


async def version(db: Db, company: UUID, rate: UUID, number: int) -> ServiceRate:
    """Return a rate as it was in one of its versions."""
    terms = await db.value(
        """select terms from service_rate_versions
           where company = :company and service_rate = :rate and number = :number""",
        company=company,
        rate=rate,
        number=number,
    )
    if terms is None:
        raise NotFound
    return msgspec.convert(terms, ServiceRate)


async def is_offered(db: Db, company: UUID, rate: UUID, at: datetime) -> bool:
    """Return whether a rate, in any version, applies at a time.

    The time is the one that matching uses: the scheduled time, else now.
    """
    return bool(
        await db.value(
            """select true from service_rates
               where company = :company and uuid = :rate and status = 'active'
                 and deleted_at is null and (valid_from is null or valid_from <= :at)
                 and (valid_until is null or valid_until > :at)""",
            company=company,
            rate=rate,
            at=at,
        )
    )
