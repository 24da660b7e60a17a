"""Reading webhooks, and the log of what was sent to them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db, Page, Where, page
from pannier.db.sql import columns
from pannier.errors import Field, Invalid, NotFound, UnknownValue
from pannier.events.catalog import Name
from pannier.kit import ids
from pannier.web.offenders import describe_choice
from pannier.web.times import stamp
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
from pannier.webhooks.models import Attempt, DeliveryState, Health, Webhook, delivery_uuid
from pannier.webhooks.patterns import PING
from pannier.webhooks.schedule import DELAYS
from pannier.webhooks.schemas import NewWebhookOut, WebhookFilters, WebhookOut
from pannier.webhooks.switch import WEBHOOKS

EVENTS: Final = (*(str(name) for name in Name), PING)
# Where things lie that a filter names; webhooks that were deleted too, because the log has them.
SUPERSEDED: Final = "A later event of the same kind took its place."
DELETED: Final = "The webhook was deleted."
TABLES: Final[Mapping[str, str]] = {
    "webhook": "webhooks",
    "event": "events",
    "delivery": "webhook_deliveries",
}

# What the log, the queue and the endpoint know of a delivery, put together. Its own columns come
# last: a condition on them finds an index.
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
           d.state as ended, q.delivery is not null as queued, q.sender is not null as taken,
           w.state as switched, w.deleted_at is not null as deserted
    from webhook_deliveries d
    join webhooks w on w.uuid = d.webhook
    left join webhook_queue q on q.delivery = d.uuid
    left join lateral (
        select a.number, a.retries, a.round, a.status, a.error, a.finished_at
        from webhook_attempts a where a.delivery = d.uuid
        order by a.number desc limit 1) last on true) log"""
_DELIVERIES: Final = f"select {columns(DeliveryRow)} from {LOG}"
# Those that have ended, and the one that is on its way.
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
# A day of a busy webhook may have millions: the latest tell as much.
DAY: Final = timedelta(days=1)
MOST: Final = 1000
PERFORMANCE: Final = """
    with latest as (
        select uuid from webhook_deliveries
        where company = :company and webhook = :webhook and created_at >= :since
        order by created_at desc, uuid desc limit :most),
    tried as (
        select a.outcome = 'succeeded' as succeeded,
               coalesce((a.phases::json ->> 'total')::double precision,
                        extract(epoch from a.finished_at - a.started_at) * 1000) as lasted
        from latest cross join lateral (
            select outcome, phases, started_at, finished_at from webhook_attempts
            where company = :company and delivery = latest.uuid
              and outcome not in ('interrupted', 'internal')) a)
    select (select count(*) from latest) as deliveries,
           count(*) as attempts,
           count(*) filter (where succeeded) as succeeded,
           percentile_cont(0.5) within group (order by lasted) as median_ms,
           percentile_cont(0.95) within group (order by lasted) as slow_ms
    from tried"""
UNFINISHED: Final = frozenset({"pending", "sending", "held"})
# How each state is found, by columns that have an index.
_STATES: Final[Mapping[DeliveryState, str]] = {
    "pending": "queued and not taken and switched = 'enabled' and not deserted",
    "sending": "taken",
    "succeeded": "ended is null and not queued",
    "failed": "ended = 'failed'",
    "held": "queued and not taken and switched <> 'enabled' and not deserted",
    "superseded": "ended = 'superseded'",
    "cancelled": """(ended = 'cancelled' or uuid = any(array(
        select q.delivery from webhooks w join webhook_queue q on q.webhook = w.uuid
        where w.company = :company and w.deleted_at is not null and q.sender is null)))""",
}


class Shown(msgspec.Struct):
    """How webhooks have been doing, read for a whole page at once."""

    healths: dict[UUID, Health]
    now: datetime

    def out(self, row: Webhook) -> WebhookOut:
        """Spell one of the webhooks."""
        return WebhookOut.of(row, self.healths.get(row.uuid), self.now)

    def new(self, row: Webhook, secret: str) -> NewWebhookOut:
        """Spell one of the webhooks with a new secret."""
        return NewWebhookOut.of(row, self.healths.get(row.uuid), self.now, secret=secret)


