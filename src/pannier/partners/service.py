"""Creating and changing contacts and vendors."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.partners import fields, queries
from pannier.partners.models import Contact, Partner, Vendor
from pannier.partners.schemas import ContactChange, ContactIn, VendorChange, VendorIn
from pannier.web.fields import get_sent_fields


async def create_contact(db: Db, company: UUID, data: ContactIn) -> Contact:
    """Create a contact."""
    return await queries.contacts.create(db, company, **await to_columns(db, company, data))


async def create_contact_from_columns(db: Db, company: UUID, columns: dict[str, Any]) -> Contact:
    """Create a contact from columns that `to_columns` returned."""
    return await queries.contacts.create(db, company, **columns)


async def create_vendor(db: Db, company: UUID, data: VendorIn) -> Vendor:
    """Create a vendor."""
    return await queries.vendors.create(db, company, **await to_columns(db, company, data))


async def change_contact(db: Db, contact: Contact, change: ContactChange) -> Contact:
    """Update some fields of a contact."""
    columns = await to_columns(db, contact.company, change, current=contact)
    updated_contact, _ = await queries.contacts.change(db, contact, **columns)
    return updated_contact


async def delete_contact(db: Db, contact: Contact) -> Contact:
    """Delete a contact. Records that refer to it keep their reference."""
    return await queries.contacts.remove(db, contact)


async def set_address(db: Db, company: UUID, contact: UUID, kind: str, text: str) -> None:
    """Replace the `phone` or `email` of a contact."""
    await db.execute(
        f"""update contacts set {kind} = :text, updated_at = :now, version = version + 1
            where company = :company and uuid = :contact and {kind} is distinct from :text""",
        company=company,
        contact=contact,
        text=text,
        now=db.now,
    )


async def clear_addresses(
    db: Db, company: UUID, kind: str, values_by_contact: Mapping[UUID, str]
) -> None:
    """Clear the `phone` or `email` of contacts that still have the value in `values_by_contact`."""
    await db.execute(
        f"""update contacts k set {kind} = null, updated_at = :now, version = k.version + 1
            from unnest(:contacts::uuid[], :texts::text[]) as pair (contact, text)
            where k.company = :company and k.uuid = pair.contact and k.{kind} = pair.text""",
        company=company,
        contacts=list(values_by_contact),
        texts=list(values_by_contact.values()),
        now=db.now,
    )


async def change_vendor(db: Db, vendor: Vendor, change: VendorChange) -> Vendor:
    """Update some fields of a vendor."""
    columns = await to_columns(db, vendor.company, change, current=vendor)
    updated_vendor, _ = await queries.vendors.change(db, vendor, **columns)
    return updated_vendor


async def to_columns(
    db: Db, company: UUID, data: msgspec.Struct, *, current: Partner | None = None
) -> dict[str, Any]:
    """Normalise a request's fields and resolve the place and service rate that they name."""
    columns = await fields.normalise(db, company, get_sent_fields(data))
    if columns.get("place") is not None:
        place = await queries.resolve_place(
            db, company, columns["place"], current_place=None if current is None else current.place
        )
        columns["place"] = place.uuid
    if columns.get("default_service") is not None:
        columns["default_service"] = await queries.resolve_rate(
            db,
            company,
            columns["default_service"],
            current_rate=None if current is None else current.default_service,
        )
    return columns
