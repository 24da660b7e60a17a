"""Queries for webhooks and the log of deliveries."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db, Page, Where, load_page
from pannier.db.sql import columns
from pannier.errors import FieldError, Invalid, NotFound, UnknownValue
from pannier.events.catalog import Name
from pannier.kit import ids
from pannier.web.times import to_rfc3339
from pannier.web.validation_errors import describe_choice
from pannier.webhooks import queue
from pannier.webhooks.entries import (
    AttemptOut,
    DeliveryDetailOut,
    DeliveryFilters,
    DeliveryRow,
    LogFilters,
    PerformanceOut,
    ReplayFilter,
)
from pannier.webhooks.models import (
    PING,
    DeliveryState,
    Health,
    Webhook,
    WebhookAttempt,
    parse_delivery_id,
)
from pannier.webhooks.schedule import DELAYS
from pannier.webhooks.schemas import NewWebhookOut, WebhookFilters, WebhookOut
from pannier.webhooks.switch import WEBHOOKS

EVENT_NAMES: Final = (*(str(name) for name in Name), PING)
SUPERSEDED: Final = "Superseded by a later event of the same kind."
DELETED: Final = "The webhook was deleted."
# By kind: the table with the records that a filter refers to. Deleted webhooks are included,
# because the log contains their deliveries.
TABLES: Final[Mapping[str, str]] = {
    "webhook": "webhooks",
    "event": "events",
    "delivery": "webhook_deliveries",
}

# Joins the log, the queue and the endpoint of a delivery. Conditions on the delivery's own columns
# can use its indexes.
LOG: Final = f"""(
    select d.uuid, delivery_name(d.uuid) as public_id, d.company, d.webhook,
           w.public_id as webhook_id, d.event,
           (select e.public_id from events e where e.uuid = d.event) as event_id,
           d.name, d.subject, d.sequence, d.created_at,
           case when d.state is not null then d.state
                when q.delivery is null then 'succeeded'
                when q.sender is not null then 'sending'
                when w.deleted_at is not null then 'cancelled'
                when w.state = 'enabled' then 'pending' else 'held' end as state,
           coalesce(q.attempts, last.number, 0) as attempts,
           coalesce(q.retries, last.retries, 0) as retries,
           coalesce(q.round, last.round, 0) as round,
           case when q.ready then q.due_at else greatest(q.due_at, (
               select max(head.due_at) from webhook_queue head
               where head.webhook = q.webhook and head.thread = q.thread and head.ready
                 and (not head.tried or w.ordering = 'strict'))) end as due_at,
           last.status,
           case when d.state = 'superseded' then '{SUPERSEDED}'
                when d.state = 'cancelled' or q.sender is null and w.deleted_at is not null
                     and q.delivery is not null then '{DELETED}'
                else last.error end as error,
           case when q.delivery is null then coalesce(d.finished_at, last.finished_at)
                when q.sender is null then w.deleted_at end as finished_at,
           d.state as end_state, q.delivery is not null as is_queued,
           q.sender is not null as is_leased, w.state as webhook_state,
           w.deleted_at is not null as is_webhook_deleted
    from webhook_deliveries d
    join webhooks w on w.uuid = d.webhook
    left join webhook_queue q on q.delivery = d.uuid
    left join lateral (
        select a.number, a.retries, a.round, a.status, a.error, a.finished_at
        from webhook_attempts a where a.delivery = d.uuid
        order by a.number desc limit 1) last on true) log"""
_DELIVERIES: Final = f"select {columns(DeliveryRow)} from {LOG}"
# The attempts that have ended, and the one in flight.
_ATTEMPTS: Final = """
    select delivery, number, trigger, outcome, started_at, finished_at, status, error,
           remote_address, phases::jsonb as phases, request_headers::jsonb as request_headers,
           response_headers::jsonb as response_headers, response_body, response_cut
    from webhook_attempts where company = :company and delivery = :delivery
    union all
    select q.delivery, q.attempts,
           case when q.event is null then 'ping' when q.retries > 0 then 'retry'
           when q.round > 0 then 'replay' else 'event' end,
           'sending', q.started_at, null, null, null, null, null, null, null, null, false
    from webhook_queue q
    where q.company = :company and q.delivery = :delivery and q.sender is not null
    order by number"""
# A busy webhook may have millions of deliveries a day, so statistics use the latest ones.
DAY: Final = timedelta(days=1)
MAX_DELIVERIES: Final = 1000
PERFORMANCE: Final = """
    with latest as (
        select uuid from webhook_deliveries
        where company = :company and webhook = :webhook and created_at >= :since
        order by created_at desc, uuid desc limit :limit),
    finished as (
        select a.outcome = 'succeeded' as succeeded,
               coalesce((a.phases::json ->> 'total')::double precision,
                        extract(epoch from a.finished_at - a.started_at) * 1000) as duration_ms
        from latest cross join lateral (
            select outcome, phases, started_at, finished_at from webhook_attempts
            where company = :company and delivery = latest.uuid
              and outcome not in ('interrupted', 'internal')) a)
    select (select count(*) from latest) as deliveries,
           count(*) as attempts,
           count(*) filter (where succeeded) as succeeded,
           percentile_cont(0.5) within group (order by duration_ms) as median_ms,
           percentile_cont(0.95) within group (order by duration_ms) as slow_ms
    from finished"""
UNFINISHED: Final = frozenset({"pending", "sending", "held"})
_WAITS: Final = "is_queued and not is_leased and not is_webhook_deleted"
# The SQL condition for each state, on columns that have an index.
_STATE_CONDITIONS: Final[Mapping[DeliveryState, str]] = {
    "pending": f"{_WAITS} and webhook_state = 'enabled'",
    "sending": "is_leased",
    "succeeded": "end_state is null and not is_queued",
    "failed": "end_state = 'failed'",
    "held": f"{_WAITS} and webhook_state <> 'enabled'",
    "superseded": "end_state = 'superseded'",
    "cancelled": """(end_state = 'cancelled' or uuid = any(array(
        select q.delivery from webhooks w join webhook_queue q on q.webhook = w.uuid
        where w.company = :company and w.deleted_at is not null and q.sender is null)))""",
}


class WebhookHealths(msgspec.Struct):
    """The health of several webhooks, loaded by one query."""

    healths: dict[UUID, Health]
    now: datetime

    def to_out(self, row: Webhook) -> WebhookOut:
        """Convert one of the webhooks to JSON fields."""
        return WebhookOut.from_row(row, self.healths.get(row.uuid), self.now)

    def to_new_out(self, row: Webhook, secret: str) -> NewWebhookOut:
        """Convert one of the webhooks to JSON fields, with its new secret."""
        return NewWebhookOut.from_row(row, self.healths.get(row.uuid), self.now, secret=secret)


async def load_healths(db: Db, company: UUID, rows: Sequence[Webhook]) -> WebhookHealths:
    """Load the health of the given webhooks."""
    healths = await db.fetch_all(
        Health,
        f"""select {columns(Health)} from webhook_health
            where company = :company and webhook = any(:webhooks)""",
        company=company,
        webhooks=[row.uuid for row in rows],
    )
    return WebhookHealths({health.webhook: health for health in healths}, db.now)


async def load_webhook_out(db: Db, company: UUID, row: Webhook) -> WebhookOut:
    """Load a webhook's health and convert the webhook to JSON fields."""
    return (await load_healths(db, company, [row])).to_out(row)


