"""The connection pool, and `transaction()`: the only place that commits."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import asyncpg

from pannier.db.actor import WORKER, Actor
from pannier.db.bell import Bell
from pannier.db.clock import DatabaseClock, following
from pannier.db.connections import CONFUSED, Connection, Connections, Overloaded, Unreachable
from pannier.db.ear import Ear
from pannier.db.session import Db
from pannier.errors import Problem, Unavailable
from pannier.kit.clock import Clock
from pannier.kit.crypto import Keyring

SIDE_CONNECTIONS: Final = 2
# How long a request waits for the database to come back before it gives up.
RETRY_DELAYS: Final = (0.05, 0.15, 0.4, 1.0, 2.0)

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
    Unreachable,
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
    return isinstance(failure, TRANSIENT) or _unsent(failure)


def _unsent(failure: BaseException | None) -> bool:
    """Tell whether the server never heard of the statement, a commit perhaps."""
    return isinstance(failure, asyncpg.InternalClientError) and UNSENT in str(failure)


def worth_another_try(failure: BaseException | None) -> bool:
    """Tell whether to try again at once; where there is too much to do, that would be even more."""
    return passing(failure) and not isinstance(failure, Overloaded)


class DatabaseAway(Unavailable):
    """The database did not answer in time; nothing was changed."""

    code = "database_unavailable"
    title = "The database is away for the moment; try again soon."


class OutcomeUnknown(Unavailable):
    """The connection was lost while committing: the change may or may not have been made."""

    code = "outcome_unknown"
    title = "The connection to the database was lost while saving; look before you try again."

    def __init__(self, *, keyed: bool = False) -> None:
        super().__init__()
        if not keyed:
            # Whoever waits and tries again may have it done twice; only a key prevents that.
            del self.headers["Retry-After"]


class Database:
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
        self.connections = connections
        self._side = side
        self.clock = clock
        self.keys = keys
        # Who works here when nobody else is named.
        self.actor = actor
        self.bell = bell or Bell(side)
        self.ear = ear or Ear(connections.url)
        # What this installation can ask once the work is committed: a router, a geocoder.
        self.engines = engines
        # Where people reach this installation: what they are told leads there.
        self.base_url = base_url
        # By what messages leave this installation: what has no provider stays in the drawer.
        self.channels = channels

    @property
    def clock(self) -> DatabaseClock:
        """The clock that everything here goes by."""
        return self._clock

    @clock.setter
    def clock(self, clock: Clock) -> None:
        """Go by another clock."""
        self._clock = following(clock)

    async def take(self) -> Connection:
        """Take a connection whose time is the one that the clock knows."""
        connection = await self.connections.take()
        try:
            await self.clock.follow(connection)
        except BaseException:
            connection.terminate()
            self.connections.give(connection)
            raise
        return connection

    async def measure_clock(self) -> None:
        """Compare the machine's clock with the database's now."""
        connection = await self.connections.take()
        try:
            await self.clock.measure(connection)
        finally:
            self.connections.give(connection)

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
        remembered = isinstance(refusal, Problem) and refusal.remembered
        try:
            await asyncio.shield(db.finish(commit=remembered))
        except (*TRANSIENT, *CONFUSED):
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

    async def close(self) -> None:
        """Close the connections, after their work."""
        await self.ear.close()
        await self.bell.close()
        await self.connections.close()
        await self._side.close()


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
    """Open the database; a wrong address is told at once."""
    main, side = Connections(url, size), Connections(url, SIDE_CONNECTIONS)
    main.give(await main.take())
    return Database(
        main,
        side,
        clock,
        keys,
        actor=actor,
        engines=engines,
        base_url=base_url,
        channels=channels,
    )
