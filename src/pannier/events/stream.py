"""The stream of relayed events, as server-sent events.

The relay numbers events in commit order. A client that reconnects with the last number
(`Last-Event-ID`) misses nothing and receives nothing twice, on any machine. Messages are small;
clients load details by id.
"""

import struct
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Database, Db
from pannier.errors import CursorInvalid
from pannier.events.catalog import Name
from pannier.events.relay import CHANNEL
from pannier.events.schemas import EventStreamFilters, NewsOut
from pannier.kit import crypto
from pannier.web import following as streams
from pannier.web.exchange import Exchange
from pannier.web.following import Look
from pannier.web.spelling import encode
from pannier.web.streams import Streamed
from pannier.web.times import stamp

PAGE: Final = 500
PURPOSE: Final = "cursor"
_PLACE: Final = struct.Struct(">q")
NEWS: Final = """
    select place, public_id, name, subject, created_at
    from event_relays r join events on uuid = event
    where r.company = :company and place > :place order by place limit :page"""
LAST: Final = "select coalesce(max(place), 0) from event_relays where company = :company"


class News(msgspec.Struct):
    """A relayed event with its number."""

    place: int
    public_id: str
    name: Name
    subject: str
    created_at: datetime


async def following(
    exchange: Exchange, db: Db, company: UUID, filters: EventStreamFilters
) -> Streamed:
    """Start a stream from the client's last position, or from now on."""
    told = streams.last_heard(exchange) or filters.after or "now"
    place = await _place(db, company, told)
    names = None if filters.event is None else frozenset(filters.event)
    follower = Follower(exchange.edge.database, company, place, names)
    return streams.answer(exchange, follower)


async def _place(db: Db, company: UUID, told: str) -> int:
    """Return the number to continue after, at most the last one.

    A cursor can be ahead of the last number after a database was restored from a backup.
    """
    if told == "beginning":
        return 0
    last: int = await db.value(LAST, company=company)
    return last if told == "now" else min(last, read(db.database, company, told))


def spelled(database: Database, company: UUID, place: int) -> str:
    """Encode a position among a company's events as a signed cursor."""
    said = _PLACE.pack(place)
    return crypto.to_text(database.keys.sign(PURPOSE, _scope(company) + said) + said)


def read(database: Database, company: UUID, text: str) -> int:
    """Decode a cursor, or raise CursorInvalid if its signature is wrong."""
    data = crypto.from_text(text) or b""
    signature, said = data[: crypto.SIGNATURE_LENGTH], data[crypto.SIGNATURE_LENGTH :]
    if not database.keys.verified(PURPOSE, _scope(company) + said, signature):
        raise CursorInvalid
    place: int = _PLACE.unpack(said)[0]
    return place


def _scope(company: UUID) -> bytes:
    return f"event_relays|{company}|".encode()


def _out(row: News) -> NewsOut:
    return NewsOut(row.public_id, row.name, row.subject, stamp(row.created_at))


class Follower:
    """A reader of relayed events for one client, from a position on."""

    channel = CHANNEL

    def __init__(
        self,
        database: Database,
        company: UUID,
        place: int,
        names: frozenset[Name] | None,
    ) -> None:
        self._database, self._company, self._place = database, company, place
        self._names = names

    async def look(self) -> Look:
        """Read new events and encode them."""
        async with self._database.reading() as db:
            rows = await db.many(News, NEWS, company=self._company, place=self._place, page=PAGE)
        if rows:
            self._place = rows[-1].place
        meant = [row for row in rows if self._names is None or row.name in self._names]
        return Look(b"".join(self._told(row) for row in meant), more=len(rows) == PAGE)

    def _told(self, row: News) -> bytes:
        return b"id: %b\ndata: %b\n\n" % (self._spelled(row.place), encode(_out(row)))

    def beat(self) -> bytes:
        """Encode a keep-alive message with the current cursor, visible to scripts."""
        return b"event: beat\nid: %b\ndata:\n\n" % self._spelled(self._place)

    def _spelled(self, place: int) -> bytes:
        return spelled(self._database, self._company, place).encode()
