"""Export of the differences of collections and hand-ins, in constant memory."""

from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from functools import partial
from typing import Annotated, Any, Final, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.cash import queries
from pannier.cash.models import CashCollection, CashHandIn
from pannier.cash.queries import DriverName
from pannier.cash.schemas import CollectionFilters, DifferenceFilters, HandInFilters
from pannier.db import Database, Db
from pannier.kit import money
from pannier.kit.spreadsheets import encode_rows, escape_formula
from pannier.web.exchange import Exchange
from pannier.web.streams import StreamedResponse, read_with_retries
from pannier.web.times import to_rfc3339

ROWS_PER_PAGE: Final = 500
MEDIA_TYPE: Final = "text/csv; charset=utf-8; header=present"
HEADER: Final = (
    "kind", "id", "created_at", "driver", "driver_name", "order", "currency", "expected",
    "actual", "difference", "reason", "actor",
)  # fmt: skip
Kind = Literal["collection", "hand_in"]
Cells = list[object]


class DifferenceExportFilters(DifferenceFilters, frozen=True, kw_only=True):
    """Filters and format of an export of differences."""

    format: Annotated[Literal["csv"], Meta(description="Format of the file.")] = "csv"


class DifferencePage(msgspec.Struct):
    """Rows of the file, and the cursor of the next page."""

    rows: list[Cells]
    next_cursor: str | None


async def start_export(
    exchange: Exchange, db: Db, company: UUID, filters: DifferenceExportFilters
) -> StreamedResponse:
    """Start the download of all differences: of collections, then of hand-ins, oldest first."""
    # Differences recorded during the export are left out.
    end = db.now + timedelta.resolution
    selection = msgspec.structs.replace(
        filters, until=end if filters.until is None else min(filters.until, end)
    )
    # An unknown driver is refused here, before the response begins.
    await queries.load_differences(db, company, selection)
    headers = {
        "Content-Type": MEDIA_TYPE,
        "Content-Disposition": f'attachment; filename="differences-{db.now:%Y%m%dT%H%M%SZ}.csv"',
    }
    parts = _encode_parts(exchange.edge.database, company, selection)
    return StreamedResponse(exchange, headers, parts)


async def _encode_parts(
    database: Database, company: UUID, selection: DifferenceFilters
) -> AsyncIterator[bytes]:
    yield encode_rows([HEADER])
    for load_page in (_load_collections, _load_hand_ins):
        paging = {
            "driver": selection.driver, "since": selection.since, "until": selection.until,
            "has_difference": True, "sort": "created_at", "limit": ROWS_PER_PAGE,
        }  # fmt: skip
        cursor = None
        while True:
            read = partial(load_page, database, company, paging | {"cursor": cursor})
            page = await read_with_retries(read)
            if page.rows:
                yield encode_rows(page.rows)
            if page.next_cursor is None:
                break
            cursor = page.next_cursor


async def _load_collections(
    database: Database, company: UUID, paging: Mapping[str, Any]
) -> DifferencePage:
    async with database.reading() as db:
        page = await queries.list_collections(db, company, CollectionFilters(**paging))
        drivers = await queries.load_drivers(db, company, [row.driver for row in page.rows])
    rows = [
        _to_cells(
            "collection", row, drivers[row.driver], row.order_id, row.amount_due, row.amount,
            row.reason,
        )
        for row in page.rows
    ]  # fmt: skip
    return DifferencePage(rows, page.next_cursor)


async def _load_hand_ins(
    database: Database, company: UUID, paging: Mapping[str, Any]
) -> DifferencePage:
    async with database.reading() as db:
        page = await queries.list_hand_ins(db, company, HandInFilters(**paging))
        drivers = await queries.load_drivers(db, company, [row.driver for row in page.rows])
    rows = [
        _to_cells(
            "hand_in", row, drivers[row.driver], None, row.expected_amount, row.counted_amount,
            row.remarks,
        )
        for row in page.rows
    ]  # fmt: skip
    return DifferencePage(rows, page.next_cursor)


def _to_cells(
    kind: Kind,
    row: CashCollection | CashHandIn,
    driver: DriverName,
    order: str | None,
    expected: int,
    actual: int,
    reason: str | None,
) -> Cells:
    """Return the cells of a difference. Amounts are decimals, which spreadsheets can add up."""
    return [
        kind, row.public_id, to_rfc3339(row.created_at), driver.public_id,
        escape_formula(driver.name), order, row.currency,
        *(money.to_major_units(amount, row.currency)
          for amount in (expected, actual, actual - expected)),
        escape_formula(reason or ""), escape_formula(row.actor_name),
    ]  # fmt: skip
