"""The record of backups in the database, for metrics, `pannier doctor` and the console."""

from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.backups.manifest import Manifest
from pannier.db import Database
from pannier.kit.durations import to_text

MAX_RECORDS: Final = 1000
MAX_ERROR_LENGTH: Final = 500
SELECT_STATE: Final = """
    select (select max(finished_at) from backups where error is null) as last_good_at,
        coalesce((select error is not null from backups order by started_at desc limit 1), false)
            as is_failing"""
# Whether the last good backup in a place is old enough, and the last failure not too recent.
IS_DUE: Final = """
    select not exists (
        select from backups where destination = :destination
            and started_at > pannier_now() - case when error is null
                then :interval::interval else interval '1 hour' end)"""
INSERT: Final = """
    insert into backups (name, destination, started_at, finished_at, encrypted, rows, files,
        missing_files, error)
    values (:name, :destination, :started, :finished, :encrypted, :rows, :files,
        :missing, :error)"""
DELETE_OLD: Final = f"""
    delete from backups where name in (
        select name from backups order by started_at desc offset {MAX_RECORDS})"""


class BackupState(msgspec.Struct):
    """When the last complete backup ended, and whether the latest one failed."""

    last_good_at: datetime | None
    is_failing: bool


async def record_success(database: Database, manifest: Manifest, destination: str) -> None:
    """Record a complete backup, and forget the oldest records."""
    async with database.transaction() as db:
        await db.execute(
            INSERT,
            name=manifest.name,
            destination=destination,
            started=manifest.taken_at,
            finished=manifest.finished_at,
            encrypted=bool(manifest.secrets),
            rows=manifest.rows,
            files=manifest.files.count,
            missing=manifest.files.missing,
            error=None,
        )
        await db.execute(DELETE_OLD)


async def record_failure(database: Database, destination: str, error: str) -> None:
    """Record a backup that failed, and forget the oldest records."""
    async with database.transaction() as db:
        now = await db.fetch_value("select pannier_now()")
        await db.execute(
            INSERT,
            name=f"failed-{db.new_uuid()}",
            destination=destination,
            started=now,
            finished=now,
            encrypted=False,
            rows=0,
            files=0,
            missing=0,
            error=error[:MAX_ERROR_LENGTH],
        )
        await db.execute(DELETE_OLD)


def describe_age(state: BackupState, now: datetime, interval: timedelta) -> str | None:
    """Describe what is wrong with the age of the last good backup, or return None."""
    reason = " The latest one failed; see the worker's log." if state.is_failing else ""
    if state.last_good_at is None:
        return f"There is no backup yet.{reason}"
    age = now - state.last_good_at
    if age <= 2 * interval:
        return None
    return f"The last good backup is {to_text(age)} old.{reason}"
