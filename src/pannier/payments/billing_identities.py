"""Billing identities: the names and addresses of erased customers with unsettled transactions.

Everything else about such a customer is erased. The identity is deleted once their transactions are
settled, and at the latest when the company's retention of billing data ends.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from pannier.db import Database, Db, columns
from pannier.db.retention import BATCH_ROWS, RetentionSweep, delete
from pannier.db.row import PlainRow

RETENTION: Final = RetentionSweep("billing", "billing_identities")
# Transactions `t` with a debt or a credit, that the gateway is processing, or that are being
# refunded.
_UNSETTLED: Final = """(t.balance <> 0
    or exists (select from refunds r
               where r.transaction = t.uuid and r.state in ('wanted', 'pending'))
    or exists (select from checkouts c where c.transaction = t.uuid and c.state = 'processing'))"""


class BillingIdentity(PlainRow, kw_only=True):
    """What an invoice or a reminder to an erased contact needs."""

    contact: UUID
    name: str
    address: str | None = None
    tax_number: str | None = None


async def list_unsettled_contacts(db: Db, company: UUID, contacts: Sequence[UUID]) -> list[UUID]:
    """List the contacts that have unsettled transactions, and no billing identity yet."""
    rows = await db.fetch_tuples(
        f"""select c.uuid from unnest(:contacts::uuid[]) as c (uuid)
            where exists (select from transactions t where t.company = :company
                          and t.customer = c.uuid and {_UNSETTLED})
              and not exists (select from billing_identities b
                              where b.company = :company and b.contact = c.uuid)""",
        company=company,
        contacts=contacts,
    )
    return [uuid for (uuid,) in rows]


async def keep(db: Db, identity: BillingIdentity) -> None:
    """Keep the billing identity of a contact that is about to be erased."""
    await db.insert("billing_identities", identity)


async def list_identities(db: Db, company: UUID, contacts: Sequence[UUID]) -> list[BillingIdentity]:
    """List the billing identities of erased contacts, oldest first."""
    return await db.fetch_all(
        BillingIdentity,
        f"""select {columns(BillingIdentity)} from billing_identities
            where company = :company and contact = any(:contacts) order by created_at, uuid""",
        company=company,
        contacts=contacts,
    )


async def step(database: Database, retention: timedelta) -> bool:
    """Delete a batch of identities that are settled or older than the company's retention."""
    has_deleted = await RETENTION.delete_batch(database, retention)
    return await _delete_settled(database) or has_deleted


async def _delete_settled(database: Database) -> bool:
    async with database.transaction() as db:
        count = await delete(
            db,
            f"""delete from billing_identities where uuid = any(array(
                    select b.uuid from billing_identities b
                    where not exists (select from transactions t where t.company = b.company
                                      and t.customer = b.contact and {_UNSETTLED})
                    order by b.uuid limit :batch for update skip locked))""",
            batch=BATCH_ROWS,
        )
    return count > 0