async def shown(db: Db, company: UUID, rows: Sequence[Webhook]) -> Shown:
    """Read how some webhooks have been doing."""
    found = await db.many(
        Health,
        f"""select {columns(Health)} from webhook_health
            where company = :company and webhook = any(:webhooks)""",
        company=company,
        webhooks=[row.uuid for row in rows],
    )
    return Shown({health.webhook: health for health in found}, db.now)


async def out(db: Db, company: UUID, row: Webhook) -> WebhookOut:
    """Spell a webhook with how it has been doing."""
    return (await shown(db, company, [row])).out(row)


async def webhooks(db: Db, company: UUID, filters: WebhookFilters) -> Page[Webhook]:
    """List a company's webhooks, the newest first."""
    where = WEBHOOKS.where(company)
    if filters.state is not None:
        where.that("state = any(:states)", states=filters.state)
    return await WEBHOOKS.page(db, where, filters, query=filters.query)


async def count(db: Db, company: UUID) -> int:
    """Count a company's webhooks; until the transaction ends, nobody else adds one."""
    await db.value(
        "select pg_advisory_xact_lock(hashtextextended(:key, 0))", key=f"webhooks:{company}"
    )
    where = WEBHOOKS.where(company)
    found: int = await db.value(f"select count(*) from webhooks {where}", **where.values)
    return found


async def named(db: Db, company: UUID, kind: str, identifier: str, path: str) -> UUID:
    """Find what a field names, or refuse the field."""
    where = _called(company, identifier) if kind == "delivery" else Where(company).named(identifier)
    found: UUID | None = await db.value(f"select uuid from {TABLES[kind]} {where}", **where.values)
    if found is None:
        raise NotFound(fields=[Field(path, f"There is no such {kind}.")])
    return found


async def log(db: Db, company: UUID, filters: LogFilters) -> Page[DeliveryRow]:
    """List the deliveries of all webhooks, the latest first."""
    where = Where(company)
    if filters.webhook is not None:
        where.equal(webhook=await named(db, company, "webhook", filters.webhook, "webhook"))
    return await _listed(db, company, where, filters)


async def deliveries(
    db: Db, company: UUID, webhook: Webhook, filters: DeliveryFilters
) -> Page[DeliveryRow]:
    """List the deliveries of a webhook, the latest first."""
    return await _listed(db, company, Where(company).equal(webhook=webhook.uuid), filters)


async def _listed(
    db: Db, company: UUID, where: Where, filters: DeliveryFilters
) -> Page[DeliveryRow]:
    narrow(where, filters)
    if filters.state is not None:
        standing(where, filters.state)
    if filters.event_id is not None:
        where.equal(event=await named(db, company, "event", filters.event_id, "event_id"))
    return await page(db, DeliveryRow, _DELIVERIES, where, filters)


def narrow(where: Where, chosen: DeliveryFilters | ReplayFilter, path: str = "") -> Where:
    """Narrow deliveries down to some events, a time and a subject."""
    if chosen.event is not None:
        _check_events(chosen.event, path)
        _named_so(where, chosen.event)
    where.within("created_at", chosen.since, chosen.until)
    return _about(where, chosen.subject)


def _check_events(names: Sequence[str], path: str) -> None:
    """Refuse names that no event has: in a query, or in the part of a body at `path`."""
    found = [describe_choice(f"{path}event", name, EVENTS) for name in names]
    wrong = [field for field in found if field is not None]
    if wrong:
        raise Invalid(fields=wrong) if path else UnknownValue(fields=wrong)


