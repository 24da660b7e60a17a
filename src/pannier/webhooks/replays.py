"""Replays: a delivery that has ended is sent again, with a new retry schedule.

Its id and bytes stay the same, so that receivers recognise it.
"""

from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts import audit
from pannier.db import Db, Where
from pannier.errors import Conflict, FieldError, Invalid, NotFound
from pannier.webhooks import fanout, queries, queue
from pannier.webhooks.entries import DeliveryRow, ReplayFilter, ReplayIn, ReplayOut
from pannier.webhooks.models import DeliveryState, Webhook
from pannier.webhooks.queue import Thread
from pannier.webhooks.switch import WEBHOOKS

# The states to replay if the filter has none.
DEFAULT_STATES: Final[list[DeliveryState]] = ["failed"]

# Inserts deliveries into the queue for a new round. With `:with_queued`, deliveries that
# are already queued become due at once.
REQUEUE: Final = """
    with requeued as (
        insert into webhook_queue as q (delivery, company, webhook, event, sequence, due_at,
                                        round, attempts, ready)
        select d.uuid, d.company, d.webhook, d.event, d.sequence, :now, coalesce(last.round, 0) + 1,
               coalesce(last.number, 0), true
        from unnest(:uuids::uuid[]) selected (uuid)
        cross join lateral (
            select uuid, company, webhook, event, sequence from webhook_deliveries
            where uuid = selected.uuid limit 1) d
        left join lateral (
            select number, round from webhook_attempts a where a.delivery = d.uuid
            order by number desc limit 1) last on true
        where d.company = :company and (:with_queued or (
            select delivery from webhook_queue w where w.delivery = d.uuid limit 1) is null)
        on conflict (delivery) do update
        set thread = null, due_at = :now, round = q.round + 1, retries = 0, ready = true
        where q.sender is null
        returning delivery),
    reopened as (
        update webhook_deliveries d set state = null, finished_at = null
        where d.uuid = any(array(select delivery from requeued)) and d.state is not null)
    select array_agg(delivery) from requeued"""


class DeliveryInFlight(Conflict):
    """The current attempt may still succeed."""

    code = "delivery_in_flight"
    title = "A delivery attempt is in progress."
    remedy = "Wait for it to finish."


class WebhookDeleted(Conflict):
    """The delivery no longer has an endpoint."""

    code = "webhook_deleted"
    title = "The delivery's webhook was deleted."
    remedy = "Create a webhook for future events. Past ones are listed at `GET /v1/events`."


class WebhookNotEnabled(Conflict):
    """A paused or disabled webhook sends nothing."""

    code = "webhook_not_enabled"
    title = "The delivery's webhook is not enabled."
    remedy = "Enable it first."


class PingNotReplayable(Conflict):
    """A ping is sent only once."""

    code = "ping_not_replayable"
    title = "A ping cannot be replayed."
    remedy = "Send another ping."


class _ReplayCandidate(msgspec.Struct):
    uuid: UUID
    public_id: str


class ReplayResult(msgspec.Struct):
    """The number of deliveries that match a filter, and the number replayed."""

    matched: int
    selected: int
    replayed: int
    last_id: str | None


async def replay_delivery(db: Db, webhook: Webhook, delivery: DeliveryRow) -> DeliveryRow:
    """Replay a delivery. The caller has locked its endpoint's queue."""
    check_replayable(webhook, delivery)
    thread = await db.fetch_value(
        "select thread from webhook_queue where delivery = :uuid", uuid=delivery.uuid
    )
    if not await _requeue_deliveries(db, delivery.company, [delivery.uuid], with_queued=True):
        raise DeliveryInFlight
    # The delivery has left its thread, so it blocks no later one.
    await queue.advance_threads(db, [Thread(webhook.uuid, thread)])
    audit.record(
        db,
        delivery.company,
        "webhook_delivery.replayed",
        delivery.public_id,
        webhook=webhook.public_id,
    )
    db.notify(fanout.CHANNEL)
    return await queries.get_delivery(db, delivery.company, str(delivery.uuid))


async def _requeue_deliveries(
    db: Db, company: UUID, uuids: list[UUID], *, with_queued: bool
) -> list[UUID]:
    requeued_uuids: list[UUID] | None = await db.fetch_value(
        REQUEUE, company=company, uuids=uuids, now=db.now, with_queued=with_queued
    )
    return requeued_uuids or []


