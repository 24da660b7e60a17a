"""The `Database` of a process. Its `transaction()` is the only place that commits."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

import asyncpg
import msgspec

from pannier.db.actor import WORKER, Actor
from pannier.db.bell import Bell
from pannier.db.clock import following
from pannier.db.connections import CONFUSED, Connections, Overloaded, Unreachable
from pannier.db.ear import Ear
from pannier.db.link import refuse_transaction_pooling
from pannier.db.source import ConnectionSource
from pannier.db.unit_of_work import UnitOfWork
from pannier.db.watch import Watch
from pannier.errors import Problem, Unavailable
from pannier.kit.clock import Clock
from pannier.kit.crypto import Keyring

SIDE_CONNECTIONS: Final = 2
# The pauses between the attempts of a request, and how long it keeps retrying.
RETRY_DELAYS: Final = (0.05, 0.15, 0.4, 1.0, 2.0)
RETRY_SECONDS: Final = 7.0

# After one of these, nothing of the transaction was kept, so all of it can be retried.
TRANSIENT: Final = (
    asyncpg.SerializationError,
    asyncpg.DeadlockDetectedError,
    # A table changed after the statement was prepared, as in an upgrade. asyncpg has dropped all
    # prepared statements of that connection. Outside a transaction it retries automatically.
    asyncpg.InvalidCachedStatementError,
    asyncpg.OutdatedSchemaCacheError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    # The server ended a session that had been idle for too long.
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.IdleSessionTimeoutError,
    Unreachable,
    Overloaded,
)
# The server is a standby or was made read-only. A new connection may reach the primary.
READ_ONLY: Final = asyncpg.ReadOnlySQLTransactionError
# The server cannot work for anybody. An immediate retry would not help it.
STRAINED: Final = (
    asyncpg.InsufficientResourcesError,
    asyncpg.PostgresIOError,
    Overloaded,
)
# asyncpg raises the same class for a closed connection and for a programming error.
GONE: Final = "connection is closed"
# asyncpg refuses to send a statement after the server has ended the session, while the
# connection does not yet count as closed.
UNSENT: Final = "cannot switch to state"
# After one of these in answer to a commit, its outcome is unknown.
UNKNOWN: Final = (
    asyncpg.PostgresConnectionError,
    *CONFUSED,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    ConnectionError,
)


def passing(failure: BaseException | None) -> bool:
    """Return whether the same work may succeed when it is tried again."""
    if isinstance(failure, asyncpg.InterfaceError):
        return GONE in str(failure)
    if isinstance(failure, Problem) and failure.passing:
        return True
    return isinstance(failure, (*TRANSIENT, READ_ONLY, *STRAINED)) or _unsent(failure)


def _unsent(failure: BaseException | None) -> bool:
    """Return whether the server never received the statement, which may be a commit."""
    return isinstance(failure, asyncpg.InternalClientError) and UNSENT in str(failure)


def worth_another_try(failure: BaseException | None) -> bool:
    """Return whether to retry at once. A server that lacks resources gets a rest first."""
    return passing(failure) and not isinstance(failure, STRAINED)


class Retries:
    """Limits the attempts of one request by number and by total time."""

    def __init__(self) -> None:
        self._pauses = iter(RETRY_DELAYS)
        self._until = time.monotonic() + RETRY_SECONDS

    def next_pause(self) -> float | None:
        """Return the pause before the next attempt, or None to give up."""
        return next(self._pauses, None) if time.monotonic() < self._until else None


class Standing(msgspec.Struct):
    """The server's version and state."""

    version: str
    read_only: bool
    migration: int


STANDING: Final = """
    select current_setting('server_version') as version,
           current_setting('transaction_read_only')::boolean as read_only,
           (select coalesce(max(number), 0) from migrations) as migration"""


class DatabaseAway(Unavailable):
    """The database did not answer in time. Nothing changed."""

    code = "database_unavailable"
    title = "The database is unavailable."
    remedy = "Try again after the time in `Retry-After`."


class OutcomeUnknown(Unavailable):
    """The connection was lost during the commit. The change may or may not have been made."""

    code = "outcome_unknown"
    title = "The database connection was lost while saving."
    remedy = "Check whether the change was made before you try again."

    def __init__(self, *, keyed: bool = False) -> None:
        super().__init__()
        if not keyed:
            # An automatic retry could repeat the change. Only an idempotency key prevents that.
            del self.headers["Retry-After"]


def is_away(failure: BaseException | None) -> bool:
    """Return whether to repeat work that is safe to do twice, such as recording an outcome."""
    return passing(failure) or isinstance(failure, OutcomeUnknown)


class Db(UnitOfWork):
    """One request's, command's or background step's access to the database."""

    def __init__(self, database: "Database", *, writes: bool, actor: Actor | None = None) -> None:
        super().__init__(database, writes=writes, actor=actor)
        self.database = database


