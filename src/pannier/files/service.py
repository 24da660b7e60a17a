"""Actions on files: store their contents, create and delete them."""

import asyncio
import hashlib
from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts import audit
from pannier.db import Database, Db
from pannier.errors import Conflict, Invalid, TooLarge
from pannier.files import content_types, names, queries
from pannier.files.models import Content, File, FileSweep, StoredObject
from pannier.files.storage import Storage, StorageUnavailable

# Delay before an object without files is deleted: time to notice a mistake.
SWEEP_DELAY: Final = timedelta(days=1)


class FileEmpty(Invalid):
    """The upload contains no bytes."""

    code = "file_empty"
    title = "The file is empty."
    remedy = "Send a file with content."


class FileTooLarge(TooLarge):
    """The file exceeds the installation's limit."""

    code = "file_too_large"
    title = "The file is too large."
    remedy = "Send a smaller one."


class FileHeld(Conflict):
    """The file is evidence, or another record uses it."""

    code = "file_held"
    title = "This file is in use and cannot be deleted."
    remedy = "First remove it from the records that use it."


async def store_contents(
    database: Database, storage: Storage, *contents: Content
) -> list[StoredObject]:
    """Store bytes before the transaction that creates the files.

    No connection or row lock is held while waiting for the storage. The notes for the sweep are
    committed first, so a crash leaves objects without a row, which the sweep finds, but never a row
    without an object.
    """
    content_facts = [
        await asyncio.to_thread(_examine_content, storage.upload_limit, content)
        for content in contents
    ]
    async with database.transaction() as db:
        stored_objects = [await _register_object(db, *facts) for facts in content_facts]
    async with database.transaction() as db:
        # Wait for a running sweep that started before our notes. Later sweeps see them.
        for sha256 in sorted({stored_object.sha256 for stored_object in stored_objects}):
            await queries.lock_object_shared(db, sha256)
    await asyncio.gather(
        *(
            storage.put(stored_object.sha256, content.data)
            for stored_object, content in zip(stored_objects, contents, strict=True)
        )
    )
    return stored_objects


def _examine_content(max_bytes: int, content: Content) -> tuple[bytes, int, str]:
    if not content.data:
        raise FileEmpty
    if len(content.data) > max_bytes:
        raise FileTooLarge(f"The file is too large. Send at most {max_bytes:,} bytes.")
    sha256 = hashlib.sha256(content.data).digest()
    return sha256, len(content.data), content_types.detect(content.data, content.content_type)


async def _register_object(db: Db, sha256: bytes, size: int, content_type: str) -> StoredObject:
    return StoredObject(sha256, size, content_type, (await _schedule_sweep(db, sha256)).uuid)


async def create(
    db: Db, company: UUID, stored_object: StoredObject, *, name: str | None, held: bool = False
) -> File:
    """Create the row that refers to a stored object."""
    await queries.lock_object_shared(db, stored_object.sha256)
    if not await queries.has_sweep(db, stored_object.sweep):
        raise StorageUnavailable("Storing the file took too long. Send it again.")
    row = File(
        **db.new_row_fields(company, "file"),
        sha256=stored_object.sha256,
        size=stored_object.size,
        content_type=stored_object.content_type,
        name=names.clean(name),
        held=held,
    )
    await db.insert("files", row)
    audit.record_by_operator(
        db, company, "file.created", row.public_id, name=row.name, size=row.size
    )
    return row


async def delete(db: Db, file: File) -> None:
    """Mark a file as deleted. The sweep deletes the object if no other file refers to it."""
    if file.held:
        raise FileHeld
    await db.update("files", file.uuid, deleted_at=db.now)
    audit.record_by_operator(db, file.company, "file.deleted", file.public_id, name=file.name)
    await _schedule_sweep(db, file.sha256)


async def hold(db: Db, file: File) -> None:
    """Keep a locked file from being deleted as a file, because another record needs it."""
    await db.update("files", file.uuid, held=True)


async def delete_held_files(db: Db, company: UUID, uuids: Sequence[UUID]) -> None:
    """Delete files that were held, such as an erased proof's pictures."""
    released_objects = await db.fetch_all(
        _ReleasedObject,
        """update files set deleted_at = :now, held = false
           where company = :company and uuid = any(:uuids) and deleted_at is null
           returning sha256""",
        company=company,
        uuids=list(uuids),
        now=db.now,
    )
    for released_object in released_objects:
        await _schedule_sweep(db, released_object.sha256)


class _ReleasedObject(msgspec.Struct):
    sha256: bytes


async def _schedule_sweep(db: Db, sha256: bytes) -> FileSweep:
    """Have the sweep check an object after the delay."""
    note = FileSweep(db.new_uuid(), sha256, db.now + SWEEP_DELAY)
    await db.insert("file_sweeps", note)
    return note
