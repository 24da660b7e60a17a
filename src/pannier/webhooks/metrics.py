"""Prometheus metrics of attempts and queued deliveries."""

from datetime import datetime
from typing import Final

import msgspec
from prometheus_client import Counter, Histogram

from pannier.db import Db
from pannier.web.metrics import MAX_COUNTED, age_seconds, make_gauge
from pannier.webhooks.models import AttemptResult, DeliveryState

# States of deliveries that have not ended.
WAITING: Final = frozenset({"pending", "sending", "held"})
# `offset 0` makes the planner look each delivery up by its key instead of joining the tables.
SENDING: Final = """
    select count(distinct q.delivery)
    from webhook_claims c cross join unnest(c.deliveries) as claimed (delivery)
    cross join lateral (
        select delivery from webhook_queue
        where delivery = claimed.delivery and sender = c.sender offset 0) q"""

_attempts = Counter("pannier_webhook_attempts", "Attempts that have ended.", ["outcome"])
_seconds = Histogram(
    "pannier_webhook_attempt_seconds",
    "Time from an attempt's beginning to its end.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
_ended = Counter("pannier_webhook_deliveries", "Deliveries that have ended.", ["state"])
_waiting = make_gauge(
    "pannier_webhook_deliveries_waiting",
    "Deliveries that have not ended, of the whole installation; counted up to 10,000.",
    "state",
)
_oldest_due = make_gauge(
    "pannier_webhook_oldest_due_seconds",
    "Age of the delivery that has been due longest.",
)


class _DeliveryCounts(msgspec.Struct):
    pending: int
    sending: int
    held: int
    oldest_due_at: datetime | None


def count_attempt(result: AttemptResult) -> None:
    """Count an attempt that has ended."""
    _attempts.labels(result.outcome).inc()
    _seconds.observe(result.phases.get("total", 0.0) / 1000)


def count_ended(state: DeliveryState, count: int = 1) -> None:
    """Count deliveries that have ended."""
    if state not in WAITING:
        _ended.labels(state).inc(count)


def _build_queued_count_sql(condition: str) -> str:
    """Build SQL that counts the queued deliveries of some endpoints up to a bound."""
    return f"""(
        select count(*) from (
            select from webhooks cross join lateral (
                select from webhook_queue
                where webhook = webhooks.uuid and sender is null limit :limit) waiting
            where {condition} and deleted_at is null limit :limit) counted)"""


async def update_gauges(db: Db) -> None:
    """Update the gauges of queued deliveries and of the oldest one's age."""
    counts = await db.get(
        _DeliveryCounts,
        f"""select {_build_queued_count_sql("state = 'enabled'")} as pending,
               ({SENDING}) as sending,
               {_build_queued_count_sql("state <> 'enabled'")} as held,
               (select min(due_at) from webhook_lanes join webhooks on uuid = webhook
                where state = 'enabled' and deleted_at is null) as oldest_due_at""",
        limit=MAX_COUNTED,
    )
    _waiting.labels("pending").set(counts.pending)
    _waiting.labels("sending").set(counts.sending)
    _waiting.labels("held").set(counts.held)
    _oldest_due.set(age_seconds(db, counts.oldest_due_at))
