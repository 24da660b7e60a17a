"""Server-sent events: streams that continue from a client's last position.

A database notification triggers each read; without one, reads happen with every heartbeat. The
domain's SseSource reads and encodes the events.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Final, NamedTuple, Protocol

from pannier.db import Database
from pannier.web.exchange import Exchange
from pannier.web.streams import Streamed, Streams, patiently

# Seconds between heartbeats; minimum seconds between two reads, despite more notifications; and
# seconds to wait for an older transaction, at first and at most, since it may take minutes.
BEAT, REST, SETTLING, SETTLED = 15.0, 0.25, 0.1, 1.0
HEADERS: Final = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    # A proxy that buffers responses would delay the events.
    "X-Accel-Buffering": "no",
}

# Tells scripts not to reconnect with the same credential.
FAREWELL: Final = b"event: ended\ndata:\n\n"


class Look(NamedTuple):
    """The result of one read."""

    # New events, encoded.
    told: bytes
    # Whether more events are ready; whether events must wait for an older transaction to end.
    more: bool = False
    waiting: bool = False


class Follower(Protocol):
    """Reads events for one client, from a position on."""

    # The notification channel that announces new events.
    channel: str

    async def look(self) -> Look:
        """Read new events and advance the position past them."""

    def beat(self) -> bytes:
        """Return a keep-alive message with the position, which may have moved without events."""


def answer(exchange: Exchange, follower: Follower) -> Streamed:
    """Return a response that streams a source's events."""
    streams: Streams = exchange.edge.services["streams"]
    parts = _parts(exchange.edge.database, streams, follower)
    return Streamed(exchange, HEADERS, parts, FAREWELL)


def last_heard(exchange: Exchange) -> str:
    """Return the client's last position from `Last-Event-ID`, or an empty text."""
    return exchange.headers.get(b"last-event-id", b"").decode("latin-1")


async def _parts(database: Database, streams: Streams, follower: Follower) -> AsyncIterator[bytes]:
    """Generate the stream until its time limit or the end of the process."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + streams.life
    # With this, a client that loses the connection before the first event can resume.
    yield b"retry: 1000\n\n" + follower.beat()
    # Notifications may be about events of other clients only: heartbeats must continue.
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
    """Wait for a notification or the shutdown; return False after the time limit."""
    events = [streams.closing, *([bell] if bell is not None else [])]
    tasks = [asyncio.create_task(event.wait()) for event in events]
    try:
        done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return bool(done)
