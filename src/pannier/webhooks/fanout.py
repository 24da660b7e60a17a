"""The subscriber that creates a delivery of each event for every endpoint that wants it."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.events import patterns
from pannier.events.catalog import Name
from pannier.events.models import Event
from pannier.fleet import moves
from pannier.kit.structs import convert_struct
from pannier.webhooks import queue
from pannier.webhooks.models import Delivery, QueuedDelivery
from pannier.webhooks.queue import Thread

CHANNEL: Final = "pannier_webhooks"
# `changed` of a vehicle that only moved.
_MOVED: Final = ["location"]

# An endpoint and a thread.
ThreadKey = tuple[UUID, str]

LIST_SUBSCRIPTIONS: Final = """
    select uuid, company, events from webhooks
    where company = any(:companies) and deleted_at is null and events && :patterns"""

# A thread's next delivery is ready if no earlier one blocks it, as in queue.ADVANCE.
LOAD_THREADS: Final = """
    select t.webhook, t.thread,
           coalesce((select sequence from webhook_deliveries d
                     where d.webhook = t.webhook and d.thread = t.thread
                     order by sequence desc limit 1), 0) as last_sequence,
           earlier.tried is null or earlier.tried
               and (select ordering <> 'strict' from webhooks w where w.uuid = t.webhook)
                    as is_ready
    from unnest(:webhooks::uuid[], :threads::text[]) as t (webhook, thread)
    left join lateral (
        select tried from webhook_queue q
        where q.webhook = t.webhook and q.thread = t.thread
        order by tried limit 1) earlier on true"""

# Looks deliveries up by thread, so an endpoint's long queue adds no cost.
SUPERSEDE: Final = """
    with stale as (
        delete from webhook_queue q
        where q.sender is null and q.delivery = any(array(
            select waiting.delivery
            from unnest(:webhooks::uuid[], :threads::text[], :names::text[])
                     as e (webhook, thread, name)
            cross join lateral (
                select delivery, coalesced from webhook_queue
                where webhook = e.webhook and thread = e.thread and sender is null
                offset 0) waiting
            where waiting.coalesced
              and e.name = (select name from webhook_deliveries d
                            where d.uuid = waiting.delivery)))
        returning q.delivery, q.webhook, q.thread),
    logged as (
        update webhook_deliveries d set state = 'superseded', finished_at = :now
        from stale where d.uuid = stale.delivery
            and d.uuid = any(array(select delivery from stale)))
    select webhook, thread from stale"""


class _Subscription(msgspec.Struct):
    """An endpoint and the events it wants."""

    uuid: UUID
    company: UUID
    events: list[str]


class _ThreadState(msgspec.Struct):
    """The last sequence number of a thread, and whether its next delivery is ready."""

    webhook: UUID
    thread: str
    last_sequence: int
    is_ready: bool


class _StaleDelivery(msgspec.Struct):
    webhook: UUID
    thread: str


class _Change(msgspec.Struct):
    changed: list[str] = msgspec.field(default_factory=list)


class _VehicleUpdate(msgspec.Struct):
    """The part of a `vehicle.updated` event that says what changed."""

    data: _Change


_decode_update: Final = msgspec.json.Decoder(_VehicleUpdate).decode


def is_move(event: Event) -> bool:
    """Return whether an event only reports a position. The latest one replaces those before it."""
    if event.name == Name.VEHICLE_UPDATED:
        return _decode_update(event.body).data.changed == _MOVED
    return event.name == Name.DRIVER_LOCATION_CHANGED


@moves.has_receiver.register
async def has_receiver(db: Db, company: UUID, names: Sequence[Name]) -> bool:
    """Return whether an enabled endpoint receives one of these events."""
    event_patterns = {pattern for name in names for pattern in patterns.list_patterns(name)}
    return bool(
        await db.fetch_value(
            """select exists (select from webhooks where company = :company
                   and deleted_at is null and state = 'enabled' and events && :patterns)""",
            company=company,
            patterns=sorted(event_patterns),
        )
    )


async def create_deliveries(db: Db, events: Sequence[Event]) -> None:
    """Write the deliveries of events and wake the sender."""
    webhooks = await db.fetch_all(
        _Subscription,
        LIST_SUBSCRIPTIONS,
        companies=list({event.company for event in events}),
        patterns=list(
            {pattern for event in events for pattern in patterns.list_patterns(event.name)}
        ),
    )
    by_company = defaultdict(list)
    for webhook in webhooks:
        by_company[webhook.company].append(webhook)
    pairs = [
        (webhook.uuid, event)
        for event in events
        for webhook in by_company[event.company]
        if patterns.matches(webhook.events, event.name)
    ]
    if not pairs:
        return
    await queue.lock_queues(db, {webhook for webhook, _ in pairs})
    await _supersede_queued_deliveries(db, pairs)
    threads = await _load_threads(db, {(webhook, event.thread) for webhook, event in pairs})
    await _write_deliveries(db, pairs, threads)
    db.notify(CHANNEL)


async def _load_threads(db: Db, pairs: Collection[ThreadKey]) -> dict[ThreadKey, _ThreadState]:
    webhooks, threads = zip(*pairs, strict=True)
    states = await db.fetch_all(
        _ThreadState, LOAD_THREADS, webhooks=list(webhooks), threads=list(threads)
    )
    return {(state.webhook, state.thread): state for state in states}


async def _write_deliveries(
    db: Db, pairs: Sequence[tuple[UUID, Event]], threads: Mapping[ThreadKey, _ThreadState]
) -> None:
    """Write deliveries to the log, and those that are not superseded to the queue."""
    latest_moves = {
        (webhook, event.thread, event.name): event.uuid
        for webhook, event in pairs
        if is_move(event)
    }
    log_rows, queue_rows = [], []
    for webhook, event in pairs:
        thread = threads[webhook, event.thread]
        thread.last_sequence += 1
        delivery = _make_delivery(db, webhook, event, thread.last_sequence)
        log_rows.append(delivery)
        is_coalesced = is_move(event)
        if is_coalesced and latest_moves[webhook, event.thread, event.name] != event.uuid:
            delivery.state, delivery.finished_at = "superseded", db.now
        else:
            queue_rows.append(
                _to_queue_row(delivery, ready=thread.is_ready, coalesced=is_coalesced)
            )
            thread.is_ready = False
    await db.insert("webhook_deliveries", *log_rows)
    await db.insert("webhook_queue", *queue_rows)


def _make_delivery(db: Db, webhook: UUID, event: Event, sequence: int) -> Delivery:
    return Delivery(
        uuid=db.new_uuid(),
        company=event.company,
        webhook=webhook,
        event=event.uuid,
        body=None,
        name=event.name,
        subject=event.subject,
        thread=event.thread,
        sequence=sequence,
        created_at=db.now,
    )


def _to_queue_row(delivery: Delivery, *, ready: bool, coalesced: bool) -> QueuedDelivery:
    return convert_struct(
        delivery,
        QueuedDelivery,
        delivery=delivery.uuid,
        due_at=delivery.created_at,
        ready=ready,
        coalesced=coalesced,
    )


async def _supersede_queued_deliveries(db: Db, pairs: Sequence[tuple[UUID, Event]]) -> None:
    """Supersede queued deliveries that newer ones replace."""
    latest_keys = {
        (webhook, event.thread, event.name) for webhook, event in pairs if is_move(event)
    }
    if not latest_keys:
        return
    webhooks, threads, names = zip(*sorted(latest_keys), strict=True)
    stale_deliveries = await db.fetch_all(
        _StaleDelivery,
        SUPERSEDE,
        now=db.now,
        webhooks=list(webhooks),
        threads=list(threads),
        names=list(names),
    )
    await queue.advance_threads(
        db, [Thread(delivery.webhook, delivery.thread) for delivery in stale_deliveries]
    )
