"""The connection pool, and `transaction()`: the only place that commits."""

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
# The pauses between the attempts of a request, and how long it goes on trying.
RETRY_DELAYS: Final = (0.05, 0.15, 0.4, 1.0, 2.0)
RETRY_SECONDS: Final = 7.0

# Whoever sees one of these may try the whole transaction again: nothing of it was kept.
TRANSIENT: Final = (
    asyncpg.SerializationError,
    asyncpg.DeadlockDetectedError,
    # A table has another shape than when the statement was prepared, as in an upgrade. asyncpg has
    # forgotten what it had prepared on that connection; outside a transaction it tries by itself.
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
# The server takes no writes: it is a standby, or somebody has made it read-only. A new connection
# may reach the primary.
READ_ONLY: Final = asyncpg.ReadOnlySQLTransactionError
# The server cannot work at all, whoever asks. To ask again at once would not help it.
STRAINED: Final = (
    asyncpg.InsufficientResourcesError,
    asyncpg.PostgresIOError,
    Overloaded,
)
# asyncpg has one class for a connection that is gone and for whatever we did wrong.
GONE: Final = "connection is closed"
# So it refuses to send a statement after the server took its leave, before the connection is seen
# to be gone.
UNSENT: Final = "cannot switch to state"
# Whoever sees one of these in answer to a commit cannot know what became of it.
UNKNOWN: Final = (
    asyncpg.PostgresConnectionError,
    *CONFUSED,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    ConnectionError,
)


def passing(failure: BaseException | None) -> bool:
    """Tell whether the same work may well succeed when it is tried again."""
    if isinstance(failure, asyncpg.InterfaceError):
        return GONE in str(failure)
    if isinstance(failure, Problem) and failure.passing:
        return True
    return isinstance(failure, (*TRANSIENT, READ_ONLY, *STRAINED)) or _unsent(failure)


def _unsent(failure: BaseException | None) -> bool:
    """Tell whether the server never heard of the statement, a commit perhaps."""
    return isinstance(failure, asyncpg.InternalClientError) and UNSENT in str(failure)


def worth_another_try(failure: BaseException | None) -> bool:
    """Tell whether to try again at once; a server that is short of something gets a rest."""
    return passing(failure) and not isinstance(failure, STRAINED)


class Retries:
    """Decides how often one request is tried: attempts that hang leave less time for others."""

    def __init__(self) -> None:
        self._pauses = iter(RETRY_DELAYS)
        self._until = time.monotonic() + RETRY_SECONDS

    def next_pause(self) -> float | None:
        """Return the pause before another attempt, or None when it is time to give up."""
        return next(self._pauses, None) if time.monotonic() < self._until else None


class Standing(msgspec.Struct):
    """What the server says of itself."""

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
            # Whoever waits and tries again may have it done twice; only a key prevents that.
            del self.headers["Retry-After"]


def is_away(failure: BaseException | None) -> bool:
    """Tell whether to do work again that may be done twice, such as recording what happened."""
    return passing(failure) or isinstance(failure, OutcomeUnknown)


class Db(UnitOfWork):
    """What one request, command or step sees of the database."""

    def __init__(self, database: "Database", *, writes: bool, actor: Actor | None = None) -> None:
        super().__init__(database, writes=writes, actor=actor)
        self.database = database


class Database(ConnectionSource):
    """A pool of connections, the clock and the keys: what every transaction is opened with."""

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
        # What this installation can ask once the work is committed: a router, a geocoder.
        self.engines = engines
        # Where people reach this installation: what they are told leads there.
        self.base_url = base_url
        # By what messages leave this installation: what has no provider stays in the drawer.
        self.channels = channels

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Db]:
        """Commit what was done inside; undo it when something is raised."""
        db = Db(self, writes=True)
        try:
            yield db
            await self.commit(db)
        except BaseException as refusal:
            await self.undo(db, refusal)
            raise

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Db]:
        """Read without a transaction."""
        db = Db(self, writes=False)
        try:
            yield db
        except BaseException as refusal:
            await self.undo(db, refusal)
            raise
        await db.finish(commit=False)

    @asynccontextmanager
    async def apart(self) -> AsyncIterator[Db]:
        """Commit something small on its own, whatever becomes of the caller's transaction.

        It has connections of its own: a caller who holds one never waits for another caller's.
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
        """Make the work last."""
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
        """End refused work: undone, unless the refusal asks to be remembered."""
        if db.idle:
            return
        if isinstance(refusal, (asyncpg.DataError, *CONFUSED)):
            # asyncpg may have stopped halfway through a statement for which the server holds locks.
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
        """Tell whoever listens, now that they can see it."""
        for channel in db.rung:
            self.bell.ring(channel)

    async def ping(self, seconds: float) -> Standing:
        """Ask the database how it is, beside the connections that requests use."""
        async with asyncio.timeout(seconds):
            connection = await self._side.take()
            try:
                row = await connection.fetchrow(STANDING)
            except BaseException:
                # It may be dead, or still at work on our question; nobody gets it again.
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
    """Open the database; a wrong address is told at once.

    The clocks are compared first, so that even the first transaction has the database's time.
    """
    corrected, watch = following(clock), Watch(url)
    main = Connections(url, size, watch=watch)
    side = Connections(url, SIDE_CONNECTIONS, watch=watch)
    first = await main.take()
    try:
        await refuse_transaction_pooling(first, url)
        # A database without a schema has no time of ours yet.
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
