"""Export of the rows of a file that could not be imported."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Final

import msgspec

from pannier.db import Database, Db
from pannier.files import queries as files
from pannier.files.models import File
from pannier.files.storage import Storage
from pannier.imports import queries, reader
from pannier.imports.models import ImportRow, RowError, RowResult
from pannier.imports.program import SheetRow
from pannier.imports.reader import SheetReader
from pannier.imports.records import MappedColumns, RowGrouper
from pannier.imports.schemas import ImportRowFilters
from pannier.imports.service import ImportFileGone
from pannier.kit.spreadsheets import encode_rows, escape_formula
from pannier.web.exchange import Exchange
from pannier.web.streams import StreamedResponse, read_with_retries

MEDIA_TYPE: Final = "text/csv; charset=utf-8; header=present"
CONTENT_SCHEMA: Final[Mapping[str, object]] = {"text/csv": {"type": "string"}}
ERRORS_HEADER: Final = "Errors"
ROWS_PER_PART: Final = 100
BYTE_ORDER_MARK: Final = "\ufeff".encode()


async def start_export(
    exchange: Exchange, storage: Storage, db: Db, row: ImportRow
) -> StreamedResponse:
    """Start the download of an import's faulty rows, with their cells as in the file."""
    found = {} if row.file is None else await files.load_by_uuids(db, row.company, [row.file])
    if not found:
        raise ImportFileGone
    headers = {
        "Content-Type": MEDIA_TYPE,
        "Content-Disposition": f'attachment; filename="{row.public_id}-faulty-rows.csv"',
    }
    [file] = found.values()
    parts = _open_parts(exchange.edge.database, storage, row, file)
    return StreamedResponse(exchange, headers, parts)


@asynccontextmanager
async def _open_parts(
    database: Database, storage: Storage, row: ImportRow, file: File
) -> AsyncIterator[AsyncIterator[bytes]]:
    """Open the file, which is refused while too many are open, and encode its faulty rows."""
    async with (
        reader.open_sheet(storage, file, company=row.company) as sheet,
        aclosing(_encode_parts(database, row, sheet)) as parts,
    ):
        yield parts


async def _encode_parts(
    database: Database, row: ImportRow, sheet: SheetReader
) -> AsyncGenerator[bytes, None]:
    # Spreadsheets take a file without a mark for one in their own encoding.
    yield BYTE_ORDER_MARK
    yield encode_rows([[*map(escape_formula, row.headers), ERRORS_HEADER]])
    results = _read_results(database, row)
    result = await anext(results, None)
    grouper = RowGrouper(MappedColumns(row.resource, row.headers, row.mapping))
    lines: list[list[str]] = []
    faulty_number = None
    async for sheet_row in sheet.read_rows():
        grouper.add(sheet_row)
        number = grouper.open_number
        while result is not None and number is not None and result.number < number:
            result = await anext(results, None)
        if result is not None and result.number == number:
            errors = "" if number == faulty_number else describe_errors(result.errors)
            faulty_number = number
            lines.append(_to_cells(sheet_row, errors))
        elif result is None:
            break
        if len(lines) >= ROWS_PER_PART:
            yield encode_rows(lines)
            lines = []
    if lines:
        yield encode_rows(lines)


async def _read_results(database: Database, row: ImportRow) -> AsyncIterator[RowResult]:
    """Read the faulty results in pages, each in its own transaction."""
    filters = ImportRowFilters(state=["failed"], limit=100)
    while True:

        async def load_page(
            filters: ImportRowFilters = filters,
        ) -> tuple[list[RowResult], str | None]:
            async with database.reading() as db:
                page = await queries.list_rows(db, row.company, row.uuid, filters)
                return page.rows, page.next_cursor

        rows, cursor = await read_with_retries(load_page)
        for result in rows:
            yield result
        if cursor is None:
            return
        filters = msgspec.structs.replace(filters, cursor=cursor)


def _to_cells(row: SheetRow, errors: str) -> list[str]:
    return [*map(escape_formula, row.cells), escape_formula(errors)]


def describe_errors(errors: Sequence[RowError]) -> str:
    """Describe errors in one text."""
    return " ".join(
        error.message if error.column is None else f"{error.column}: {error.message}"
        for error in errors
    )
