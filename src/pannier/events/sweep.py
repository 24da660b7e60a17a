"""Old events leave the log."""

from datetime import timedelta
from typing import Final

from pannier.db import Database, retention

BATCH: Final = 1000

# What has not been told yet stays, and so does what is still being delivered or shown as delivered.
TOLD: Final = """exists (select from event_relays r where r.event = t.uuid)
    and not exists (select from webhook_deliveries d where d.event = t.uuid)"""
_OLD: Final = retention.old("events", table="events", that=TOLD)
FORGET: Final = f"""
    with gone as (
        delete from events where uuid = any(array({_OLD}))
        returning uuid)
    delete from event_relays using gone where event = gone.uuid"""


async def step(database: Database, keep: timedelta) -> bool:
    """Delete a batch of relayed events that are older than their keeping time."""
    async with database.transaction() as db:
        gone = await retention.delete(db, FORGET, most=keep, batch=BATCH)
    return gone > 0
