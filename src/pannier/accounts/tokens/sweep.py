"""Tokens that have ended, by age, idleness or revocation, leave some time later."""

from typing import Final

from pannier.accounts.tokens import rules
from pannier.db import Database

BATCH: Final = 1000


async def step(database: Database) -> bool:
    """Delete a batch of tokens that ended too long ago for anybody to ask."""
    async with database.transaction() as db:
        gone = await db.execute(
            """delete from tokens where uuid in (
                   select uuid from tokens where ends_at <= :before
                   order by ends_at limit :batch for update skip locked)""",
            before=db.now - rules.KEEP,
            batch=BATCH,
        )
    return gone > 0
