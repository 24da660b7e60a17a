"""A small connection pool. It lends the most recently used idle connection first.

asyncpg's own pool spends about a third of a query's time on lending a connection; this one only
hands it over. Connections need no reset, because transactions leave no session state.
"""

import asyncio
from collections import deque
from typing import Any, Final, TypeAlias

import asyncpg
import msgspec

from pannier.db import monitored_connection
from pannier.db.monitored_connection import MonitoredConnection, close_connections, open_connection
from pannier.db.watchdog import ConnectionWatchdog
from pannier.errors import Unavailable
from pannier.kit.json_depth import is_too_deep

# How long a caller waits for a connection, and how many callers may wait per connection.
WAIT_SECONDS: Final = 2.0
MAX_WAITERS_PER_CONNECTION: Final = 50
CLOSED_MESSAGE: Final = "This process is closing its connections."
# asyncpg asks the server about each type that it meets, which takes milliseconds. This query makes
# it learn the array types of our statements at once.
PRELOADED_TYPES: Final = """select null::uuid[], null::integer[], null::bigint[], null::boolean[],
                         null::timestamptz[], null::bytea[]"""

Connection: TypeAlias = MonitoredConnection

# asyncpg raises these when a connection is unusable, or when it is used wrongly.
DRIVER_ERRORS: Final = (asyncpg.InterfaceError, asyncpg.InternalClientError)


class Overloaded(Unavailable):
    """All database connections, or those for one company, are in use for too long."""

    code = "overloaded"
    title = "The server is overloaded."
    remedy = "Retry after the time in `Retry-After`."


class Unreachable(Exception):  # noqa: N818 - a state of the database, often a passing one
    """The database did not accept a connection."""


class ConnectionPool:
    """A pool of at most `size` connections."""

    def __init__(
        self,
        url: str,
        size: int,
        *,
        wait_seconds: float = WAIT_SECONDS,
        watchdog: ConnectionWatchdog | None = None,
    ) -> None:
        self.url, self._size, self._wait_seconds = url, size, wait_seconds
        self._idle: list[MonitoredConnection] = []
        self._waiters: deque[asyncio.Future[MonitoredConnection | None]] = deque()
        self._open_count = 0
        self._closed = False
        # Pools can share a watchdog. After it finds a dead connection, all close their idle ones.
        self.watchdog = watchdog or ConnectionWatchdog(url)
        self._shares_watchdog = watchdog is not None
        self.watchdog.idle_removers.append(self._remove_idle_connections)

    async def acquire(self) -> MonitoredConnection:
        """Lend a connection. Raise Overloaded if the queue or the wait is too long."""
        if self._closed:
            raise Unreachable(CLOSED_MESSAGE)
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
            self._open_count -= 1
        if self._open_count < self._size:
            self._open_count += 1
            return await self._open_counted_connection()
        if len(self._waiters) >= self._size * MAX_WAITERS_PER_CONNECTION:
            raise Overloaded
        waiter: asyncio.Future[MonitoredConnection | None] = (
            asyncio.get_running_loop().create_future()
        )
        self._waiters.append(waiter)
        try:
            lent_connection = await asyncio.wait_for(waiter, self._wait_seconds)
        except BaseException as failure:
            self._pass_on_slot(waiter)
            if isinstance(failure, TimeoutError):
                raise Overloaded from failure
            raise
        return (
            lent_connection
            if lent_connection is not None
            else await self._open_counted_connection()
        )

    async def _open_counted_connection(self) -> MonitoredConnection:
        """Open a connection for a slot that is already counted."""
        connection: MonitoredConnection | None = None
        try:
            async with asyncio.timeout(monitored_connection.CONNECT_SECONDS):
                connection = await open_connection(self.url)
                await self._prepare_connection(connection)
        except BaseException as failure:
            if connection is not None:
                connection.terminate()
            self._release_slot()
            if isinstance(failure, asyncpg.TooManyConnectionsError):
                raise Overloaded from failure
            if isinstance(failure, (OSError, TimeoutError)):
                raise Unreachable(str(failure) or type(failure).__name__) from failure
            raise
        return connection

    async def _prepare_connection(self, connection: MonitoredConnection) -> None:
        """Prepare a new connection for statements, and have the watchdog monitor it."""
        self.watchdog.add(connection)
        await _register_jsonb_codec(connection)
        await connection.prepare(PRELOADED_TYPES)
        if self._closed:
            raise Unreachable(CLOSED_MESSAGE)

    def release(self, connection: MonitoredConnection) -> None:
        """Return a connection to the pool. Close it if it is in a transaction."""
        if self._closed or connection.is_closed() or connection.is_in_transaction():
            connection.terminate()
            self._release_slot()
        elif (waiter := self._pop_waiter()) is not None:
            waiter.set_result(connection)
        else:
            self._idle.append(connection)

    def _pass_on_slot(self, waiter: "asyncio.Future[MonitoredConnection | None]") -> None:
        """Pass on the connection or the slot that a waiter received just as it gave up."""
        if not waiter.done() or waiter.cancelled():
            return
        lent_connection = waiter.result()
        if lent_connection is not None:
            self.release(lent_connection)
        else:
            self._release_slot()

    def _release_slot(self) -> None:
        """Let the next waiter open a connection in a lost one's slot, or free the slot."""
        if (waiter := self._pop_waiter()) is not None:
            waiter.set_result(None)
        else:
            self._open_count -= 1

    def _pop_waiter(self) -> "asyncio.Future[MonitoredConnection | None] | None":
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                return waiter
        return None

    def _remove_idle_connections(self) -> list[MonitoredConnection]:
        """Remove the idle connections from the pool, and return them."""
        idle_connections, self._idle = self._idle, []
        self._open_count -= len(idle_connections)
        return idle_connections

    def drop_idle_connections(self) -> None:
        """Close the idle connections, because their server may no longer accept writes."""
        for connection in self._remove_idle_connections():
            connection.terminate()

    async def close(self) -> None:
        """Close idle connections and lend no more. Lent ones close when they are returned."""
        self._closed = True
        await close_connections(*self._remove_idle_connections())
        if not self._shares_watchdog:
            await self.watchdog.close()


# Bodies nest at most 48 levels, as the settings allow. A deeper value is older than that limit, or
# was not written by Pannier. It is replaced on reading, because rendering it would recurse.
MAX_STORED_DEPTH: Final = 64
MIN_TOO_DEEP_BYTES: Final = 2 * (MAX_STORED_DEPTH + 1)  # bytes: each level opens and closes
TOO_DEEP_PLACEHOLDER: Final = {
    "not_shown": f"This value is nested deeper than {MAX_STORED_DEPTH} levels."
}
_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder().decode


def _decode_jsonb(data: bytes) -> Any:  # noqa: ANN401 - JSON may hold anything
    """Decode a value after its version byte. Replace a value that nests too deeply."""
    if len(data) > MIN_TOO_DEEP_BYTES and is_too_deep(data, MAX_STORED_DEPTH):
        return dict(TOO_DEEP_PLACEHOLDER)
    return _decode(memoryview(data)[1:])


async def _register_jsonb_codec(connection: MonitoredConnection) -> None:
    await connection.set_type_codec(
        "jsonb",
        encoder=lambda value: b"\x01" + _encode(value),
        decoder=_decode_jsonb,
        schema="pg_catalog",
        format="binary",
    )
