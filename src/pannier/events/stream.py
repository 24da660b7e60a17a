"""Events as they are relayed, as server-sent events.

The relay numbers what it tells, one relay at a time: so numbers appear in their order, and whoever
comes back with the last one (`Last-Event-ID`) misses nothing and hears nothing twice, on whichever
machine. What is told is small; whoever wants to know more asks.
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
    """An event that was relayed, and its number."""

    place: int
    public_id: str
    name: Name
    subject: str
    created_at: datetime


async def following(
    exchange: Exchange, db: Db, company: UUID, filters: EventStreamFilters
) -> Streamed:
    """Answer with what is told from now on, or from where the reader was."""
    told = streams.last_heard(exchange) or filters.after or "now"
    place = await _place(db, company, told)
    names = None if filters.event is None else frozenset(filters.event)
    follower = Follower(exchange.edge.database, company, place, names)
    return streams.answer(exchange, follower)


async def _place(db: Db, company: UUID, told: str) -> int:
    """Read where a reader wants to go on; what lies ahead is of a database that was put back."""
    if told == "beginning":
        return 0
    last: int = await db.value(LAST, company=company)
    return last if told == "now" else min(last, read(db.database, company, told))


def spelled(database: Database, company: UUID, place: int) -> str:
    """Spell a place among a company's events."""
    said = _PLACE.pack(place)
    return crypto.to_text(database.keys.sign(PURPOSE, _scope(company) + said) + said)


def read(database: Database, company: UUID, text: str) -> int:
    """Read a place of ours back; anything else is refused."""
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
    """Reads what is relayed for one reader, from a place on."""

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
        """Read what is new, and spell it."""
        async with self._database.reading() as db:
            rows = await db.many(News, NEWS, company=self._company, place=self._place, page=PAGE)
        if rows:
            self._place = rows[-1].place
        meant = [row for row in rows if self._names is None or row.name in self._names]
        return Look(b"".join(self._told(row) for row in meant), more=len(rows) == PAGE)

    def _told(self, row: News) -> bytes:
        return b"id: %b\ndata: %b\n\n" % (self._spelled(row.place), encode(_out(row)))

    def beat(self) -> bytes:
        """Give a sign of life that scripts can see too, and say how far the reader has come."""
        return b"event: beat\nid: %b\ndata:\n\n" % self._spelled(self._place)

    def _spelled(self, place: int) -> bytes:
        return spelled(self._database, self._company, place).encode()
