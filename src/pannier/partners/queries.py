"""Database reads of contacts and vendors."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from pannier.accounts.company_settings import phones
from pannier.db import Db, Page, Sort, Table, Where
from pannier.db.row import RowReference
from pannier.kit.hooks import Hook
from pannier.partners import fields
from pannier.partners.models import Contact, Partner, Vendor
from pannier.partners.schemas import (
    BalanceFilter,
    ContactFilters,
    ContactOut,
    PartnerPaymentStatus,
    VendorFilters,
    VendorOut,
)

SORT: Final = Sort(("created_at", "updated_at", "name"))
contacts: Final = Table(
    "contacts",
    Contact,
    sort=SORT,
    search=("name", "title", "email", "phone", "internal_id"),
    by_words=True,
)
vendors: Final = Table(
    "vendors",
    Vendor,
    sort=SORT,
    search=("name", "email", "phone", "internal_id", "business_id"),
    by_words=True,
)


class _PlaceReference(RowReference):
    """A place's identifiers and when it was deleted."""

    deleted_at: datetime | None = None


# This package sits beside `places` and may not import it. It needs only a place's identifiers.
_places: Final = Table("places", RowReference)
_undeleted_places: Final = Table("places", _PlaceReference, noun="place")


# Provided by the rates package.
find_rate: Final = Hook[[Db, UUID, str], UUID]("pannier.rates.queries")
load_rate_names: Final = Hook[[Db, UUID, Sequence[UUID]], dict[UUID, str]]("pannier.rates.queries")
# Provided by the payments package: what partners owe by currency, and filters by it.
load_balances: Final = Hook[[Db, UUID, Sequence[UUID]], dict[UUID, dict[str, int]]](
    "pannier.payments.transactions.balances"
)
add_balance_filter: Final = Hook[[Where, BalanceFilter], Where](
    "pannier.payments.transactions.balances"
)
add_payment_status_filter: Final = Hook[[Where, str, Sequence[PartnerPaymentStatus]], Where](
    "pannier.payments.transactions.balances"
)


async def list_contacts(db: Db, company: UUID, filters: ContactFilters) -> Page[Contact]:
    """List contacts, newest first."""
    where = await _add_filters(db, company, "contacts", contacts.where(company), filters)
    return await contacts.load_page(db, where, filters, query=filters.query)


async def list_vendors(db: Db, company: UUID, filters: VendorFilters) -> Page[Vendor]:
    """List vendors, newest first."""
    where = await _add_filters(db, company, "vendors", vendors.where(company), filters)
    columns = await fields.normalise(db, company, {"country": filters.country})
    where.add_equal(business_id=filters.business_id, status=filters.status, **columns)
    return await vendors.load_page(db, where, filters, query=filters.query)


async def _add_filters(
    db: Db, company: UUID, table: str, where: Where, filters: ContactFilters
) -> Where:
    """Add the filters that contacts and vendors share."""
    where.add_public_ids(filters.id)
    values = {"phone": phones.restore_plus(filters.phone), "email": filters.email}
    columns = await fields.normalise(db, company, values)
    if columns["email"] is not None:
        where.add("lower(email) = lower(:email)", email=columns["email"])
    if filters.place is not None:
        where.add_equal(
            place=(await _places.resolve_reference(db, company, "place", filters.place)).uuid
        )
    if filters.balance is not None:
        await add_balance_filter(where, filters.balance)
    if filters.payment_status is not None:
        await add_payment_status_filter(where, table, filters.payment_status)
    return where.add_equal(
        type=filters.type, internal_id=filters.internal_id, phone=columns["phone"]
    )


async def resolve_place(
    db: Db, company: UUID, identifier: str, *, current_place: UUID | None = None
) -> RowReference:
    """Find the place that a field names, or raise NotFound for the field.

    A deleted place is accepted only if it is `current_place`.
    """
    place = None if current_place is None else await _places.find(db, company, identifier)
    if place is not None and place.uuid == current_place:
        return place
    return await _undeleted_places.resolve_reference(db, company, "place", identifier)


async def resolve_rate(
    db: Db, company: UUID, identifier: str, *, current_rate: UUID | None = None
) -> UUID:
    """Find the service rate that a field names, or raise NotFound for the field.

    A deleted rate is accepted only if it is `current_rate`.
    """
    if current_rate is not None:
        names = await load_rate_names(db, company, [current_rate])
        if identifier in {str(current_rate), *names.values()}:
            return current_rate
    return await find_rate(db, company, identifier)


async def load_contact_outs(db: Db, company: UUID, rows: Sequence[Contact]) -> list[ContactOut]:
    """Build the API output of contacts, with related ids and what they owe."""
    public_ids = await load_public_ids(db, company, rows)
    balances = await load_balances(db, company, [row.uuid for row in rows])
    return [ContactOut.from_row(row, public_ids, balances.get(row.uuid)) for row in rows]


async def load_vendor_outs(db: Db, company: UUID, rows: Sequence[Vendor]) -> list[VendorOut]:
    """Build the API output of vendors, with related ids and what they owe."""
    public_ids = await load_public_ids(db, company, rows)
    balances = await load_balances(db, company, [row.uuid for row in rows])
    return [VendorOut.from_row(row, public_ids, balances.get(row.uuid)) for row in rows]


async def load_public_ids(db: Db, company: UUID, rows: Sequence[Partner]) -> dict[UUID, str]:
    """Load the public ids of the rows' places and service rates, including deleted ones."""
    public_ids = await load_place_ids(db, company, rows)
    rates = {row.default_service for row in rows if row.default_service is not None}
    return public_ids | (await load_rate_names(db, company, list(rates)) if rates else {})


async def load_place_ids(db: Db, company: UUID, rows: Sequence[Partner]) -> dict[UUID, str]:
    """Load the public ids of the rows' places, including deleted places."""
    uuids = {row.place for row in rows if row.place is not None}
    places_by_uuid = await _places.load_many(db, company, list(uuids)) if uuids else {}
    return {uuid: reference.public_id for uuid, reference in places_by_uuid.items()}
