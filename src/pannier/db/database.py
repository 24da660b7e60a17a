"""The `Database` of a process. Its `transaction()` is the only place that commits."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Container
from contextlib import asynccontextmanager, suppress
from typing import Final

import asyncpg
import msgspec

from pannier.db.actor import WORKER, Actor
from pannier.db.clock import to_database_clock
from pannier.db.connection_pool import DRIVER_ERRORS, ConnectionPool, Overloaded, Unreachable
from pannier.db.connection_source import ConnectionSource
from pannier.db.monitored_connection import refuse_transaction_pooling
from pannier.db.notifier import Notifier
from pannier.db.notify_listener import NotifyListener
from pannier.db.server_status import SERVER_STATUS, ServerStatus
from pannier.db.unit_of_work import UnitOfWork
from pannier.db.watchdog import ConnectionWatchdog
from pannier.errors import Problem, Unavailable
from pannier.kit.clock import Clock
from pannier.kit.crypto import Keyring

log: Final = logging.getLogger("pannier.db")

SIDE_CONNECTIONS: Final = 2
# The pauses between the attempts of a request, and how long it keeps retrying.
RETRY_DELAYS: Final = (0.05, 0.15, 0.4, 1.0, 2.0)
RETRY_SECONDS: Final = 7.0
VERSION_TIMEOUT_SECONDS: Final = 10.0

# After one of these errors, nothing was committed, so the whole transaction can be retried.
TRANSIENT_ERRORS: Final = (
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
READ_ONLY_ERROR: Final = asyncpg.ReadOnlySQLTransactionError
# The server lacks resources. An immediate retry would not help.
OVERLOAD_ERRORS: Final = (
    asyncpg.InsufficientResourcesError,
    asyncpg.PostgresIOError,
    Overloaded,
)
# asyncpg raises the same class for a closed connection and for a programming error.
CONNECTION_CLOSED: Final = "connection is closed"
# asyncpg refuses to send a statement after the server has ended the session, while the
# connection does not yet count as closed.
STATEMENT_UNSENT: Final = "cannot switch to state"
# If a commit fails with one of these, its outcome is unknown.
UNKNOWN_OUTCOME_ERRORS: Final = (
    asyncpg.PostgresConnectionError,
    *DRIVER_ERRORS,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    ConnectionError,
)


def is_transient(failure: BaseException | None) -> bool:
    """Return whether the same work may succeed when it is tried again."""
    if isinstance(failure, asyncpg.InterfaceError):
        return CONNECTION_CLOSED in str(failure)
    if isinstance(failure, Problem) and failure.is_transient:
        return True
    return isinstance(
        failure, (*TRANSIENT_ERRORS, READ_ONLY_ERROR, *OVERLOAD_ERRORS)
    ) or _is_unsent(failure)


def _is_unsent(failure: BaseException | None) -> bool:
    """Return whether the server never received the statement, which may be a commit."""
    return isinstance(failure, asyncpg.InternalClientError) and STATEMENT_UNSENT in str(failure)


def should_retry(failure: BaseException | None) -> bool:
    """Return whether to retry at once. An overloaded server needs time to recover first."""
    return is_transient(failure) and not isinstance(failure, OVERLOAD_ERRORS)


class RetrySchedule:
    """Limits the attempts of one request by number and by total time."""

    def __init__(self) -> None:
        self._pauses = iter(RETRY_DELAYS)
        self._deadline = time.monotonic() + RETRY_SECONDS

    def take_next_pause(self) -> float | None:
        """Return the pause before the next attempt, or None to give up."""
        return next(self._pauses, None) if time.monotonic() < self._deadline else None


class DatabaseUnavailable(Unavailable):
    """The database did not respond in time. Nothing was changed."""

    code = "database_unavailable"
    title = "The database is unavailable."
    remedy = "Retry after the time in `Retry-After`."


class OutcomeUnknown(Unavailable):
    """The connection was lost during the commit, so the change may or may not have been made."""

    code = "outcome_unknown"
    title = "The database connection was lost while saving."
    remedy = "Check whether the change was made before you try again."

    def __init__(self, *, keyed: bool = False) -> None:
        super().__init__()
        if not keyed:
            # An automatic retry could repeat the change. Only an idempotency key prevents that.
            del self.headers["Retry-After"]


def should_repeat(failure: BaseException | None) -> bool:
    """Return whether to repeat work that is safe to do twice, such as recording an outcome."""
    return is_transient(failure) or isinstance(failure, OutcomeUnknown)


class Db(UnitOfWork):
    """One request's, command's or background step's access to the database."""

    def __init__(self, database: "Database", *, writes: bool, actor: Actor | None = None) -> None:
        super().__init__(database, writes=writes, actor=actor)
        self.database = database