def check_replayable(webhook: Webhook, delivery: DeliveryRow) -> None:
    """Raise a Conflict if a delivery cannot be replayed."""
    if delivery.event is None:
        raise PingNotReplayable
    if webhook.deleted_at is not None:
        raise WebhookDeleted
    if delivery.state == "sending":
        raise DeliveryInFlight
    if webhook.state != "enabled":
        raise WebhookNotEnabled


async def replay_deliveries(db: Db, company: UUID, data: ReplayIn) -> ReplayOut:
    """Replay the deliveries that match a filter, oldest first, or only count them."""
    if data.filter.is_empty:
        names = ", ".join(ReplayFilter.__struct_fields__)
        raise Invalid(fields=[FieldError("filter", f"Send at least one of: {names}.")])
    where = await _build_replay_condition(db, company, data)
    result = await (
        _count_matching_deliveries(db, where)
        if data.dry_run
        else _replay_matching_deliveries(db, where, data.limit)
    )
    if result.replayed:
        audit.record(
            db,
            company,
            "webhook_deliveries.replayed",
            "webhook_deliveries",
            filter=msgspec.to_builtins(data.filter),
            matched=result.matched,
            replayed=result.replayed,
        )
        db.notify(fanout.CHANNEL)
    return ReplayOut(
        dry_run=data.dry_run,
        matched=result.matched,
        replayed=result.replayed,
        remaining=result.matched - result.selected,
        last=result.last_id,
    )


async def _build_replay_condition(db: Db, company: UUID, data: ReplayIn) -> Where:
    """Build the condition for deliveries that match the filter and can be replayed."""
    filters = data.filter
    where = queries.filter_deliveries(Where(company), filters, path="filter.")
    where.add("event is not null and not is_queued")
    queries.filter_by_state(where, DEFAULT_STATES if filters.state is None else filters.state)
    where.add("webhook = any(:webhooks)", webhooks=await _list_enabled_webhooks(db, company, data))
    if data.after is not None:
        after_uuid = await queries.get_uuid(db, company, "delivery", data.after, "after")
        where.add(
            """(created_at, uuid) > (
                   select created_at, uuid from webhook_deliveries where uuid = :after)""",
            after=after_uuid,
        )
    return where


async def _list_enabled_webhooks(db: Db, company: UUID, data: ReplayIn) -> list[UUID]:
    """List the enabled webhooks that the filter allows."""
    where = WEBHOOKS.where(company).add("state = 'enabled'")
    if data.filter.webhook is not None:
        webhook = await WEBHOOKS.find(db, company, data.filter.webhook)
        if webhook is None:
            raise NotFound(fields=[FieldError("filter.webhook", "There is no such webhook.")])
        where.add_equal(uuid=webhook.uuid)
    uuids: list[UUID] | None = await db.fetch_value(
        f"select array_agg(uuid) from webhooks {where}", **where.values
    )
    return uuids or []


async def _count_matching_deliveries(db: Db, where: Where) -> ReplayResult:
    count = await db.fetch_value(f"select count(*) from {queries.LOG} {where}", **where.values)
    return ReplayResult(count, 0, 0, None)


async def _replay_matching_deliveries(db: Db, where: Where, limit: int) -> ReplayResult:
    """Replay matching deliveries. Lock the queues only after the search, which may take long."""
    matching_rows = f"from {queries.LOG} {where}"
    deliveries = await db.fetch_all(
        _ReplayCandidate,
        f"select uuid, public_id {matching_rows} order by created_at, uuid limit :limit",
        **where.values,
        limit=limit,
    )
    match_count = len(deliveries)
    if match_count == limit:
        match_count = await db.fetch_value(f"select count(*) {matching_rows}", **where.values)
    await queue.lock_queues(db, where.values["webhooks"])
    uuids = [delivery.uuid for delivery in deliveries]
    replayed_uuids = await _requeue_deliveries(
        db, where.values["company"], uuids, with_queued=False
    )
    return ReplayResult(
        match_count,
        len(deliveries),
        len(replayed_uuids),
        deliveries[-1].public_id if deliveries else None,
    )
