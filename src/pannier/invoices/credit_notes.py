"""Credit notes: documents that take back lines of an issued invoice."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from pannier.db import Db
from pannier.errors import Conflict, FieldError, Invalid, NotFound
from pannier.invoices import balances, issuing, queries
from pannier.invoices.document import Party
from pannier.invoices.models import Invoice, InvoiceLine, LineContent
from pannier.invoices.queries import INVOICES, RateOfTransaction
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


class RemainingLine(NamedTuple):
    """A line of an invoice, and what credit notes have left of it."""

    line: InvoiceLine
    rest: TaxedSum


async def create_credit_note(db: Db, company: UUID, identifier: str, data: CreditNoteIn) -> Invoice:
    """Issue a credit note of an invoice, in full or of some lines."""
    invoice = await _lock_invoice(db, company, identifier)
    remaining_lines = await _load_remaining_lines(db, invoice)
    by_id = _index_lines(remaining_lines, data.lines or [])
    if invoice.state != "issued" or invoice.kind != "invoice":
        raise NotCreditable
    if data.lines is None:
        corrections = await queries.load_corrections(db, company, invoice.uuid)
        rest_of_invoice = invoice.amount - invoice.credited_amount
        remaining_lines = leave_out_corrections(remaining_lines, corrections, rest_of_invoice)
        contents = [_credit(line, rest) for line, rest in remaining_lines if rest != TaxedSum()]
    else:
        contents = _credit_choices(invoice.currency, by_id, data.lines)
    _check_credit(invoice, -sum(line.amount for line in contents), is_whole=data.lines is None)
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
        buyer=await _find_erased_buyer(db, invoice),
    )
    lines = await insert_lines(db, draft, contents)
    return await issuing.freeze(db, draft, lines)


async def _lock_invoice(db: Db, company: UUID, identifier: str) -> Invoice:
    """Lock an invoice, after the documents of its customer and after its transactions."""
    invoice = await INVOICES.get(db, company, identifier)
    await queries.lock_customer(db, company, invoice.customer)
    lines = await queries.list_lines(db, company, invoice.uuid)
    await balances.lock_transactions(db, company, {line.transaction for line in lines})
    return await INVOICES.lock(db, company, invoice.uuid)


async def _load_remaining_lines(db: Db, invoice: Invoice) -> list[RemainingLine]:
    """Load the lines of an invoice, and what credit notes have left of each."""
    lines = await queries.list_lines(db, invoice.company, invoice.uuid)
    credited = await queries.load_credited_sums(db, invoice.company, [line.uuid for line in lines])
    return [
        RemainingLine(
            line,
            TaxedSum(line.amount, line.tax_amount).plus(*credited.get(line.uuid, TaxedSum())),
        )
        for line in lines
    ]


async def _find_erased_buyer(db: Db, invoice: Invoice) -> Party | None:
    """Find the buyer that an invoice keeps of an erased customer."""
    if not invoice.names_erased:
        return None
    return (await queries.get_document(db, invoice.company, invoice.uuid)).buyer


def _index_lines(
    remaining_lines: Sequence[RemainingLine], choices: Sequence[CreditedLineIn]
) -> dict[str, RemainingLine]:
    """Index lines by their identifiers; refuse choices that are not among them."""
    by_id = {
        identifier: remaining
        for remaining in remaining_lines
        for identifier in (remaining.line.public_id, str(remaining.line.uuid))
    }
    unknown = [index for index, choice in enumerate(choices) if choice.line not in by_id]
    if unknown:
        raise NotFound(
            fields=[FieldError(f"lines[{index}].line", UNKNOWN_LINE) for index in unknown]
        )
    return by_id


def leave_out_corrections(
    remaining_lines: Sequence[RemainingLine],
    corrections: Mapping[RateOfTransaction, int],
    rest_of_invoice: int,
) -> list[RemainingLine]:
    """Leave out what other credit notes have taken back without naming lines.

    They correct transactions, such as after a refund. Their amounts are taken from the lines of the
    same transaction and tax rate, and otherwise from the first lines.
    """
    excess = sum(rest.amount for _, rest in remaining_lines) - rest_of_invoice
    amounts, lines = dict(corrections), list(remaining_lines)
    for is_same_rate in (True, False):
        for index, (line, rest) in enumerate(lines):
            key = line.transaction, line.tax_rate
            limit = amounts.get(key, 0) if is_same_rate else excess
            cut = max(0, min(rest.amount, limit, excess))
            if cut:
                tax = divide_half_up(rest.tax * cut, rest.amount)
                lines[index] = RemainingLine(line, rest.minus(TaxedSum(cut, tax)))
                amounts[key] = amounts.get(key, 0) - cut
                excess -= cut
    return lines


def _check_credit(invoice: Invoice, credit: int, *, is_whole: bool) -> None:
    """Refuse a credit of nothing, and one beyond what is left of the invoice."""
    rest = invoice.amount - invoice.credited_amount
    if rest <= 0 or (is_whole and credit <= 0):
        raise NothingToCredit
    if credit <= 0:
        raise Invalid(fields=[FieldError("lines", NO_CREDIT)])
    if credit > rest:
        limit = Money(rest, invoice.currency).format()
        raise Invalid(fields=[FieldError("lines", MORE_THAN_INVOICE.format(limit))])


def _credit_choices(
    currency: str, by_id: Mapping[str, RemainingLine], choices: Sequence[CreditedLineIn]
) -> list[LineContent]:
    contents: dict[UUID, LineContent] = {}
    for index, choice in enumerate(choices):
        line, rest = by_id[choice.line]
        path = f"lines[{index}]"
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
