"""Exports of invoices and their lines, in constant memory whatever their number.

Each page is read in its own transaction, so that none stays open for minutes.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Annotated, Final, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import Database, Db
from pannier.invoices import queries
from pannier.invoices.document import DocumentKind
from pannier.invoices.models import Invoice, InvoiceLine
from pannier.invoices.schemas import (
    CurrencyIn,
    InvoiceFilters,
    InvoiceOut,
    InvoiceStatus,
    Number,
)
from pannier.kit import money
from pannier.kit.spreadsheets import encode_rows, escape_formula
from pannier.payments.transactions.schemas import CustomerId
from pannier.web.exchange import Exchange
from pannier.web.streams import StreamedResponse, read_with_retries
from pannier.web.times import Day, Moment

# Each page of lines can be large.
ROWS_PER_PAGE: Final[Mapping[str, int]] = {"invoices": 500, "lines": 10}
MEDIA_TYPE: Final = "text/csv; charset=utf-8; header=present"
ExportContent = Literal["invoices", "lines"]
HEADERS: Final[Mapping[ExportContent, Sequence[str]]] = {
    "invoices": (
        "id", "number", "kind", "status", "issue_date", "due_date", "customer", "customer_type",
        "customer_name", "currency", "net_amount", "tax_amount", "amount", "open_amount",
        "credited_amount", "refers_to", "reference", "created_at",
    ),
    "lines": (
        "invoice", "number", "kind", "issue_date", "customer", "position", "line_kind", "date",
        "description", "order", "transaction", "currency", "net_amount", "tax_rate", "tax_amount",
        "amount",
    ),
}  # fmt: skip
Cells = list[object]


class InvoiceExportFilters(msgspec.Struct, frozen=True, kw_only=True):
    """Filters and format of an export."""

    format: Annotated[Literal["csv"], Meta(description="Format of the file.")] = "csv"
    content: Annotated[
        ExportContent, Meta(description="The rows: `invoices`, or the `lines` of these.")
    ] = "invoices"
    status: Annotated[list[InvoiceStatus] | None, Meta(description="Filter by status.")] = None
    kind: Annotated[DocumentKind | None, Meta(description="Filter by kind.")] = None
    customer: Annotated[CustomerId | None, Meta(description="Filter by customer.")] = None
    currency: CurrencyIn | None = None
    number: Number | None = None
    since: Moment | None = None
    until: Moment | None = None
    issued_since: Annotated[Day | None, Meta(description="The first day of issue.")] = None
    issued_until: Annotated[Day | None, Meta(description="The last day of issue.")] = None
    due_since: Annotated[Day | None, Meta(description="The first due date.")] = None
    due_until: Annotated[Day | None, Meta(description="The last due date.")] = None


class _ExportPage(msgspec.Struct):
    """Rows of the file, and the cursor of the next page."""

    rows: list[Cells]
    next_cursor: str | None


async def start_export(
    exchange: Exchange, db: Db, company: UUID, filters: InvoiceExportFilters
) -> StreamedResponse:
    """Start the download of all invoices that match the filters, oldest first."""
    # Invoices created during the export are left out, or a slow client would never finish.
    end = db.now + timedelta.resolution
    names = set(InvoiceFilters.__struct_fields__) & set(filters.__struct_fields__)
    values = {name: getattr(filters, name) for name in names}
    values["until"] = end if filters.until is None else min(filters.until, end)
    selection = InvoiceFilters(sort="created_at", limit=ROWS_PER_PAGE[filters.content], **values)
    # An unknown filter is refused here, before the response begins.
    await queries.select_invoices(db, company, selection)
    name = f"{'invoice-' if filters.content == 'lines' else ''}{filters.content}"
    headers = {
        "Content-Type": MEDIA_TYPE,
        "Content-Disposition": f'attachment; filename="{name}-{db.now:%Y%m%dT%H%M%SZ}.csv"',
    }
    parts = _encode_parts(exchange.edge.database, company, selection, filters.content)
    return StreamedResponse(exchange, headers, parts)


async def _encode_parts(
    database: Database, company: UUID, selection: InvoiceFilters, content: ExportContent
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
    database: Database, company: UUID, filters: InvoiceFilters, content: ExportContent
) -> _ExportPage:
    async with database.reading() as db:
        page = await queries.list_invoices(db, company, filters)
        outs = await queries.load_invoices_out(db, company, page.rows)
        if content == "invoices":
            rows = [_to_cells(out) for out in outs]
        else:
            rows = await _load_line_cells(db, company, page.rows, outs)
    return _ExportPage(rows, page.next_cursor)


def _to_cells(out: InvoiceOut) -> Cells:
    """Return the cells of an invoice. Amounts are decimals, which spreadsheets can add up."""
    amounts = (
        out.net_amount, out.tax_amount, out.amount, out.open_amount, out.credited_amount,
    )  # fmt: skip
    return [
        out.id, _to_text(out.number), out.kind, out.status, _to_iso(out.issue_date),
        _to_iso(out.due_date), out.customer, out.customer_type, escape_formula(out.customer_name),
        out.currency, *(money.to_major_units(amount, out.currency) for amount in amounts),
        out.refers_to, _to_text(out.reference), out.created_at,
    ]  # fmt: skip


async def _load_line_cells(
    db: Db, company: UUID, invoices: Sequence[Invoice], outs: Sequence[InvoiceOut]
) -> list[Cells]:
    """Load the lines of invoices, in the sequence of the invoices."""
    rows = []
    for invoice, out in zip(invoices, outs, strict=True):
        lines = await queries.list_lines(db, company, invoice.uuid)
        names = await queries.load_line_names(db, company, lines)
        rows += [_to_line_cells(line, out, names) for line in lines]
    return rows


def _to_line_cells(line: InvoiceLine, out: InvoiceOut, names: Mapping[UUID, str]) -> Cells:
    net = line.amount - line.tax_amount
    return [
        out.id, _to_text(out.number), out.kind, _to_iso(out.issue_date), out.customer,
        line.position, line.kind, line.day.isoformat(), escape_formula(line.description),
        line.order_uuid and names[line.order_uuid], names[line.transaction], out.currency,
        money.to_major_units(net, out.currency),
        line.tax_rate and f"{line.tax_rate.normalize():f}",
        money.to_major_units(line.tax_amount, out.currency),
        money.to_major_units(line.amount, out.currency),
    ]  # fmt: skip


def _to_iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _to_text(text: str | None) -> str | None:
    return None if text is None else escape_formula(text)
