"""The relay: hands each new event to every subscriber, once.

New means `relayed_at is null`, never "id greater than the last": transactions commit out of order.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from pannier.db import Database, Db
from pannier.events.models import Event

BATCH: Final = 200

Subscriber = Callable[[Db, Sequence[Event]], Awaitable[None]]


async def step(database: Database, subscribers: Sequence[Subscriber]) -> bool:
    """Relay a batch; what subscribers write is committed together with the mark."""
    async with database.transaction() as db:
        events = await db.many(
            Event,
            """select * from events where relayed_at is null
               order by created_at, uuid limit :batch for update skip locked""",
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
