"""Exports of transactions and their charges, in constant memory whatever their number.

Each page is read in its own transaction, so that none stays open for minutes.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Annotated, Final, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import Database, Db
from pannier.kit import money
from pannier.kit.spreadsheets import encode_rows, escape_formula
from pannier.partners.schemas import BalanceFilter
from pannier.payments.settlement import Status
from pannier.payments.transactions import queries
from pannier.payments.transactions.models import Charge, Transaction
from pannier.payments.transactions.schemas import CustomerId, QuoteId, TransactionFilters
from pannier.web.exchange import Exchange
from pannier.web.identifiers import OrderReference
from pannier.web.streams import StreamedResponse, read_with_retries
from pannier.web.times import Moment, to_rfc3339

ROWS_PER_PAGE: Final = 500
MEDIA_TYPE: Final = "text/csv; charset=utf-8; header=present"
Content = Literal["transactions", "charges"]
HEADERS: Final[Mapping[Content, Sequence[str]]] = {
    "transactions": (
        "id", "created_at", "status", "order", "customer", "customer_type", "service_quote",
        "currency", "amount", "amount_paid", "amount_refunded", "amount_disputed", "balance",
        "gateway", "paid_at", "voided_at",
    ),
    "charges": (
        "id", "created_at", "kind", "code", "description", "order", "transaction",
        "transaction_status", "currency", "amount", "tax_rate", "tax_amount",
    ),
}  # fmt: skip
Cells = list[object]


class TransactionExportFilters(msgspec.Struct, frozen=True, kw_only=True):
    """Filters and format of an export."""

    format: Annotated[Literal["csv"], Meta(description="Format of the file.")] = "csv"
    content: Annotated[
        Content, Meta(description="The rows: `transactions`, or the `charges` of these.")
    ] = "transactions"
    status: Annotated[list[Status] | None, Meta(description="Filter by status.")] = None
    order: Annotated[OrderReference | None, Meta(description="Filter by order.")] = None
    customer: Annotated[CustomerId | None, Meta(description="Filter by customer.")] = None
    service_quote: Annotated[QuoteId | None, Meta(description="Filter by quote.")] = None
    balance: Annotated[
        BalanceFilter | None, Meta(description="`owed`: something is due; `credit`: a credit.")
    ] = None
    since: Moment | None = None
    until: Moment | None = None


class TransactionPage(msgspec.Struct):
    """Rows of the file, and the cursor of the next page."""

    rows: list[Cells]
    next_cursor: str | None


async def start_export(
    exchange: Exchange, db: Db, company: UUID, filters: TransactionExportFilters
) -> StreamedResponse:
    """Start the download of all transactions that match the filters, oldest first."""
    # Transactions created during the export are left out, or a slow client would never finish.
    end = db.now + timedelta.resolution
    selection = TransactionFilters(
        status=filters.status,
        order=filters.order,
        customer=filters.customer,
        service_quote=filters.service_quote,
        balance=filters.balance,
        since=filters.since,
        until=end if filters.until is None else min(filters.until, end),
        sort="created_at",
        limit=ROWS_PER_PAGE,
    )
    # An unknown filter is refused here, before the response begins.
    await queries.select_transactions(db, company, selection)
    name = f"{filters.content}-{db.now:%Y%m%dT%H%M%SZ}.csv"
    headers = {
        "Content-Type": MEDIA_TYPE,
        "Content-Disposition": f'attachment; filename="{name}"',
    }
    parts = _encode_parts(exchange.edge.database, company, selection, filters.content)
    return StreamedResponse(exchange, headers, parts)


async def _encode_parts(
    database: Database, company: UUID, selection: TransactionFilters, content: Content
) -> AsyncIterator[bytes]:
    yield encode_rows([HEADERS[content]])
    cursor = None
    while True:
        filters = msgspec.structs.replace(selection, cursor=cursor)
        page = await read_with_retries(partial(_load_page, database, company, filters, content))
        if page.rows:
            yield encode_rows(page.rows)
        if page.next_cursor is None:
            return
        cursor = page.next_cursor


async def _load_page(
    database: Database, company: UUID, filters: TransactionFilters, content: Content
) -> TransactionPage:
    async with database.reading() as db:
        page = await queries.list_transactions(db, company, filters)
        names = await queries.load_public_ids(db, company, page.rows)
        if content == "transactions":
            rows = [_to_cells(row, names) for row in page.rows]
        else:
            rows = await _load_charge_cells(db, company, page.rows, names)
    return TransactionPage(rows, page.next_cursor)


async def _load_charge_cells(
    db: Db, company: UUID, transactions: Sequence[Transaction], names: Mapping[UUID, str]
) -> list[Cells]:
    """Load the charges of transactions, in the sequence of the transactions."""
    charges: dict[UUID, list[Charge]] = {row.uuid: [] for row in transactions}
    for charge in await queries.list_charges(db, company, list(charges)):
        charges[charge.transaction].append(charge)
    return [
        _to_charge_cells(charge, row, names) for row in transactions for charge in charges[row.uuid]
    ]


def _to_charge_cells(charge: Charge, transaction: Transaction, names: Mapping[UUID, str]) -> Cells:
    currency = transaction.currency
    return [
        charge.public_id, to_rfc3339(charge.created_at), charge.kind, charge.code,
        escape_formula(charge.details),
        transaction.order_uuid and names[transaction.order_uuid],
        transaction.public_id, transaction.status, currency,
        money.to_major_units(charge.amount, currency),
        charge.tax_rate and f"{charge.tax_rate.normalize():f}",
        money.to_major_units(charge.tax_amount, currency),
    ]  # fmt: skip


def _to_cells(row: Transaction, names: Mapping[UUID, str]) -> Cells:
    """Return the cells of a transaction. Amounts are decimals, which spreadsheets can add up."""
    amounts = (row.amount, row.amount_paid, row.amount_refunded, row.amount_disputed, row.balance)
    return [
        row.public_id, to_rfc3339(row.created_at), row.status,
        row.order_uuid and names[row.order_uuid],
        row.customer and names.get(row.customer), row.customer_type, row.quote_id, row.currency,
        *(money.to_major_units(amount, row.currency) for amount in amounts),
        row.gateway, to_rfc3339(row.paid_at), to_rfc3339(row.voided_at),
    ]  # fmt: skip
