"""Retention of the event log."""

from datetime import timedelta
from typing import Final

from pannier.db import Database, retention

BATCH: Final = 1000

# Events that were not relayed yet stay.
RELAYED: Final = "exists (select from event_relays r where r.event = t.uuid)"


async def step(database: Database, keep: timedelta, needed: str) -> bool:
    """Delete a batch of relayed events that are older than their retention time.

    `needed` is an SQL condition; an event `t` that meets it stays, whatever its age.
    """
    old = retention.old("events", table="events", that=f"{RELAYED} and not ({needed})")
    async with database.transaction() as db:
        gone = await retention.delete(
            db,
            f"""with gone as (
                    delete from events where uuid = any(array({old}))
                    returning uuid)
                delete from event_relays using gone where event = gone.uuid""",
            most=keep,
            batch=BATCH,
        )
    return gone > 0
