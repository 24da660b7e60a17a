"""Gathering of what a customer's documents lack.

Callers must have locked the customer's documents.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import CompanySettings
from pannier.db import Db, columns
from pannier.errors import Conflict
from pannier.invoices.models import LineContent
from pannier.invoices.revenue import Documented, TaxedSum, list_missing_lines
from pannier.payments.transactions.models import Charge, Transaction
from pannier.payments.transactions.queries import list_charges

MAX_LINES: Final = 2000
# As `compute_revenue`, which decides.
_REVENUE: Final = """case when t.voided_at is not null then 0 else greatest(0,
    least(t.amount, t.amount_paid - t.amount_refunded + t.balance)) end"""
_IN_PERIOD: Final = """and exists (select from charges c
    where c.transaction = t.uuid and (:start::timestamptz is null or c.created_at >= :start)
      and (:end::timestamptz is null or c.created_at < :end))"""
_CONDITIONS: Final = {
    "currency": " and t.currency = :currency",
    "orders": " and t.order_uuid = any(:orders)",
    "transactions": " and t.uuid = any(:transactions)",
}
# Transactions of a customer about which their documents may lack something.
_SELECT_INCOMPLETE: Final = f"""
    with documented as materialized (
        select transaction, sum(amount) as total,
            coalesce(sum(amount) filter (where charge is not null), 0) as charges
        from invoice_lines
        where company = :company and customer = :customer and invoice is distinct from :except_for
          and (:transactions::uuid[] is null or transaction = any(:transactions))
        group by transaction)
    select {columns(Transaction, "t")}
    from transactions t left join documented d on d.transaction = t.uuid
    where t.company = :company and t.customer = :customer
      and case when d.transaction is null then {_REVENUE} <> 0 {{in_period}}
          else d.total <> {_REVENUE} or (d.charges <> t.amount and d.total <> 0) end
      {{conditions}}
    union all
    select {columns(Transaction, "t")}
    from documented d join transactions t on t.uuid = d.transaction
    where t.company = :company and t.customer is distinct from :customer and d.total <> 0
      {{conditions}}
    order by created_at, uuid limit {MAX_LINES + 1}"""


class TooManyLines(Conflict):
    """The number of lines of a document is limited."""

    code = "too_many_lines"
    title = "The invoice would have too many lines."
    remedy = f"Choose a shorter period or fewer orders. An invoice has at most {MAX_LINES} lines."


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """What to invoice to a customer. None is any."""

    customer: UUID
    period_from: date | None = None
    period_to: date | None = None
    orders: Sequence[UUID] | None = None
    currency: str | None = None
    transactions: Sequence[UUID] | None = None
    # The draft that is gathered again, whose lines do not count.
    except_for: UUID | None = None


async def gather_lines(db: Db, company: UUID, selection: Selection) -> dict[str, list[LineContent]]:
    """Gather the lines that a customer's documents lack, by currency."""
    settings = await company_settings.load(db, company)
    zone = settings.zone
    transactions = await _list_incomplete(db, company, selection, settings)
    uuids = [transaction.uuid for transaction in transactions]
    documented = await _load_documented(db, company, selection, uuids)
    charges: dict[UUID, list[tuple[Charge, date]]] = defaultdict(list)
    for charge in await list_charges(db, company, uuids):
        day = _to_day(charge.created_at, zone)
        if _is_in_period(day, selection):
            charges[charge.transaction].append((charge, day))
    lines: dict[str, list[LineContent]] = defaultdict(list)
    for transaction in transactions:
        lines[transaction.currency] += list_missing_lines(
            transaction,
            is_owed=transaction.customer == selection.customer,
            charges=charges[transaction.uuid],
            documented=documented.get(transaction.uuid, Documented()),
            today=_to_day(db.now, zone),
        )
    if max(map(len, lines.values()), default=0) > MAX_LINES or len(uuids) > MAX_LINES:
        raise TooManyLines
    return {currency: part for currency, part in lines.items() if part}


async def _list_incomplete(
    db: Db, company: UUID, selection: Selection, settings: CompanySettings
) -> list[Transaction]:
    start, end = _get_period(selection, settings)
    conditions = "".join(
        condition for name, condition in _CONDITIONS.items() if getattr(selection, name) is not None
    )
    in_period = "" if start is None and end is None else _IN_PERIOD
    names = ("customer", "except_for", "currency", "orders", "transactions")
    return await db.fetch_all(
        Transaction,
        _SELECT_INCOMPLETE.format(conditions=conditions, in_period=in_period),
        company=company,
        start=start,
        end=end,
        **{name: getattr(selection, name) for name in names},
    )


def _get_period(
    selection: Selection, settings: CompanySettings
) -> tuple[datetime | None, datetime | None]:
    """Return the start of the first day, and the end of the last one."""
    first, last = selection.period_from, selection.period_to
    return (
        None if first is None else settings.get_day_bounds(first)[0],
        None if last is None else settings.get_day_bounds(last)[1],
    )


def _to_day(moment: datetime, zone: ZoneInfo) -> date:
    return moment.astimezone(zone).date()


def _is_in_period(day: date, selection: Selection) -> bool:
    return (selection.period_from is None or day >= selection.period_from) and (
        selection.period_to is None or day <= selection.period_to
    )


class _DocumentedSum(msgspec.Struct):
    transaction: UUID
    charge: UUID | None
    tax_rate: Decimal | None
    amount: int
    tax_amount: int


async def _load_documented(
    db: Db, company: UUID, selection: Selection, transactions: Sequence[UUID]
) -> dict[UUID, Documented]:
    """Load what the customer's documents already contain of transactions."""
    rows = await db.fetch_all(
        _DocumentedSum,
        """select transaction, charge, tax_rate, sum(amount)::bigint as amount,
               sum(tax_amount)::bigint as tax_amount
           from invoice_lines
           where company = :company and customer = :customer and transaction = any(:transactions)
             and invoice is distinct from :except_for
           group by transaction, charge, tax_rate""",
        company=company,
        customer=selection.customer,
        transactions=transactions,
        except_for=selection.except_for,
    )
    grouped: dict[UUID, list[_DocumentedSum]] = defaultdict(list)
    for row in rows:
        grouped[row.transaction].append(row)
    return {transaction: _to_documented(part) for transaction, part in grouped.items()}


def _to_documented(rows: Sequence[_DocumentedSum]) -> Documented:
    by_charge: dict[UUID, TaxedSum] = defaultdict(TaxedSum)
    charges: dict[Decimal | None, TaxedSum] = defaultdict(TaxedSum)
    corrections: dict[Decimal | None, TaxedSum] = defaultdict(TaxedSum)
    for row in rows:
        sums = corrections if row.charge is None else charges
        sums[row.tax_rate] = sums[row.tax_rate].plus(row.amount, row.tax_amount)
        if row.charge is not None:
            by_charge[row.charge] = by_charge[row.charge].plus(row.amount, row.tax_amount)
    return Documented(by_charge=by_charge, charges=charges, corrections=corrections)
