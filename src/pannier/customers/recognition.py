"""Matching of people in requests to contacts.

A customer's contact matches only by a verified phone or address, so this module is above
partners.
"""

from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import Final, NamedTuple
from uuid import UUID

from pannier.accounts.company_settings import phones
from pannier.customers.queries import CUSTOMERS
from pannier.db import Db, Table, columns
from pannier.db.row import RowReference
from pannier.errors import FieldError, Invalid, NotFound
from pannier.partners import queries as partner_queries
from pannier.partners import service as partners
from pannier.partners.models import Contact, Vendor
from pannier.partners.schemas import ContactIn
from pannier.places import service as places


class _CustomerContact(RowReference):
    contact: UUID


# Deleted contacts and customers included.
_CONTACT_NAMES: Final = Table("contacts", RowReference)
_CUSTOMER_NAMES: Final = Table("customers", _CustomerContact)


@places.find_contact.register
async def find_contact_public_id(db: Db, company: UUID, identifier: str) -> str | None:
    """Find the public id of a contact by its identifier, or by its customer's."""
    customer = await _CUSTOMER_NAMES.find(db, company, identifier)
    contact = await _CONTACT_NAMES.find(db, company, customer.contact if customer else identifier)
    return None if contact is None else contact.public_id


async def get_partner(db: Db, company: UUID, path: str, identifier: str) -> Contact | Vendor:
    """Find a customer, contact or vendor by identifier, or report the field `path`."""
    customer = await CUSTOMERS.find(db, company, identifier)
    if customer is not None and customer.closed_at is None:
        # A customer account outlives its contact, so a deleted contact still counts.
        return (await partner_queries.contacts.load_many(db, company, [customer.contact]))[
            customer.contact
        ]
    name = identifier if customer is None else customer.contact
    partner: Contact | Vendor | None = await partner_queries.contacts.find(db, company, name)
    if partner is None:
        partner = await partner_queries.vendors.find(db, company, identifier)
    if partner is None:
        raise NotFound(fields=[FieldError(path, "There is no such customer, contact or vendor.")])
    return partner


NAME_REQUIRED: Final = "This field is required, unless exactly one contact has the `email`."


class PersonFields(NamedTuple):
    """The fields of a request that identify a person, as sent."""

    name: object
    phone: object = None
    email: object = None
    internal_id: object = None


async def find_or_create_contact(db: Db, company: UUID, data: ContactIn) -> Contact:
    """Find the contact that matches a description, or create one; parallel requests share it.

    A contact with a different name, phone or address is somebody else: an order must name and reach
    the person that it was placed for.
    """
    columns = await partners.to_columns(db, company, data)
    contact_details = (columns.get(name) for name in ("phone", "email", "internal_id"))
    person = PersonDescription(columns["name"], *contact_details)
    if person.key is None:
        return await partners.create_contact_from_columns(db, company, columns)
    contact = await find_contact(db, company, person)
    if contact is None:
        # Another request may be creating the same contact.
        await lock_keys(db, company, [person.key])
        contact = await find_contact(db, company, person)
    return contact or await partners.create_contact_from_columns(db, company, columns)


async def find_contact_by_email(db: Db, company: UUID, email: str) -> Contact:
    """Find the only contact with this address, for a request that sends nothing else.

    A customer's contact counts only if the customer has verified the address. If several contacts
    have it, or none, the request must send a name.
    """
    contacts = await db.fetch_all(
        Contact,
        f"""select {columns(Contact, "k")} from contacts k
            left join customers c on c.contact = k.uuid
            where k.company = :company and k.deleted_at is null and k.erased_at is null
              and lower(k.email) = lower(:email) and (c.uuid is null or (
                  lower(c.email) = lower(:email) and c.email_verified_at is not null
                  and c.closed_at is null))
            limit 2""",
        company=company,
        email=email.strip(),
    )
    if len(contacts) != 1:
        raise Invalid(fields=[FieldError("name", NAME_REQUIRED)])
    return contacts[0]


