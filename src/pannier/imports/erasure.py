"""Erasure of what imports hold of a person: their file, its first rows, and texts about rows.

A file has many people, so it is deleted as a whole. The records that it created stay.
"""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.files import service as files


class _ErasableImport(msgspec.Struct):
    uuid: UUID
    file: UUID | None


async def erase(db: Db, company: UUID, records: Sequence[str]) -> None:
    """Erase the imports that created or found these records, by public id."""
    if not records:
        return
    imports = await db.fetch_all(
        _ErasableImport,
        """select uuid, file from imports
           where company = :company and uuid = any(array(
               select import_uuid from import_rows
               where company = :company and record = any(:records)))
           order by uuid for no key update""",
        company=company,
        records=list(records),
    )
    uuids = [row.uuid for row in imports]
    await files.delete_held_files(db, company, [row.file for row in imports if row.file])
    await db.execute(
        """update imports set file = null, sample = '[]', file_name = 'erased',
               updated_at = :now, version = version + 1
           where company = :company and uuid = any(:uuids) and file is not null""",
        company=company,
        uuids=uuids,
        now=db.now,
    )
    await db.execute(
        """update import_rows set errors = '[]',
               fingerprint = case when record = any(:records) then null else fingerprint end
           where company = :company and import_uuid = any(:uuids)
             and (errors <> '[]' or record = any(:records))""",
        company=company,
        uuids=uuids,
        records=list(records),
    )
    await db.execute(
        "delete from import_keys where company = :company and record = any(:records)",
        company=company,
        records=list(records),
    )
