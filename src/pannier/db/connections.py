"""A small connection pool. It lends the most recently used idle connection first.

asyncpg's own pool spends about a third of a query on lending a connection; this one only hands it
over. Nothing needs a reset in between, because transactions leave nothing behind.
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

# How long a caller waits for a connection, and how many callers may wait per connection.
WAIT_SECONDS: Final = 2.0
MOST_WAITING: Final = 50
CLOSED: Final = "This process closes its connections."
# asyncpg asks the server about each type that it meets, which takes milliseconds. This query makes
# it learn the array types of our statements at once.
LISTS: Final = """select null::uuid[], null::integer[], null::bigint[], null::boolean[],
                         null::timestamptz[], null::bytea[]"""

Connection: TypeAlias = Link

# asyncpg raises these when a connection is unusable, or when it is used wrongly.
CONFUSED: Final = (asyncpg.InterfaceError, asyncpg.InternalClientError)


class Overloaded(Unavailable):
    """All database connections are in use, and too many requests are waiting."""

    code = "overloaded"
    title = "The server is overloaded."
    remedy = "Try again after the time in `Retry-After`."


class Unreachable(Exception):  # noqa: N818 - a state of the database, often a passing one
    """The database did not accept a connection."""


class Connections:
    """A pool of at most `size` connections."""

    def __init__(
        self, url: str, most: int, *, wait: float = WAIT_SECONDS, watch: Watch | None = None
    ) -> None:
        self.url, self._most, self._wait = url, most, wait
        self._idle: list[Link] = []
        self._waiting: deque[asyncio.Future[Link | None]] = deque()
        self._open = 0
        self._closed = False
        # Several pools share one watchdog: a dead connection that one finds warns the others.
        self.watch, self._shared = watch or Watch(url), watch is not None
        self.watch.idle.append(self._give_up_idle)

    async def take(self) -> Link:
        """Lend a connection. Raise Overloaded when too many callers wait or for too long."""
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
        """Open a connection for a slot that is already counted."""
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
        """Prepare a new connection for statements, and have the watchdog monitor it."""
        self.watch.add(connection)
        await _teach_json(connection)
        await connection.prepare(LISTS)
        if self._closed:
            raise Unreachable(CLOSED)

    def give(self, connection: Link) -> None:
        """Return a connection to the pool. Close it if it is in a transaction."""
        if self._closed or connection.is_closed() or connection.is_in_transaction():
            connection.terminate()
            self._gone()
        elif (waiter := self._next_waiter()) is not None:
            waiter.set_result(connection)
        else:
            self._idle.append(connection)

    def _hand_on(self, waiter: "asyncio.Future[Link | None]") -> None:
        """Pass on a connection or slot that a waiter received just as it gave up."""
        if not waiter.done() or waiter.cancelled():
            return
        lent = waiter.result()
        if lent is not None:
            self.give(lent)
        else:
            self._gone()

    def _gone(self) -> None:
        """Give a lost connection's slot to the next waiter, to open its own, or free the slot."""
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
        """Remove the idle connections from the pool, and return them."""
        idle, self._idle = self._idle, []
        self._open -= len(idle)
        return idle

    async def close(self) -> None:
        """Close idle connections and lend no more. Lent ones close when they are returned."""
        self._closed = True
        await close_links(*self._give_up_idle())
        if not self._shared:
            await self.watch.close()


# Bodies nest at most 48 levels, as the settings allow. A deeper value is older than that limit, or
# was not written by Pannier. It is replaced when read, because rendering it would recurse.
MAX_STORED_DEPTH: Final = 64
SMALLEST_TOO_DEEP: Final = 2 * (MAX_STORED_DEPTH + 1)  # bytes: each level opens and closes
TOO_DEEP: Final = {"not_shown": f"must not be nested deeper than {MAX_STORED_DEPTH} levels."}
_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder().decode


def _from_jsonb(data: bytes) -> Any:  # noqa: ANN401 - JSON may hold anything
    """Decode a value after its version byte. Replace a value that nests too deeply."""
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
