"""Answers that go on for a while: bounded in number, and over when their reader is.

A transaction has ended before the first byte of one leaves. While it flows it holds a connection
to the database only for as long as it reads a piece.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

from msgspec import Meta

from pannier.db.pool import RETRY_DELAYS, passing
from pannier.errors import TooManyRequests
from pannier.web.exchange import ClientLeftError, Exchange

if TYPE_CHECKING:
    from litestar.types import Receive, Scope, Send

Value = TypeVar("Value")
# Where a stream that is followed goes on.
After = Annotated[
    Annotated[str, Meta(max_length=200)] | None,
    Meta(
        description="As `Last-Event-ID`, for whoever cannot send a header: an event's id in "
        "the stream, `beginning` or `now`.",
        examples=["now"],
    ),
]

MOST: Final = 200  # in a process
EACH: Final = 10  # of one caller in a process
# Seconds after which one that goes on by itself ends, and its reader comes back: so credentials are
# looked at again.
LIFE: Final = 600.0
RETRY_SECONDS: Final = 10.0


class TooManyStreams(TooManyRequests):
    """A caller follows or exports too much at once, or all callers together do."""

    code, title = "too_many_streams", "Too many streams and exports are open at once."


class Streams:
    """The answers of a process that are under way."""

    def __init__(self, most: int = MOST, each: int = EACH, life: float = LIFE) -> None:
        self._most, self._each, self.life = most, each, life
        self._open: Counter[str] = Counter()
        # Set when the process is about to end: nobody's stream may hold that up.
        self.closing = asyncio.Event()

    @contextmanager
    def place(self, who: str) -> Iterator[None]:
        """Take a place, or refuse one to whoever has enough of them."""
        if self._open.total() >= self._most or self._open[who] >= self._each:
            raise TooManyStreams(RETRY_SECONDS)
        self._open[who] += 1
        try:
            yield
        finally:
            self._open[who] -= 1
            self._open += Counter()  # forgets who has none

    def close(self) -> None:
        """Have all of them come to an end."""
        self.closing.set()


class Streamed:
    """An answer whose parts are made while it is sent, for somebody who is there to read it."""

    def __init__(
        self,
        streams: Streams,
        who: str,
        headers: Mapping[str, str],
        parts: AsyncIterator[bytes] | None,
    ) -> None:
        self._streams, self._who, self._headers, self._parts = streams, who, headers, parts

    async def __call__(self, _scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Send it; whoever leaves ends the work."""
        with self._streams.place(self._who):
            headers = [
                (name.lower().encode(), text.encode()) for name, text in self._headers.items()
            ]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": b"", "more_body": True})
            flowing = asyncio.create_task(self._flow(send))
            leaving = asyncio.create_task(_left(receive))
            try:
                await asyncio.wait({flowing, leaving}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                leaving.cancel()
                # One that was not done by itself has nobody left to read it.
                flowing.cancel()
                outcomes = await asyncio.gather(flowing, leaving, return_exceptions=True)
            if isinstance(outcomes[0], Exception):
                raise outcomes[0]
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _flow(self, send: "Send") -> None:
        if self._parts is not None:
            async for part in self._parts:
                await send({"type": "http.response.body", "body": part, "more_body": True})


async def _left(receive: "Receive") -> None:
    """Wait until the caller has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def run_while_connected(exchange: Exchange, work: Coroutine[Any, Any, Value]) -> Value:
    """Run long work for a caller; end it when the caller disconnects.

    The work must not use the request's transaction: it is cancelled wherever it is.
    """
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_left(exchange.receive))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientLeftError
        return working.result()
    finally:
        leaving.cancel()
        working.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def patiently(read: Callable[[], Awaitable[Value]]) -> Value:
    """Read a piece, again when the database is away for a moment: half an answer is none."""
    for delay in RETRY_DELAYS:
        try:
            return await read()
        except Exception as failure:
            if not passing(failure):
                raise
        await asyncio.sleep(delay)
    return await read()
