"""Reading partners."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final, NamedTuple
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


async def line_up(db: Db, company: UUID, keys: Collection[str]) -> None:
    """Lock phones and e-mail addresses of new contacts, so that two requests make one contact.

    All requests lock in the same order, so none can deadlock another.
    """
    await db.execute(
        """select pg_advisory_xact_lock(hashtextextended(key, 0))
           from unnest(:keys::text[]) as key""",
        keys=[f"contact:{company}:{key}" for key in sorted(keys)],
    )


# A contact `k`, of a customer `c` or of none, whom a description fits. `{p}` stands before what is
# described: its name, phone, e-mail address and internal id. A customer's contact is found only by
# a phone or an address that the customer has verified.
_FITS: Final = """k.company = :company and k.deleted_at is null and k.erased_at is null
    and lower(k.name) = lower({p}name)
    and ({p}email::text is null or lower(k.email) = lower({p}email))
    and ({p}internal_id::text is null or k.internal_id is null
         or k.internal_id = {p}internal_id)"""
_BY_PHONE: Final = f"""{_FITS} and k.phone = {{p}}phone and (c.uuid is null or (
    c.phone = {{p}}phone and c.phone_verified_at is not null and c.closed_at is null))"""
_BY_EMAIL: Final = f"""{_FITS} and {{p}}phone::text is null
    and lower(k.email) = lower({{p}}email) and (c.uuid is null or (
    lower(c.email) = lower({{p}}email) and c.email_verified_at is not null
    and c.closed_at is null))"""


class Description(NamedTuple):
    """A person as a request describes them, in the form in which contacts are kept."""

    name: str
    phone: str | None
    email: str | None
    internal_id: str | None

    @property
    def key(self) -> str | None:
        """The phone or address that others who describe the same person name too."""
        return self.phone or (self.email and self.email.lower())


async def unknown_keys(db: Db, company: UUID, people: Collection[Description]) -> list[str]:
    """Choose the keys of those whom `find_contact` does not find."""
    found = "select from contacts k left join customers c on c.contact = k.uuid where {}"
    rows = await db.tuples(
        f"""select p.key from unnest(:keys::text[], :names::text[], :phones::text[],
                :emails::text[], :internal_ids::text[]) as p (key, name, phone, email, internal_id)
            where not exists ({found.format(_BY_PHONE.format(p="p."))})
              and not exists ({found.format(_BY_EMAIL.format(p="p."))})""",
        company=company,
        keys=[person.key for person in people],
        names=[person.name for person in people],
        phones=[person.phone for person in people],
        emails=[person.email for person in people],
        internal_ids=[person.internal_id for person in people],
    )
    return [key for (key,) in rows]


async def find_contact(db: Db, company: UUID, person: Description) -> Contact | None:
    """Find the contact with this name who has every phone and address that is given.

    Customers who verified it come first, then the oldest contact. A contact with another internal
    id is somebody else.
    """
    known = _BY_PHONE if person.phone else _BY_EMAIL
    return await db.find(
        Contact,
        f"""select {columns(Contact, "k")} from contacts k
            left join customers c on c.contact = k.uuid
            where {known.format(p=":")}
            order by c.uuid is null, k.created_at, k.uuid limit 1""",
        company=company,
        **person._asdict(),
    )
