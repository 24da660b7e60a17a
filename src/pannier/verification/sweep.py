"""Old challenges and their codes are forgotten."""

from typing import Final

from pannier.db import Database
from pannier.verification import rules

BATCH: Final = 1000


async def step(database: Database) -> bool:
    """Delete a batch of what is too old to be answered, or to be asked about."""
    async with database.transaction() as db:
        gone = await db.execute(
            """delete from challenges where uuid = any(array(
                   select uuid from challenges where created_at < :before
                   order by created_at limit :batch for update skip locked))""",
            before=db.now - rules.KEEP,
            batch=BATCH,
        )
    return gone > 0
