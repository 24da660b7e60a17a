"""Queries for rates, their versions and the records that they refer to."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings.rules import parse_currency
from pannier.accounts.queries import increment_rates_version
from pannier.db import Db, Page, Sort, Table
from pannier.db.row import RowReference
from pannier.errors import FieldError, NotFound, parse_field
from pannier.kit import ids
from pannier.kit.hooks import Hook
from pannier.partners import queries as partners
from pannier.partners.models import Contact, Vendor
from pannier.places import queries as places
from pannier.rates.models import PartnerType, ServiceRate
from pannier.rates.schemas import RatePublicIds, ServiceRateFilters, ServiceRateOut
from pannier.rates.shipment import TariffCustomer

RATES: Final = Table(
    "service_rates",
    ServiceRate,
    prefix="service",
    configuration=True,
    on_change=increment_rates_version,
    sort=Sort(("created_at", "service_name")),
    search=("service_name", "service_type"),
)
# The columns of a rate's references, with the tables that may contain the record.
_REFERENCED_TABLES: Final = {
    "service_area": ("service_areas",),
    "zone": ("zones",),
    "order_config": (),
    "facilitator": ("vendors", "contacts"),
    "customers": ("contacts", "vendors"),
}


class OrderTerms(msgspec.Struct):
    """An order's fields that decide which rates apply, besides its payload."""

    order_config: UUID | None = None
    facilitator: UUID | None = None
    customer: UUID | None = None
    customer_type: PartnerType | None = None
    scheduled_at: datetime | None = None


class _CustomerReference(msgspec.Struct):
    """A customer's contact or vendor, with the identifiers by which a request may name it."""

    uuid: UUID
    public_id: str
    own_uuid: UUID


_CUSTOMER_REFERENCES: Final = """select uuid, public_id, uuid as own_uuid from {}
    where company = :company and deleted_at is null
      and (public_id = any(:names) or uuid = any(:uuids))"""

# Whether a rate applies at a time.
_OFFERED: Final = """status = 'active' and deleted_at is null
    and (valid_from is null or valid_from <= :priced_at)
    and (valid_until is null or valid_until > :priced_at)"""
# Provided by the orders package.
load_order_terms: Final = Hook[[Db, UUID, UUID], OrderTerms | None]("pannier.orders.hooks")
find_order_config: Final = Hook[[Db, UUID, str], UUID | None]("pannier.orders.configs.queries")
load_order_config_names: Final = Hook[[Db, UUID, Sequence[UUID]], dict[UUID, str]](
    "pannier.orders.configs.queries"
)


async def get_order_terms(db: Db, company: UUID, order: UUID | None) -> OrderTerms:
    """Return the terms of a payload's order, or empty terms without an order."""
    terms = None if order is None else await load_order_terms(db, company, order)
    return terms or OrderTerms()


async def list_rates(db: Db, company: UUID, filters: ServiceRateFilters) -> Page[ServiceRate]:
    """List rates, newest first by default."""
    where = RATES.where(company).add_filters(filters, "service_type", "status", "public")
    if filters.currency is not None:
        where.add_equal(currency=parse_field("currency", parse_currency, filters.currency))
    if filters.service_area is not None:
        where.add_equal(service_area=await resolve_area(db, company, filters.service_area))
    if filters.zone is not None:
        where.add_equal(zone=await resolve_zone(db, company, filters.zone))
    return await RATES.load_page(db, where, filters, query=filters.query)


async def count_rates(db: Db, company: UUID) -> int:
    where = RATES.where(company)
    count: int = await db.fetch_value(f"select count(*) from service_rates {where}", **where.values)
    return count


async def load_rates_out(
    db: Db, company: UUID, rows: Sequence[ServiceRate]
) -> list[ServiceRateOut]:
    """Convert rates to JSON fields, with public ids of referenced records, even deleted ones."""
    names = await _load_public_ids(db, company, rows)
    return [ServiceRateOut.from_row(row, names) for row in rows]


async def _load_public_ids(db: Db, company: UUID, rows: Sequence[ServiceRate]) -> RatePublicIds:
    uuids_by_column = {
        name: {getattr(row, name) for row in rows}
        for name in _REFERENCED_TABLES.keys() - {"customers"}
    }
    uuids_by_column["customers"] = {uuid for row in rows for uuid in row.customers}
    for row in rows:
        uuids_by_column["zone"] |= {entry.zone for entry in row.bordered_entries}
        uuids_by_column["service_area"] |= {entry.service_area for entry in row.bordered_entries}
    public_ids: dict[UUID, str] = {}
    for name, tables in _REFERENCED_TABLES.items():
        uuids = [uuid for uuid in uuids_by_column[name] if uuid is not None]
        for table in tables if uuids else ():
            public_ids |= await _load_table_ids(db, company, table, uuids)
    config_uuids = [uuid for uuid in uuids_by_column["order_config"] if uuid is not None]
    if config_uuids:
        public_ids |= await load_order_config_names(db, company, config_uuids)
    return RatePublicIds(public_ids)


async def _load_table_ids(
    db: Db, company: UUID, table: str, uuids: Iterable[UUID]
) -> dict[UUID, str]:
    rows = await db.fetch_all(
        RowReference,
        f"select uuid, public_id from {table} where company = :company and uuid = any(:uuids)",
        company=company,
        uuids=list(uuids),
    )
    return {row.uuid: row.public_id for row in rows}


async def resolve_area(db: Db, company: UUID, identifier: str, path: str = "service_area") -> UUID:
    """Return the service area that a field refers to. Raise NotFound for the field."""
    return (await places.areas.resolve_reference(db, company, path, identifier)).uuid


async def resolve_zone(db: Db, company: UUID, identifier: str, path: str = "zone") -> UUID:
    """Return the zone that a field refers to. Raise NotFound for the field."""
    return (await places.zones.resolve_reference(db, company, path, identifier)).uuid


