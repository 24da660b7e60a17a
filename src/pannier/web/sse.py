"""Server-sent events: streams that continue from a client's last position.

A database notification triggers each read; without one, reads happen with every heartbeat. The
domain's SseSource reads and encodes the events.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol
from uuid import UUID

from pannier.db import Database
from pannier.web.exchange import Exchange
from pannier.web.streams import StreamedResponse, Streams, read_with_retries

# Seconds between heartbeats; minimum seconds between two reads, despite more notifications; and
# seconds to wait for an older transaction, at first and at most, since it may take minutes.
HEARTBEAT_SECONDS, MIN_READ_INTERVAL_SECONDS, FIRST_SETTLING_SECONDS, MAX_SETTLING_SECONDS = (
    15.0,
    0.25,
    0.1,
    1.0,
)
HEADERS: Final = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    # A proxy that buffers responses would delay the events.
    "X-Accel-Buffering": "no",
}

# Tells scripts not to reconnect with the same credential.
ENDED_EVENT: Final = b"event: ended\ndata:\n\n"


class SseChunk(NamedTuple):
    """The result of one read."""

    # New events, encoded.
    data: bytes
    # Whether more events are ready; whether events must wait for an older transaction to end.
    has_more: bool = False
    must_wait: bool = False


class Signal(asyncio.Event):
    """An event that tells a source which channel was notified, and wakes its stream."""

    def __init__(self) -> None:
        super().__init__()
        self.wakeup = asyncio.Event()

    def set(self) -> None:
        super().set()
        self.wakeup.set()


# For sources of one channel.
NO_SIGNALS: Final[Mapping[str, Signal]] = MappingProxyType({})


class SseSource(Protocol):
    """Reads events for one client, from a position on."""

    # The notification channel that announces new events, and the company whose events are read.
    channel: str
    company: UUID

    @property
    def signals(self) -> Mapping[str, Signal]:
        """Events that notifications of certain channels set, by channel."""

    async def read_next(self) -> SseChunk:
        """Read new events and advance the position past them."""

    def heartbeat(self) -> bytes:
        """Return a keep-alive message with the position, which may have moved without events."""


def stream_events(exchange: Exchange, source: SseSource) -> StreamedResponse:
    """Return a response that streams a source's events."""
    streams: Streams = exchange.edge.services["streams"]
    parts = _generate_parts(exchange.edge.database, streams, source)
    return StreamedResponse(exchange, HEADERS, parts, ENDED_EVENT)


def get_last_event_id(exchange: Exchange) -> str:
    """Return the client's last position from `Last-Event-ID`, or an empty text."""
    return exchange.headers.get(b"last-event-id", b"").decode("latin-1")


async def _generate_parts(
    database: Database, streams: Streams, source: SseSource
) -> AsyncIterator[bytes]:
    """Generate the stream until its time limit or the end of the process.

    While it catches up, it takes turns with the company's other streams.
    """
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + streams.max_seconds
    # With this, a client that loses the connection before the first event can resume.
    yield b"retry: 1000\n\n" + source.heartbeat()
    # Notifications may be about events of other clients only: heartbeats must continue.
    last_sent_at, settling_seconds = loop.time(), FIRST_SETTLING_SECONDS
    is_behind = True
    with _listen(database, source) as wakeup:
        while True:
            wakeup.clear()
            async with streams.catch_ups.wait_turn(source.company) if is_behind else nullcontext():
                batch = await read_with_retries(source.read_next)
            is_behind = batch.has_more
            if batch.data or loop.time() >= last_sent_at + HEARTBEAT_SECONDS:
                yield batch.data or source.heartbeat()
                last_sent_at = loop.time()
            if streams.closing.is_set() or loop.time() >= ends_at:
                return
            if batch.has_more:
                continue
            if batch.must_wait:
                await _wait_for_wakeup(streams, None, settling_seconds)
                settling_seconds = min(2 * settling_seconds, MAX_SETTLING_SECONDS)
                continue
            settling_seconds = FIRST_SETTLING_SECONDS
            if await _wait_for_wakeup(
                streams, wakeup, last_sent_at + HEARTBEAT_SECONDS - loop.time()
            ):
                await _wait_for_wakeup(streams, None, MIN_READ_INTERVAL_SECONDS)


@contextmanager
def _listen(database: Database, source: SseSource) -> Iterator[asyncio.Event]:
    """Listen to the channels of a source. The event is set by notifications for its company."""
    wakeup = asyncio.Event()
    with ExitStack() as channels:
        listen = database.listener.listen
        channels.enter_context(listen(source.channel, wakeup, company=source.company))
        for channel, signal in source.signals.items():
            signal.wakeup = wakeup
            channels.enter_context(listen(channel, signal, company=source.company))
        yield wakeup


async def _wait_for_wakeup(streams: Streams, wakeup: asyncio.Event | None, seconds: float) -> bool:
    """Wait for a notification or the shutdown; return False after the time limit."""
    events = [streams.closing, *([wakeup] if wakeup is not None else [])]
    tasks = [asyncio.create_task(event.wait()) for event in events]
    try:
        done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return bool(done)
