"""Migrations: numbered SQL files, run once each, under a lock, with checksums."""

import hashlib
import re
from importlib import resources
from typing import Any, Final, NamedTuple

import asyncpg

LOCK: Final = 7_266_437  # any number, as long as it is always this one
HISTORY: Final = """
    create table if not exists migrations (
        number integer primary key, name text not null, checksum text not null,
        applied_at timestamptz not null default now())"""
_NAME: Final = re.compile(r"^(\d{4})_[a-z0-9_]+\.sql$")


class MigrationError(Exception):
    """One sentence for a person: why the database cannot be migrated."""


class Migration(NamedTuple):
    """One numbered step."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """Name the text, so that a later change of it is noticed."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


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


async def migrate(url: str, steps: list[Migration] | None = None) -> list[str]:
    """Bring the database up to date, and tell which steps ran."""
    connection = await asyncpg.connect(url, timeout=10)
    try:
        await connection.execute("select pg_advisory_lock($1)", LOCK)
        await connection.execute(HISTORY)
        pending = check(await applied(connection), known() if steps is None else steps)
        for step in pending:
            async with connection.transaction():
                await connection.execute(step.sql)
                await connection.execute(
                    "insert into migrations (number, name, checksum) values ($1, $2, $3)",
                    step.number,
                    step.name,
                    step.checksum,
                )
        return [step.name for step in pending]
    finally:
        await connection.close()


async def applied(connection: "asyncpg.Connection[Any]") -> dict[int, str]:
    """Read which steps the database has seen."""
    if not await connection.fetchval("select to_regclass('migrations') is not null"):
        return {}
    rows = await connection.fetch("select number, checksum from migrations")
    return {row["number"]: row["checksum"] for row in rows}
