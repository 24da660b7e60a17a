"""The relay: hands each new event to every subscriber, once, in the order of writing.

New events are those in the queue, never those with an "id greater than the last", because
transactions commit out of order. Only one relay runs at a time, so that no event overtakes an
earlier one of its thread. Relayed events are numbered in commit order, so their readers may use
"greater than the last".

If a subscriber fails on an event, that event is parked for this subscriber. The other subscribers
continue.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from pannier.db import Database, Db
from pannier.db.sql import columns
from pannier.events.models import Event
from pannier.parked import service as parking
from pannier.parked.models import ParkedWork, WorkKey
from pannier.parked.sweep import Retries

# A batch may be twice as large as the one before, because a small batch costs almost as much as a
# large one. The rows written per batch are limited too, so that other transactions wait only
# briefly for the rows that a batch updates.
INITIAL_BATCH_SIZE: Final = 100
MAX_BATCH_SIZE: Final = 400
MAX_ROWS_WRITTEN: Final = 2000
RELAY_LOCK_KEY: Final = 7_240_551  # key of the advisory lock that admits one relay at a time
CHANNEL: Final = "pannier_relayed"  # notified after events were relayed

Subscriber = Callable[[Db, Sequence[Event]], Awaitable[None]]

# `offset 0` forces an index lookup for each event. A planner that believes the table to be empty
# could scan it once per event.
TAKE_BATCH: Final = f"""
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
    """A relay of events in batches. Each batch's size adapts to the one before."""

    def __init__(self, database: Database, subscribers: Sequence[Subscriber]) -> None:
        self._database, self._subscribers = database, subscribers
        self.batch_size = INITIAL_BATCH_SIZE

    async def step(self) -> bool:
        """Relay a batch. After a failure the next one is half as large: size may be the cause."""
        try:
            relayed_count, rows = await _relay_batch(
                self._database, self._subscribers, self.batch_size
            )
        except Exception:
            self.batch_size = max(1, self.batch_size // 2)
            raise
        self.batch_size = next_batch_size(self.batch_size, relayed_count, rows)
        return relayed_count > 0


def next_batch_size(size: int, relayed: int, rows_written: int) -> int:
    """Return the size of the next batch, given the last batch and the rows that it wrote."""
    # A batch that was not full emptied the queue, so the next one starts small again.
    grown_size = 2 * relayed if relayed >= size else INITIAL_BATCH_SIZE
    affordable_size = MAX_ROWS_WRITTEN * relayed // rows_written if rows_written else MAX_BATCH_SIZE
    return max(1, min(grown_size, affordable_size, MAX_BATCH_SIZE))


async def _relay_batch(
    database: Database, subscribers: Sequence[Subscriber], size: int
) -> tuple[int, int]:
    """Relay a batch; return the number of events and of rows written.

    The writes of subscribers commit together with the removal of the events from the queue.
    """
    async with database.transaction() as db:
        await db.prefer_indexes()
        if not await db.fetch_value("select pg_try_advisory_xact_lock(:lock)", lock=RELAY_LOCK_KEY):
            return 0, 0
        events = await db.fetch_all(Event, TAKE_BATCH, batch=size, now=db.now)
        for subscriber in subscribers if events else ():
            await _pass_events(db, subscriber, events)
        for company in {event.company for event in events}:
            db.notify(CHANNEL, company)
    return len(events), db.inserted_count


async def _pass_events(db: Db, subscriber: Subscriber, events: Sequence[Event]) -> None:
    """Pass events to a subscriber. After a failure, bisect to find the event to park."""
    async with parking.WorkAttempt(db) as trial:
        await subscriber(db, events)
    if trial.failure is None:
        return
    if len(events) == 1:
        [event] = events
        work = WorkKey(event.company, step_name(subscriber), event.public_id, event.uuid)
        await parking.park(db, work, trial.failure)
        return
    half = len(events) // 2
    await _pass_events(db, subscriber, events[:half])
    await _pass_events(db, subscriber, events[half:])


def step_name(subscriber: Subscriber) -> str:
    """Return the step name of a subscriber, derived from its module."""
    return f"events to {subscriber.__module__.removeprefix('pannier.')}"


def make_retries(subscribers: Sequence[Subscriber]) -> Retries:
    """Build the retry functions for events that were parked."""
    return {step_name(subscriber): _make_retry(subscriber) for subscriber in subscribers}


def _make_retry(subscriber: Subscriber) -> Callable[[Db, ParkedWork], Awaitable[None]]:
    async def retry(db: Db, parked: ParkedWork) -> None:
        await db.fetch_value("select pg_advisory_xact_lock(:lock)", lock=RELAY_LOCK_KEY)
        events = await db.fetch_all(
            Event,
            f"select {columns(Event)} from events where company = :company and uuid = :uuid",
            company=parked.company,
            uuid=parked.subject_uuid,
        )
        if events:
            await subscriber(db, events)

    return retry