def _named_so(where: Where, names: Sequence[str]) -> None:
    """Narrow deliveries down to some events; one is read off its index in the list's order."""
    if len(names) == 1:
        where.that("name = :name", name=names[0])
    else:
        where.that("name = any(:names)", names=names)


def standing(where: Where, states: Collection[DeliveryState]) -> Where:
    """Narrow deliveries down to some states.

    What has not ended is looked for in the queue, endpoint by endpoint: the log behind it may be
    long, and so may what others wait for.
    """
    if states and UNFINISHED.issuperset(states):
        where.that(
            """uuid = any(array(select delivery from webhook_queue where webhook = any(array(
                   select uuid from webhooks where company = :company))))"""
        )
    chosen = [f"({condition})" for state, condition in _STATES.items() if state in states]
    return where.that(f"({' or '.join(chosen)})" if chosen else "false")


def _about(where: Where, subject: str | None) -> Where:
    """Add what a delivery is about; events have an index for that, and pings are few."""
    if subject is None:
        return where
    uuid = ids.as_uuid(subject)
    if uuid is not None:
        return where.that(
            """event = any(array(select uuid from events
                                 where company = :company and subject_uuid = :subject))""",
            subject=uuid,
        )
    return where.that(
        """(event = any(array(select uuid from events
                              where company = :company and subject = :subject))
            or event is null and subject = :subject)""",
        subject=subject,
    )


def _called(company: UUID, identifier: str) -> Where:
    """Begin the condition on the delivery of this name."""
    return Where(company).that("uuid = :uuid", uuid=delivery_uuid(identifier))


async def delivery(db: Db, company: UUID, identifier: str) -> DeliveryRow:
    """Read a delivery."""
    where = _called(company, identifier)
    return await db.one(DeliveryRow, f"{_DELIVERIES} {where}", **where.values)


async def take_delivery(db: Db, company: UUID, identifier: str) -> tuple[Webhook, DeliveryRow]:
    """Read a delivery and its webhook; until the transaction ends, nobody else replays it.

    The turn comes first: whoever has it writes deliveries too.
    """
    where = _called(company, identifier)
    found = await db.value(f"select webhook from webhook_deliveries {where}", **where.values)
    if found is None:
        raise NotFound
    await queue.take_turns(db, [found])
    webhook = await WEBHOOKS.among(db, company, [found])
    return webhook[found], await delivery(db, company, identifier)


async def detail(db: Db, company: UUID, row: DeliveryRow, *, body: bool) -> DeliveryDetailOut:
    """Spell a delivery with every attempt so far, and with what is sent if that may be seen."""
    sent: bytes = await db.value(
        """select coalesce(body, (select body from events where uuid = d.event))
           from webhook_deliveries d where company = :company and uuid = :uuid""",
        company=company,
        uuid=row.uuid,
    )
    attempts = await db.many(Attempt, _ATTEMPTS, company=company, delivery=row.uuid)
    return DeliveryDetailOut.of(
        row,
        body=msgspec.json.decode(sent) if body else None,
        attempt_log=[AttemptOut.of(attempt) for attempt in attempts],
        retry_delays=[int(delay.total_seconds()) for delay in DELAYS],
    )


class _Performance(msgspec.Struct):
    deliveries: int
    attempts: int
    succeeded: int
    median_ms: float | None
    slow_ms: float | None


async def performance(db: Db, company: UUID, webhook: Webhook) -> PerformanceOut:
    """Tell how the latest attempts to reach a webhook went."""
    since = db.now - DAY
    found = await db.one(
        _Performance, PERFORMANCE, company=company, webhook=webhook.uuid, since=since, most=MOST
    )
    return PerformanceOut(
        since=stamp(since),
        deliveries=found.deliveries,
        complete=found.deliveries < MOST,
        attempts=found.attempts,
        succeeded=found.succeeded,
        median_ms=_rounded(found.median_ms),
        slow_ms=_rounded(found.slow_ms),
    )


def _rounded(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else round(milliseconds, 1)
