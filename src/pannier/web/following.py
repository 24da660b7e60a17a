"""Following: what comes in, told as server-sent events, from wherever a reader was.

The bell says when to look; without it, one looks as often as a sign of life is given. How one looks
and what is told is the domain's.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Final, NamedTuple, Protocol

from pannier.db import Database
from pannier.web.exchange import Exchange
from pannier.web.streams import Streamed, Streams, patiently

# Seconds: between signs of life; between two looks, however often it rings; and until an older
# transaction may have ended, at first and, as it may take minutes, later.
BEAT, REST, SETTLING, SETTLED = 15.0, 0.25, 0.1, 1.0
HEADERS: Final = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    # A proxy that gathers what it passes on would keep news to itself.
    "X-Accel-Buffering": "no",
}

# Tells scripts that they need not come back with the same credential.
FAREWELL: Final = b"event: ended\ndata:\n\n"


class Look(NamedTuple):
    """What a look found."""

    # What is new, as it is sent.
    told: bytes
    # Whether there is more already; or something that must wait for an older transaction to end.
    more: bool = False
    waiting: bool = False


class Follower(Protocol):
    """Reads on for one reader, from a place on."""

    # What is rung when there may be something new.
    channel: str

    async def look(self) -> Look:
        """Read what is new, and go on to its end."""

    def beat(self) -> bytes:
        """Give a sign of life, and say how far the reader has come, if only past others' news."""


def answer(exchange: Exchange, follower: Follower) -> Streamed:
    """Answer with what a follower finds, for whoever is there to read it."""
    streams: Streams = exchange.edge.services["streams"]
    parts = _parts(exchange.edge.database, streams, follower)
    return Streamed(exchange, HEADERS, parts, FAREWELL)


def last_heard(exchange: Exchange) -> str:
    """Read how far somebody says that they have come; nothing is the empty text."""
    return exchange.headers.get(b"last-event-id", b"").decode("latin-1")


async def _parts(database: Database, streams: Streams, follower: Follower) -> AsyncIterator[bytes]:
    """Make the stream, until its time is over or the process ends."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + streams.life
    # Whoever loses the connection before the first news came knows where to go on.
    yield b"retry: 1000\n\n" + follower.beat()
    # It may ring all the time for what others read: a sign of life is due nevertheless.
    said, settling = loop.time(), SETTLING
    with database.ear.hearing(follower.channel) as bell:
        while True:
            bell.clear()
            found = await patiently(follower.look)
            if found.told or loop.time() >= said + BEAT:
                yield found.told or follower.beat()
                said = loop.time()
            if streams.closing.is_set() or loop.time() >= ends:
                return
            if found.more:
                continue
            if found.waiting:
                await _first(streams, None, settling)
                settling = min(2 * settling, SETTLED)
                continue
            settling = SETTLING
            if await _first(streams, bell, said + BEAT - loop.time()):
                await _first(streams, None, REST)


async def _first(streams: Streams, bell: asyncio.Event | None, seconds: float) -> bool:
    """Wait so long, or until it rings or all is over; tell whether it was not just time."""
    events = [streams.closing, *([bell] if bell is not None else [])]
    tasks = [asyncio.create_task(event.wait()) for event in events]
    try:
        done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return bool(done)
