"""Exports of lists as CSV: all rows that match the filters, in constant memory.

Rows come from the API that also fills the list, page by page, each in its own transaction.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from pannier.console import lookup
from pannier.console.api_client import ApiClient, ListPage
from pannier.console.forms import Field
from pannier.console.session import FormData
from pannier.kit import money
from pannier.kit.spreadsheets import encode_rows, escape_formula
from pannier.web.streams import StreamedResponse, read_with_retries

MEDIA_TYPE: Final = "text/csv; charset=utf-8; header=present"
# Spreadsheets take a file without a mark for one in their own encoding.
BYTE_ORDER_MARK: Final = "\ufeff".encode()
AMOUNT_SUFFIXES: Final = ("amount", "balance", "_fee")
# Loads the page after a cursor.
PageLoader = Callable[[str | None], Awaitable[ListPage]]
# Lists a page of rows by the query of a list's URL.
QueryLoader = Callable[[ApiClient, Mapping[str, str]], Awaitable[ListPage]]


async def export_list(
    client: ApiClient, name: str, filters: Sequence[Field], load_rows: QueryLoader
) -> StreamedResponse:
    """Start the download of all rows that match the filters in the page's URL."""
    query = await lookup.resolve_filters(client, filters, dict(FormData(client.exchange.query)))

    async def load_page(cursor: str | None) -> ListPage:
        return await load_rows(client, {**query, "cursor": cursor or ""})

    return await start_export(client, name, load_page)


async def start_export(client: ApiClient, name: str, load_page: PageLoader) -> StreamedResponse:
    """Start the download of a list. A filter that the API refuses is refused here."""
    page = await load_page(None)
    file_name = f"{name.replace('/', '-')}-{client.exchange.db.now:%Y%m%dT%H%M%SZ}.csv"
    headers = {
        "Content-Type": MEDIA_TYPE,
        "Content-Disposition": f'attachment; filename="{file_name}"',
    }
    return StreamedResponse(client.exchange, headers, _encode_parts(client, page, load_page))


async def _encode_parts(
    client: ApiClient, page: ListPage, load_page: PageLoader
) -> AsyncIterator[bytes]:
    # All rows of a list have the same fields.
    names = list(page.rows[0]) if page.rows else ["id"]
    yield BYTE_ORDER_MARK + encode_rows([names])
    while True:
        if page.rows:
            yield encode_rows([_to_cells(row, names) for row in page.rows])
        cursor = page.cursor
        if cursor is None:
            return

        async def load_next(cursor: str = cursor) -> ListPage:
            # The transaction of the request has ended.
            async with client.exchange.edge.database.reading() as db:
                client.exchange.db = db
                return await load_page(cursor)

        page = await read_with_retries(load_next)


def _to_cells(row: Mapping[str, Any], names: Sequence[str]) -> list[object]:
    currency = row.get("currency") or row.get("cod_currency")
    return [to_cell(name, row.get(name), currency) for name in names]


def to_cell(name: str, value: Any, currency: str | None = None) -> object:  # noqa: ANN401 - JSON
    """Convert a value of the API to a cell. Amounts are decimals, which spreadsheets can add up."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case int() if currency and name.endswith(AMOUNT_SUFFIXES):
            return money.to_major_units(value, currency)
        case int() | float():
            return value
        case str():
            return escape_formula(value)
        case {"type": "Point", "coordinates": [longitude, latitude]}:
            return f"{latitude},{longitude}" if latitude >= 0 else f"'{latitude},{longitude}"
        case {"name": str() as label}:
            return escape_formula(label)
        case list() if all(isinstance(item, str) for item in value):
            return escape_formula("; ".join(value))
    return "" if not value else msgspec.json.encode(value).decode()
