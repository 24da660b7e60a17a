"""Retention of deliveries, and cancellation of those to deleted endpoints, in batches."""

from datetime import timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Database, Db, retention
from pannier.webhooks import metrics, queue
from pannier.webhooks.queue import Thread

BATCH: Final = 1000

# Condition for an event `t` that deliveries in the log refer to.
NEEDS_EVENT: Final = "exists (select from webhook_deliveries d where d.event = t.uuid)"
# Deliveries in flight or still to be sent stay. Those held for a disabled endpoint do not.
BUSY: Final = """
    select q.delivery from webhook_queue q
    where q.delivery {} and (q.sender is not null or (
        select w.state = 'enabled' from webhooks w where w.uuid = q.webhook))"""
# An event stays as long as its deliveries, so deliveries are deleted no later than events.
_OLD: Final = retention.old(
    "webhook_log",
    "events",
    table="webhook_deliveries",
    that=f"({BUSY.format('= t.uuid')} limit 1) is null",
    lock="",
)
OLD: Final = f"select uuid, webhook, thread from webhook_deliveries where uuid = any(array({_OLD}))"

# Checks IS_BUSY again: meanwhile a delivery may have been replayed, or its endpoint enabled.
FORGET: Final = f"""
    with gone as (
        delete from webhook_deliveries
        where uuid = any(:uuids) and uuid <> all(array({BUSY.format("= any(:uuids)")}))
        returning uuid),
    unsent as (delete from webhook_queue where delivery = any(array(select uuid from gone)))
    delete from webhook_attempts where delivery = any(array(select uuid from gone))"""

DESERTED: Final = """
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


class _Old(msgspec.Struct):
    uuid: UUID
    webhook: UUID
    thread: str


async def step(database: Database, keep: timedelta) -> bool:
    """Delete a batch of old deliveries that are not to be sent any more."""
    async with database.transaction() as db:
        await db.require_safe_clock()
        old = await db.many(_Old, OLD, most=keep, batch=BATCH)
        if old:
            await _forget(db, old)
    return bool(old)


async def _forget(db: Db, old: list[_Old]) -> None:
    await queue.take_turns(db, {one.webhook for one in old})
    await retention.delete(db, FORGET, uuids=[one.uuid for one in old])
    await queue.advance(db, [Thread(one.webhook, one.thread) for one in old])


async def cancel(database: Database) -> bool:
    """Cancel a batch of queued deliveries to a deleted endpoint."""
    async with database.transaction() as db:
        await db.find_by_index()
        webhook = await db.value(DESERTED)
        if webhook is None:
            return False
        cancelled = await db.execute(CANCEL, webhook=webhook, batch=BATCH)
    metrics.ended("cancelled", cancelled)
    return cancelled > 0
