"""Database reads of contacts and vendors."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from pannier.accounts.company_settings import phones
from pannier.db import Db, Page, Sort, Table, Where
from pannier.db.row import Named
from pannier.partners import fields
from pannier.partners.models import Contact, Partner, Vendor
from pannier.partners.schemas import ContactFilters, ContactOut, VendorFilters, VendorOut

SORT: Final = Sort(("created_at", "name"))
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


class _Living(Named):
    """A place's identifiers and when it was deleted."""

    deleted_at: datetime | None = None


# This package sits beside `places` and may not import it. It needs only a place's identifiers.
_places: Final = Table("places", Named)
_living_places: Final = Table("places", _Living, noun="place")


async def contact_page(db: Db, company: UUID, filters: ContactFilters) -> Page[Contact]:
    """List contacts, newest first."""
    where = await _filtered(db, company, contacts.where(company), filters)
    return await contacts.page(db, where, filters, query=filters.query)


async def vendor_page(db: Db, company: UUID, filters: VendorFilters) -> Page[Vendor]:
    """List vendors, newest first."""
    where = await _filtered(db, company, vendors.where(company), filters)
    given = await fields.normalised(db, company, {"country": filters.country})
    where.equal(business_id=filters.business_id, status=filters.status, **given)
    return await vendors.page(db, where, filters, query=filters.query)


async def _filtered(db: Db, company: UUID, where: Where, filters: ContactFilters) -> Where:
    """Add the filters that contacts and vendors share."""
    where.known_as(filters.id)
    sent = {"phone": phones.from_query(filters.phone), "email": filters.email}
    given = await fields.normalised(db, company, sent)
    if given["email"] is not None:
        where.that("lower(email) = lower(:email)", email=given["email"])
    if filters.place is not None:
        where.equal(place=(await _places.named(db, company, "place", filters.place)).uuid)
    return where.equal(type=filters.type, internal_id=filters.internal_id, phone=given["phone"])


async def place(db: Db, company: UUID, identifier: str, *, kept: UUID | None = None) -> Named:
    """Find the place that a field names, or raise NotFound for the field.

    A deleted place is accepted only if it is the one already `kept`.
    """
    known = None if kept is None else await _places.find(db, company, identifier)
    if known is not None and known.uuid == kept:
        return known
    return await _living_places.named(db, company, "place", identifier)


async def shown_contacts(db: Db, company: UUID, rows: Sequence[Contact]) -> list[ContactOut]:
    """Build the API output of contacts, with the ids of their places."""
    places = await place_names(db, company, rows)
    return [ContactOut.of(row, places) for row in rows]


async def shown_vendors(db: Db, company: UUID, rows: Sequence[Vendor]) -> list[VendorOut]:
    """Build the API output of vendors, with the ids of their places."""
    places = await place_names(db, company, rows)
    return [VendorOut.of(row, places) for row in rows]


async def place_names(db: Db, company: UUID, rows: Sequence[Partner]) -> dict[UUID, str]:
    """Load the public ids of the rows' places, including deleted places."""
    wanted = {row.place for row in rows if row.place is not None}
    found = await _places.among(db, company, list(wanted)) if wanted else {}
    return {uuid: name.public_id for uuid, name in found.items()}
