"""Migrations: numbered SQL files, run once each, one at a time, with checksums.

The previous release keeps running meanwhile. A step that waits for a lock blocks every other query
on the table, so it soon gives up and tries again. A step whose first line is `-- outside a
transaction` runs statement by statement; each statement must be safe to repeat.
"""

import asyncio
import hashlib
import math
import re
from collections.abc import Mapping
from importlib import resources
from typing import Final, NamedTuple

import asyncpg

from pannier.db import versions
from pannier.db.monitored_connection import (
    MonitoredConnection,
    close_connections,
    open_connection,
    refuse_transaction_pooling,
)
from pannier.db.statements import Statement, split_statements
from pannier.db.watchdog import ConnectionWatchdog
from pannier.errors import SetupError

LOCK_ID: Final = 7_266_437  # an arbitrary constant that must never change
CREATE_HISTORY: Final = """
    create table if not exists migrations (
        number integer primary key, name text not null, checksum text not null,
        applied_at timestamptz not null default now(), oldest_version text)"""
OUTSIDE_MARKER: Final = "-- outside a transaction"
# A concurrent build blocks nobody. It waits for older transactions, and the longest of ours ends
# after two minutes.
OUTSIDE_LIMITS: Final = "set lock_timeout = '150s'; set statement_timeout = 0"
SELECT_ENCODING: Final = "show server_encoding"
LOCK_POLL_SECONDS: Final = 0.1
RETRY_SECONDS: Final = 0.5
# The operating system drops a connection after the same time without an answer.
PROBE_SECONDS: Final = 10.0
# Checksums of earlier texts of steps that failed on some data and were corrected. Where an earlier
# text has succeeded, it stays applied.
CORRECTED_STEPS: Final[Mapping[str, str]] = {
    "0015_balances.sql": "f209e650b5b0af7571be97778a7ff5aac77cd2b17d697fb63befce39d690a3d4",
}
_FILE_NAME: Final = re.compile(r"^(\d{4})_[a-z0-9_]+\.sql$")
_CONCURRENT_INDEX: Final = re.compile(
    r"create (?:unique )?index concurrently (?:if not exists )?(\w+)"
)


class MigrationError(SetupError):
    """A reason why the database cannot be migrated, in one sentence."""


class StepTimeouts(NamedTuple):
    """Seconds that a step may wait for one lock, retry in total, and run."""

    lock_seconds: float = 2.0
    total_seconds: float = 60.0
    run_seconds: float = 60.0


class Migration(NamedTuple):
    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """The text's hash, which reveals a later edit."""
        return hashlib.sha256(self.sql.encode()).hexdigest()

    @property
    def runs_outside_transaction(self) -> bool:
        """Whether its statements run outside a transaction."""
        return self.sql.startswith(OUTSIDE_MARKER)

    @property
    def oldest_version(self) -> str | None:
        """The oldest version of Pannier that may run beside it."""
        return versions.find_declared_version(self.number, self.sql)


class AppliedStep(NamedTuple):
    checksum: str
    # None if the step was applied by a release that did not record it.
    oldest_version: str | None


def list_migrations() -> list[Migration]:
    """List the migrations of this release, in order."""
    files = resources.files("pannier.db").joinpath("migrations").iterdir()
    steps = [
        Migration(int(match[1]), file.name, file.read_text())
        for file in files
        if (match := _FILE_NAME.match(file.name))
    ]
    return sorted(steps)


def list_pending_steps(
    applied_steps: Mapping[int, AppliedStep], steps: list[Migration]
) -> list[Migration]:
    """List the pending steps.

    Raise MigrationError if applied steps were edited, or if a newer release has applied steps that
    this one must not run beside.
    """
    numbers = {step.number for step in steps}
    for number in sorted(set(applied_steps) - numbers):
        newer_step = applied_steps[number]
        if newer_step.oldest_version is None:
            raise MigrationError(
                f"The database was migrated by a newer Pannier (step {number:04}). "
                "Upgrade this one."
            )
        if versions.is_older(versions.read_version(), newer_step.oldest_version):
            raise MigrationError(versions.describe_outdated(newer_step.oldest_version))
    for step in steps:
        known_checksums = {step.checksum, CORRECTED_STEPS.get(step.name)}
        applied_step = applied_steps.get(step.number)
        if applied_step is not None and applied_step.checksum not in known_checksums:
            raise MigrationError(
                f"{step.name} was changed after it was applied to this database. "
                "Restore the file, and make the change in a new step."
            )
    return [step for step in steps if step.number not in applied_steps]


def describe_encoding(encoding: str) -> str | None:
    """Describe what is wrong with a database's encoding. Texts and searches need UTF-8."""
    if encoding == "UTF8":
        return None
    return (
        f"The database's encoding is {encoding}, but Pannier needs UTF8. Create another database, "
        "with `create database pannier encoding 'UTF8' template template0`."
    )


