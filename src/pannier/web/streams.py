"""Answers that go on for a while: bounded in number, and over when their reader is.

A transaction has ended before the first byte of one leaves. While it flows it holds a connection
to the database only for as long as it reads a piece.
"""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar
from uuid import UUID

from msgspec import Meta

from pannier.db import Db
from pannier.db.pool import Retries, passing
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

# Open streams and exports in a process: all of them, those of a company, those of a caller.
MAX_OPEN: Final = 500
MAX_PER_COMPANY: Final = 100
MAX_PER_CALLER: Final = 10
# Seconds after which an endless stream ends; its reader comes back.
LIFE: Final = 600.0
# Seconds between two checks of a stream's credential, at most.
CHECK_SECONDS: Final = 3.0
RETRY_SECONDS: Final = 10.0


class TooManyStreams(TooManyRequests):
    """A caller, or all callers together, reached the limit of streams and exports."""

    code, title = "too_many_streams", "Too many streams and exports are open."
    remedy = "Close some, and try again."


class CredentialEndedError(Exception):
    """An answer was cut off because its caller's credential no longer allows it."""


class Streams:
    """The answers of a process that are under way."""

    def __init__(
        self,
        most: int = MAX_OPEN,
        per_caller: int = MAX_PER_CALLER,
        life: float = LIFE,
        per_company: int = MAX_PER_COMPANY,
        check_every: float = CHECK_SECONDS,
    ) -> None:
        self._most, self._per_caller, self._per_company = most, per_caller, per_company
        self.life, self.check_every = life, check_every
        self._callers: Counter[str] = Counter()
        self._companies: Counter[UUID] = Counter()
        # Set when the process is about to end: nobody's stream may hold that up.
        self.closing = asyncio.Event()

    @contextmanager
    def place(self, caller: str, company: UUID) -> Iterator[None]:
        """Take a place, or refuse one to a caller or a company that has enough of them."""
        if (
            self._callers.total() >= self._most
            or self._callers[caller] >= self._per_caller
            or self._companies[company] >= self._per_company
        ):
            raise TooManyStreams(RETRY_SECONDS)
        self._callers[caller] += 1
        self._companies[company] += 1
        try:
            yield
        finally:
            self._callers[caller] -= 1
            self._companies[company] -= 1
            # Forget those that have none.
            self._callers += Counter()
            self._companies += Counter()

    def close(self) -> None:
        """Have all of them come to an end."""
        self.closing.set()


class Streamed:
    """An answer whose parts are made while it is sent, for somebody who is there to read it.

    It ends within seconds when the caller's credential no longer allows it. An endless stream has
    a `farewell` to send then; anything else is broken off, because half an answer is none.
    """

    def __init__(
        self,
        exchange: Exchange,
        headers: Mapping[str, str],
        parts: AsyncIterator[bytes],
        farewell: bytes | None = None,
    ) -> None:
        self._exchange, self._headers, self._farewell = exchange, headers, farewell
        self._streams: Streams = exchange.edge.services["streams"]
        self._parts = parts if exchange.method == "GET" else None

    async def __call__(self, _scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Send it; whoever leaves ends the work."""
        caller = self._exchange.caller
        with self._streams.place(caller.public_id, caller.company):
            headers = [
                (name.lower().encode(), text.encode()) for name, text in self._headers.items()
            ]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": b"", "more_body": True})
            flowing = asyncio.create_task(self._flow(send))
            leaving = asyncio.create_task(_left(receive))
            ending = asyncio.create_task(self._ended())
            tasks = (flowing, leaving, ending)
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                ended = ending.done() and not (flowing.done() or leaving.done())
            finally:
                # A flow that was not done by itself has nobody left who may read it.
                for task in tasks:
                    task.cancel()
                outcomes = await asyncio.gather(*tasks, return_exceptions=True)
            for outcome in outcomes:
                if isinstance(outcome, Exception):
                    raise outcome
            if ended and self._farewell is None:
                raise CredentialEndedError
            farewell = (self._farewell or b"") if ended else b""
            await send({"type": "http.response.body", "body": farewell, "more_body": False})

    async def _flow(self, send: "Send") -> None:
        if self._parts is not None:
            async for part in self._parts:
                await send({"type": "http.response.body", "body": part, "more_body": True})

    async def _ended(self) -> None:
        """Wait until the caller's credential no longer allows this."""
        can_continue = self._exchange.can_continue
        if can_continue is None:
            raise RuntimeError("Only a caller whose credential can be checked again gets a stream.")
        held = True
        while held:
            # Not all at once, although thousands may have come back together after a restart.
            await asyncio.sleep(self._streams.check_every * random.uniform(0.5, 1))  # noqa: S311 - no secret
            held = await patiently(lambda: self._check(can_continue))

    async def _check(self, can_continue: Callable[[Db], Awaitable[bool]]) -> bool:
        async with self._exchange.edge.database.reading() as db:
            return await can_continue(db)


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
    retries = Retries()
    while True:
        try:
            return await read()
        except Exception as failure:
            if not passing(failure) or (pause := retries.next_pause()) is None:
                raise
        await asyncio.sleep(pause)
