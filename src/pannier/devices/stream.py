"""The stream of device events, as server-sent events.

It follows the feed, and the id of each message is a position there. A client that reconnects with
the last id (`Last-Event-ID`) misses nothing and receives nothing twice, on any machine.
"""

from functools import partial
from typing import Final
from uuid import UUID

from pannier.db import Database, Db
from pannier.devices.events import cursors, feed
from pannier.devices.events.choice import EventChoice, resolve_choice
from pannier.devices.events.cursors import FeedPosition
from pannier.devices.events.public_ids import PublicIdCache
from pannier.devices.events.schemas import DeviceStreamFilters
from pannier.devices.store import CHANNEL
from pannier.web import sse as streams
from pannier.web.exchange import Exchange
from pannier.web.serialization import encode
from pannier.web.sse import SseChunk
from pannier.web.streams import StreamedResponse

EVENTS_PER_READ: Final = 200


async def start_stream(
    exchange: Exchange, db: Db, company: UUID, filters: DeviceStreamFilters
) -> StreamedResponse:
    """Start a stream from the client's last position, or from now on."""
    position = streams.get_last_event_id(exchange) or filters.after or "now"
    source = DeviceEventSource(
        exchange.edge.database,
        company,
        filters,
        await feed.resolve_position(db, company, position),
        await resolve_choice(db, company, filters),
    )
    return streams.stream_events(exchange, source)


class DeviceEventSource:
    """A reader of the feed for one client, from a position on."""

    channel = CHANNEL
    signals = streams.NO_SIGNALS

    def __init__(
        self,
        database: Database,
        company: UUID,
        filters: DeviceStreamFilters,
        position: FeedPosition,
        selection: EventChoice,
    ) -> None:
        self._database, self.company, self._filters = database, company, filters
        self._position, self._selection = position, selection

    async def read_next(self) -> SseChunk:
        async with self._database.reading() as db:
            resolve_selection = partial(self._resolve_selection, db)
            page = await feed.read_page(
                db, self.company, resolve_selection, self._position, EVENTS_PER_READ
            )
            rows = await PublicIdCache(self.company).load_out(db, [row for _, row in page.events])
        self._position = page.next
        lines = (
            b"id: %b\ndata: %b\n\n" % (self._encode_position(position), encode(row))
            for (position, _), row in zip(page.events, rows, strict=True)
        )
        return SseChunk(b"".join(lines), has_more=page.more, must_wait=page.waiting)

    async def _resolve_selection(self, db: Db) -> EventChoice:
        if self._filters.vehicle is not None:
            # The devices on a vehicle change over time.
            self._selection = await resolve_choice(db, self.company, self._filters)
        return self._selection

    def heartbeat(self) -> bytes:
        """Encode a keep-alive message with the cursor, which moves past filtered events too."""
        return b": here\nid: %b\n\n" % self._encode_position(self._position)

    def _encode_position(self, position: FeedPosition) -> bytes:
        return cursors.encode_position(self._database.keys, self.company, position).encode()
