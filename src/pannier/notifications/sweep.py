"""Retention of messages, including those of channels without a provider."""

from datetime import datetime
from typing import Final

from pannier.db import Database
from pannier.db.retention import BATCH_ROWS, RetentionSweep

MESSAGES: Final = RetentionSweep("messages", "messages", condition="t.state <> 'due'")

DROPPED: Final = "Not sent: it was older than the restored installation was to send."


async def drop_older(database: Database, before: datetime) -> int:
    """Mark the unsent messages from before a time as failed. Return how many."""
    count = 0
    while True:
        async with database.transaction() as db:
            dropped_count = await db.execute(
                f"""update messages set state = 'failed', error = :error
                    where uuid = any(array(
                        select uuid from messages where state = 'due' and created_at < :before
                        order by channel, secret, company, due_at limit {BATCH_ROWS}))""",
                error=DROPPED,
                before=before,
            )
        if not dropped_count:
            return count
        count += dropped_count
