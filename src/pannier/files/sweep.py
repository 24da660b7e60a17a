"""The sweep: deletes objects that no file refers to, after a delay."""

from datetime import timedelta
from typing import Final

from pannier.db import Database
from pannier.files import queries
from pannier.files.storage import Storage, StorageUnavailable

RETRY_DELAY: Final = timedelta(minutes=5)


async def step(database: Database, storage: Storage) -> bool:
    """Check one due object. Return False if there is none or its deletion failed.

    As an exception, the storage is called inside the transaction, whose lock prevents another
    request from storing the same bytes meanwhile and losing them.
    """
    async with database.transaction() as db:
        due_sweep = await queries.lease_due_sweep(db)
        if due_sweep is None:
            return False
        if not await queries.try_lock_object(db, due_sweep.sha256):
            await queries.LEASES.postpone(db, due_sweep.uuid, RETRY_DELAY)
            return True
        if await queries.is_object_needed(db, due_sweep.sha256):
            await db.execute("delete from file_sweeps where uuid = :uuid", uuid=due_sweep.uuid)
        elif not await _try_delete_object(storage, due_sweep.sha256):
            # Postpone it behind the others: one object that cannot be deleted must not block them.
            await queries.LEASES.postpone(db, due_sweep.uuid, RETRY_DELAY)
            return False
        else:
            # A request that stored the same bytes but created no file yet will find no note.
            await db.execute(
                "delete from file_sweeps where sha256 = :sha256 and due_at <= pannier_now()",
                sha256=due_sweep.sha256,
            )
    return True


async def _try_delete_object(storage: Storage, sha256: bytes) -> bool:
    try:
        await storage.delete(sha256)
    except StorageUnavailable:
        return False
    return True
