"""The relay: hands each new event to every subscriber, once, in the order they were written down.

New means `relayed_at is null`, never "id greater than the last": transactions commit out of order.
One relay works at a time, or a thread's later event could overtake an earlier one.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from pannier.db import Database, Db
from pannier.events.models import Event

BATCH: Final = 200
TURN: Final = 7_240_551  # the advisory lock that tells whose turn it is

Subscriber = Callable[[Db, Sequence[Event]], Awaitable[None]]


async def step(database: Database, subscribers: Sequence[Subscriber]) -> bool:
    """Relay a batch; what subscribers write is committed together with the mark."""
    async with database.transaction() as db:
        if not await db.value("select pg_try_advisory_xact_lock(:turn)", turn=TURN):
            return False
        events = await db.many(
            Event,
            """select * from events where relayed_at is null
               order by position limit :batch for update skip locked""",
            batch=BATCH,
        )
        if not events:
            return False
        for subscriber in subscribers:
            await subscriber(db, events)
        await db.execute(
            "update events set relayed_at = :now where uuid = any(:uuids)",
            now=db.now,
            uuids=[event.uuid for event in events],
        )
    return True
