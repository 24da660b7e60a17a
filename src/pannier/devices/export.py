"""Exports of device events, in constant memory whatever their number.

Each page is read in its own transaction, so that none stays open for minutes. The next page is read
only when the client has received the last one.
"""

from collections.abc import AsyncIterator
from functools import partial
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Database, Db
from pannier.devices.events import queries
from pannier.devices.events.choice import EventChoice, resolve_choice
from pannier.devices.events.cursors import Mark
from pannier.devices.events.public_ids import PublicIdCache
from pannier.devices.events.schemas import DeviceEventOut, DeviceExportFilters
from pannier.devices.formats import FORMATS, ExportFormat
from pannier.devices.readings import MAX_CLOCK_AHEAD
from pannier.web.exchange import Exchange
from pannier.web.streams import StreamedResponse, read_with_retries

# Few enough that reading and encoding them delays other requests by milliseconds only.
ROWS_PER_PAGE: Final = 300
DEVICES_PER_READ: Final = 1000  # device numbers read at once


async def start_export(
    exchange: Exchange, db: Db, company: UUID, filters: DeviceExportFilters
) -> StreamedResponse:
    """Start the download of all events that match the filters."""
    writer = FORMATS[filters.format]()
    selection = await resolve_choice(db, company, filters)
    # Events that arrive during the export are left out, or a slow client would never finish.
    until = db.now + MAX_CLOCK_AHEAD
    if selection.until is None or selection.until > until:
        selection = msgspec.structs.replace(selection, until=until)
    export = Export(exchange.edge.database, selection)
    name = f"device-events-{db.now:%Y%m%dT%H%M%SZ}.{filters.format}"
    headers = {
        "Content-Type": writer.media_type,
        "Content-Disposition": f'attachment; filename="{name}"',
    }
    parts = export.encode_parts(writer, descending=filters.descending)
    return StreamedResponse(exchange, headers, parts)


class Export:
    """An export of all matching events, read page by page."""

    def __init__(self, database: Database, selection: EventChoice) -> None:
        self._database, self._selection = database, selection
        self._public_ids = PublicIdCache(selection.company)

    async def encode_parts(self, writer: ExportFormat, *, descending: bool) -> AsyncIterator[bytes]:
        """Yield the parts of the file: by time, or device by device in ascending order."""
        yield writer.start
        async for selection in (
            self._yield_selection_per_device()
            if writer.by_device
            else self._yield_whole_selection()
        ):
            is_descending = descending and not writer.by_device
            async for rows in self._yield_pages(selection, descending=is_descending):
                yield writer.encode(rows)
        yield writer.end

    async def _yield_whole_selection(self) -> AsyncIterator[EventChoice]:
        yield self._selection

    async def _yield_selection_per_device(self) -> AsyncIterator[EventChoice]:
        async for number in self._yield_device_numbers():
            spans = self._selection.spans
            if spans is not None:
                spans = tuple(span for span in spans if span.device_no == number)
            yield msgspec.structs.replace(self._selection, devices=(number,), spans=spans)

    async def _yield_pages(
        self, selection: EventChoice, *, descending: bool
    ) -> AsyncIterator[list[DeviceEventOut]]:
        last_mark: Mark | None = None
        while True:
            page = partial(self._load_page, selection, last_mark, descending=descending)
            rows, last_mark = await read_with_retries(page)
            if rows:
                yield rows
            if last_mark is None:
                return

    async def _load_page(
        self, selection: EventChoice, last_mark: Mark | None, *, descending: bool
    ) -> tuple[list[DeviceEventOut], Mark | None]:
        async with self._database.reading() as db:
            page = await queries.load_page(
                db, selection, limit=ROWS_PER_PAGE, last_mark=last_mark, descending=descending
            )
            return await self._public_ids.load_out(db, page.rows), page.next

    async def _yield_device_numbers(self) -> AsyncIterator[int]:
        """Yield the numbers of the matching devices."""
        if self._selection.spans is not None:
            for number in sorted({span.device_no for span in self._selection.spans}):
                yield number
        elif self._selection.devices is not None:
            for number in self._selection.devices:
                yield number
        else:
            numbers = [0]
            while numbers:
                numbers = await read_with_retries(partial(self._load_device_numbers, numbers[-1]))
                for number in numbers:
                    yield number

    async def _load_device_numbers(self, last_number: int) -> list[int]:
        async with self._database.reading() as db:
            numbers: list[int] = await db.fetch_value(
                """select coalesce(array_agg(number order by number), '{}') from (
                       select number from devices where company = :company and number > :after
                       order by number limit :limit) devices""",
                company=self._selection.company,
                after=last_number,
                limit=DEVICES_PER_READ,
            )
        return numbers
