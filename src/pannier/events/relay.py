"""The relay: hands each new event to every subscriber, once, in the order they were written down.

New is what stands in the queue, never "id greater than the last": transactions commit out of
order. One relay works at a time, or a thread's later event could overtake an earlier one; so what
it has told is numbered in the order of its commits, and readers may go by "greater than the last".

An event that a subscriber fails at is parked for that subscriber; the others go on.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from pannier.db import Database, Db
from pannier.db.sql import columns
from pannier.events.models import Event
from pannier.parked import service as parking
from pannier.parked.models import Parked, Work
from pannier.parked.sweep import Retries

# Events of a batch: of the first one, and at most. Each may have twice as many as the one before,
# because a small one costs as much to begin as to tell. Whoever waits for what a batch adds to
# should not wait long, so where events become many rows, fewer are taken the next time.
BATCH: Final = 100
MOST: Final = 400
ROWS: Final = 2000
TURN: Final = 7_240_551  # the advisory lock that tells whose turn it is
CHANNEL: Final = "pannier_relayed"  # rung when events were told

Subscriber = Callable[[Db, Sequence[Event]], Awaitable[None]]

# `offset 0` has each event looked up by its key, whatever the planner believes: a table that it
# takes for empty it may read once for each.
TAKE: Final = f"""
    with taken as (
        delete from event_queue where position = any(array(
            select position from event_queue order by position limit :batch))
        returning position, event),
    found as (
        select position, {columns(Event, "events")}
        from taken cross join lateral (
            select {columns(Event)} from events where uuid = taken.event offset 0) events),
    relayed as (
        insert into event_relays (event, company, relayed_at)
        select uuid, company, :now from found order by position)
    select {columns(Event)} from found order by position"""


class Relay:
    """Relays batch after batch, each as large as the one before suggests."""

    def __init__(self, database: Database, subscribers: Sequence[Subscriber]) -> None:
        self._database, self._subscribers = database, subscribers
        self.batch = BATCH

    async def step(self) -> bool:
        """Relay a batch; what fails may do so because it is large, so the next one is smaller."""
        try:
            told, rows = await _relay(self._database, self._subscribers, self.batch)
        except Exception:
            self.batch = max(1, self.batch // 2)
            raise
        self.batch = following(self.batch, told, rows)
        return told > 0


def following(batch: int, told: int, rows: int) -> int:
    """Say how many events to take after a batch of so many that became so many rows."""
    # When nothing more waits, what comes next should not wait for what comes after it.
    wanted = 2 * told if told >= batch else BATCH
    few_enough = ROWS * told // rows if rows else MOST
    return max(1, min(wanted, few_enough, MOST))


async def _relay(
    database: Database, subscribers: Sequence[Subscriber], batch: int
) -> tuple[int, int]:
    """Relay some events, and tell how many, and how many rows they became.

    What subscribers write is committed together with the events' leaving the queue.
    """
    async with database.transaction() as db:
        await db.find_by_index()
        if not await db.value("select pg_try_advisory_xact_lock(:turn)", turn=TURN):
            return 0, 0
        events = await db.many(Event, TAKE, batch=batch, now=db.now)
        for subscriber in subscribers if events else ():
            await _tell(db, subscriber, events)
        if events:
            db.ring(CHANNEL)
    return len(events), db.inserted


async def _tell(db: Db, subscriber: Subscriber, events: Sequence[Event]) -> None:
    """Tell a subscriber; halve what it fails at until the event is found, and park that one."""
    async with parking.Trial(db) as trial:
        await subscriber(db, events)
    if trial.failure is None:
        return
    if len(events) == 1:
        [event] = events
        work = Work(event.company, name_of(subscriber), event.public_id, event.uuid)
        await parking.park(db, work, trial.failure)
        return
    half = len(events) // 2
    await _tell(db, subscriber, events[:half])
    await _tell(db, subscriber, events[half:])


def name_of(subscriber: Subscriber) -> str:
    """Name the step of a subscriber after its module."""
    return f"events to {subscriber.__module__.removeprefix('pannier.')}"


def retries(subscribers: Sequence[Subscriber]) -> Retries:
    """Say how events that are parked are told once more."""
    return {name_of(subscriber): _again(subscriber) for subscriber in subscribers}


def _again(subscriber: Subscriber) -> Callable[[Db, Parked], Awaitable[None]]:
    async def again(db: Db, parked: Parked) -> None:
        await db.value("select pg_advisory_xact_lock(:turn)", turn=TURN)
        told = await db.many(
            Event,
            f"select {columns(Event)} from events where company = :company and uuid = :uuid",
            company=parked.company,
            uuid=parked.subject_uuid,
        )
        if told:
            await subscriber(db, told)

    return again
