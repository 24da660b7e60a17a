"""Deletion of old challenges and their codes."""

from pannier.db import Database
from pannier.db.retention import purge
from pannier.verification import rules


async def step(database: Database) -> bool:
    """Delete a batch of expired challenges."""
    async with database.transaction() as db:
        return await purge(db, "challenges", "created_at", keep=rules.RETENTION) > 0
