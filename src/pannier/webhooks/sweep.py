"""Old deliveries leave the log, and their attempts with them."""

from datetime import timedelta
from typing import Final

from pannier.db import Database
from pannier.kit import ids

BATCH: Final = 1000


async def step(database: Database, keep: timedelta) -> bool:
    """Delete a batch of deliveries that nobody is going to send any more."""
    async with database.transaction() as db:
        gone = await db.execute(
            """delete from webhook_deliveries where uuid in (
                   select uuid from webhook_deliveries
                   where uuid < :before and state not in ('pending', 'sending')
                   order by uuid limit :batch for update skip locked)""",
            # UUIDs begin with the time they were made.
            before=ids.first_uuid(db.now - keep),
            batch=BATCH,
        )
    return gone > 0