async def lock_new_people(db: Db, company: UUID, people: Iterable[PersonFields]) -> None:
    """Lock several new people at once, because other orders may name them too.

    Known contacts are not locked. Invalid phone numbers are ignored here and rejected later.
    """
    new_people = list(people)
    parse_phone = await phones.make_parser(db, company, *(person.phone for person in new_people))
    descriptions: set[PersonDescription] = set()
    for person in new_people:
        name, phone, email, internal_id = map(_to_text, person)
        with suppress(ValueError):
            if name and (phone or email):
                descriptions.add(
                    PersonDescription(name, phone and parse_phone(phone), email, internal_id)
                )
    if len(descriptions) > 1:
        await lock_keys(db, company, set(await list_unknown_keys(db, company, descriptions)))


def _to_text(value: object) -> str | None:
    return (value.strip() or None) if isinstance(value, str) else None


async def lock_keys(db: Db, company: UUID, keys: Collection[str]) -> None:
    """Lock phones and email addresses of new contacts. Parallel requests create one contact.

    All requests lock in the same order, so they cannot deadlock.
    """
    await db.execute(
        """select pg_advisory_xact_lock(hashtextextended(key, 0))
           from unnest(:keys::text[]) as key""",
        keys=[f"contact:{company}:{key}" for key in sorted(keys)],
    )


# The conditions under which a contact `k` of an optional customer `c` matches a description.
# `{p}` is the prefix of its fields: name, phone, email and internal id. A customer's contact
# matches only by a phone or an address that the customer has verified.
_MATCHES: Final = """k.company = :company and k.deleted_at is null and k.erased_at is null
    and lower(k.name) = lower({p}name)
    and ({p}email::text is null or lower(k.email) = lower({p}email))
    and ({p}internal_id::text is null or k.internal_id is null
         or k.internal_id = {p}internal_id)"""
_MATCHES_PHONE: Final = f"""{_MATCHES} and k.phone = {{p}}phone and (c.uuid is null or (
    c.phone = {{p}}phone and c.phone_verified_at is not null and c.closed_at is null))"""
_MATCHES_EMAIL: Final = f"""{_MATCHES} and {{p}}phone::text is null
    and lower(k.email) = lower({{p}}email) and (c.uuid is null or (
    lower(c.email) = lower({{p}}email) and c.email_verified_at is not null
    and c.closed_at is null))"""


class PersonDescription(NamedTuple):
    """A described person, with normalised fields."""

    name: str
    phone: str | None
    email: str | None
    internal_id: str | None

    @property
    def key(self) -> str | None:
        """The phone or address that other requests for the same person have too."""
        return self.phone or (self.email and self.email.lower())


async def list_unknown_keys(
    db: Db, company: UUID, people: Collection[PersonDescription]
) -> list[str]:
    """List the keys of people whom `find_contact` would not find."""
    query = "select from contacts k left join customers c on c.contact = k.uuid where {}"
    rows = await db.fetch_tuples(
        f"""select p.key from unnest(:keys::text[], :names::text[], :phones::text[],
                :emails::text[], :internal_ids::text[]) as p (key, name, phone, email, internal_id)
            where not exists ({query.format(_MATCHES_PHONE.format(p="p."))})
              and not exists ({query.format(_MATCHES_EMAIL.format(p="p."))})""",
        company=company,
        keys=[person.key for person in people],
        names=[person.name for person in people],
        phones=[person.phone for person in people],
        emails=[person.email for person in people],
        internal_ids=[person.internal_id for person in people],
    )
    return [key for (key,) in rows]


async def find_contact(db: Db, company: UUID, person: PersonDescription) -> Contact | None:
    """Find the contact with this name, phone, address and internal id, as far as they are known.

    Contacts whose customer has verified the phone or address come first, then the oldest one.
    A contact with a different internal id is somebody else.
    """
    condition = _MATCHES_PHONE if person.phone else _MATCHES_EMAIL
    return await db.find(
        Contact,
        f"""select {columns(Contact, "k")} from contacts k
            left join customers c on c.contact = k.uuid
            where {condition.format(p=":")}
            order by c.uuid is null, k.created_at, k.uuid limit 1""",
        company=company,
        **person._asdict(),
    )
