"""Migrations: numbered SQL files, run once each, one at a time, with checksums.

The program of the release before goes on working meanwhile. So no step waits long for a lock,
because everybody else would queue behind it; it gives up and tries again. A step whose first line
is `-- outside a transaction` runs statement by statement, each of which may be run once more.
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

LOCK: Final = 7_266_437  # any number, as long as it is always this one
HISTORY: Final = """
    create table if not exists migrations (
        number integer primary key, name text not null, checksum text not null,
        applied_at timestamptz not null default now())"""
OUTSIDE: Final = "-- outside a transaction"
# What is built beside the traffic holds nobody up. It waits for transactions that began before it:
# the longest of ours ends after two minutes.
OUTSIDE_LIMITS: Final = "set lock_timeout = '150s'; set statement_timeout = 0"
TURN_SECONDS: Final = 0.1
PAUSE_SECONDS: Final = 0.5
# As long as the network may be silent before the system gives the connection up.
PROBE_SECONDS: Final = 10.0
_NAME: Final = re.compile(r"^(\d{4})_[a-z0-9_]+\.sql$")
_BUILT_BESIDE: Final = re.compile(r"create (?:unique )?index concurrently (?:if not exists )?(\w+)")


class MigrationError(TroubleError):
    """One sentence for a person: why the database cannot be migrated."""


class Patience(NamedTuple):
    """How many seconds a step waits for one lock, how long it tries in all, how long it may run."""

    lock: float = 2.0
    whole: float = 60.0
    run: float = 60.0


class Migration(NamedTuple):
    """One numbered step."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """Name the text, so that a later change of it is noticed."""
        return hashlib.sha256(self.sql.encode()).hexdigest()

    @property
    def outside(self) -> bool:
        """Whether its statements run by themselves, in no transaction."""
        return self.sql.startswith(OUTSIDE)


def known() -> list[Migration]:
    """List the steps that this program brings, in order."""
    files = resources.files("pannier.db").joinpath("migrations").iterdir()
    steps = [
        Migration(int(match[1]), file.name, file.read_text())
        for file in files
        if (match := _NAME.match(file.name))
    ]
    return sorted(steps)


def check(applied: dict[int, str], steps: list[Migration]) -> list[Migration]:
    """Tell which steps are still to run; refuse a history that is not ours."""
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
    """Bring the database up to date, and tell which steps ran."""
    connection = await open_link(url, name="pannier migrate")
    # Building an index may take hours, as long as the server is at work on it; a server that is
    # busy with it may be slow to answer us.
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
    """Read which steps the database has seen."""
    if not await connection.fetchval("select to_regclass('migrations') is not null"):
        return {}
    rows = await connection.fetch("select number, checksum from migrations")
    return {row["number"]: row["checksum"] for row in rows}


async def _take_turn(connection: Link) -> None:
    """Wait until nobody else migrates, asking again and again.

    A statement that waits is a transaction that is open: an index that another machine builds
    beside the traffic would wait for it, and it for the index.
    """
    while not await connection.fetchval("select pg_try_advisory_lock($1)", LOCK):  # noqa: ASYNC110 - the event is another machine's
        await asyncio.sleep(TURN_SECONDS)


async def _run_patiently(connection: Link, step: Migration, patience: Patience) -> None:
    """Run a step, again when it did not get its locks, until patience ends."""
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
    """Take away what a build that was cut short has left: an index that nobody can use."""
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
