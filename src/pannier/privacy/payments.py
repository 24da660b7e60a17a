"""Forgetting a person in what was paid: sums stay, as books must; what was said about them goes."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.privacy import logs

OF_ORDER: Final = """
    select uuid from transactions where company = :company and order_uuid = :order"""
# Of those that belong to an order, it was forgotten with the order.
OWED: Final = """
    select uuid from transactions t
    where company = :company and customer = any(:contacts) and (void_reason is not null
        or exists (select from refunds r where r.transaction = t.uuid and r.reason is not null)
        or exists (select from checkouts c
                   where c.transaction = t.uuid and c.return_url is not null))"""
TRANSACTIONS: Final = """
    update transactions set void_reason = null, updated_at = :now, version = version + 1
    where company = :company and uuid = any(:uuids)"""
REFUNDS: Final = """
    update refunds set reason = null, updated_at = :now, version = version + 1
    where company = :company and transaction = any(:uuids) and reason is not null"""
RETURNS: Final = """
    update checkouts set return_url = null
    where company = :company and transaction = any(:uuids) and return_url is not null"""
CHANGED: Final = """
    select public_id from transactions where company = :company and uuid = any(:uuids)
    union all
    select public_id from refunds where company = :company and transaction = any(:uuids)"""


async def forget_in_order(db: Db, company: UUID, order: UUID) -> None:
    """Forget what was said of somebody in the transactions of an order that is theirs."""
    found = await db.value(f"select array({OF_ORDER})", company=company, order=order)
    await _forget(db, company, found)


async def forget_owed(db: Db, company: UUID, contacts: Sequence[UUID]) -> None:
    """Forget what was said of somebody in transactions that they owe."""
    found = await db.value(f"select array({OWED})", company=company, contacts=contacts)
    await _forget(db, company, found)


async def _forget(db: Db, company: UUID, uuids: Sequence[UUID]) -> None:
    if not uuids:
        return
    named = {"company": company, "uuids": uuids, "now": db.now}
    changed = await db.value(f"select array({CHANGED})", **named)
    for statement in (TRANSACTIONS, REFUNDS, RETURNS):
        await db.execute(statement, **named)
    await logs.forget_changes(db, company, changed)