async def list_webhooks(db: Db, company: UUID, filters: WebhookFilters) -> Page[Webhook]:
    """List a company's webhooks, newest first."""
    where = WEBHOOKS.where(company)
    if filters.state is not None:
        where.add("state = any(:states)", states=filters.state)
    return await WEBHOOKS.load_page(db, where, filters, query=filters.query)


async def lock_and_count_webhooks(db: Db, company: UUID) -> int:
    """Count a company's webhooks, and block new ones until the transaction ends."""
    await db.fetch_value(
        "select pg_advisory_xact_lock(hashtextextended(:key, 0))", key=f"webhooks:{company}"
    )
    where = WEBHOOKS.where(company)
    webhook_count: int = await db.fetch_value(
        f"select count(*) from webhooks {where}", **where.values
    )
    return webhook_count


async def get_uuid(db: Db, company: UUID, kind: str, identifier: str, path: str) -> UUID:
    """Return the UUID of the record that a field refers to, or raise NotFound for the field."""
    where = (
        _build_delivery_condition(company, identifier)
        if kind == "delivery"
        else Where(company).add_identifier(identifier)
    )
    uuid: UUID | None = await db.fetch_value(
        f"select uuid from {TABLES[kind]} {where}", **where.values
    )
    if uuid is None:
        raise NotFound(fields=[FieldError(path, f"There is no such {kind}.")])
    return uuid


