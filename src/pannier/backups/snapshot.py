"""A consistent view of the database: all tables as they were at one moment.

The rows are read in one read-only transaction, without blocking anybody. The schema is not part of
it: on restore, the migrations create it.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Final

import asyncpg
import msgspec

from pannier.backups.errors import BackupError
from pannier.backups.manifest import MigrationEntry
from pannier.db.monitored_connection import (
    MonitoredConnection,
    close_connections,
    open_connection,
)

# Held while a backup is taken, on the connection that reads the snapshot.
LOCK_ID: Final = 7_266_438
LOCK_ATTEMPTS, LOCK_POLL_SECONDS = 10, 0.2
LOCK_SECONDS: Final = 10
ALREADY_RUNNING: Final = "Another backup of this database is running. Wait for it to end."
# COPY writes values as the session displays them. Both sides use the same settings.
COPY_SETTINGS: Final = """
    set statement_timeout = 0; set idle_in_transaction_session_timeout = 0;
    set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set extra_float_digits = 1;
    set bytea_output = 'hex'; set timezone = 'UTC'"""
# Partitions are read one by one, so their parents are not listed. The migrations are in the
# manifest.
SELECT_TABLES: Final = """
    select c.relname::text as name,
        array(select attname::text from pg_attribute
              where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = ''
              order by attnum) as columns,
        (select inhparent::regclass::text from pg_inherits where inhrelid = c.oid) as parent,
        pg_get_expr(c.relpartbound, c.oid) as bounds
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
        and c.relpersistence = 'p' and c.relname <> 'migrations'
    order by c.relname"""
SELECT_SEQUENCES: Final = """
    select relname::text from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'S' order by relname"""
HAS_RECENT: Final = """
    select exists (
        select from backups where destination = $1 and error is null
            and started_at > pannier_now() - $2::interval)"""
SELECT_STATE: Final = """
    select pannier_now() as now, current_setting('server_version') as version,
        (select secret_fingerprint from installation) as fingerprint"""
_COPIED: Final = re.compile(r"COPY (\d+)")
_NAME: Final = re.compile(r"[a-z_][a-z0-9_]*")


class AlreadyRunningError(BackupError):
    """Another backup of the same database is running."""


class SnapshotTable(msgspec.Struct, frozen=True):
    """A table, its columns without computed ones, and its place in a partitioned table."""

    name: str
    columns: list[str]
    parent: str | None
    bounds: str | None


class DatabaseState(msgspec.Struct, frozen=True):
    """The database's time, version and secret."""

    now: datetime
    version: str
    fingerprint: str | None


def quote(name: str) -> str:
    """Quote an identifier. Ours are all plain; others are refused."""
    if not _NAME.fullmatch(name):
        raise BackupError(f"The name {name!r} in the database is not Pannier's.")
    return f'"{name}"'


def count_copied(status: str) -> int:
    """Return the number of rows in COPY's answer."""
    match = _COPIED.fullmatch(status)
    return int(match[1]) if match else -1


class Snapshot:
    """A transaction that sees the database as it was when it began."""

    def __init__(self, connection: MonitoredConnection, state: DatabaseState) -> None:
        self.connection, self.state = connection, state

    async def list_tables(self) -> list[SnapshotTable]:
        """List the tables, and keep them from being dropped."""
        rows = await self.connection.fetch(SELECT_TABLES)
        tables = [msgspec.convert(dict(row), SnapshotTable) for row in rows]
        names = ", ".join(quote(table.name) for table in tables)
        try:
            await self.connection.execute(f"set local lock_timeout = '{LOCK_SECONDS}s'")
            await self.connection.execute(f"lock table {names} in access share mode")
        except (asyncpg.LockNotAvailableError, asyncpg.UndefinedTableError) as error:
            raise BackupError(
                f"The tables are being changed ({error}). Take the backup again."
            ) from error
        return tables

    async def load_migrations(self) -> list[MigrationEntry]:
        rows = await self.connection.fetch(
            "select number, name, checksum from migrations order by number"
        )
        return [MigrationEntry(**dict(row)) for row in rows]

    async def load_sequences(self) -> dict[str, tuple[int, bool]]:
        """Load each sequence's last value and whether it was used.

        Sequences do not belong to a snapshot. A later value is as good.
        """
        names = [row[0] for row in await self.connection.fetch(SELECT_SEQUENCES)]
        return {name: await self._load_sequence(name) for name in names}

    async def _load_sequence(self, name: str) -> tuple[int, bool]:
        statement = f"select last_value, is_called from {quote(name)}"
        [(last_value, is_called)] = await self.connection.fetch(statement)
        return last_value, is_called

    async def has_recent_backup(self, destination: str, age: timedelta) -> bool:
        """Return whether a good backup in a place is younger than the given age."""
        return bool(await self.connection.fetchval(HAS_RECENT, destination, age))

    async def read_time(self) -> datetime:
        """Return the database's time now. Fails if the connection was lost."""
        now: datetime = await self.connection.fetchval("select pannier_now()")
        return now


@asynccontextmanager
async def open_snapshot(url: str) -> AsyncIterator[Snapshot]:
    """Open a snapshot. Raise BackupError while another backup runs."""
    connection = await open_connection(url, name="pannier backup")
    try:
        await _take_lock(connection)
        await connection.execute(COPY_SETTINGS)
        await connection.transaction(isolation="repeatable_read", readonly=True).start()
        row = await connection.fetchrow(SELECT_STATE)
        yield Snapshot(connection, msgspec.convert(dict(row or {}), DatabaseState))
    except BaseException:
        # Rolling back would wait for an interrupted COPY. There is nothing to roll back.
        connection.terminate()
        raise
    finally:
        await close_connections(connection)


async def _take_lock(connection: MonitoredConnection) -> None:
    """Take the lock of backups. The session of one that was killed takes a moment to end."""
    for _ in range(LOCK_ATTEMPTS):
        if await connection.fetchval("select pg_try_advisory_lock($1)", LOCK_ID):
            return
        await asyncio.sleep(LOCK_POLL_SECONDS)
    raise AlreadyRunningError(ALREADY_RUNNING)
