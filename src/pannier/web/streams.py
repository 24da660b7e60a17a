"""Streamed responses: limited in number, and ended when the client disconnects.

The transaction has ended before the first byte is sent. A stream holds a database connection only
while it reads a part.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar
from uuid import UUID

from msgspec import Meta

from pannier.db import Db
from pannier.db.database import RetrySchedule, is_transient
from pannier.errors import TooManyRequests
from pannier.web.exchange import ClientDisconnectedError, Exchange
from pannier.web.fair_queue import FairQueue

if TYPE_CHECKING:
    from litestar.types import Receive, Scope, Send

Value = TypeVar("Value")
# The position at which a stream continues.
AfterParameter = Annotated[
    Annotated[str, Meta(max_length=200)] | None,
    Meta(
        description="Same as `Last-Event-ID`, for clients that cannot send headers: an event's "
        "id in the stream, `beginning` or `now`.",
        examples=["now"],
    ),
]

# Open streams and exports in a process: in total, per company and per caller.
MAX_STREAMS: Final = 500
MAX_PER_COMPANY: Final = 100
MAX_PER_CALLER: Final = 10
# Seconds after which an endless stream ends; the client then reconnects.
MAX_STREAM_SECONDS: Final = 600.0
# Seconds after which an export that occupies a process of its own is aborted. A client that stops
# reading would otherwise occupy it forever.
MAX_EXPORT_SECONDS: Final = 300.0
# Maximum seconds between two checks of a stream's credential.
CREDENTIAL_CHECK_SECONDS: Final = 3.0
RETRY_SECONDS: Final = 10.0
# Parts of exports that a process generates at a time: in total, and per company.
MAX_EXPORTED_PARTS: Final = 4
MAX_EXPORTED_PARTS_PER_COMPANY: Final = 1


class TooManyStreams(TooManyRequests):
    """The limit per caller, or the limit for all callers together, was reached."""

    code, title = "too_many_streams", "Too many streams and exports are open."
    remedy = "Close some, and try again."


def _refuse() -> TooManyStreams:
    return TooManyStreams(RETRY_SECONDS)


def _make_part_queue(max_waiting: int) -> FairQueue:
    return FairQueue(
        _refuse,
        company_places=MAX_EXPORTED_PARTS_PER_COMPANY,
        places=MAX_EXPORTED_PARTS,
        company_waiting=max_waiting,
        rest=1.0,
    )


class CredentialEndedError(Exception):
    """A response was aborted because the caller's credential is no longer valid."""


class ExportTimeoutError(Exception):
    """A response was aborted because sending it took too long."""