async def list_deliveries(db: Db, company: UUID, filters: LogFilters) -> Page[DeliveryRow]:
    """List the deliveries of all webhooks, newest first."""
    where = Where(company)
    if filters.webhook is not None:
        where.add_equal(webhook=await get_uuid(db, company, "webhook", filters.webhook, "webhook"))
    return await _list_delivery_page(db, company, where, filters)


async def list_webhook_deliveries(
    db: Db, company: UUID, webhook: Webhook, filters: DeliveryFilters
) -> Page[DeliveryRow]:
    """List the deliveries of a webhook, newest first."""
    return await _list_delivery_page(
        db, company, Where(company).add_equal(webhook=webhook.uuid), filters
    )


async def _list_delivery_page(
    db: Db, company: UUID, where: Where, filters: DeliveryFilters
) -> Page[DeliveryRow]:
    filter_deliveries(where, filters)
    if filters.state is not None:
        filter_by_state(where, filters.state)
    if filters.event_id is not None:
        where.add_equal(event=await get_uuid(db, company, "event", filters.event_id, "event_id"))
    return await load_page(db, DeliveryRow, _DELIVERIES, where, filters)


def filter_deliveries(
    where: Where, filters: DeliveryFilters | ReplayFilter, path: str = ""
) -> Where:
    """Filter deliveries by event, time and subject."""
    if filters.event is not None:
        _check_events(filters.event, path)
        _filter_by_names(where, filters.event)
    where.add_time_range("created_at", filters.since, filters.until)
    return _filter_by_subject(where, filters.subject)


def _check_events(names: Sequence[str], path: str) -> None:
    """Refuse unknown event names, in a query or in the part of a body at `path`."""
    choice_errors = [describe_choice(f"{path}event", name, EVENT_NAMES) for name in names]
    errors = [field for field in choice_errors if field is not None]
    if errors:
        raise Invalid(fields=errors) if path else UnknownValue(fields=errors)


def _filter_by_names(where: Where, names: Sequence[str]) -> None:
    """Filter by event names. A single name is compared by `=`, which can use the sorted index."""
    if len(names) == 1:
        where.add("name = :name", name=names[0])
    else:
        where.add("name = any(:names)", names=names)


# The state `cancelled` has the spelling of other statuses from version 1.0 on.
STATE_SPELLINGS: Final[Mapping[str, str]] = {"cancelled": "canceled"}


def filter_by_state(where: Where, states: Collection[str]) -> Where:
    """Filter deliveries by state, under either spelling of `canceled`.

    Deliveries that have not ended are found through the queue, endpoint by endpoint, because the
    log and the queues of other companies may be long.
    """
    if states and UNFINISHED.issuperset(states):
        where.add(
            """uuid = any(array(select delivery from webhook_queue where webhook = any(array(
                   select uuid from webhooks where company = :company))))"""
        )
    conditions = [
        f"({condition})"
        for state, condition in _STATE_CONDITIONS.items()
        if not {state, STATE_SPELLINGS.get(state)}.isdisjoint(states)
    ]
    return where.add(f"({' or '.join(conditions)})" if conditions else "false")


