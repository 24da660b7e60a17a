"""A small pool of connections: the warmest idle one first, a dead one replaced by a new one.

asyncpg's own pool spends about a third of a query on lending a connection; ours hands it over.
Nothing has to be reset in between, because transactions leave nothing behind.
"""

import asyncio
from collections import deque
from typing import Any, Final, TypeAlias

import asyncpg
import msgspec

from pannier.errors import Unavailable
from pannier.kit.depth import too_deep

CONNECT_SECONDS: Final = 5.0
# How long somebody waits for a connection that others have, and how many do so per connection.
WAIT_SECONDS: Final = 2.0
MOST_WAITING: Final = 50
STATEMENTS: Final = 1000  # that a connection remembers: more than the whole house has
SESSION: Final = {
    "application_name": "pannier",
    "timezone": "UTC",
    # Compiling a statement takes longer than any of ours runs.
    "jit": "off",
    # The server's own clock ends a runaway statement; a timer of ours would cost at each one.
    "statement_timeout": "60s",
    "idle_in_transaction_session_timeout": "120s",
}

# asyncpg asks the server for each type it meets, some milliseconds each time. So it meets the lists
# that statements are given at once.
LISTS: Final = """select null::uuid[], null::integer[], null::bigint[], null::boolean[],
                         null::timestamptz[], null::bytea[]"""

Connection: TypeAlias = "asyncpg.Connection[Any]"

# What asyncpg says of a connection with which it cannot go on, or was asked to go on wrongly.
CONFUSED: Final = (asyncpg.InterfaceError, asyncpg.InternalClientError)


class Overloaded(Unavailable):
    """Every connection to the database is in use, and too many wait already, or for too long."""

    code = "overloaded"
    title = "There is too much to do at the moment; try again soon."


class Unreachable(Exception):  # noqa: N818 - a state of the database, often a passing one
    """No connection could be had."""


class Connections:
    """Lends connections, `most` at a time."""

    def __init__(self, url: str, most: int, *, wait: float = WAIT_SECONDS) -> None:
        self.url, self._most, self._wait = url, most, wait
        self._idle: list[Connection] = []
        self._waiting: deque[asyncio.Future[Connection | None]] = deque()
        self._open = 0

    async def take(self) -> Connection:
        """Take a connection; wait for one when all are lent, but neither long nor with many."""
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
            self._open -= 1
        if self._open < self._most:
            self._open += 1
            return await self._connect()
        if len(self._waiting) >= self._most * MOST_WAITING:
            raise Overloaded
        waiter: asyncio.Future[Connection | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            lent = await asyncio.wait_for(waiter, self._wait)
        except BaseException as failure:
            self._hand_on(waiter)
            if isinstance(failure, TimeoutError):
                raise Overloaded from failure
            raise
        return lent if lent is not None else await self._connect()

    async def _connect(self) -> Connection:
        """Open a connection in a place that is counted already."""
        try:
            connection = await asyncpg.connect(
                self.url,
                timeout=CONNECT_SECONDS,
                server_settings=SESSION,
                statement_cache_size=STATEMENTS,
            )
            await _teach_json(connection)
            await connection.prepare(LISTS)
        except BaseException as failure:
            self._gone()
            if isinstance(failure, asyncpg.TooManyConnectionsError):
                raise Overloaded from failure
            if isinstance(failure, (OSError, TimeoutError)):
                raise Unreachable(str(failure) or type(failure).__name__) from failure
            raise
        return connection

    def give(self, connection: Connection) -> None:
        """Give a connection back; one that was left in the middle of something is closed."""
        if connection.is_closed() or connection.is_in_transaction():
            connection.terminate()
            self._gone()
        elif (waiter := self._next_waiter()) is not None:
            waiter.set_result(connection)
        else:
            self._idle.append(connection)

    def _hand_on(self, waiter: "asyncio.Future[Connection | None]") -> None:
        """Pass on what a waiter was given just as it gave up."""
        if not waiter.done() or waiter.cancelled():
            return
        lent = waiter.result()
        if lent is not None:
            self.give(lent)
        else:
            self._gone()

    def _gone(self) -> None:
        """Leave a connection's place to whoever waits, to open another in it; else count it out."""
        if (waiter := self._next_waiter()) is not None:
            waiter.set_result(None)
        else:
            self._open -= 1

    def _next_waiter(self) -> "asyncio.Future[Connection | None] | None":
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                return waiter
        return None

    async def close(self) -> None:
        """Close the idle connections; the lent ones are closed by whoever has them."""
        while self._idle:
            await self._idle.pop().close(timeout=CONNECT_SECONDS)


# Bodies nest half as deeply at the most. What lies deeper came in before they were bounded, or by
# another way than ours; it is replaced where it is read, because rendering it would recurse.
MAX_STORED_DEPTH: Final = 64
TOO_DEEP: Final = {"not_shown": f"This value nests deeper than {MAX_STORED_DEPTH} levels."}
_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder().decode


def _from_jsonb(data: bytes) -> Any:  # noqa: ANN401 - JSON may hold anything
    """Decode a value behind its version byte; one that nests too deeply fails no reader."""
    if too_deep(data, MAX_STORED_DEPTH):
        return dict(TOO_DEEP)
    return _decode(memoryview(data)[1:])


async def _teach_json(connection: Connection) -> None:
    await connection.set_type_codec(
        "jsonb",
        encoder=lambda value: b"\x01" + _encode(value),
        decoder=_from_jsonb,
        schema="pg_catalog",
        format="binary",
    )
