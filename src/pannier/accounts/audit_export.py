"""The export of the audit log as CSV or NDJSON, in constant memory whatever its size.

Each page is read in its own transaction, and only when the client has received the last one.
"""

from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Final, Literal
from uuid import UUID

import msgspec

from pannier.accounts import queries
from pannier.accounts.schemas import AuditExportFilters, AuditFilters, AuditOut
from pannier.db import Database, Db, Page
from pannier.db.audit import AuditEntry
from pannier.kit.spreadsheets import encode_rows, escape_formula
from pannier.web.exchange import Exchange
from pannier.web.serialization import encode
from pannier.web.streams import StreamedResponse, read_with_retries

ROWS_PER_PAGE: Final = 500
MEDIA_TYPES: Final[dict[Literal["csv", "ndjson"], str]] = {
    "csv": "text/csv; charset=utf-8; header=present",
    "ndjson": "application/x-ndjson",
}
RESPONSES: Final = {media_type: {"type": "string"} for media_type in MEDIA_TYPES.values()}


async def start_export(
    exchange: Exchange, db: Db, company: UUID, filters: AuditExportFilters
) -> StreamedResponse:
    """Start the download of all entries that match the filters, oldest first."""
    # Entries that are written during the export are left out, or it might never end.
    until = db.now if filters.until is None else min(filters.until, db.now)
    page_filters = AuditFilters(
        limit=ROWS_PER_PAGE,
        sort="created_at",
        action=filters.action,
        actor=filters.actor,
        subject=filters.subject,
        since=filters.since,
        until=until,
    )
    headers = {
        "Content-Type": MEDIA_TYPES[filters.format],
        "Content-Disposition": 'attachment; filename="'
        f'audit-{db.now:%Y%m%dT%H%M%SZ}.{filters.format}"',
    }
    encode_entries = _encode_csv if filters.format == "csv" else _encode_lines
    pages = _read_pages(exchange.edge.database, company, page_filters)

    async def encode_parts() -> AsyncIterator[bytes]:
        if filters.format == "csv":
            yield encode_rows([AuditOut.__struct_fields__])
        async for entries in pages:
            yield encode_entries(entries)

    return StreamedResponse(exchange, headers, encode_parts())


async def _read_pages(
    database: Database, company: UUID, filters: AuditFilters
) -> AsyncIterator[list[AuditOut]]:
    has_more = True
    while has_more:
        page = await read_with_retries(partial(_read_page, database, company, filters))
        yield page.map(AuditOut.from_row)
        has_more = page.next_cursor is not None
        filters = msgspec.structs.replace(filters, cursor=page.next_cursor)


async def _read_page(database: Database, company: UUID, filters: AuditFilters) -> Page[AuditEntry]:
    async with database.reading() as db:
        return await queries.list_audit_entries(db, company, filters)


def _encode_lines(entries: Sequence[AuditOut]) -> bytes:
    return b"".join(encode(entry) + b"\n" for entry in entries)


def _encode_csv(entries: Sequence[AuditOut]) -> bytes:
    return encode_rows(map(_to_cells, entries))


def _to_cells(entry: AuditOut) -> list[object]:
    values = msgspec.to_builtins(entry)
    return [
        escape_formula(value) if isinstance(value, str) else encode(value).decode()
        for value in (values[name] for name in AuditOut.__struct_fields__)
    ]
