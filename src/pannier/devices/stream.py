"""Device events as they come in, as server-sent events.

A stream is the feed, told piece by piece: the id of each event is its place there. So whoever comes
back with the last one (`Last-Event-ID`) misses nothing and hears nothing twice, on whichever
machine. The bell says when to look; without it, a stream looks as often as it gives a sign of life.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Final
from uuid import UUID

from pannier.db import Database, Db
from pannier.devices.events import cursors, feed
from pannier.devices.events.choice import Choice, chosen
from pannier.devices.events.cursors import Spot
from pannier.devices.events.feed import Fed
from pannier.devices.events.names import Names
from pannier.devices.events.schemas import DeviceStreamFilters
from pannier.devices.store import CHANNEL
from pannier.web.exchange import Exchange
from pannier.web.spelling import encode
from pannier.web.streams import Streamed, Streams, patiently

PAGE: Final = 200
# Seconds: between signs of life; between two looks, however often it rings; and until an older
# transaction may have ended, at first and, as it may take minutes, later.
BEAT, REST, SETTLING, SETTLED = 15.0, 0.25, 0.1, 1.0
HEADERS: Final = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    # A proxy that gathers what it passes on would keep news to itself.
    "X-Accel-Buffering": "no",
}


async def following(
    exchange: Exchange, db: Db, company: UUID, filters: DeviceStreamFilters
) -> Streamed:
    """Answer with what comes in from now on, or from where the reader was."""
    told = exchange.headers.get(b"last-event-id", b"").decode("latin-1") or filters.after or "now"
    follower = Follower(
        exchange.edge.database,
        exchange.edge.services["streams"],
        company,
        filters,
        await feed.spot(db, company, told),
        await chosen(db, company, filters),
    )
    parts = follower.parts() if exchange.method == "GET" else None
    return Streamed(follower.streams, exchange.caller.public_id, HEADERS, parts)


class Follower:
    """Reads the feed for one reader, from a place on."""

    def __init__(
        self,
        database: Database,
        streams: Streams,
        company: UUID,
        filters: DeviceStreamFilters,
        place: Spot,
        choice: Choice,
    ) -> None:
        self._database, self.streams = database, streams
        self._company, self._filters = company, filters
        self._place, self._choice = place, choice

    async def parts(self) -> AsyncIterator[bytes]:
        """Make the stream, until its time is over or the process ends."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + self.streams.life
        yield b"retry: 1000\n\n"
        # It may ring all the time for what others read: a sign of life is due nevertheless.
        said, settling = loop.time(), SETTLING
        with self._database.ear.hearing(CHANNEL) as bell:
            while True:
                bell.clear()
                fed, told = await patiently(self._look)
                if told or loop.time() >= said + BEAT:
                    yield told or self._beat()
                    said = loop.time()
                if self.streams.closing.is_set() or loop.time() >= ends:
                    return
                if fed.more:
                    continue
                if fed.waiting:
                    await self._first(None, settling)
                    settling = min(2 * settling, SETTLED)
                    continue
                settling = SETTLING
                if await self._first(bell, said + BEAT - loop.time()):
                    await self._first(None, REST)

    async def _look(self) -> tuple[Fed, bytes]:
        """Read what is new, and spell it."""
        async with self._database.reading() as db:
            if self._filters.vehicle is not None:
                # What is on a vehicle changes.
                self._choice = await chosen(db, self._company, self._filters)
            fed = await feed.after(db, self._choice, self._place, PAGE)
            rows = await Names(self._company).spelled(db, [row for _, row in fed.events])
        self._place = fed.next
        lines = (
            b"id: %b\ndata: %b\n\n" % (self._spelled(spot), encode(row))
            for (spot, _), row in zip(fed.events, rows, strict=True)
        )
        return fed, b"".join(lines)

    def _beat(self) -> bytes:
        """Give a sign of life, and say how far the reader has come, if only past others' events."""
        return b": here\nid: %b\n\n" % self._spelled(self._place)

    def _spelled(self, spot: Spot) -> bytes:
        return cursors.spot_text(self._database.keys, self._company, spot).encode()

    async def _first(self, bell: asyncio.Event | None, seconds: float) -> bool:
        """Wait so long, or until it rings or all is over; tell whether it was not just time."""
        events = [self.streams.closing, *([bell] if bell is not None else [])]
        tasks = [asyncio.create_task(event.wait()) for event in events]
        try:
            done, _ = await asyncio.wait(
                tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return bool(done)
