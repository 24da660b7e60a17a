"""Verbs of partners: take one in, change it, let it go."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import phones
from pannier.db import Db
from pannier.partners import fields, queries
from pannier.partners.models import Contact, Vendor
from pannier.partners.queries import Description
from pannier.partners.schemas import ContactChange, ContactIn, VendorChange, VendorIn
from pannier.web.fields import given_fields


async def create_contact(db: Db, company: UUID, given: ContactIn) -> Contact:
    """Take a contact in."""
    return await queries.contacts.create(db, company, **await _checked(db, company, given))


class PersonKey(NamedTuple):
    """How a person who is described in a request is recognised, as the request spells it."""

    name: object
    phone: object = None
    email: object = None
    internal_id: object = None


async def recognised_contact(db: Db, company: UUID, given: ContactIn) -> Contact:
    """Find the contact whom a description fits, or create one; two requests create one.

    A contact with another name, phone or address than the one given is somebody else: an order
    must name and reach the person that it was placed for.
    """
    wanted = await _checked(db, company, given)
    others = (wanted.get(name) for name in ("phone", "email", "internal_id"))
    person = Description(wanted["name"], *others)
    if person.key is None:
        return await queries.contacts.create(db, company, **wanted)
    known = await queries.find_contact(db, company, person)
    if known is None:
        # Another request may be creating the same contact.
        await queries.line_up(db, company, [person.key])
        known = await queries.find_contact(db, company, person)
    return known or await queries.contacts.create(db, company, **wanted)


async def expect(db: Db, company: UUID, people: Iterable[PersonKey]) -> None:
    """Lock the new ones among several people at once, whom others may name in another order.

    Nobody waits for contacts that are known; an invalid phone is refused where it is read.
    """
    described = list(people)
    read = await phones.reader(db, company, *(person.phone for person in described))
    found: set[Description] = set()
    for person in described:
        name, phone, email, internal_id = map(_text, person)
        with suppress(ValueError):
            if name and (phone or email):
                found.add(Description(name, phone and read(phone), email, internal_id))
    if len(found) > 1:
        await queries.line_up(db, company, set(await queries.unknown_keys(db, company, found)))


def _text(value: object) -> str | None:
    return (value.strip() or None) if isinstance(value, str) else None


async def create_vendor(db: Db, company: UUID, given: VendorIn) -> Vendor:
    """Take a vendor in."""
    return await queries.vendors.create(db, company, **await _checked(db, company, given))


async def change_contact(db: Db, contact: Contact, change: ContactChange) -> Contact:
    """Change what is given and differs."""
    wanted = await _checked(db, contact.company, change, kept=contact.place)
    changed, _ = await queries.contacts.change(db, contact, **wanted)
    return changed


async def set_address(db: Db, company: UUID, contact: UUID, kind: str, text: str) -> None:
    """Give a contact another `phone` or `email`."""
    await db.execute(
        f"""update contacts set {kind} = :text, updated_at = :now, version = version + 1
            where company = :company and uuid = :contact and {kind} is distinct from :text""",
        company=company,
        contact=contact,
        text=text,
        now=db.now,
    )


async def clear_addresses(db: Db, company: UUID, kind: str, known: Mapping[UUID, str]) -> None:
    """Take from contacts the `phone` or `email` that each is known to have."""
    await db.execute(
        f"""update contacts k set {kind} = null, updated_at = :now, version = k.version + 1
            from unnest(:contacts::uuid[], :texts::text[]) as known (contact, text)
            where k.company = :company and k.uuid = known.contact and k.{kind} = known.text""",
        company=company,
        contacts=list(known),
        texts=list(known.values()),
        now=db.now,
    )


async def change_vendor(db: Db, vendor: Vendor, change: VendorChange) -> Vendor:
    """Change what is given and differs."""
    wanted = await _checked(db, vendor.company, change, kept=vendor.place)
    changed, _ = await queries.vendors.change(db, vendor, **wanted)
    return changed


async def _checked(
    db: Db, company: UUID, given: msgspec.Struct, *, kept: UUID | None = None
) -> dict[str, Any]:
    """Bring the given fields into their form, and find the place they name."""
    wanted = await fields.normalised(db, company, given_fields(given))
    if wanted.get("place") is not None:
        found = await queries.place(db, company, wanted["place"], kept=kept)
        wanted["place"] = found.uuid
    return wanted