class Streams:
    """The open streams of a process."""

    def __init__(
        self,
        max_open: int = MAX_STREAMS,
        max_per_caller: int = MAX_PER_CALLER,
        max_seconds: float = MAX_STREAM_SECONDS,
        max_per_company: int = MAX_PER_COMPANY,
        check_seconds: float = CREDENTIAL_CHECK_SECONDS,
        max_export_seconds: float = MAX_EXPORT_SECONDS,
    ) -> None:
        self._callers = FairQueue(_refuse, company_places=max_per_caller)
        self._companies = FairQueue(_refuse, company_places=max_per_company, places=max_open)
        # Parts of exports, and of streams that catch up.
        self.exports, self.catch_ups = (_make_part_queue(max_per_company) for _ in range(2))
        self.max_seconds, self.check_seconds = max_seconds, check_seconds
        self.max_export_seconds = max_export_seconds
        # Set at shutdown, which streams must not delay.
        self.closing = asyncio.Event()

    @contextmanager
    def claim_slot(self, caller: str, company: UUID) -> Iterator[None]:
        """Count an open stream, or raise TooManyStreams."""
        with self._callers.claim_place(caller), self._companies.claim_place(company):
            yield

    async def share_turns(self, company: UUID, parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Yield the parts of an export, one of the company's at a time.

        Reading and encoding a part takes the event loop milliseconds. So the company's exports then
        rest for as long as the part took, and other requests run as quickly as before.
        """
        while True:
            async with self.exports.wait_turn(company):
                part = await anext(parts, None)
            if part is None:
                return
            yield part

    def close(self) -> None:
        """End all streams."""
        self.closing.set()


class StreamedResponse:
    """A response whose parts are generated while it is sent.

    It ends within seconds after the caller's credential becomes invalid. An endless stream then
    sends its `final_part`; any other response is aborted, because it is incomplete.

    Parts whose generation occupies a resource are given as a context manager. It is opened before
    the response begins, so that its failure is an error response, and closed after a limited time.
    """

    def __init__(
        self,
        exchange: Exchange,
        headers: Mapping[str, str],
        parts: AsyncIterator[bytes] | AbstractAsyncContextManager[AsyncIterator[bytes]],
        final_part: bytes | None = None,
    ) -> None:
        self._exchange, self._headers, self._final_part = exchange, headers, final_part
        self._streams: Streams = exchange.edge.services["streams"]
        self._parts = parts if exchange.method == "GET" else None

    async def __call__(self, _scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Send the response; stop when the client disconnects."""
        caller, parts = self._exchange.caller, self._parts
        async with AsyncExitStack() as stack:
            stack.enter_context(self._streams.claim_slot(caller.public_id, caller.company))
            max_seconds = None
            if isinstance(parts, AbstractAsyncContextManager):
                max_seconds = self._streams.max_export_seconds
                parts = await stack.enter_async_context(parts)
            elif parts is not None and self._final_part is None:
                parts = self._streams.share_turns(caller.company, parts)
            await self._send(parts, max_seconds, receive, send)

    async def _send(
        self,
        parts: AsyncIterator[bytes] | None,
        max_seconds: float | None,
        receive: "Receive",
        send: "Send",
    ) -> None:
        headers = [(name.lower().encode(), text.encode()) for name, text in self._headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"", "more_body": True})
        send_task = asyncio.create_task(_send_parts(parts, send))
        disconnect_task = asyncio.create_task(_wait_for_disconnect(receive))
        credential_task = asyncio.create_task(self._wait_until_credential_ends())
        tasks = (send_task, disconnect_task, credential_task)
        try:
            done, _ = await asyncio.wait(
                tasks, timeout=max_seconds, return_when=asyncio.FIRST_COMPLETED
            )
            has_credential_ended = done == {credential_task}
        finally:
            # Nobody reads the rest of an unfinished stream.
            for task in tasks:
                task.cancel()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome
        if not done:
            raise ExportTimeoutError
        if has_credential_ended and self._final_part is None:
            raise CredentialEndedError
        final_part = (self._final_part or b"") if has_credential_ended else b""
        await send({"type": "http.response.body", "body": final_part, "more_body": False})

    async def _wait_until_credential_ends(self) -> None:
        """Wait until the caller's credential is no longer valid."""
        can_continue = self._exchange.can_continue
        if can_continue is None:
            raise RuntimeError("A stream needs a caller whose credential can be checked again.")
        is_allowed = True
        while is_allowed:
            # Randomized, because thousands of clients may have reconnected at once.
            await asyncio.sleep(self._streams.check_seconds * random.uniform(0.5, 1))  # noqa: S311 - no secret
            is_allowed = await read_with_retries(lambda: self._is_allowed(can_continue))

    async def _is_allowed(self, can_continue: Callable[[Db], Awaitable[bool]]) -> bool:
        async with self._exchange.edge.database.reading() as db:
            return await can_continue(db)


async def _send_parts(parts: AsyncIterator[bytes] | None, send: "Send") -> None:
    if parts is not None:
        async for part in parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})


async def _wait_for_disconnect(receive: "Receive") -> None:
    """Wait until the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def run_while_connected(exchange: Exchange, work: Coroutine[Any, Any, Value]) -> Value:
    """Run long work for a caller; cancel it when the client disconnects.

    The work must not use the request's transaction, because it can be cancelled at any point.
    """
    task = asyncio.create_task(work)
    disconnect_task = asyncio.create_task(_wait_for_disconnect(exchange.receive))
    try:
        await asyncio.wait({task, disconnect_task}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnectedError
        return task.result()
    finally:
        disconnect_task.cancel()
        task.cancel()
        await asyncio.gather(task, disconnect_task, return_exceptions=True)


async def read_with_retries(read: Callable[[], Awaitable[Value]]) -> Value:
    """Read a part; retry after transient database errors, because the response has begun."""
    retries = RetrySchedule()
    while True:
        try:
            return await read()
        except Exception as failure:
            if not is_transient(failure) or (pause := retries.take_next_pause()) is None:
                raise
        await asyncio.sleep(pause)