class Database(ConnectionSource):
    """The connection pools, the clock and the keys that transactions need."""

    def __init__(
        self,
        connections: Connections,
        side: Connections,
        clock: Clock,
        keys: Keyring,
        *,
        actor: Actor = WORKER,
        bell: Bell | None = None,
        ear: Ear | None = None,
        engines: frozenset[str] = frozenset(),
        base_url: str = "",
        channels: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(connections, clock, actor)
        self._side = side
        self.keys = keys
        self.bell = bell or Bell(side)
        self.ear = ear or Ear(connections.url)
        # External services that this installation can ask after a commit: a router, a geocoder.
        self.engines = engines
        # The public URL of this installation, for links in messages.
        self.base_url = base_url
        # The message channels that have a provider. Other messages are kept, but not sent.
        self.channels = channels

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Db]:
        """Commit at the end; roll back when an exception leaves the block."""
        db = Db(self, writes=True)
        try:
            yield db
            await self.commit(db)
        except BaseException as refusal:
            await self.undo(db, refusal)
            raise

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Db]:
        db = Db(self, writes=False)
        try:
            yield db
        except BaseException as refusal:
            await self.undo(db, refusal)
            raise
        await db.finish(commit=False)

    @asynccontextmanager
    async def apart(self) -> AsyncIterator[Db]:
        """Commit something small on its own, whether or not the caller's transaction commits.

        It uses separate connections, so a caller who holds one never waits for another caller's.
        """
        aside = Database(
            self._side,
            self._side,
            self.clock,
            self.keys,
            actor=self.actor,
            bell=self.bell,
            ear=self.ear,
            engines=self.engines,
            base_url=self.base_url,
            channels=self.channels,
        )
        async with aside.transaction() as db:
            yield db

    async def commit(self, db: Db) -> None:
        if db.idle:
            self._ring(db)
            return
        if db.lost:
            raise Unreachable("The connection was lost before the work was saved.")
        try:
            await db.finish(commit=True)
        except UNKNOWN as lost:
            if db.committing and not _unsent(lost):
                raise OutcomeUnknown from lost
            raise
        self._ring(db)

    async def undo(self, db: Db, refusal: BaseException | None) -> None:
        """End failed work. Roll back, unless the error asks to keep what was written."""
        if db.idle:
            return
        if isinstance(refusal, (asyncpg.DataError, *CONFUSED)):
            # asyncpg may have stopped within a statement, and the server may hold its locks.
            db.must_roll_back()
        if isinstance(refusal, READ_ONLY):
            db.leave_server()
        remembered = isinstance(refusal, Problem) and refusal.remembered
        try:
            await asyncio.shield(db.finish(commit=remembered))
        except (*TRANSIENT, *STRAINED, READ_ONLY, *CONFUSED):
            if remembered:
                raise
            # The connection is gone, and the unfinished work with it.
        if remembered:
            self._ring(db)
        db.rung.clear()

    def _ring(self, db: Db) -> None:
        """Wake the listeners, which can now see the changes."""
        for channel in db.rung:
            self.bell.ring(channel)

    async def ping(self, seconds: float) -> Standing:
        """Query the server's status, on a connection that requests do not use."""
        async with asyncio.timeout(seconds):
            connection = await self._side.take()
            try:
                row = await connection.fetchrow(STANDING)
            except BaseException:
                # It may be dead or still busy with our query, so nobody may get it again.
                connection.terminate()
                raise
            finally:
                self._side.give(connection)
        return msgspec.convert(dict(row or {}), Standing)

    async def close(self) -> None:
        """Close the connections, after their work."""
        await asyncio.gather(self.ear.close(), self.bell.close())
        await asyncio.gather(self.connections.close(), self._side.close())
        await self.connections.watch.close()


async def connect(
    url: str,
    *,
    clock: Clock,
    keys: Keyring,
    size: int = 10,
    actor: Actor = WORKER,
    engines: frozenset[str] = frozenset(),
    base_url: str = "",
    channels: frozenset[str] = frozenset(),
) -> Database:
    """Open the database, and fail at once for an unusable URL.

    The clocks are compared first, so that even the first transaction has the database's time.
    """
    corrected, watch = following(clock), Watch(url)
    main = Connections(url, size, watch=watch)
    side = Connections(url, SIDE_CONNECTIONS, watch=watch)
    first = await main.take()
    try:
        await refuse_transaction_pooling(first, url)
        # A database without a schema has no `pannier_now()` yet.
        with suppress(asyncpg.UndefinedFunctionError):
            await corrected.measure(first)
    except BaseException:
        first.terminate()
        raise
    finally:
        main.give(first)
    return Database(
        main,
        side,
        corrected,
        keys,
        actor=actor,
        engines=engines,
        base_url=base_url,
        channels=channels,
    )
