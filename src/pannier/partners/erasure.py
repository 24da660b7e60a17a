"""Erasure and export of a person's contacts."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db, columns
from pannier.partners.models import Contact

# Addresses that no other contact and no vendor uses.
_UNSHARED: Final = """
    select r.address from unnest(:addresses::text[]) as r (address)
    where not exists (select from contacts o where o.company = :company and o.phone = r.address
                      and o.uuid <> all(:contacts) and o.deleted_at is null)
      and not exists (select from contacts o
                      where o.company = :company and lower(o.email) = lower(r.address)
                      and o.uuid <> all(:contacts) and o.deleted_at is null)
      and not exists (select from vendors v where v.company = :company and v.phone = r.address
                      and v.deleted_at is null)
      and not exists (select from vendors v where v.company = :company
                      and lower(v.email) = lower(r.address) and v.deleted_at is null)"""


async def begin_erasure(db: Db, company: UUID, contacts: Sequence[UUID]) -> None:
    """Mark contacts as being erased, so that late proofs for them are rejected."""
    await db.execute(
        """update contacts set erased_at = :now
           where company = :company and uuid = any(:contacts) and erased_at is null""",
        company=company,
        contacts=contacts,
        now=db.now,
    )


async def erase_contacts(
    db: Db, company: UUID, contacts: Sequence[UUID], pseudonym: str
) -> list[str]:
    """Replace the personal data of contacts with a pseudonym; return their public ids."""
    rows = await db.fetch_tuples(
        """update contacts set name = :pseudonym, title = null, email = null, phone = null,
               locale = null, internal_id = null, place = null, meta = '{}', price_group = null,
               default_service = null, payment_terms_days = null, tax_number = null,
               updated_at = :now, version = version + 1
           where company = :company and uuid = any(:contacts)
           returning public_id""",
        company=company,
        contacts=contacts,
        pseudonym=pseudonym,
        now=db.now,
    )
    return [public_id for (public_id,) in rows]


async def export_contacts(db: Db, company: UUID, contacts: Sequence[UUID]) -> list[Contact]:
    """List contacts, including deleted ones, oldest first."""
    return await db.fetch_all(
        Contact,
        f"""select {columns(Contact)} from contacts
            where company = :company and uuid = any(:contacts) order by created_at""",
        company=company,
        contacts=contacts,
    )


async def list_unshared_addresses(
    db: Db, company: UUID, contacts: Sequence[UUID], addresses: Sequence[str]
) -> list[str]:
    """List the phone numbers and email addresses that only these contacts use."""
    rows = await db.fetch_tuples(_UNSHARED, company=company, contacts=contacts, addresses=addresses)
    return [address for (address,) in rows]
