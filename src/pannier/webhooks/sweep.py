"""Retention of deliveries, and cancellation of those to deleted endpoints, in batches."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Database, Db, retention, sweep_guard
from pannier.webhooks import metrics, queue
from pannier.webhooks.queue import Thread

BATCH_SIZE: Final = 1000
LOG: Final = "webhook_deliveries"

# Condition for an event `t` that deliveries in the log refer to.
NEEDS_EVENT: Final = "exists (select from webhook_deliveries d where d.event = t.uuid)"
# Deliveries in flight or still to be sent stay. Those held for a disabled endpoint do not.
IS_BUSY: Final = """
    select q.delivery from webhook_queue q
    where q.delivery {} and (q.sender is not null or (
        select w.state = 'enabled' from webhooks w where w.uuid = q.webhook))"""
# An event stays as long as its deliveries, so deliveries are deleted no later than events.
_OLD: Final = retention.expired_rows_query(
    "webhook_log",
    "events",
    table="webhook_deliveries",
    condition=f"({IS_BUSY.format('= t.uuid')} limit 1) is null",
    lock="",
)
LIST_OLD: Final = (
    "select uuid, company, webhook, thread, created_at from webhook_deliveries "
    f"where uuid = any(array({_OLD}))"
)

# Checks IS_BUSY again: meanwhile a delivery may have been replayed, or its endpoint enabled.
DELETE_OLD: Final = f"""
    with gone as (
        delete from webhook_deliveries
        where uuid = any(:uuids) and uuid <> all(array({IS_BUSY.format("= any(:uuids)")}))
        returning uuid),
    unsent as (delete from webhook_queue where delivery = any(array(select uuid from gone)))
    delete from webhook_attempts where delivery = any(array(select uuid from gone))"""

FIND_DELETED_WEBHOOK: Final = """
    select w.uuid from webhooks w cross join lateral (
        select from webhook_queue q where q.webhook = w.uuid and q.sender is null limit 1) unsent
    where w.deleted_at is not null limit 1"""

CANCEL: Final = """
    with unsent as (
        delete from webhook_queue where delivery = any(array(
            select delivery from webhook_queue
            where webhook = :webhook and sender is null
            limit :batch for update skip locked))
        returning delivery)
    update webhook_deliveries set state = 'cancelled',
        finished_at = (select deleted_at from webhooks w where w.uuid = :webhook)
    where uuid = any(array(select delivery from unsent))"""


# Deliveries of events from before a time. An installation that calls this sends nothing meanwhile.
CANCEL_OLDER: Final = """
    with old as (
        select q.delivery, q.webhook, q.thread from webhook_queue q
        join webhook_deliveries d on d.uuid = q.delivery
        where coalesce((select e.created_at from events e where e.uuid = q.event), d.created_at)
            < :before
        limit :batch for update of q),
    unsent as (delete from webhook_queue where delivery = any(array(select delivery from old))),
    cancelled as (
        update webhook_deliveries set state = 'cancelled', finished_at = :now
        where uuid = any(array(select delivery from old)))
    select webhook, thread from old"""


class _OldDelivery(msgspec.Struct):
    uuid: UUID
    company: UUID
    webhook: UUID
    thread: str
    created_at: datetime


async def step(database: Database, keep: timedelta) -> bool:
    """Delete a batch of old deliveries that need no more attempts."""
    async with database.transaction() as db:
        await db.require_safe_clock()
        if not await sweep_guard.may_delete(db, LOG, _OLD, batch=BATCH_SIZE, max_age=keep):
            return False
        old_deliveries = await db.fetch_all(_OldDelivery, LIST_OLD, max_age=keep, batch=BATCH_SIZE)
        if old_deliveries:
            await _delete_deliveries(db, old_deliveries)
    return bool(old_deliveries)


async def _delete_deliveries(db: Db, old_deliveries: list[_OldDelivery]) -> None:
    await queue.lock_queues(db, {delivery.webhook for delivery in old_deliveries})
    await retention.delete(db, DELETE_OLD, uuids=[delivery.uuid for delivery in old_deliveries])
    await retention.mark_deleted(
        db, LOG, [(delivery.company, delivery.created_at) for delivery in old_deliveries]
    )
    await queue.advance_threads(
        db, [Thread(delivery.webhook, delivery.thread) for delivery in old_deliveries]
    )


async def cancel_deliveries(database: Database) -> bool:
    """Cancel a batch of queued deliveries to a deleted endpoint."""
    async with database.transaction() as db:
        await db.prefer_indexes()
        webhook = await db.fetch_value(FIND_DELETED_WEBHOOK)
        if webhook is None:
            return False
        count = await db.execute(CANCEL, webhook=webhook, batch=BATCH_SIZE)
    metrics.count_ended("cancelled", count)
    return count > 0


async def cancel_older(database: Database, before: datetime) -> int:
    """Cancel the deliveries of events from before a time, and return how many.

    Only for a silent installation: no delivery may be in flight.
    """
    count = 0
    while True:
        async with database.transaction() as db:
            rows = await db.fetch_tuples(CANCEL_OLDER, before=before, now=db.now, batch=BATCH_SIZE)
            threads = [Thread(webhook, thread) for webhook, thread in rows]
            await queue.lock_queues(db, {thread.webhook for thread in threads})
            await queue.advance_threads(db, threads)
        if not rows:
            return count
        count += len(rows)
