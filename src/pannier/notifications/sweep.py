"""Old messages are forgotten."""

from datetime import timedelta
from typing import Final

from pannier.db import Database

BATCH: Final = 1000


async def step(database: Database, keep: timedelta) -> bool:
    """Delete a batch of finished messages, the drawer's too, older than their keeping time."""
    async with database.transaction() as db:
        gone = await db.execute(
            """delete from messages where uuid in (
                   select uuid from messages where state <> 'due' and created_at < :before
                   order by created_at limit :batch for update skip locked)""",
            before=db.now - keep,
            batch=BATCH,
        )
    return gone > 0
