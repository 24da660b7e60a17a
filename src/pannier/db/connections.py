"""A small pool of connections: the warmest idle one first, a dead one replaced by a new one.

asyncpg's own pool spends about a third of a query on lending a connection; ours hands it over.
Nothing has to be reset in between, because transactions leave nothing behind.
"""

import asyncio
from collections import deque
from typing import Any, Final, TypeAlias

import asyncpg
import msgspec

from pannier.db import link
from pannier.db.link import Link, close_links, open_link
from pannier.db.watch import Watch
from pannier.errors import Unavailable
from pannier.kit.depth import too_deep

# How long somebody waits for a connection that others have, and how many do so per connection.
WAIT_SECONDS: Final = 2.0
MOST_WAITING: Final = 50
CLOSED: Final = "This process closes its connections."
# asyncpg asks the server for each type it meets, some milliseconds each time. So it meets the lists
# that statements are given at once.
LISTS: Final = """select null::uuid[], null::integer[], null::bigint[], null::boolean[],
                         null::timestamptz[], null::bytea[]"""

Connection: TypeAlias = Link

# What asyncpg says of a connection with which it cannot go on, or was asked to go on wrongly.
CONFUSED: Final = (asyncpg.InterfaceError, asyncpg.InternalClientError)


class Overloaded(Unavailable):
    """All database connections are in use, and too many requests are waiting."""

    code = "overloaded"
    title = "The server is overloaded."
    remedy = "Try again after the time in `Retry-After`."


class Unreachable(Exception):  # noqa: N818 - a state of the database, often a passing one
    """No connection could be had."""


class Connections:
    """Lends connections, `most` at a time."""

    def __init__(
        self, url: str, most: int, *, wait: float = WAIT_SECONDS, watch: Watch | None = None
    ) -> None:
        self.url, self._most, self._wait = url, most, wait
        self._idle: list[Link] = []
        self._waiting: deque[asyncio.Future[Link | None]] = deque()
        self._open = 0
        self._closed = False
        # Several pools share one: what one of them finds out, the others need not.
        self.watch, self._shared = watch or Watch(url), watch is not None
        self.watch.idle.append(self._give_up_idle)

    async def take(self) -> Link:
        """Take a connection; wait for one when all are lent, but neither long nor with many."""
        if self._closed:
            raise Unreachable(CLOSED)
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
        waiter: asyncio.Future[Link | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            lent = await asyncio.wait_for(waiter, self._wait)
        except BaseException as failure:
            self._hand_on(waiter)
            if isinstance(failure, TimeoutError):
                raise Overloaded from failure
            raise
        return lent if lent is not None else await self._connect()

    async def _connect(self) -> Link:
        """Open a connection in a place that is counted already."""
        connection: Link | None = None
        try:
            async with asyncio.timeout(link.CONNECT_SECONDS):
                connection = await open_link(self.url)
                await self._prepare(connection)
        except BaseException as failure:
            if connection is not None:
                connection.terminate()
            self._gone()
            if isinstance(failure, asyncpg.TooManyConnectionsError):
                raise Overloaded from failure
            if isinstance(failure, (OSError, TimeoutError)):
                raise Unreachable(str(failure) or type(failure).__name__) from failure
            raise
        return connection

    async def _prepare(self, connection: Link) -> None:
        """Make a new connection ready for statements, and watch over it."""
        self.watch.add(connection)
        await _teach_json(connection)
        await connection.prepare(LISTS)
        if self._closed:
            raise Unreachable(CLOSED)

    def give(self, connection: Link) -> None:
        """Give a connection back; one that was left in the middle of something is closed."""
        if self._closed or connection.is_closed() or connection.is_in_transaction():
            connection.terminate()
            self._gone()
        elif (waiter := self._next_waiter()) is not None:
            waiter.set_result(connection)
        else:
            self._idle.append(connection)

    def _hand_on(self, waiter: "asyncio.Future[Link | None]") -> None:
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

    def _next_waiter(self) -> "asyncio.Future[Link | None] | None":
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                return waiter
        return None

    def _give_up_idle(self) -> list[Link]:
        """Hand over the idle connections, which are not lent again."""
        idle, self._idle = self._idle, []
        self._open -= len(idle)
        return idle

    async def close(self) -> None:
        """Close idle connections and lend no more; lent ones close when they are returned."""
        self._closed = True
        await close_links(*self._give_up_idle())
        if not self._shared:
            await self.watch.close()


# Bodies nest up to 48 levels, as the settings allow. A deeper value came in before bodies were
# bounded, or by another way than ours. It is replaced when read: rendering it would recurse.
MAX_STORED_DEPTH: Final = 64
SMALLEST_TOO_DEEP: Final = 2 * (MAX_STORED_DEPTH + 1)  # bytes: each level opens and closes
TOO_DEEP: Final = {"not_shown": f"must not be nested deeper than {MAX_STORED_DEPTH} levels."}
_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder().decode


def _from_jsonb(data: bytes) -> Any:  # noqa: ANN401 - JSON may hold anything
    """Decode a value behind its version byte; one that nests too deeply fails no reader."""
    if len(data) > SMALLEST_TOO_DEEP and too_deep(data, MAX_STORED_DEPTH):
        return dict(TOO_DEEP)
    return _decode(memoryview(data)[1:])


async def _teach_json(connection: Link) -> None:
    await connection.set_type_codec(
        "jsonb",
        encoder=lambda value: b"\x01" + _encode(value),
        decoder=_from_jsonb,
        schema="pg_catalog",
        format="binary",
    )
