"""Old events leave the log."""

from datetime import timedelta
from typing import Final

from pannier.db import Database

BATCH: Final = 1000


async def step(database: Database, keep: timedelta) -> bool:
    """Delete a batch of relayed events that are older than their keeping time."""
    async with database.transaction() as db:
        gone = await db.execute(
            """delete from events where uuid in (
                   select uuid from events where relayed_at is not null and created_at < :before
                   order by created_at limit :batch for update skip locked)""",
            before=db.now - keep,
            batch=BATCH,
        )
    return gone > 0
