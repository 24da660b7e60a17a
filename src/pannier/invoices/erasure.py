"""Erasure and export of the buyers of documents.

Documents must be kept. After the erasure of a customer, they still have the name, the address and
the tax number, until the company's retention of billing data ends.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Database, Db, columns
from pannier.db.retention import BATCH_ROWS, expired_rows_query
from pannier.invoices import parties, queries
from pannier.invoices.document import InvoiceDocument, Party
from pannier.invoices.models import Invoice
from pannier.invoices.queries import INVOICES

NOBODY: Final = Party(name="")
_KEPT_FIELDS: Final = "'name', 'address_lines', 'postal_code', 'city', 'country', 'tax_number'"


class BuyerInvoice(msgspec.Struct, kw_only=True):
    """A document of a customer, for an export of their data."""

    public_id: str
    state: str
    currency: str
    amount: int
    open_amount: int
    document: InvoiceDocument | None


async def keep_draft_buyers(db: Db, company: UUID, contacts: Sequence[UUID]) -> None:
    """Keep the billing identities of contacts about to be erased in their drafts.

    From then on, nothing is issued to them until the transaction ends.
    """
    for contact in sorted(contacts):
        await queries.lock_customer(db, company, contact)
    drafts = await db.fetch_all(
        Invoice,
        f"""select {columns(Invoice)} from invoices
            where company = :company and customer = any(:contacts) and state = 'draft'
              and buyer is null
            order by uuid for no key update""",
        company=company,
        contacts=contacts,
    )
    for draft in drafts:
        buyer = await parties.load_buyer(db, draft)
        identity = msgspec.structs.replace(buyer, email=None, phone=None)
        await INVOICES.change(db, draft, buyer=identity, names_erased=True)


async def erase_buyers(db: Db, company: UUID, contacts: Sequence[UUID]) -> None:
    """Reduce the buyers of issued documents to their billing identities."""
    await db.execute(
        f"""update invoice_documents d
            set document = jsonb_set(d.document, '{{buyer}}', (
                select coalesce(jsonb_object_agg(name, value), '{{}}')
                from jsonb_each(d.document -> 'buyer') as field (name, value)
                where name in ({_KEPT_FIELDS})))
            from invoices i
            where i.company = :company and i.customer = any(:contacts) and d.invoice = i.uuid""",
        company=company,
        contacts=contacts,
    )
    await db.execute(
        """update invoices set names_erased = true, updated_at = :now, version = version + 1
           where company = :company and customer = any(:contacts) and state = 'issued'
             and not names_erased""",
        company=company,
        contacts=contacts,
        now=db.now,
    )


async def export_invoices(db: Db, company: UUID, contacts: Sequence[UUID]) -> list[BuyerInvoice]:
    """List the documents of contacts, oldest first."""
    return await db.fetch_all(
        BuyerInvoice,
        """select i.public_id, i.state, i.currency, i.amount, i.open_amount, d.document
           from invoices i left join invoice_documents d on d.invoice = i.uuid
           where i.company = :company and i.customer = any(:contacts)
           order by i.created_at, i.uuid""",
        company=company,
        contacts=contacts,
    )


async def step(database: Database, retention: timedelta) -> bool:
    """Blank a batch of erased buyers whose retention has ended."""
    async with database.transaction() as db:
        await db.require_safe_clock()
        uuids = [
            *await _list_expired(db, retention, "issued_at", "t.names_erased"),
            *await _list_expired(
                db, retention, "created_at", "t.names_erased and t.state = 'draft'"
            ),
        ]
        await _blank_buyers(db, uuids)
    return bool(uuids)


async def _list_expired(
    db: Db, retention: timedelta, time_column: str, condition: str
) -> list[UUID]:
    query = expired_rows_query(
        "billing", table="invoices", condition=condition, time_column=time_column
    )
    rows = await db.fetch_tuples(query, max_age=retention, batch=BATCH_ROWS)
    return [uuid for (uuid,) in rows]


async def _blank_buyers(db: Db, uuids: Sequence[UUID]) -> None:
    await db.execute(
        """update invoice_documents set document = jsonb_set(document, '{buyer}', :nobody)
           where invoice = any(:uuids)""",
        uuids=uuids,
        nobody=NOBODY,
    )
    await db.execute(
        """update invoices set names_erased = false, version = version + 1, updated_at = :now,
               buyer = case state when 'draft' then :nobody::jsonb end
           where uuid = any(:uuids)""",
        uuids=uuids,
        nobody=NOBODY,
        now=db.now,
    )
