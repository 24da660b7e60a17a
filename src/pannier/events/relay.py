"""The relay: hands each new event to every subscriber, once, in the order they were written down.

New is what stands in the queue, never "id greater than the last": transactions commit out of
order. One relay works at a time, or a thread's later event could overtake an earlier one.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from pannier.db import Database, Db
from pannier.db.sql import columns
from pannier.events.models import Event

# Few enough that whoever waits for what a batch of deliveries adds to does not wait long.
BATCH: Final = 100
TURN: Final = 7_240_551  # the advisory lock that tells whose turn it is

Subscriber = Callable[[Db, Sequence[Event]], Awaitable[None]]

TAKE: Final = f"""
    with taken as (
        delete from event_queue where position = any(array(
            select position from event_queue order by position limit :batch))
        returning position, event),
    relayed as (insert into event_relays (event, relayed_at) select event, :now from taken)
    select {columns(Event, "events")}
    from taken join events on events.uuid = taken.event order by position"""


async def step(database: Database, subscribers: Sequence[Subscriber]) -> bool:
    """Relay a batch; what subscribers write is committed together with its leaving the queue."""
    async with database.transaction() as db:
        if not await db.value("select pg_try_advisory_xact_lock(:turn)", turn=TURN):
            return False
        events = await db.many(Event, TAKE, batch=BATCH, now=db.now)
        for subscriber in subscribers if events else ():
            await subscriber(db, events)
    return bool(events)
