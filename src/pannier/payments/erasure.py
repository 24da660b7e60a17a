"""Erasure of personal data in transactions. Amounts stay, because accounting must keep them."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db, audit, columns
from pannier.payments.models import PaymentCustomer
from pannier.payments.transactions.models import Transaction

_OF_ORDER: Final = """
    select uuid from transactions where company = :company and order_uuid = :order"""
# Transactions of an order are erased with it.
_OWED: Final = """
    select uuid from transactions t
    where company = :company and customer = any(:contacts) and (void_reason is not null
        or exists (select from refunds r where r.transaction = t.uuid and r.reason is not null)
        or exists (select from checkouts c
                   where c.transaction = t.uuid and c.return_url is not null))"""
_CHANGED: Final = """
    select public_id from transactions where company = :company and uuid = any(:uuids)
    union all
    select public_id from refunds where company = :company and transaction = any(:uuids)"""
_TRANSACTIONS: Final = """
    update transactions set void_reason = null, updated_at = :now, version = version + 1
    where company = :company and uuid = any(:uuids)"""
_REFUNDS: Final = """
    update refunds set reason = null, updated_at = :now, version = version + 1
    where company = :company and transaction = any(:uuids) and reason is not null"""
_CHECKOUTS: Final = """
    update checkouts set return_url = null
    where company = :company and transaction = any(:uuids) and return_url is not null"""


class GatewayAccount(msgspec.Struct):
    """A customer's account at a payment gateway."""

    gateway: str
    account: str


async def erase_about_order(db: Db, company: UUID, order: UUID) -> None:
    """Erase personal data in the transactions of an order."""
    found = await db.value(f"select array({_OF_ORDER})", company=company, order=order)
    await _erase(db, company, found)


async def erase_owed(db: Db, company: UUID, contacts: Sequence[UUID]) -> None:
    """Erase personal data in the transactions that these contacts owe."""
    found = await db.value(f"select array({_OWED})", company=company, contacts=contacts)
    await _erase(db, company, found)


async def _erase(db: Db, company: UUID, uuids: Sequence[UUID]) -> None:
    if not uuids:
        return
    changed = await db.value(f"select array({_CHANGED})", company=company, uuids=uuids)
    await db.execute(_TRANSACTIONS, company=company, uuids=uuids, now=db.now)
    await db.execute(_REFUNDS, company=company, uuids=uuids, now=db.now)
    await db.execute(_CHECKOUTS, company=company, uuids=uuids)
    await audit.erase(db, company, changed)


async def erase_accounts(db: Db, company: UUID, customer: UUID) -> list[GatewayAccount]:
    """Delete a customer's accounts here, and return them for deletion at the gateways."""
    return await db.many(
        GatewayAccount,
        """delete from payment_customers where company = :company and customer = :customer
           returning gateway, account""",
        company=company,
        customer=customer,
    )


async def export_accounts(db: Db, company: UUID, customer: UUID) -> list[PaymentCustomer]:
    return await db.many(
        PaymentCustomer,
        f"""select {columns(PaymentCustomer)} from payment_customers
            where company = :company and customer = :customer order by created_at""",
        company=company,
        customer=customer,
    )


async def export(db: Db, company: UUID, contacts: Sequence[UUID]) -> list[Transaction]:
    """List the transactions of contacts."""
    return await db.many(
        Transaction,
        f"""select {columns(Transaction)} from transactions
            where company = :company and customer = any(:contacts) order by created_at""",
        company=company,
        contacts=contacts,
    )