class Database(ConnectionSource):
    """The connection pools, the clock and the keys that transactions need."""

    def __init__(
        self,
        connections: ConnectionPool,
        side_connections: ConnectionPool,
        clock: Clock,
        keys: Keyring,
        *,
        actor: Actor = WORKER,
        notifier: Notifier | None = None,
        listener: NotifyListener | None = None,
        engines: Container[str] = frozenset(),
        base_url: str = "",
        channels: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(connections, clock, actor)
        self._side = side_connections
        self.keys = keys
        self.notifier = notifier or Notifier(side_connections)
        self.listener = listener or NotifyListener(connections.url)
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
        except BaseException as error:
            await self.roll_back(db, error)
            raise

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Db]:
        """Open a read-only unit of work, without a transaction."""
        db = Db(self, writes=False)
        try:
            yield db
        except BaseException as error:
            await self.roll_back(db, error)
            raise
        await db.finish(commit=False)

    @asynccontextmanager
    async def side_transaction(self) -> AsyncIterator[Db]:
        """Open a small transaction that commits independently of the caller's.

        It uses separate connections, so a caller who holds one never waits for another caller's.
        """
        side_database = Database(
            self._side,
            self._side,
            self.clock,
            self.keys,
            actor=self.actor,
            notifier=self.notifier,
            listener=self.listener,
            engines=self.engines,
            base_url=self.base_url,
            channels=self.channels,
        )
        side_database.is_outdated = self.is_outdated
        async with side_database.transaction() as db:
            yield db

    async def commit(self, db: Db) -> None:
        """Commit a unit of work, then wake the listeners."""
        if db.is_idle:
            self._notify_listeners(db)
            return
        if db.is_lost:
            raise Unreachable("The connection was lost before the work was saved.")
        try:
            await db.finish(commit=True)
        except READ_ONLY_ERROR:
            self.connections.drop_idle_connections()
            raise
        except UNKNOWN_OUTCOME_ERRORS as error:
            if db.committing and not _is_unsent(error):
                raise OutcomeUnknown from error
            raise
        for table, count in (+db.deleted_counts).items():
            log.info("expired rows deleted: %d of %s", count, table)
        self._notify_listeners(db)

    async def roll_back(self, db: Db, error: BaseException | None) -> None:
        """End failed work. Roll back, unless the error asks to keep what was written."""
        if db.is_idle:
            return
        if isinstance(error, (asyncpg.DataError, *DRIVER_ERRORS)):
            # asyncpg may have stopped within a statement, and the server may hold its locks.
            db.require_rollback()
        if isinstance(error, READ_ONLY_ERROR):
            db.terminate_connection()
            self.connections.drop_idle_connections()
        keeps_changes = isinstance(error, Problem) and error.keeps_changes
        try:
            await asyncio.shield(db.finish(commit=keeps_changes))
        except (*TRANSIENT_ERRORS, *OVERLOAD_ERRORS, READ_ONLY_ERROR, *DRIVER_ERRORS):
            if keeps_changes:
                raise
            # The connection is lost, and the unfinished work with it.
        if keeps_changes:
            self._notify_listeners(db)
        db.channels_to_notify.clear()

    def _notify_listeners(self, db: Db) -> None:
        """Wake the listeners, which can now see the changes."""
        for channel, company in db.channels_to_notify:
            self.notifier.notify(channel, company)

    async def ping(self, seconds: float) -> ServerStatus:
        """Query the server's status, on a connection that requests do not use."""
        async with asyncio.timeout(seconds):
            connection = await self._side.acquire()
            try:
                row = await connection.fetchrow(SERVER_STATUS)
                if row is not None and row["read_only"]:
                    # The primary may be another server now.
                    connection.terminate()
            except BaseException:
                # The connection may be dead or busy with this query, so it must not be reused.
                connection.terminate()
                raise
            finally:
                self._side.release(connection)
        return msgspec.convert(dict(row or {}), ServerStatus)

    async def check_version(self) -> None:
        """Find out whether a newer release has made this program too old; then it does no work."""
        status = await self.ping(VERSION_TIMEOUT_SECONDS)
        self.is_outdated = status.is_program_outdated

    async def close(self) -> None:
        """Close the connections, after their work."""
        await asyncio.gather(self.listener.close(), self.notifier.close())
        await asyncio.gather(self.connections.close(), self._side.close())
        await self.connections.watchdog.close()


async def connect(
    url: str,
    *,
    clock: Clock,
    keys: Keyring,
    size: int = 10,
    actor: Actor = WORKER,
    engines: Container[str] = frozenset(),
    base_url: str = "",
    channels: frozenset[str] = frozenset(),
) -> Database:
    """Open the database. Fail at once if the URL is unusable.

    The clocks are compared first, so that even the first transaction has the database's time.
    """
    database_clock, watchdog = to_database_clock(clock), ConnectionWatchdog(url)
    pool = ConnectionPool(url, size, watchdog=watchdog)
    side_pool = ConnectionPool(url, SIDE_CONNECTIONS, watchdog=watchdog)
    connection = await pool.acquire()
    try:
        await refuse_transaction_pooling(connection, url)
        # A database without a schema has no `pannier_now()` yet.
        with suppress(asyncpg.UndefinedFunctionError):
            await database_clock.measure(connection)
    except BaseException:
        connection.terminate()
        raise
    finally:
        pool.release(connection)
    return Database(
        pool,
        side_pool,
        database_clock,
        keys,
        actor=actor,
        engines=engines,
        base_url=base_url,
        channels=channels,
    )