async def migrate(
    url: str,
    steps: list[Migration] | None = None,
    timeouts: StepTimeouts = StepTimeouts(),  # noqa: B008 - frozen
) -> list[str]:
    """Migrate the database, and return the names of the steps that ran."""
    connection = await open_connection(url, name="pannier migrate")
    # Building an index may take hours while the server works on it, and a busy server may answer
    # slowly.
    watchdog = ConnectionWatchdog(url, probe_seconds=PROBE_SECONDS, max_seconds=math.inf)
    watchdog.add(connection)
    try:
        await refuse_transaction_pooling(connection, url)
        if problem := describe_encoding(await connection.fetchval(SELECT_ENCODING)):
            raise MigrationError(problem)
        await _acquire_lock(connection)
        await connection.execute(CREATE_HISTORY)
        pending_steps = list_pending_steps(
            await load_applied_steps(connection), list_migrations() if steps is None else steps
        )
        for step in pending_steps:
            await _run_with_retries(connection, step, timeouts)
        return [step.name for step in pending_steps]
    finally:
        await close_connections(connection)
        await watchdog.close()


async def load_applied_steps(connection: MonitoredConnection) -> dict[int, AppliedStep]:
    """Load the applied steps, by number."""
    if not await connection.fetchval("select to_regclass('migrations') is not null"):
        return {}
    rows = await connection.fetch(
        """select number, checksum, to_jsonb(m) ->> 'oldest_version' as oldest_version
           from migrations m"""
    )
    return {row["number"]: AppliedStep(row["checksum"], row["oldest_version"]) for row in rows}


async def _acquire_lock(connection: MonitoredConnection) -> None:
    """Poll for the migration lock.

    Waiting inside a statement would keep a transaction open. A concurrent index build on another
    machine would wait for that transaction, which would itself wait for the build.
    """
    while not await connection.fetchval("select pg_try_advisory_lock($1)", LOCK_ID):  # noqa: ASYNC110 - the event is another machine's
        await asyncio.sleep(LOCK_POLL_SECONDS)


async def _run_with_retries(
    connection: MonitoredConnection, step: Migration, timeouts: StepTimeouts
) -> None:
    """Run a step. Retry when it did not get its locks, until its time is up."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeouts.total_seconds
    while True:
        try:
            return await (
                _run_outside_transaction if step.runs_outside_transaction else _run_in_transaction
            )(connection, step, timeouts)
        except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError) as error:
            if loop.time() + RETRY_SECONDS > deadline:
                raise MigrationError(
                    await _describe_lock_failure(connection, step, timeouts)
                ) from error
        except asyncpg.QueryCanceledError as error:
            raise MigrationError(
                f"{step.name} held its locks for {timeouts.run_seconds:.0f} seconds and was rolled "
                "back. Start again when the database is less busy."
            ) from error
        await asyncio.sleep(RETRY_SECONDS)


async def _run_in_transaction(
    connection: MonitoredConnection, step: Migration, timeouts: StepTimeouts
) -> None:
    limits = (
        f"set local lock_timeout = {round(timeouts.lock_seconds * 1000)};"
        f"set local statement_timeout = {round(timeouts.run_seconds * 1000)}"
    )
    async with connection.transaction():
        await connection.execute(limits)
        await connection.execute(step.sql)
        await _record_step(connection, step)


async def _run_outside_transaction(
    connection: MonitoredConnection, step: Migration, _: StepTimeouts
) -> None:
    await connection.execute(OUTSIDE_LIMITS)
    for statement in split_statements(step.sql):
        await _drop_invalid_index(connection, statement)
        await connection.execute(statement.text)
    await _record_step(connection, step)


async def _drop_invalid_index(connection: MonitoredConnection, statement: Statement) -> None:
    """Drop an invalid index that an interrupted build left behind."""
    index_match = _CONCURRENT_INDEX.match(statement.shape)
    if index_match is not None and await connection.fetchval(
        "select true from pg_index where indexrelid = to_regclass($1) and not indisvalid",
        index_match[1],
    ):
        await connection.execute(f"drop index concurrently {index_match[1]}")


async def _record_step(connection: MonitoredConnection, step: Migration) -> None:
    row = {"number": step.number, "name": step.name, "checksum": step.checksum}
    # Until the first declaring step has run, an older database lacks the column.
    if step.number > versions.LAST_UNDECLARED_STEP:
        row["oldest_version"] = step.oldest_version
    places = ", ".join(f"${place}" for place in range(1, len(row) + 1))
    await connection.execute(
        f"insert into migrations ({', '.join(row)}) values ({places})", *row.values()
    )


async def _describe_lock_failure(
    connection: MonitoredConnection, step: Migration, timeouts: StepTimeouts
) -> str:
    oldest_transaction = await connection.fetchrow(
        """select pid, application_name from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()
               and xact_start is not null
           order by xact_start limit 1"""
    )
    text = f"{step.name} could not lock its tables within {timeouts.total_seconds:.0f} seconds. "
    if oldest_transaction is not None:
        name = oldest_transaction["application_name"] or "unnamed"
        pid = oldest_transaction["pid"]
        text += f"The longest-running transaction belongs to process {pid} ({name}). "
    return text + "Wait for it to end, or terminate it, then start again."
