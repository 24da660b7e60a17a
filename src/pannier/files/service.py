"""Verbs of files: keep and delete."""

import asyncio
import hashlib
from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts import audit
from pannier.db import Db
from pannier.errors import Conflict, Invalid, TooLarge
from pannier.files import kinds, names, queries
from pannier.files.models import File, Sweep
from pannier.files.storage import Storage
from pannier.kit import ids

# How long an object outlives its last file: time to notice a mistake.
GRACE: Final = timedelta(days=1)


class FileEmpty(Invalid):
    """An upload without a single byte."""

    code = "file_empty"
    title = "The file is empty."


class FileTooLarge(TooLarge):
    """A file over the limit of this installation."""

    code = "file_too_large"
    title = "The file is too large."


class FileHeld(Conflict):
    """A file that is evidence, or otherwise needed, stays."""

    code = "file_held"
    title = "Something else needs this file, so it cannot be deleted."


async def keep(
    db: Db,
    storage: Storage,
    company: UUID,
    data: bytes,
    *,
    name: str | None,
    content_type: str | None = None,
    held: bool = False,
) -> File:
    """Store the bytes, then the row that names them.

    A crash in between leaves an object without a row, never a row without an object; the note
    for the sweep, which is committed first, finds such an object again.
    """
    if not data:
        raise FileEmpty
    if len(data) > storage.limit:
        raise FileTooLarge(f"The file is too large: {storage.limit:,} bytes at the most.")
    sha256, kind = await asyncio.to_thread(_examined, data, content_type)
    async with db.database.apart() as aside:
        await _note(aside, sha256)
    await queries.hold(db, sha256)
    await storage.put(sha256, data)
    row = File(
        uuid=db.new_uuid(),
        public_id=ids.new_public_id("file"),
        company=company,
        sha256=sha256,
        size=len(data),
        content_type=kind,
        name=names.clean(name),
        created_at=db.now,
        held=held,
    )
    await db.insert("files", row)
    audit.note(db, company, "file.created", row.public_id, name=row.name, size=row.size)
    return row


def _examined(data: bytes, declared: str | None) -> tuple[bytes, str]:
    return hashlib.sha256(data).digest(), kinds.detect(data, declared)


async def delete(db: Db, file: File) -> None:
    """Take a file away; its bytes go later, when nobody else's file has the same."""
    if file.held:
        raise FileHeld
    await db.update("files", file.uuid, deleted_at=db.now)
    audit.note(db, file.company, "file.deleted", file.public_id, name=file.name)
    await _note(db, file.sha256)


async def release(db: Db, company: UUID, uuids: Sequence[UUID]) -> None:
    """Take files away that something else has kept and needs no more."""
    gone = await db.many(
        _Content,
        """update files set deleted_at = :now, held = false
           where company = :company and uuid = any(:uuids) and deleted_at is null
           returning sha256""",
        company=company,
        uuids=list(uuids),
        now=db.now,
    )
    for file in gone:
        await _note(db, file.sha256)


class _Content(msgspec.Struct):
    sha256: bytes


async def _note(db: Db, sha256: bytes) -> None:
    """Ask the sweep to look at an object when the grace is over."""
    await db.insert("file_sweeps", Sweep(db.new_uuid(), sha256, db.now + GRACE))
