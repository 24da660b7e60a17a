"""The worker's broom: objects that no living file names are removed when their grace is over."""

from datetime import timedelta
from typing import Final

from pannier.db import Database
from pannier.files import queries
from pannier.files.storage import Storage, StorageAway

LATER: Final = timedelta(minutes=5)


async def step(database: Database, storage: Storage) -> bool:
    """Look at one object whose time has come; False when there is none.

    The object is deleted inside the transaction, against the habit: the lock that ends with it
    is what keeps somebody from storing the same bytes meanwhile and losing them.
    """
    async with database.transaction() as db:
        due = await queries.due_sweep(db)
        if due is None:
            return False
        if not await queries.held_alone(db, due.sha256):
            await queries.LEASES.postpone(db, due.uuid, LATER)
            return True
        if await queries.needed(db, due.sha256):
            await db.execute("delete from file_sweeps where uuid = :uuid", uuid=due.uuid)
        elif not await _deleted(storage, due.sha256):
            # Later, and after the others: one object that cannot be deleted holds no other up.
            await queries.LEASES.postpone(db, due.uuid, LATER)
            return False
        else:
            # Whoever has stored the same bytes and not kept them yet finds their note gone.
            await db.execute(
                "delete from file_sweeps where sha256 = :sha256 and due_at <= pannier_now()",
                sha256=due.sha256,
            )
    return True


async def _deleted(storage: Storage, sha256: bytes) -> bool:
    try:
        await storage.delete(sha256)
    except StorageAway:
        return False
    return True
