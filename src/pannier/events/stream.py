"""The stream of relayed events, as server-sent events.

The relay numbers events in commit order. A client that reconnects with the last number
(`Last-Event-ID`) misses nothing and receives nothing twice, on any machine. Messages are small;
clients load details by id.
"""

import struct
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, ClassVar, Final, Generic, TypeVar
from uuid import UUID

import msgspec

from pannier.db import Database, Db
from pannier.db.cursors import open_cursor, seal_cursor
from pannier.events.catalog import Name
from pannier.events.relay import CHANNEL
from pannier.events.schemas import EventStreamFilters, StreamedEventOut
from pannier.web import sse as streams
from pannier.web.exchange import Exchange
from pannier.web.serialization import encode
from pannier.web.sse import SseChunk
from pannier.web.streams import StreamedResponse
from pannier.web.times import to_rfc3339

PAGE_SIZE: Final = 500
_POSITION: Final = struct.Struct(">q")
NEW_EVENTS: Final = """
    select place, public_id, name, subject, created_at
    from event_relays r join events on uuid = event
    where r.company = :company and place > :place order by place limit :page"""
LAST_POSITION: Final = "select coalesce(max(place), 0) from event_relays where company = :company"


class RelayedEvent(msgspec.Struct):
    """A relayed event with its number."""

    place: int
    public_id: str
    name: Name
    subject: str
    created_at: datetime


Relayed = TypeVar("Relayed", bound=RelayedEvent)


async def open_stream(
    exchange: Exchange, db: Db, company: UUID, filters: EventStreamFilters
) -> StreamedResponse:
    """Start a stream from the client's last position, or from now on."""
    return streams.stream_events(exchange, await make_follower(exchange, db, company, filters))


async def make_follower(
    exchange: Exchange, db: Db, company: UUID, filters: EventStreamFilters
) -> "EventFollower":
    """Make a reader of the events after the client's last position, or from now on."""
    position = await load_start(exchange, db, company, filters.after)
    names = None if filters.event is None else frozenset(filters.event)
    return EventFollower(exchange.edge.database, company, position, names)


async def load_start(exchange: Exchange, db: Db, company: UUID, after: str | None) -> int:
    """Return the number after which a client's stream starts: its last position, or now."""
    cursor = streams.get_last_event_id(exchange) or after or "now"
    return await _load_position(db, company, cursor)


async def _load_position(db: Db, company: UUID, cursor: str) -> int:
    """Return the number to continue after, at most the last one.

    A cursor can be ahead of the last number after a database was restored from a backup.
    """
    if cursor == "beginning":
        return 0
    last_position: int = await db.fetch_value(LAST_POSITION, company=company)
    return (
        last_position
        if cursor == "now"
        else min(last_position, decode_cursor(db.database, company, cursor))
    )


def encode_cursor(database: Database, company: UUID, position: int) -> str:
    """Encode a position among a company's events. The cursor does not show the number."""
    return seal_cursor(database.keys, _make_scope(company), _POSITION.pack(position))


def decode_cursor(database: Database, company: UUID, text: str) -> int:
    """Decode a cursor, or raise CursorInvalid if it is not one of this company's events."""
    payload = open_cursor(database.keys, _make_scope(company), text)
    position: int = _POSITION.unpack(payload)[0]
    return position


def _make_scope(company: UUID) -> bytes:
    return f"event_relays|{company}|".encode()


def _to_out(row: RelayedEvent) -> StreamedEventOut:
    return StreamedEventOut(row.public_id, row.name, row.subject, to_rfc3339(row.created_at))


class Follower(ABC, Generic[Relayed]):
    """Reads relayed events for one client, starting after a position.

    `statement` loads at most `page_size` rows after `:place`, in their order.
    """

    channel = CHANNEL
    signals = streams.NO_SIGNALS
    row_type: type[Relayed]
    statement: ClassVar[str]
    page_size: ClassVar[int]

    def __init__(
        self,
        database: Database,
        company: UUID,
        position: int,
        names: Collection[Name] | None,
    ) -> None:
        self._database, self.company, self._position = database, company, position
        self._names = names

    async def read_next(self) -> SseChunk:
        """Read new events and encode them."""
        async with self._database.reading() as db:
            rows = await db.fetch_all(self.row_type, self.statement, **self._make_values())
        if rows:
            self._position = rows[-1].place
        parts = [
            b"id: %b\ndata: %b\n\n" % (self._encode_cursor(row.place), self.to_data(row))
            for row in rows
            if self._names is None or row.name in self._names
        ]
        return SseChunk(b"".join(parts), has_more=self._is_full(rows))

    def _make_values(self) -> dict[str, Any]:
        """Return the values of the statement."""
        return {"company": self.company, "place": self._position, "page": self.page_size}

    def _is_full(self, rows: Sequence[Relayed]) -> bool:
        """Tell whether more events may follow these."""
        return len(rows) == self.page_size

    @abstractmethod
    def to_data(self, row: Relayed) -> bytes:
        """Encode an event as JSON."""

    def heartbeat(self) -> bytes:
        """Encode a keep-alive message with the current cursor, visible to scripts."""
        return b"event: beat\nid: %b\ndata:\n\n" % self._encode_cursor(self._position)

    def _encode_cursor(self, position: int) -> bytes:
        return encode_cursor(self._database, self.company, position).encode()


class EventFollower(Follower[RelayedEvent]):
    """Reads the id, name and subject of events."""

    row_type = RelayedEvent
    statement = NEW_EVENTS
    page_size = PAGE_SIZE

    def to_data(self, row: RelayedEvent) -> bytes:
        """Encode an event without its body."""
        return encode(_to_out(row))
