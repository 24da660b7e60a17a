"""Open connections to PostgreSQL, in the same way for every process and command."""

import asyncio
import os
import secrets
import socket
import time
from types import TracebackType
from typing import Any, Final

import asyncpg

from pannier.db.hosts import open_first
from pannier.errors import SetupError

CONNECT_SECONDS: Final = 5.0
APPLICATION_NAME: Final = "application_name="
# Prepared statements that a connection caches: more than the program has.
MAX_CACHED_STATEMENTS: Final = 1000

# Set by a statement, because PgBouncer refuses them as startup parameters.
SESSION_SETTINGS: Final = {
    "timezone": "UTC",
    # Compiling one of our statements takes longer than running it.
    "jit": "off",
    "statement_timeout": "60s",
    "idle_in_transaction_session_timeout": "120s",
    # How soon the server notices that this machine is gone, and releases its locks.
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "10s",
}
# Each session holds an advisory lock as a mark that other sessions can see. A process id would not
# do, because a pooler reuses a session for its next client.
SETUP_QUERY: Final = (
    "select "
    + ", ".join(
        f"set_config('{name}', '{value}', false)" for name, value in SESSION_SETTINGS.items()
    )
    + ", pg_try_advisory_lock_shared($1), pg_backend_pid() as pid"
)
# All marked sessions of this database.
MARKED_SESSIONS: Final = """
    select pid, (classid::bigint << 32) | objid::bigint as mark from pg_locks
    where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())"""
MARK_BITS: Final = 62
NO_PRIMARY: Final = "No server of the database URL accepts writes"

# How soon this machine notices that the server is gone. Not every system has every option.
SOCKET_OPTIONS: Final = {
    "TCP_KEEPIDLE": 5,
    "TCP_KEEPINTVL": 2,
    "TCP_KEEPCNT": 3,
    "TCP_USER_TIMEOUT": 10_000,
}


class TransactionPoolingError(SetupError):
    def __init__(self) -> None:
        super().__init__(
            "The connection pooler shares server sessions between clients. Pannier needs session "
            "pooling: set pool_mode = session in PgBouncer, or connect to PostgreSQL directly."
        )


class _StatementSection:
    """A replacement of asyncpg's guard. It records when the outstanding statement was sent."""

    __slots__ = ("since",)

    def __init__(self) -> None:
        self.since: float | None = None

    def __enter__(self) -> None:
        if self.since is not None:
            raise asyncpg.InterfaceError(
                "cannot perform operation: another operation is in progress"
            )
        self.since = time.monotonic()

    def __exit__(
        self,
        _: type[BaseException] | None,
        __: BaseException | None,
        ___: TracebackType | None,
    ) -> None:
        self.since = None


class MonitoredConnection(asyncpg.Connection):
    """A connection that knows its server session and how long it has waited for an answer.

    A timer per statement would cost a tenth of the statement; two assignments cost nothing.
    """

    __slots__ = ("_section", "mark", "pid")

    def __init__(self, *args: Any) -> None:  # noqa: ANN401 - asyncpg's own arguments
        super().__init__(*args)
        self.pid = 0
        self.mark = secrets.randbits(MARK_BITS)
        self._section = _StatementSection()
        # asyncpg enters it for every statement with arguments or rows. A test checks that.
        self._stmt_exclusive_section = self._section

    @property
    def waiting_since(self) -> float | None:
        """The monotonic time at which the outstanding statement was sent, or None."""
        return self._section.since

    async def execute(self, query: str, *args: Any, timeout: float | None = None) -> str:  # noqa: ANN401, ASYNC109 - asyncpg's signature
        """Run one statement, or several without arguments."""
        if args:
            return await super().execute(query, *args, timeout=timeout)
        with self._section:
            return await super().execute(query, timeout=timeout)

    async def copy_records_to_table(self, *args: Any, **options: Any) -> str:  # noqa: ANN401 - asyncpg's signature
        with self._section:
            return await super().copy_records_to_table(*args, **options)

    async def copy_to_table(self, *args: Any, **options: Any) -> str:  # noqa: ANN401 - asyncpg's signature
        with self._section:
            return await super().copy_to_table(*args, **options)


async def open_connection(
    url: str, *, timeout_seconds: float | None = None, name: str = "pannier"
) -> MonitoredConnection:
    """Connect and prepare the session, within `timeout_seconds`.

    If the URL names several servers, connect to one that accepts writes.
    """
    timeout = CONNECT_SECONDS if timeout_seconds is None else timeout_seconds
    return await open_first(
        url, lambda host_url: _open_one(host_url, timeout, name), MonitoredConnection.terminate
    )


async def _open_one(url: str, timeout: float, name: str) -> MonitoredConnection:  # noqa: ASYNC109 - passed on
    connection: MonitoredConnection | None = None
    try:
        async with asyncio.timeout(timeout):
            connection = await asyncpg.connect(
                url,
                timeout=timeout,
                connection_class=MonitoredConnection,
                # The URL may set the application name.
                server_settings={} if APPLICATION_NAME in url else {"application_name": name},
                statement_cache_size=MAX_CACHED_STATEMENTS,
            )
            _set_socket_options(connection)
            row = await connection.fetchrow(SETUP_QUERY, connection.mark)
            connection.pid = row["pid"] if row is not None else 0
    except BaseException as failure:
        if connection is not None:
            connection.terminate()
        if isinstance(failure, asyncpg.DuplicatePreparedStatementError):
            raise TransactionPoolingError from failure
        if isinstance(failure, asyncpg.TargetServerAttributeNotMatched):
            raise ConnectionError(NO_PRIMARY) from failure
        raise
    return connection


async def close_connections(
    *connections: MonitoredConnection, timeout_seconds: float = 2.0
) -> None:
    """Close connections concurrently. Terminate those that do not answer in time."""
    closures = (connection.close(timeout=timeout_seconds) for connection in connections)
    try:
        await asyncio.gather(*closures, return_exceptions=True)
    finally:
        for connection in connections:
            connection.terminate()


async def refuse_transaction_pooling(connection: MonitoredConnection, url: str) -> None:
    """Refuse a pooler that gives a second connection the session of the first.

    Session settings, prepared statements, LISTEN and advisory locks need an exclusive session.
    """
    if connection.get_server_pid() == connection.pid:
        return  # A pooler reports its own process ids, so there is no pooler.
    second_connection = await open_connection(url)
    await close_connections(second_connection)
    if second_connection.pid == connection.pid:
        raise TransactionPoolingError


def _set_socket_options(connection: MonitoredConnection) -> None:
    """Have the kernel detect a dead peer. A Unix socket needs no such options."""
    # asyncpg has no public API for its socket.
    transport: asyncio.Transport = getattr(connection, "_transport")  # noqa: B009 - nor do its stubs
    peer_socket = transport.get_extra_info("socket")
    if peer_socket is None or peer_socket.family == socket.AF_UNIX:
        return
    # uvloop's sockets take no options; a second descriptor of the same socket does.
    with socket.socket(fileno=os.dup(peer_socket.fileno())) as duplicate:
        duplicate.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in SOCKET_OPTIONS.items():
            if hasattr(socket, name):
                duplicate.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
