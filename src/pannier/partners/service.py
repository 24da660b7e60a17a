"""Verbs of partners: take one in, change it, let it go."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import phones
from pannier.db import Db
from pannier.partners import fields, queries
from pannier.partners.models import Contact, Vendor
from pannier.partners.schemas import ContactChange, ContactIn, VendorChange, VendorIn
from pannier.web.fields import given_fields


async def create_contact(db: Db, company: UUID, given: ContactIn) -> Contact:
    """Take a contact in."""
    return await queries.contacts.create(db, company, **await _checked(db, company, given))


async def recognised_contact(db: Db, company: UUID, given: ContactIn) -> Contact:
    """Find the contact who has this phone, or take a new one in; two at once take in one."""
    wanted = await _checked(db, company, given)
    phone, internal_id = wanted.get("phone"), wanted.get("internal_id")
    if phone is not None:
        known = await queries.contact_with(db, company, phone, internal_id)
        if known is None:
            # Somebody else may be about to take them in.
            await queries.line_up(db, company, [phone])
            known = await queries.contact_with(db, company, phone, internal_id)
        if known is not None:
            return known
    return await queries.contacts.create(db, company, **wanted)


async def expect(db: Db, company: UUID, numbers: Iterable[object]) -> None:
    """Be ready to take in several people, whom others may name in another order at the same time.

    For those who are known nobody waits; what is no number is refused where it stands.
    """
    given = [number for number in numbers if isinstance(number, str)]
    read = await phones.reader(db, company, *given)
    people = set()
    for number in given:
        with suppress(ValueError):
            people.add(read(number))
    if len(people) > 1:
        await queries.line_up(db, company, await queries.strangers(db, company, people))


async def create_vendor(db: Db, company: UUID, given: VendorIn) -> Vendor:
    """Take a vendor in."""
    return await queries.vendors.create(db, company, **await _checked(db, company, given))


async def change_contact(db: Db, contact: Contact, change: ContactChange) -> Contact:
    """Change what is given and differs."""
    wanted = await _checked(db, contact.company, change, kept=contact.place)
    changed, _ = await queries.contacts.change(db, contact, **wanted)
    return changed


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
