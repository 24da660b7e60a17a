"""Retention of the records of news, the same as of messages."""

from datetime import datetime
from typing import Final

from pannier.db import Database
from pannier.db.retention import BATCH_ROWS, RetentionSweep

NEWS: Final = RetentionSweep("messages", "news")


async def drop_older(database: Database, before: datetime) -> int:
    """Forget the queued events from before a time, about which nobody was notified yet."""
    count = 0
    while True:
        async with database.transaction() as db:
            dropped_count = await db.execute(
                f"""delete from news_queue where (company, position) in (
                        select q.company, q.position from news_queue q
                        join events e on e.uuid = q.event
                        where e.created_at < :before limit {BATCH_ROWS})""",
                before=before,
            )
        if not dropped_count:
            return count
        count += dropped_count
