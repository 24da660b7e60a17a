"""The health of endpoints: when admins are warned, and when an endpoint is disabled."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.db.sql import columns
from pannier.webhooks.models import Health, Outcome

# An endpoint is disabled after this time without a success and this number of failures.
DISABLE_AFTER: Final = timedelta(days=5)
DISABLE_MIN_FAILURES: Final = 20
# Its company's admins are warned after this time and this number of failures.
WARN_AFTER: Final = timedelta(days=1)
WARN_MIN_FAILURES: Final = 5
# Outcomes that say nothing about the receiver.
INTERNAL_OUTCOMES: Final = frozenset({"interrupted", "internal"})
# An endpoint's successes are recorded at most this often.
SUCCESS_RECORD_INTERVAL: Final = timedelta(seconds=20)


class AttemptTally(msgspec.Struct):
    """An endpoint's attempts: its last success, and the failures since then."""

    webhook: UUID
    failures: int = 0
    failing_since: datetime | None = None
    succeeded_at: datetime | None = None
    failed_at: datetime | None = None


def count_attempts(webhook: UUID, attempts: Iterable[tuple[datetime, Outcome]]) -> AttemptTally:
    """Count attempts in the order in which they ended."""
    tally = AttemptTally(webhook)
    for ended_at, outcome in sorted(attempts):
        if outcome == "succeeded":
            tally.failures, tally.failing_since, tally.succeeded_at = 0, None, ended_at
        elif outcome not in INTERNAL_OUTCOMES:
            tally.failures += 1
            tally.failing_since = tally.failing_since or ended_at
            tally.failed_at = ended_at
    return tally


def should_disable(health: Health) -> bool:
    """Return whether an endpoint has failed for so long that it must be disabled."""
    if health.failing_since is None or health.last_failure_at is None:
        return False
    return (
        health.failures >= DISABLE_MIN_FAILURES
        and health.last_failure_at - health.failing_since >= DISABLE_AFTER
    )


def should_warn(health: Health) -> bool:
    """Return whether an endpoint has failed for so long that its admins must be warned."""
    if health.failing_since is None or health.last_failure_at is None or health.warned_at:
        return False
    return (
        health.failures >= WARN_MIN_FAILURES
        and health.last_failure_at - health.failing_since >= WARN_AFTER
    )


async def should_still_disable(db: Db, webhook: UUID) -> bool:
    """Return whether the endpoint's current row still requires disabling it."""
    row = await db.find(
        Health,
        f"select {columns(Health)} from webhook_health where webhook = :webhook",
        webhook=webhook,
    )
    return row is not None and should_disable(row)


async def record_tallies(db: Db, tallies: Sequence[AttemptTally]) -> list[Health]:
    """Add tallies to the health of endpoints, and return the updated rows."""
    tallies = sorted(tallies, key=lambda tally: tally.webhook)
    return await db.fetch_all(
        Health,
        f"""insert into webhook_health as h
               (webhook, company, failures, failing_since, last_success_at, last_failure_at)
           select t.webhook, w.company, t.failures, t.failing_since, t.succeeded_at, t.failed_at
           from unnest(:webhooks::uuid[], :failures::integer[], :since::timestamptz[],
                       :succeeded::timestamptz[], :failed::timestamptz[])
               as t (webhook, failures, failing_since, succeeded_at, failed_at)
           join webhooks w on w.uuid = t.webhook
           on conflict (webhook) do update set
               failures = excluded.failures
                   + case when excluded.last_success_at is null then h.failures else 0 end,
               failing_since = case when excluded.last_success_at is null
                   then coalesce(h.failing_since, excluded.failing_since)
                   else excluded.failing_since end,
               warned_at = case when excluded.last_success_at is null then h.warned_at end,
               last_success_at = coalesce(excluded.last_success_at, h.last_success_at),
               last_failure_at = coalesce(excluded.last_failure_at, h.last_failure_at)
           returning {columns(Health, "h")}""",
        webhooks=[tally.webhook for tally in tallies],
        failures=[tally.failures for tally in tallies],
        since=[tally.failing_since for tally in tallies],
        succeeded=[tally.succeeded_at for tally in tallies],
        failed=[tally.failed_at for tally in tallies],
    )
