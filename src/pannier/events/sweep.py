"""Old events leave the log."""

from datetime import timedelta
from typing import Final

from pannier.db import Database
from pannier.kit import ids

BATCH: Final = 1000

# What has not been told yet stays, and so does what is still being delivered or shown as delivered.
FORGET: Final = """
    with gone as (
        delete from events where uuid in (
            select uuid from events e
            where uuid < :before
              and exists (select from event_relays r where r.event = e.uuid)
              and not exists (select from webhook_deliveries d where d.event = e.uuid)
            order by uuid limit :batch for update skip locked)
        returning uuid)
    delete from event_relays using gone where event = gone.uuid"""


async def step(database: Database, keep: timedelta) -> bool:
    """Delete a batch of relayed events that are older than their keeping time."""
    async with database.transaction() as db:
        # UUIDs begin with the time they were made.
        before = ids.first_uuid(db.now - keep)
        gone = await db.execute(FORGET, before=before, batch=BATCH)
    return gone > 0
