"""Old challenges, their codes, and old spending are forgotten."""

from typing import Final

from pannier.db import Database
from pannier.verification import rules

BATCH: Final = 1000


async def step(database: Database) -> bool:
    """Delete a batch of each that is too old to matter to any limit."""
    async with database.transaction() as db:
        challenges = await db.execute(
            """delete from challenges where uuid = any(array(
                   select uuid from challenges where created_at < :before
                   order by created_at limit :batch for update skip locked))""",
            before=db.now - rules.KEEP,
            batch=BATCH,
        )
        hits = await db.execute(
            """delete from budget_hits where ctid = any(array(
                   select ctid from budget_hits where created_at < :before
                   order by created_at limit :batch for update skip locked))""",
            before=db.now - rules.KEEP,
            batch=BATCH,
        )
    return challenges + hits > 0
