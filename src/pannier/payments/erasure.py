"""Erasure of personal data in transactions. Amounts stay, because accounting must keep them."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db, audit, columns
from pannier.payments.models import PaymentCustomer
from pannier.payments.transactions.models import Transaction

_SELECT_BY_ORDER: Final = """
    select uuid from transactions where company = :company and order_uuid = :order"""
# Transactions of an order are erased with it.
_SELECT_BY_CONTACTS: Final = """
    select uuid from transactions t
    where company = :company and customer = any(:contacts) and (void_reason is not null
        or exists (select from refunds r where r.transaction = t.uuid and r.reason is not null)
        or exists (select from charges c where c.transaction = t.uuid
                   and (c.reason is not null or c.actor_kind = 'customer'))
        or exists (select from checkouts c
                   where c.transaction = t.uuid and c.return_url is not null))"""
_SELECT_CHANGED_IDS: Final = """
    select public_id from transactions where company = :company and uuid = any(:uuids)
    union all
    select public_id from refunds where company = :company and transaction = any(:uuids)"""
_ERASE_TRANSACTIONS: Final = """
    update transactions set void_reason = null, updated_at = :now, version = version + 1
    where company = :company and uuid = any(:uuids)"""
_ERASE_REFUNDS: Final = """
    update refunds set reason = null, updated_at = :now, version = version + 1
    where company = :company and transaction = any(:uuids) and reason is not null"""
_ERASE_CHARGES: Final = """
    update charges set reason = null,
        actor_name = case actor_kind when 'customer' then '' else actor_name end
    where company = :company and transaction = any(:uuids)
      and (reason is not null or actor_kind = 'customer')"""
_ERASE_CHECKOUTS: Final = """
    update checkouts set return_url = null
    where company = :company and transaction = any(:uuids) and return_url is not null"""


class GatewayAccount(msgspec.Struct):
    """A customer's account at a payment gateway."""

    gateway: str
    account: str


async def erase_by_order(db: Db, company: UUID, order: UUID) -> None:
    """Erase personal data in the transactions of an order."""
    uuids = await db.fetch_value(f"select array({_SELECT_BY_ORDER})", company=company, order=order)
    await _erase_transactions(db, company, uuids)


async def erase_by_contacts(db: Db, company: UUID, contacts: Sequence[UUID]) -> None:
    """Erase personal data in the transactions that these contacts owe."""
    uuids = await db.fetch_value(
        f"select array({_SELECT_BY_CONTACTS})", company=company, contacts=contacts
    )
    await _erase_transactions(db, company, uuids)


async def _erase_transactions(db: Db, company: UUID, uuids: Sequence[UUID]) -> None:
    if not uuids:
        return
    changed_ids = await db.fetch_value(
        f"select array({_SELECT_CHANGED_IDS})", company=company, uuids=uuids
    )
    await db.execute(_ERASE_TRANSACTIONS, company=company, uuids=uuids, now=db.now)
    await db.execute(_ERASE_REFUNDS, company=company, uuids=uuids, now=db.now)
    await db.execute(_ERASE_CHARGES, company=company, uuids=uuids)
    await db.execute(_ERASE_CHECKOUTS, company=company, uuids=uuids)
    await audit.erase_changes(db, company, changed_ids)


async def erase_accounts(db: Db, company: UUID, customer: UUID) -> list[GatewayAccount]:
    """Delete a customer's accounts here, and return them for deletion at the gateways."""
    return await db.fetch_all(
        GatewayAccount,
        """delete from payment_customers where company = :company and customer = :customer
           returning gateway, account""",
        company=company,
        customer=customer,
    )


async def export_accounts(db: Db, company: UUID, customer: UUID) -> list[PaymentCustomer]:
    return await db.fetch_all(
        PaymentCustomer,
        f"""select {columns(PaymentCustomer)} from payment_customers
            where company = :company and customer = :customer order by created_at""",
        company=company,
        customer=customer,
    )


async def export_transactions(db: Db, company: UUID, contacts: Sequence[UUID]) -> list[Transaction]:
    """List the transactions of contacts."""
    return await db.fetch_all(
        Transaction,
        f"""select {columns(Transaction)} from transactions
            where company = :company and customer = any(:contacts) order by created_at""",
        company=company,
        contacts=contacts,
    )
