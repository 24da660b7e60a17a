"""Drafts of invoices: gather, change and delete them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.errors import Conflict, FieldError, Invalid, NotFound, parse_field
from pannier.invoices import queries
from pannier.invoices.gathering import Selection, gather_lines
from pannier.invoices.models import Invoice, InvoiceLine, LineContent
from pannier.invoices.queries import INVOICES
from pannier.invoices.schemas import InvoiceChange, InvoiceIn
from pannier.orders.internal_ids import resolve_internal_ids
from pannier.payloads.fields import parse_currency
from pannier.payments.transactions.lines import author_columns
from pannier.web.fields import get_sent_fields

UNKNOWN_ORDER: Final = "There is no such order."
PERIOD_REVERSED: Final = "must not be before `from`."
SEVERAL_CURRENCIES: Final = "The charges have several currencies: {}. Choose one of them."


class NothingToInvoice(Conflict):
    """All charges of the selection are on documents already, or were canceled."""

    code = "nothing_to_invoice"
    title = "There is nothing to invoice."
    remedy = "Choose another period or other orders."


class InvoiceIsIssued(Conflict):
    """An issued invoice never changes."""

    code = "invoice_issued"
    title = "The invoice is issued and cannot be changed."
    remedy = "Correct it with a credit note."


async def create_draft(db: Db, company: UUID, data: InvoiceIn) -> Invoice:
    """Create a draft of all that a customer was not invoiced for yet."""
    customer = await queries.find_customer(db, company, data.customer)
    if data.from_ is not None and data.to is not None and data.to < data.from_:
        raise Invalid(fields=[FieldError("to", PERIOD_REVERSED)])
    selection = Selection(
        customer=customer.uuid,
        period_from=data.from_,
        period_to=data.to,
        orders=await _find_orders(db, company, data.orders),
        currency=data.currency and parse_field("currency", parse_currency, data.currency),
    )
    await queries.lock_customer(db, company, customer.uuid)
    currency, contents = _choose_currency(await gather_lines(db, company, selection))
    invoice = INVOICES.draft(
        db,
        company,
        **author_columns(db),
        **sum_columns(contents),
        customer=customer.uuid,
        customer_type=customer.type,
        currency=currency,
        period_from=data.from_,
        period_to=data.to,
        orders=selection.orders,
        due_date=data.due_date,
        reference=data.reference,
        notes=data.notes,
    )
    await INVOICES.insert(db, invoice)
    await insert_lines(db, invoice, contents)
    return invoice


async def _find_orders(
    db: Db, company: UUID, identifiers: Sequence[str] | None
) -> list[UUID] | None:
    if identifiers is None:
        return None
    names = await resolve_internal_ids(db, company, identifiers)
    orders = await queries.load_order_uuids(db, company, names)
    unknown = [index for index, name in enumerate(names) if name not in orders]
    if unknown:
        raise NotFound(fields=[FieldError(f"orders[{index}]", UNKNOWN_ORDER) for index in unknown])
    return sorted(set(orders.values()))


def _choose_currency(lines: Mapping[str, list[LineContent]]) -> tuple[str, list[LineContent]]:
    """Return the only currency and its lines."""
    if not lines:
        raise NothingToInvoice
    if len(lines) > 1:
        names = ", ".join(sorted(lines))
        raise Invalid(fields=[FieldError("currency", SEVERAL_CURRENCIES.format(names))])
    return next(iter(lines.items()))


def sum_columns(contents: Sequence[LineContent | InvoiceLine]) -> dict[str, Any]:
    """Return the columns of an invoice that follow from its lines."""
    amount = sum(line.amount for line in contents)
    return {
        "kind": "credit_note" if amount < 0 else "invoice",
        "amount": amount,
        "tax_amount": sum(line.tax_amount for line in contents),
    }


async def insert_lines(
    db: Db, invoice: Invoice, contents: Sequence[LineContent]
) -> list[InvoiceLine]:
    """Insert the lines of a draft."""
    lines = [
        InvoiceLine(
            **db.new_row_fields(invoice.company, "line"),
            invoice=invoice.uuid,
            position=position,
            customer=invoice.customer,
            **msgspec.structs.asdict(content),
        )
        for position, content in enumerate(contents, 1)
    ]
    await db.insert("invoice_lines", *lines)
    return lines


def to_selection(invoice: Invoice) -> Selection:
    """Return what a draft was gathered from."""
    return Selection(
        customer=invoice.customer,
        period_from=invoice.period_from,
        period_to=invoice.period_to,
        orders=invoice.orders,
        currency=invoice.currency,
        except_for=invoice.uuid,
    )


async def lock_draft(db: Db, company: UUID, identifier: str) -> Invoice:
    """Lock a draft and the documents of its customer."""
    invoice = await INVOICES.get(db, company, identifier)
    await queries.lock_customer(db, company, invoice.customer)
    draft = await INVOICES.lock(db, company, invoice.uuid)
    if draft.state != "draft":
        raise InvoiceIsIssued
    return draft


async def change_draft(db: Db, draft: Invoice, change: InvoiceChange) -> Invoice:
    """Change the texts and the due date of a draft."""
    changed_draft, _ = await INVOICES.change(db, draft, **get_sent_fields(change))
    return changed_draft


async def refresh_draft(db: Db, draft: Invoice) -> Invoice:
    """Gather the lines of a locked draft again."""
    lines = await gather_lines(db, draft.company, to_selection(draft))
    contents = lines.get(draft.currency)
    if contents is None:
        raise NothingToInvoice
    await db.execute(
        "delete from invoice_lines where company = :company and invoice = :invoice",
        company=draft.company,
        invoice=draft.uuid,
    )
    await insert_lines(db, draft, contents)
    changed_draft, changes = await INVOICES.change(
        db, draft, log_action="refreshed", **sum_columns(contents)
    )
    return changed_draft if changes else await INVOICES.touch(db, draft)
