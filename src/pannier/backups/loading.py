"""Load a backup's rows into an empty database, in one transaction.

The migrations have created the tables. References between them are dropped and added again after
the rows, which checks each of them. Triggers are disabled meanwhile, because their effects are part
of the backup.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import asyncpg

from pannier.backups.errors import BackupError
from pannier.backups.manifest import Manifest, TableBackup
from pannier.backups.snapshot import (
    COPY_SETTINGS,
    LOCK_ID,
    SELECT_TABLES,
    count_copied,
    quote,
)
from pannier.backups.verification import Backup
from pannier.db.monitored_connection import (
    MonitoredConnection,
    close_connections,
    open_connection,
)
from pannier.jobs import silence

NOT_EMPTY: Final = (
    "The database already contains data ({table}). Restore into an empty database or a new data "
    "directory. Nothing was changed."
)
OTHER_SCHEMA: Final = "The tables in the backup are not those of its migrations: {names}."
SELECT_NAMES: Final = """
    select relname::text from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
      and relname <> 'migrations' order by relname"""
SELECT_REFERENCES: Final = """
    select conrelid::regclass::text as relation, quote_ident(conname) as name,
        pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype = 'f' and connamespace = current_schema()::regnamespace and conparentid = 0
    order by 1, 2"""
SELECT_TRIGGERED: Final = """
    select distinct tgrelid::regclass::text from pg_trigger join pg_class c on c.oid = tgrelid
    where not tgisinternal and relnamespace = current_schema()::regnamespace"""


@asynccontextmanager
async def open_target(url: str) -> AsyncIterator[MonitoredConnection]:
    """Connect to the database to restore into, and lock it against backups and other restores."""
    connection = await open_connection(url, name="pannier restore")
    try:
        if not await connection.fetchval("select pg_try_advisory_lock($1)", LOCK_ID):
            raise BackupError("A backup or another restore of this database is running.")
        await connection.execute(COPY_SETTINGS)
        # Building the references again is the work of hours in a large database.
        await connection.execute("set lock_timeout = '10s'; set synchronous_commit = on")
        yield connection
    finally:
        await close_connections(connection)


async def require_empty(connection: MonitoredConnection) -> None:
    """Raise BackupError if the database contains any rows. Empty tables are allowed."""
    for row in await connection.fetch(SELECT_NAMES):
        try:
            has_rows = await connection.fetchval(f"select exists (select from {quote(row[0])})")
        except asyncpg.InsufficientPrivilegeError:
            has_rows = True
        if has_rows:
            raise BackupError(NOT_EMPTY.format(table=row[0]))


async def load_rows(connection: MonitoredConnection, backup: Backup) -> None:
    """Load all rows, and leave the installation silent."""
    async with connection.transaction():
        # A worker's first heartbeat waits for the end, and then finds the silence.
        await connection.execute("lock table heartbeats in share row exclusive mode")
        references = await connection.fetch(SELECT_REFERENCES)
        triggered_tables = [row[0] for row in await connection.fetch(SELECT_TRIGGERED)]
        for reference in references:
            await connection.execute(
                f"alter table {reference['relation']} drop constraint {reference['name']}"
            )
        for table in triggered_tables:
            await connection.execute(f"alter table {table} disable trigger user")
        # Another process may have created a company since the first check.
        await require_empty(connection)
        await _create_partitions(connection, backup.manifest)
        await _check_tables(connection, backup.manifest)
        for table in backup.manifest.tables:
            await _load_table(connection, backup, table)
        for name, (last_value, is_called) in backup.manifest.sequences.items():
            await connection.execute("select setval($1, $2, $3)", name, last_value, is_called)
        for reference in references:
            await connection.execute(
                f"alter table {reference['relation']} add constraint {reference['name']} "
                f"{reference['definition']}"
            )
        for table in triggered_tables:
            await connection.execute(f"alter table {table} enable trigger user")
        await connection.execute(silence.BEGIN)


async def _create_partitions(connection: MonitoredConnection, manifest: Manifest) -> None:
    existing_names = {row[0] for row in await connection.fetch(SELECT_NAMES)}
    for table in manifest.tables:
        if table.parent is not None and table.name not in existing_names:
            await connection.execute(
                f"create table {quote(table.name)} partition of {quote(table.parent)} "
                f"{table.bounds}"
            )


async def _check_tables(connection: MonitoredConnection, manifest: Manifest) -> None:
    own_columns = {
        row["name"]: list(row["columns"]) for row in await connection.fetch(SELECT_TABLES)
    }
    backup_columns = {table.name: table.columns for table in manifest.tables}
    names = sorted(
        name
        for name in own_columns.keys() | backup_columns.keys()
        if set(own_columns.get(name, [])) != set(backup_columns.get(name, []))
    )
    if names:
        raise BackupError(OTHER_SCHEMA.format(names=", ".join(names[:5])))


async def _load_table(connection: MonitoredConnection, backup: Backup, table: TableBackup) -> None:
    status = await connection.copy_to_table(
        table.name, source=backup.read_table(table), columns=table.columns
    )
    if count_copied(status) != table.rows:
        raise BackupError(f"{table.name} has {status} instead of {table.rows} rows after loading.")