async def resolve_order_config(db: Db, company: UUID, identifier: str) -> UUID:
    """Find an order configuration by UUID, public id or key, or raise NotFound."""
    config_uuid = await find_order_config(db, company, identifier)
    if config_uuid is None:
        raise NotFound(fields=[FieldError("order_config", "There is no such order configuration.")])
    return config_uuid


async def resolve_facilitator(db: Db, company: UUID, identifier: str) -> Contact | Vendor:
    """Find the vendor or contact that carries out orders. Raise NotFound for the field."""
    vendor = await partners.vendors.find(db, company, identifier)
    facilitator = vendor or await partners.contacts.find(db, company, identifier)
    if facilitator is None:
        raise NotFound(fields=[FieldError("facilitator", "There is no such vendor or contact.")])
    return facilitator


async def resolve_customers(db: Db, company: UUID, identifiers: Sequence[str]) -> list[UUID]:
    """Return the contacts and vendors in a field, each once. Raise NotFound for unknown ones."""
    rows = await db.fetch_all(
        _CustomerReference,
        f"""{_CUSTOMER_REFERENCES.format("contacts")}
            union all {_CUSTOMER_REFERENCES.format("vendors")}
            union all select contact, public_id, uuid from customers
            where company = :company and closed_at is null
              and (public_id = any(:names) or uuid = any(:uuids))""",
        company=company,
        names=list(identifiers),
        uuids=[uuid for uuid in map(ids.parse_uuid, identifiers) if uuid is not None],
    )
    uuids_by_name = {row.public_id: row.uuid for row in rows}
    uuids_by_name |= {str(row.own_uuid): row.uuid for row in rows}
    names = [str(ids.parse_uuid(identifier) or identifier) for identifier in identifiers]
    errors = [
        FieldError(f"customers[{number}]", "There is no such customer, contact or vendor.")
        for number, name in enumerate(names)
        if name not in uuids_by_name
    ]
    if errors:
        raise NotFound(fields=errors)
    return list(dict.fromkeys(uuids_by_name[name] for name in names))


async def load_tariff_customer(
    db: Db, company: UUID, uuid: UUID | None, kind: PartnerType | None
) -> TariffCustomer | None:
    """Load a contact or vendor, even a deleted one, with the columns that rates depend on."""
    if uuid is None or kind is None:
        return None
    return await db.find(
        TariffCustomer,
        f"select uuid, price_group from {kind}s where company = :company and uuid = :uuid",
        company=company,
        uuid=uuid,
    )


@partners.find_rate.register
async def find_default_rate(db: Db, company: UUID, identifier: str) -> UUID:
    """Find the rate that a partner prefers. Raise NotFound for the field."""
    rate = await RATES.resolve_reference(db, company, "default_service", identifier, label="rate")
    return rate.uuid


@partners.load_rate_names.register
async def load_rate_names(db: Db, company: UUID, uuids: Sequence[UUID]) -> dict[UUID, str]:
    """Load the public ids of rates, including deleted ones."""
    return await _load_table_ids(db, company, "service_rates", uuids)


async def resolve_rate(db: Db, company: UUID, identifier: str) -> ServiceRate:
    """Return the rate that a field refers to. Raise NotFound for the field."""
    return await RATES.resolve_reference(db, company, "service_rate", identifier, label="rate")


async def list_inactive_rates(db: Db, company: UUID, limit: int) -> list[ServiceRate]:
    """List inactive rates, oldest first."""
    where = RATES.where(company).add("status <> 'active'")
    return await db.fetch_all(
        ServiceRate,
        f"""select {RATES.columns} from service_rates {where}
            order by created_at, uuid limit {limit}""",
        **where.values,
    )


async def get_version(db: Db, company: UUID, rate: UUID, number: int) -> ServiceRate:
    """Load an earlier or the current version of a rate, or raise NotFound."""
    terms = await db.fetch_value(
        """select terms from service_rate_versions
           where company = :company and service_rate = :rate and number = :number""",
        company=company,
        rate=rate,
        number=number,
    )
    if terms is None:
        raise NotFound
    return msgspec.convert(terms, ServiceRate)


class OfferedRate(msgspec.Struct):
    """A rate that applies at some time, and whether a version of it is for certain customers."""

    uuid: UUID
    is_bound: bool


async def load_offers(
    db: Db, company: UUID, versions: Sequence[tuple[UUID, int]], priced_at: datetime
) -> dict[UUID, OfferedRate]:
    """Load which of these rates apply at a time, as `is_offered` does, by UUID."""
    rows = await db.fetch_all(
        OfferedRate,
        f"""select r.uuid, coalesce(jsonb_array_length(v.terms -> 'customers'), 0)
                + coalesce(jsonb_array_length(v.terms -> 'price_groups'), 0) > 0 as is_bound
            from unnest(:rates::uuid[], :numbers::integer[]) as q (rate, number)
            join service_rates r on r.uuid = q.rate
            join service_rate_versions v on v.service_rate = q.rate and v.number = q.number
            where r.company = :company and {_OFFERED}""",
        company=company,
        rates=[rate for rate, _ in versions],
        numbers=[number for _, number in versions],
        priced_at=priced_at,
    )
    return {row.uuid: row for row in rows}


async def is_offered(db: Db, company: UUID, rate: UUID, priced_at: datetime) -> bool:
    """Return whether a rate, in any version, applies at a time.

    Matching uses the scheduled time, or else the current time.
    """
    return bool(
        await db.fetch_value(
            f"""select true from service_rates
                where company = :company and uuid = :rate and {_OFFERED}""",
            company=company,
            rate=rate,
            priced_at=priced_at,
        )
    )
