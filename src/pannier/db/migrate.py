"""Migrations: numbered SQL files, run once each, one at a time, with checksums.

The previous release keeps running meanwhile. So no step waits long for a lock, because every other
query would queue behind it. The step gives up and tries again. A step whose first line is
`-- outside a transaction` runs statement by statement; each statement must be safe to repeat.
"""

import asyncio
import hashlib
import math
import re
from importlib import resources
from typing import Final, NamedTuple

import asyncpg

from pannier.db.link import Link, close_links, open_link, refuse_transaction_pooling
from pannier.db.statements import Statement, statements
from pannier.db.watch import Watch
from pannier.errors import TroubleError

LOCK: Final = 7_266_437  # an arbitrary constant that must never change
HISTORY: Final = """
    create table if not exists migrations (
        number integer primary key, name text not null, checksum text not null,
        applied_at timestamptz not null default now())"""
OUTSIDE: Final = "-- outside a transaction"
# A concurrent build blocks nobody. It waits for older transactions, and the longest of ours ends
# after two minutes.
OUTSIDE_LIMITS: Final = "set lock_timeout = '150s'; set statement_timeout = 0"
TURN_SECONDS: Final = 0.1
PAUSE_SECONDS: Final = 0.5
# As long as the network may be silent before the operating system drops the connection.
PROBE_SECONDS: Final = 10.0
_NAME: Final = re.compile(r"^(\d{4})_[a-z0-9_]+\.sql$")
_BUILT_BESIDE: Final = re.compile(r"create (?:unique )?index concurrently (?:if not exists )?(\w+)")


class MigrationError(TroubleError):
    """A reason why the database cannot be migrated, in one sentence."""


class Patience(NamedTuple):
    """Seconds that a step may wait for one lock, retry in total, and run."""

    lock: float = 2.0
    whole: float = 60.0
    run: float = 60.0


class Migration(NamedTuple):
    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """The text's hash, which reveals a later edit."""
        return hashlib.sha256(self.sql.encode()).hexdigest()

    @property
    def outside(self) -> bool:
        """Whether its statements run outside a transaction."""
        return self.sql.startswith(OUTSIDE)


def known() -> list[Migration]:
    """List the migrations of this release, in order."""
    files = resources.files("pannier.db").joinpath("migrations").iterdir()
    steps = [
        Migration(int(match[1]), file.name, file.read_text())
        for file in files
        if (match := _NAME.match(file.name))
    ]
    return sorted(steps)


def check(applied: dict[int, str], steps: list[Migration]) -> list[Migration]:
    """Return the pending steps. Refuse a history of unknown or edited steps."""
    numbers = {step.number for step in steps}
    if unknown := sorted(set(applied) - numbers):
        raise MigrationError(
            f"The database was migrated by a newer Pannier (step {unknown[0]:04}). "
            "Upgrade this one."
        )
    for step in steps:
        if applied.get(step.number, step.checksum) != step.checksum:
            raise MigrationError(
                f"{step.name} was changed after it had run here. "
                "Restore the file and write the change as a new step."
            )
    return [step for step in steps if step.number not in applied]


async def migrate(
    url: str,
    steps: list[Migration] | None = None,
    patience: Patience = Patience(),  # noqa: B008 - frozen
) -> list[str]:
    """Migrate the database, and return the names of the steps that ran."""
    connection = await open_link(url, name="pannier migrate")
    # Building an index may take hours while the server works on it, and a busy server may answer
    # slowly.
    watch = Watch(url, probe=PROBE_SECONDS, longest=math.inf)
    watch.add(connection)
    try:
        await refuse_transaction_pooling(connection, url)
        await _take_turn(connection)
        await connection.execute(HISTORY)
        pending = check(await applied(connection), known() if steps is None else steps)
        for step in pending:
            await _run_patiently(connection, step, patience)
        return [step.name for step in pending]
    finally:
        await close_links(connection)
        await watch.close()


async def applied(connection: Link) -> dict[int, str]:
    """Load the checksums of the applied steps, by number."""
    if not await connection.fetchval("select to_regclass('migrations') is not null"):
        return {}
    rows = await connection.fetch("select number, checksum from migrations")
    return {row["number"]: row["checksum"] for row in rows}


async def _take_turn(connection: Link) -> None:
    """Poll for the migration lock.

    Waiting inside a statement would keep a transaction open. A concurrent index build on another
    machine would wait for that transaction, and the transaction for the build.
    """
    while not await connection.fetchval("select pg_try_advisory_lock($1)", LOCK):  # noqa: ASYNC110 - the event is another machine's
        await asyncio.sleep(TURN_SECONDS)


async def _run_patiently(connection: Link, step: Migration, patience: Patience) -> None:
    """Run a step. Retry when it did not get its locks, until its time is up."""
    clock = asyncio.get_running_loop()
    deadline = clock.time() + patience.whole
    while True:
        try:
            return await (_outside if step.outside else _inside)(connection, step, patience)
        except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError) as missed:
            if clock.time() + PAUSE_SECONDS > deadline:
                raise MigrationError(await _missed(connection, step, patience)) from missed
        except asyncpg.QueryCanceledError as slow:
            raise MigrationError(
                f"{step.name} held its locks for {patience.run:.0f} seconds; it was undone. "
                "Start again when there is less to do."
            ) from slow
        await asyncio.sleep(PAUSE_SECONDS)


async def _inside(connection: Link, step: Migration, patience: Patience) -> None:
    limits = (
        f"set local lock_timeout = {round(patience.lock * 1000)};"
        f"set local statement_timeout = {round(patience.run * 1000)}"
    )
    async with connection.transaction():
        await connection.execute(limits)
        await connection.execute(step.sql)
        await _write_down(connection, step)


async def _outside(connection: Link, step: Migration, _: Patience) -> None:
    await connection.execute(OUTSIDE_LIMITS)
    for statement in statements(step.sql):
        await _clear(connection, statement)
        await connection.execute(statement.text)
    await _write_down(connection, step)


async def _clear(connection: Link, statement: Statement) -> None:
    """Drop an invalid index that an interrupted build left behind."""
    built = _BUILT_BESIDE.match(statement.shape)
    if built is not None and await connection.fetchval(
        "select true from pg_index where indexrelid = to_regclass($1) and not indisvalid", built[1]
    ):
        await connection.execute(f"drop index concurrently {built[1]}")


async def _write_down(connection: Link, step: Migration) -> None:
    await connection.execute(
        "insert into migrations (number, name, checksum) values ($1, $2, $3)",
        step.number,
        step.name,
        step.checksum,
    )


async def _missed(connection: Link, step: Migration, patience: Patience) -> str:
    oldest = await connection.fetchrow(
        """select pid, application_name from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()
               and xact_start is not null
           order by xact_start limit 1"""
    )
    words = f"{step.name} could not lock its tables within {patience.whole:.0f} seconds. "
    if oldest is not None:
        name = oldest["application_name"] or "no name"
        words += f"The longest transaction is that of process {oldest['pid']} ({name}). "
    return words + "Let it end, or end it, and start again."
