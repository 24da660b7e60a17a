"""Credit notes: documents that take back lines of an issued invoice."""

from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

from pannier.db import Db
from pannier.errors import Conflict, FieldError, Invalid, NotFound
from pannier.invoices import balances, issuing, queries
from pannier.invoices.models import Invoice, InvoiceLine, LineContent
from pannier.invoices.queries import INVOICES
from pannier.invoices.revenue import TaxedSum
from pannier.invoices.schemas import CreditedLineIn, CreditNoteIn
from pannier.invoices.service import insert_lines, sum_columns
from pannier.kit.money import Money, divide_half_up
from pannier.payments.transactions.lines import author_columns

UNKNOWN_LINE: Final = "The invoice has no such line."
REPEATED_LINE: Final = "Name each line once."
TOO_MUCH: Final = "must be between zero and the rest of the line, {}."
NO_CREDIT: Final = "The lines must add up to a credit."
MORE_THAN_INVOICE: Final = "The lines add up to more than the rest of the invoice, {}."


class NotCreditable(Conflict):
    """Only an issued invoice can be credited."""

    code = "invoice_not_creditable"
    title = "Only an issued invoice can be credited."
    remedy = "Delete a draft. Correct a credit note with another invoice."


class NothingToCredit(Conflict):
    """Credit notes have taken back the whole invoice already."""

    code = "invoice_credited"
    title = "The invoice is credited already."
    remedy = "See its credit notes."


class _RemainingLine(NamedTuple):
    """A line of an invoice, and what credit notes have left of it."""

    line: InvoiceLine
    rest: TaxedSum


async def create_credit_note(db: Db, company: UUID, identifier: str, data: CreditNoteIn) -> Invoice:
    """Issue a credit note of an invoice, in full or of some lines."""
    invoice = await _lock_invoice(db, company, identifier)
    remaining_lines = await _load_remaining_lines(db, invoice)
    contents = _choose_lines(invoice, remaining_lines, data.lines)
    draft = await INVOICES.create(
        db,
        company,
        **author_columns(db),
        **sum_columns(contents) | {"kind": "credit_note"},
        customer=invoice.customer,
        customer_type=invoice.customer_type,
        currency=invoice.currency,
        period_from=invoice.period_from,
        period_to=invoice.period_to,
        reference=invoice.reference,
        refers_to=invoice.uuid,
        reason=data.reason,
    )
    lines = await insert_lines(db, draft, contents)
    return await issuing.freeze(db, draft, lines)


async def _lock_invoice(db: Db, company: UUID, identifier: str) -> Invoice:
    """Lock an invoice, after the documents of its customer and after its transactions."""
    invoice = await INVOICES.get(db, company, identifier)
    await queries.lock_customer(db, company, invoice.customer)
    lines = await queries.list_lines(db, company, invoice.uuid)
    await balances.lock_transactions(db, company, {line.transaction for line in lines})
    locked_invoice = await INVOICES.lock(db, company, invoice.uuid)
    if locked_invoice.state != "issued" or locked_invoice.kind != "invoice":
        raise NotCreditable
    return locked_invoice


async def _load_remaining_lines(db: Db, invoice: Invoice) -> list[_RemainingLine]:
    """Load the lines of an invoice, and what credit notes have left of each."""
    lines = await queries.list_lines(db, invoice.company, invoice.uuid)
    credited = await queries.load_credited_sums(db, invoice.company, [line.uuid for line in lines])
    return [
        _RemainingLine(
            line,
            TaxedSum(line.amount, line.tax_amount).plus(*credited.get(line.uuid, TaxedSum())),
        )
        for line in lines
    ]


def _choose_lines(
    invoice: Invoice,
    remaining_lines: Sequence[_RemainingLine],
    choices: Sequence[CreditedLineIn] | None,
) -> list[LineContent]:
    """Return the lines of the credit note, or refuse the choice."""
    if choices is None:
        contents = [_credit(line, rest) for line, rest in remaining_lines if rest != TaxedSum()]
    else:
        contents = _credit_choices(invoice.currency, remaining_lines, choices)
    credit = -sum(line.amount for line in contents)
    rest = invoice.amount - invoice.credited_amount
    if rest <= 0 or (choices is None and credit <= 0):
        raise NothingToCredit
    if credit <= 0:
        raise Invalid(fields=[FieldError("lines", NO_CREDIT)])
    if credit > rest:
        limit = Money(rest, invoice.currency).format()
        raise Invalid(fields=[FieldError("lines", MORE_THAN_INVOICE.format(limit))])
    return contents


def _credit_choices(
    currency: str,
    remaining_lines: Sequence[_RemainingLine],
    choices: Sequence[CreditedLineIn],
) -> list[LineContent]:
    by_id = {
        identifier: remaining
        for remaining in remaining_lines
        for identifier in (remaining.line.public_id, str(remaining.line.uuid))
    }
    contents: dict[UUID, LineContent] = {}
    for index, choice in enumerate(choices):
        path = f"lines.{index}"
        if choice.line not in by_id:
            raise NotFound(fields=[FieldError(f"{path}.line", UNKNOWN_LINE)])
        line, rest = by_id[choice.line]
        if line.uuid in contents:
            raise Invalid(fields=[FieldError(f"{path}.line", REPEATED_LINE)])
        contents[line.uuid] = _credit(line, _take_part(currency, rest, choice.amount, path))
    return list(contents.values())


def _take_part(currency: str, rest: TaxedSum, amount: int | None, path: str) -> TaxedSum:
    """Return a part of what is left of a line, with its share of the tax."""
    if amount is None and rest != TaxedSum():
        return rest
    if not amount or amount * rest.amount < 0 or abs(amount) > abs(rest.amount):
        limit = Money(rest.amount, currency).format()
        raise Invalid(fields=[FieldError(f"{path}.amount", TOO_MUCH.format(limit))])
    share = divide_half_up(rest.tax * abs(amount), abs(rest.amount))
    return TaxedSum(amount, rest.tax if amount == rest.amount else share)


def _credit(line: InvoiceLine, part: TaxedSum) -> LineContent:
    """Return the line of a credit note that takes back a part of a line."""
    names = ("transaction", "charge", "order_uuid", "kind", "description", "day", "tax_rate")
    return LineContent(
        **{name: getattr(line, name) for name in names},
        amount=-part.amount,
        tax_amount=-part.tax,
        credits=line.uuid,
    )
