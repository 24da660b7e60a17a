"""Old messages are forgotten."""

from datetime import timedelta
from typing import Final

from pannier.db import Database, retention

BATCH: Final = 1000

OLD: Final = retention.old("messages", "messages", that="t.state <> 'due'")


async def step(database: Database, keep: timedelta) -> bool:
    """Delete a batch of finished messages, the drawer's too, older than their keeping time."""
    async with database.transaction() as db:
        gone = await db.execute(
            f"delete from messages where uuid in ({OLD})", now=db.now, most=keep, batch=BATCH
        )
    return gone > 0
