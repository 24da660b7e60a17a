"""Deleting old imports with their files."""

from datetime import timedelta
from uuid import UUID

import msgspec

from pannier.db import Database, Db
from pannier.files import service as files


class _OldImport(msgspec.Struct):
    uuid: UUID
    company: UUID
    file: UUID | None


async def step(database: Database, keep: timedelta) -> bool:
    """Delete an import that is older than `keep` and has no task. Its rows can be many."""
    async with database.transaction() as db:
        await db.require_safe_clock()
        row = await db.find(
            _OldImport,
            """select uuid, company, file from imports i
               where created_at < pannier_now() - :keep::interval
                 and not exists (select from import_runs r where r.import_uuid = i.uuid)
               order by created_at limit 1 for update skip locked""",
            keep=keep,
        )
        if row is None:
            return False
        await _delete_file(db, row)
        await db.execute(
            "delete from imports where company = :company and uuid = :uuid",
            company=row.company,
            uuid=row.uuid,
        )
        db.deleted_counts["imports"] += 1
    return True


async def _delete_file(db: Db, row: _OldImport) -> None:
    if row.file is not None:
        await files.delete_held_files(db, row.company, [row.file])