def _filter_by_subject(where: Where, subject: str | None) -> Where:
    """Filter by subject. Events have an index for it, and pings are few."""
    if subject is None:
        return where
    uuid = ids.parse_uuid(subject)
    if uuid is not None:
        return where.add(
            """event = any(array(select uuid from events
                                 where company = :company and subject_uuid = :subject))""",
            subject=uuid,
        )
    return where.add(
        """(event = any(array(select uuid from events
                              where company = :company and subject = :subject))
            or event is null and subject = :subject)""",
        subject=subject,
    )


def _build_delivery_condition(company: UUID, identifier: str) -> Where:
    """Build the condition for the delivery with the given UUID or public id."""
    return Where(company).add("uuid = :uuid", uuid=parse_delivery_id(identifier))


async def get_delivery(db: Db, company: UUID, identifier: str) -> DeliveryRow:
    """Load a delivery, or raise NotFound."""
    where = _build_delivery_condition(company, identifier)
    return await db.get(DeliveryRow, f"{_DELIVERIES} {where}", **where.values)


async def lock_queue_and_load_delivery(
    db: Db, company: UUID, identifier: str
) -> tuple[Webhook, DeliveryRow]:
    """Lock the queue of a delivery's webhook until the transaction ends, then load both.

    The delivery is read under the lock, because other holders of the lock change deliveries.
    """
    where = _build_delivery_condition(company, identifier)
    webhook_uuid = await db.fetch_value(
        f"select webhook from webhook_deliveries {where}", **where.values
    )
    if webhook_uuid is None:
        raise NotFound
    await queue.lock_queues(db, [webhook_uuid])
    webhooks = await WEBHOOKS.load_many(db, company, [webhook_uuid])
    return webhooks[webhook_uuid], await get_delivery(db, company, identifier)


async def load_delivery_detail(
    db: Db, company: UUID, row: DeliveryRow, *, with_body: bool
) -> DeliveryDetailOut:
    """Load a delivery's attempts and convert it to JSON fields, and its body if requested."""
    stored_body: bytes = await db.fetch_value(
        """select coalesce(body, (select body from events where uuid = d.event))
           from webhook_deliveries d where company = :company and uuid = :uuid""",
        company=company,
        uuid=row.uuid,
    )
    attempts = await db.fetch_all(WebhookAttempt, _ATTEMPTS, company=company, delivery=row.uuid)
    return DeliveryDetailOut.from_row(
        row,
        body=msgspec.json.decode(stored_body) if with_body else None,
        attempt_log=[AttemptOut.from_row(attempt) for attempt in attempts],
        retry_delays=[int(delay.total_seconds()) for delay in DELAYS],
    )


class _Performance(msgspec.Struct):
    deliveries: int
    attempts: int
    succeeded: int
    median_ms: float | None
    slow_ms: float | None


async def load_performance(db: Db, company: UUID, webhook: Webhook) -> PerformanceOut:
    """Load statistics of the latest attempts of a webhook."""
    since = db.now - DAY
    statistics = await db.get(
        _Performance,
        PERFORMANCE,
        company=company,
        webhook=webhook.uuid,
        since=since,
        limit=MAX_DELIVERIES,
    )
    return PerformanceOut(
        since=to_rfc3339(since),
        deliveries=statistics.deliveries,
        complete=statistics.deliveries < MAX_DELIVERIES,
        attempts=statistics.attempts,
        succeeded=statistics.succeeded,
        median_ms=_round_ms(statistics.median_ms),
        slow_ms=_round_ms(statistics.slow_ms),
    )


def _round_ms(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else round(milliseconds, 1)
