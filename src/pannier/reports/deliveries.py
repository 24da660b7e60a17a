"""Figures of a day's webhook deliveries. A delivery counts on the day of its event.

Attempts that say nothing about the receiver do not count, and test events do not either.
"""

from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.reports import histogram
from pannier.reports.figures import Bounds
from pannier.reports.models import WebhookFigures
from pannier.webhooks.health import INTERNAL_OUTCOMES
from pannier.webhooks.sweep import LOG

SOURCE: Final = LOG
# By the primary key of the attempts: the log has no index on their time.
_DELIVERIES: Final = f"""
    with sent as materialized (
        select uuid, created_at from webhook_deliveries
        where company = :company and event is not null
            and created_at >= :start and created_at < :end),
    tried as materialized (
        select a.delivery, a.outcome, a.finished_at - sent.created_at as delay
        from sent cross join lateral (
            select delivery, outcome, finished_at from webhook_attempts
            where delivery = sent.uuid offset 0) a
        where a.outcome <> all(:internal)),
    succeeded as (
        select extract(epoch from min(delay))::float8 as seconds from tried
        where outcome = 'succeeded' group by delivery),
    steps as (
        select {histogram.STEP_SQL.format("seconds")}::int as step, count(*) as deliveries
        from succeeded group by 1)
    select (select count(*) from sent) as deliveries,
        (select count(*) from tried) as attempts,
        (select count(*) from tried where outcome = 'succeeded') as succeeded,
        (select count(*) from audit_entries
         where company = :company and action = 'webhook.disabled'
             and created_at >= :start and created_at < :end) as disabled,
        array(select step from steps order by step) as steps,
        array(select deliveries from steps order by step) as counts"""


class _DeliveryCounts(msgspec.Struct):
    deliveries: int
    attempts: int
    succeeded: int
    disabled: int
    steps: list[int]
    counts: list[int]


async def compute_deliveries(db: Db, company: UUID, bounds: Bounds) -> list[WebhookFigures]:
    """Compute the deliveries of a day. A day without any has no row."""
    start, end = bounds
    row = await db.get(
        _DeliveryCounts,
        _DELIVERIES,
        company=company,
        start=start,
        end=end,
        internal=sorted(INTERNAL_OUTCOMES),
    )
    if not row.deliveries and not row.disabled:
        return []
    return [
        WebhookFigures(
            deliveries=row.deliveries,
            attempts=row.attempts,
            succeeded=row.succeeded,
            disabled=row.disabled,
            delays=histogram.build(zip(row.steps, row.counts, strict=True)),
        )
    ]
