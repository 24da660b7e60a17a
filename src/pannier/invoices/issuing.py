"""Issuing of documents: the number, the frozen contents and the event."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import Conflict
from pannier.invoices import balances, events, mailing, parties, queries
from pannier.invoices.contents import build_contents, find_due_date
from pannier.invoices.gathering import gather_lines
from pannier.invoices.models import FrozenDocument, Invoice, InvoiceLine, InvoiceShare
from pannier.invoices.queries import INVOICES
from pannier.invoices.service import sum_columns, to_selection

# The fewest digits of a number in its series.
NUMBER_DIGITS: Final = 5


class InvoiceOutdated(Conflict):
    """Transactions have changed since the draft was made."""

    code = "invoice_outdated"
    title = "The draft no longer matches its transactions."
    remedy = "Refresh the draft, check it, and issue it again."


async def issue_draft(db: Db, draft: Invoice) -> Invoice:
    """Issue a locked draft, if it still matches its transactions."""
    lines = await queries.list_lines(db, draft.company, draft.uuid)
    uuids = {line.transaction for line in lines}
    await balances.lock_transactions(db, draft.company, uuids)
    await _check_lines(db, draft, lines)
    if draft.kind == "credit_note":
        draft = msgspec.structs.replace(
            draft,
            refers_to=await queries.find_only_invoice(db, draft.company, draft.customer, uuids),
        )
    return await freeze(db, draft, lines)


async def _check_lines(db: Db, draft: Invoice, lines: Sequence[InvoiceLine]) -> None:
    """Refuse a draft whose transactions would give other lines by now."""
    transactions = {line.transaction for line in lines}
    selection = msgspec.structs.replace(to_selection(draft), transactions=list(transactions))
    gathered = (await gather_lines(db, draft.company, selection)).get(draft.currency, [])
    if not lines or sorted(map(_to_key, gathered)) != sorted(map(_to_key, lines)):
        raise InvoiceOutdated


def _to_key(line: msgspec.Struct) -> tuple[str, ...]:
    """Return what may not change between a draft and its issue."""
    names = ("transaction", "charge", "tax_rate", "tax_amount", "amount")
    return tuple(str(getattr(line, name)) for name in names)


async def freeze(db: Db, draft: Invoice, lines: Sequence[InvoiceLine]) -> Invoice:
    """Number a document and freeze it. Its transactions are locked."""
    # The date can never be corrected.
    await db.require_safe_clock()
    settings = await company_settings.load(db, draft.company)
    issue_date = db.now.astimezone(settings.zone).date()
    transactions = await balances.lock_transactions(
        db, draft.company, {line.transaction for line in lines}
    )
    due_date = await find_due_date(db, settings, draft, issue_date)
    prefix = (
        settings.invoices.invoice_prefix
        if draft.kind == "invoice"
        else settings.invoices.credit_note_prefix
    )
    columns: dict[str, Any] = {
        "state": "issued",
        "number": await _take_number(db, draft.company, f"{prefix}{issue_date.year}-"),
        "issue_date": issue_date,
        "issued_at": db.now,
        "due_date": due_date,
        "refers_to": draft.refers_to,
        **sum_columns(lines),
        "kind": draft.kind,
        # From now on, the frozen contents have it.
        "buyer": None,
        "names_erased": await parties.find_erased_buyer(db, draft) is not None,
    }
    before = await INVOICES.get(db, draft.company, draft.uuid)
    invoice, _ = await INVOICES.change(db, before, log_action="issued", **columns)
    await _insert_shares(db, invoice, lines)
    await _count_credit(db, invoice)
    await balances.refresh_invoices(db, invoice.company, transactions)
    invoice = await INVOICES.get(db, invoice.company, invoice.uuid)
    contents = await build_contents(
        db,
        msgspec.structs.replace(invoice, buyer=draft.buyer),
        lines,
        paid=max(0, invoice.amount - invoice.open_amount),
    )
    await db.insert(
        "invoice_documents",
        FrozenDocument(invoice=invoice.uuid, company=invoice.company, document=contents),
    )
    await events.emit_issued(db, invoice)
    await mailing.send_issued_invoice(db, invoice, contents)
    return invoice


async def _count_credit(db: Db, credit_note: Invoice) -> None:
    """Count a credit note with the invoice that it corrects."""
    if credit_note.refers_to is not None:
        original = await INVOICES.lock(db, credit_note.company, credit_note.refers_to)
        total = min(original.amount, original.credited_amount - credit_note.amount)
        await INVOICES.change(db, original, log_action="credited", credited_amount=max(0, total))


async def _take_number(db: Db, company: UUID, series: str) -> str:
    """Take the next number of a series. Others wait for it until this transaction ends."""
    number: int = await db.fetch_value(
        """insert into invoice_series as s (company, series, last_number)
           values (:company, :series, 1)
           on conflict (company, series) do update set last_number = s.last_number + 1
           returning last_number""",
        company=company,
        series=series,
    )
    return f"{series}{number:0{NUMBER_DIGITS}}"


async def _insert_shares(db: Db, invoice: Invoice, lines: Sequence[InvoiceLine]) -> None:
    """Insert the parts of a document by transaction.

    A credit note of an invoice reduces the invoice's own parts.
    """
    amounts: dict[tuple[UUID, UUID], int] = defaultdict(int)
    credited = await queries.load_invoices_of_lines(
        db, invoice.company, [line.credits for line in lines if line.credits is not None]
    )
    for line in lines:
        owner = invoice.uuid if line.credits is None else credited[line.credits]
        amounts[owner, line.transaction] += line.amount
    shares = [
        InvoiceShare(
            invoice=owner,
            transaction=transaction,
            company=invoice.company,
            customer=invoice.customer,
            issued_at=invoice.issued_at or db.now,
            amount=amount,
            open_amount=0,
        )
        for (owner, transaction), amount in amounts.items()
        if owner == invoice.uuid
    ]
    await db.insert("invoice_shares", *shares)
    reduced = {key: amount for key, amount in amounts.items() if key[0] != invoice.uuid}
    await db.execute(
        """update invoice_shares s set amount = s.amount + c.amount
           from unnest(:invoices::uuid[], :transactions::uuid[], :amounts::bigint[])
               as c (invoice, transaction, amount)
           where s.company = :company and s.invoice = c.invoice
             and s.transaction = c.transaction""",
        company=invoice.company,
        invoices=[owner for owner, _ in reduced],
        transactions=[transaction for _, transaction in reduced],
        amounts=list(reduced.values()),
    )
