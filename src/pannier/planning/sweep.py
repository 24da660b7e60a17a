"""Deleting old plans."""

from datetime import timedelta
from typing import Final

from pannier.db import Database, retention

# Plans deleted per step. Each can have thousands of rows.
MAX_PLANS: Final = 20


async def step(database: Database, keep: timedelta) -> bool:
    """Delete some plans and planned stops that are older than `keep`."""
    async with database.transaction() as db:
        plans = await retention.purge(db, "plans", "created_at", keep=keep, batch=MAX_PLANS)
        stops = await retention.purge(db, "planned_stops", "created_at", keep=keep)
    return plans + stops > 0
