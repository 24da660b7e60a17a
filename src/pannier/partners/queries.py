"""Reading partners."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from pannier.accounts.company_settings import phones
from pannier.db import Db, Page, Sort, Table, Where, columns
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
    """What goes by its name until it leaves."""

    deleted_at: datetime | None = None


# Places are strangers to this package; it only ever asks what they go by.
_places: Final = Table("places", Named)
_living_places: Final = Table("places", _Living, noun="place")


async def contact_page(db: Db, company: UUID, filters: ContactFilters) -> Page[Contact]:
    """List contacts, the newest first."""
    where = await _filtered(db, company, contacts.where(company), filters)
    return await contacts.page(db, where, filters, query=filters.query)


async def vendor_page(db: Db, company: UUID, filters: VendorFilters) -> Page[Vendor]:
    """List vendors, the newest first."""
    where = await _filtered(db, company, vendors.where(company), filters)
    given = await fields.normalised(db, company, {"country": filters.country})
    where.equal(business_id=filters.business_id, status=filters.status, **given)
    return await vendors.page(db, where, filters, query=filters.query)


async def _filtered(db: Db, company: UUID, where: Where, filters: ContactFilters) -> Where:
    """Add what contacts and vendors can both be filtered by."""
    where.known_as(filters.id)
    sent = {"phone": phones.from_query(filters.phone), "email": filters.email}
    given = await fields.normalised(db, company, sent)
    if given["email"] is not None:
        where.that("lower(email) = lower(:email)", email=given["email"])
    if filters.place is not None:
        where.equal(place=(await _places.named(db, company, "place", filters.place)).uuid)
    return where.equal(type=filters.type, internal_id=filters.internal_id, phone=given["phone"])


async def place(db: Db, company: UUID, identifier: str, *, kept: UUID | None = None) -> Named:
    """Find a place that a field names, or refuse the field; one that has left may only be kept."""
    known = None if kept is None else await _places.find(db, company, identifier)
    if known is not None and known.uuid == kept:
        return known
    return await _living_places.named(db, company, "place", identifier)


async def shown_contacts(db: Db, company: UUID, rows: Sequence[Contact]) -> list[ContactOut]:
    """Spell contacts with their places."""
    places = await place_names(db, company, rows)
    return [ContactOut.of(row, places) for row in rows]


async def shown_vendors(db: Db, company: UUID, rows: Sequence[Vendor]) -> list[VendorOut]:
    """Spell vendors with their places."""
    places = await place_names(db, company, rows)
    return [VendorOut.of(row, places) for row in rows]


async def place_names(db: Db, company: UUID, rows: Sequence[Partner]) -> dict[UUID, str]:
    """Read the public ids of the places that rows name; also of those that have left."""
    wanted = {row.place for row in rows if row.place is not None}
    found = await _places.among(db, company, list(wanted)) if wanted else {}
    return {uuid: name.public_id for uuid, name in found.items()}


async def line_up(db: Db, company: UUID, phones: Collection[str]) -> None:
    """Let those who speak of the same phones come one after the other.

    In one order, so that nobody waits for who waits for them.
    """
    await db.execute(
        """select pg_advisory_xact_lock(hashtextextended(key, 0))
           from unnest(:keys::text[]) as key""",
        keys=[f"contact:{company}:{phone}" for phone in sorted(phones)],
    )


# A customer who only says that it is theirs is not found by a phone.
_HAS_PHONE: Final = """k.company = :company and k.phone = {phone} and k.deleted_at is null
    and (c.uuid is null or (c.phone = {phone} and c.phone_verified_at is not null
                            and c.closed_at is null))"""


async def strangers(db: Db, company: UUID, phones: Collection[str]) -> list[str]:
    """Choose the phones that nobody has whom the company knows."""
    rows = await db.tuples(
        f"""select wanted from unnest(:phones::text[]) as wanted where not exists (
                select from contacts k left join customers c on c.contact = k.uuid
                where {_HAS_PHONE.format(phone="wanted")})""",
        company=company,
        phones=list(phones),
    )
    return [phone for (phone,) in rows]


async def contact_with(
    db: Db, company: UUID, phone: str, internal_id: str | None
) -> Contact | None:
    """Find who has a phone: a customer who has proved it, or else whom it was noted of first.

    A customer who only says that it is theirs is not found by it, and neither is a contact that
    the company knows under another number of its own.
    """
    return await db.find(
        Contact,
        f"""select {columns(Contact, "k")} from contacts k
            left join customers c on c.contact = k.uuid
            where {_HAS_PHONE.format(phone=":phone")}
              and (:internal_id::text is null or k.internal_id is null
                   or k.internal_id = :internal_id)
            order by c.uuid is null, k.created_at, k.uuid limit 1""",
        company=company,
        phone=phone,
        internal_id=internal_id,
    )
