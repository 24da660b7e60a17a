"""The connection pool, and `transaction()`: the only place that commits."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import asyncpg
import msgspec

from pannier.db.session import Db
from pannier.errors import Problem, Unavailable
from pannier.kit.clock import Clock
from pannier.kit.crypto import Keyring

SIDE_CONNECTIONS: Final = 2
CONNECT_SECONDS: Final = 5.0
# How long a request waits for the database to come back before it gives up.
RETRY_DELAYS: Final = (0.05, 0.15, 0.4, 1.0, 2.0)

# Whoever sees one of these may try the whole transaction again: nothing of it was kept.
TRANSIENT: Final = (
    asyncpg.SerializationError,
    asyncpg.DeadlockDetectedError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    ConnectionError,
    FileNotFoundError,
    TimeoutError,
)


class DatabaseAway(Unavailable):
    """The database did not answer in time; nothing was changed."""

    status, code = 503, "database_unavailable"
    title = "The database is away for the moment; try again soon."


class OutcomeUnknown(Unavailable):
    """The connection was lost while committing: the change may or may not have been made."""

    status, code = 503, "outcome_unknown"
    title = "The connection to the database was lost while saving; look before you try again."


class Database:
    """A pool of connections, the clock and the keys: what every transaction is opened with."""

    def __init__(
        self, pool: "asyncpg.Pool[Any]", side: "asyncpg.Pool[Any]", clock: Clock, keys: Keyring
    ) -> None:
        self._pool = pool
        self._side = side
        self.clock = clock
        self.keys = keys

    async def acquire(self) -> "asyncpg.Connection[Any]":
        """Take a connection; callers use `transaction` or `reading`."""
        return await self._pool.acquire(timeout=CONNECT_SECONDS)  # type: ignore[return-value]  # the pool's proxy stands for a connection

    async def release(self, connection: "asyncpg.Connection[Any]") -> None:
        """Give a connection back."""
        await self._pool.release(connection)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Db]:
        """Commit what was done inside; undo it when something is raised."""
        db = Db(self, writes=True)
        try:
            yield db
        except BaseException as refusal:
            await self.settle(db, refusal)
            raise
        await self.commit(db)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Db]:
        """Read without a transaction."""
        db = Db(self, writes=False)
        try:
            yield db
        finally:
            await db.finish(commit=False)

    @asynccontextmanager
    async def apart(self) -> AsyncIterator[Db]:
        """Commit something small on its own, whatever becomes of the caller's transaction.

        It has connections of its own, so that a caller who holds one never waits for another caller.
        """
        aside = Database(self._side, self._side, self.clock, self.keys)
        async with aside.transaction() as db:
            yield db

    async def commit(self, db: Db) -> None:
        """Make the work last."""
        try:
            await db.finish(commit=True)
        except (ConnectionError, asyncpg.PostgresConnectionError, asyncpg.InterfaceError) as lost:
            raise OutcomeUnknown from lost

    async def settle(self, db: Db, refusal: BaseException | None) -> None:
        """End refused work: undone, unless the refusal asks to be remembered."""
        remembered = isinstance(refusal, Problem) and refusal.remembered
        try:
            await asyncio.shield(db.finish(commit=remembered))
        except TRANSIENT:
            if remembered:
                raise
            # The connection is gone, and the unfinished work with it.

    async def close(self) -> None:
        """Close the connections, after their work."""
        await self._pool.close()
        await self._side.close()


async def _prepare(connection: "asyncpg.Connection[Any]") -> None:
    await connection.set_type_codec(
        "jsonb",
        encoder=lambda value: b"\x01" + msgspec.json.encode(value),
        decoder=lambda data: msgspec.json.decode(memoryview(data)[1:]),
        schema="pg_catalog",
        format="binary",
    )


async def _keep(_connection: object) -> None:
    """Leave a returned connection as it is: transactions have left nothing behind to reset."""


async def connect(url: str, *, clock: Clock, keys: Keyring, size: int = 10) -> Database:
    """Open the pool."""

    async def pool(most: int) -> "asyncpg.Pool[Any]":
        return await asyncpg.create_pool(
            url,
            min_size=0,
            max_size=most,
            init=_prepare,
            reset=_keep,
            timeout=CONNECT_SECONDS,
            command_timeout=60,
            server_settings={"application_name": "pannier", "timezone": "UTC"},
        )

    return Database(await pool(size), await pool(SIDE_CONNECTIONS), clock, keys)
