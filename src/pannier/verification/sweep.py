"""Deletion of old challenges and their codes."""

from pannier.db import Database
from pannier.db.retention import forget
from pannier.verification import rules


async def step(database: Database) -> bool:
    """Delete a batch of expired challenges."""
    async with database.transaction() as db:
        return await forget(db, "challenges", "created_at", keep=rules.KEEP) > 0
