"""Erasure and export of customers, and the erasure's progress."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from pannier.customers.models import Customer, CustomerDevice, ProviderIdentity
from pannier.customers.queries import CUSTOMERS
from pannier.db import Db, columns

# A contact `k` with the name of a customer `c` is the same person if it has a phone or address that
# the customer has verified; orders find contacts by the same rule. A contact with another name is
# somebody else at that phone, and so is the contact of another account. A contact created after the
# account was closed may be anybody.
_SAME_PERSON: Final = """k.company = c.company
    and k.created_at <= coalesce(c.closed_at, pannier_now())
    and lower(k.name) in (lower(c.name), (select lower(name) from contacts where uuid = c.contact))
    and not exists (select from customers other where other.contact = k.uuid)"""
# The contacts that are the same person as a customer `c`.
CONTACTS: Final = f"""
    select uuid from contacts where company = c.company and uuid = c.contact
    union select k.uuid from contacts k
    where c.phone_verified_at is not null and k.phone = c.phone and {_SAME_PERSON}
    union select k.uuid from contacts k
    where c.email_verified_at is not null and lower(k.email) = lower(c.email) and {_SAME_PERSON}"""


async def list_contact_uuids(db: Db, customer: Customer) -> list[UUID]:
    """List the contacts that are the same person as a customer."""
    uuids: list[UUID] = await db.fetch_value(
        f"""select array({CONTACTS}) from customers c
            where c.company = :company and c.uuid = :customer""",
        company=customer.company,
        customer=customer.uuid,
    )
    return uuids


async def request_erasure(db: Db, customer: Customer) -> Customer:
    """Schedule the erasure of a closed account immediately, without its grace period."""
    updated_customer, _ = await CUSTOMERS.change(
        db, customer, log_action="erasure_asked", erase_at=db.now, erase_after=None
    )
    return updated_customer


async def mark_order_erased(db: Db, customer: Customer, order: UUID) -> None:
    """Record that the customer is erased in all orders up to this one."""
    await db.update("customers", customer.uuid, erased_order=order)


async def postpone_erasure(db: Db, customer: Customer, wait: timedelta) -> None:
    """Postpone the next erasure step of a customer."""
    await db.execute(
        """update customers set erase_after = pannier_now() + :wait::interval
           where company = :company and uuid = :uuid""",
        company=customer.company,
        uuid=customer.uuid,
        wait=wait,
    )


async def erase_access(db: Db, customer: Customer, recipients: Sequence[str]) -> None:
    """Delete a customer's devices, and pending provider links to their addresses."""
    await db.execute(
        "delete from customer_devices where company = :company and customer = :customer",
        company=customer.company,
        customer=customer.uuid,
    )
    await db.execute(
        """delete from customer_pending_links
           where company = :company and store = :store and email_key = any(:recipients)""",
        company=customer.company,
        store=customer.store,
        recipients=recipients,
    )


async def erase_customer(db: Db, customer: Customer, pseudonym: str) -> None:
    """Replace a customer's personal data with a pseudonym."""
    await db.execute(
        """update customers set name = :name, email = null, email_key = null,
               email_verified_at = null, phone = null, phone_verified_at = null,
               phone_wanted = null, email_wanted = null, password_hash = null,
               former = '{}', close_reason = null, meta = '{}', erased_at = :now,
               updated_at = :now, version = version + 1
           where company = :company and uuid = :customer""",
        company=customer.company,
        customer=customer.uuid,
        name=pseudonym,
        now=db.now,
    )


async def export_identities(db: Db, customer: Customer) -> list[ProviderIdentity]:
    """List a customer's accounts at sign-in providers, oldest first."""
    return await db.fetch_all(
        ProviderIdentity,
        f"""select {columns(ProviderIdentity)} from customer_identities
            where company = :company and customer = :customer order by created_at""",
        company=customer.company,
        customer=customer.uuid,
    )


async def export_devices(db: Db, customer: Customer) -> list[CustomerDevice]:
    """List a customer's push devices for the export, oldest first."""
    return await db.fetch_all(
        CustomerDevice,
        f"""select {columns(CustomerDevice)} from customer_devices
            where company = :company and customer = :customer order by created_at""",
        company=customer.company,
        customer=customer.uuid,
    )
