"""How endpoints are doing, and when one has failed for so long that it is switched off."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.db.sql import columns
from pannier.webhooks.models import Health, Outcome

# An endpoint is switched off when nothing has succeeded for this long, and this often.
LONGEST: Final = timedelta(days=5)
MOST: Final = 20
# … and its company's admins are told so when nothing has for this long, and this often.
LONG: Final = timedelta(days=1)
MANY: Final = 5
# What says nothing of the receiver.
OURS: Final = frozenset({"interrupted", "internal"})
# That an endpoint does well is good to this.
NOTED_EVERY: Final = timedelta(seconds=20)


class Tally(msgspec.Struct):
    """How an endpoint's latest attempts went: the failures since its last success."""

    webhook: UUID
    failures: int = 0
    failing_since: datetime | None = None
    succeeded_at: datetime | None = None
    failed_at: datetime | None = None


def counted(webhook: UUID, attempts: Iterable[tuple[datetime, Outcome]]) -> Tally:
    """Add attempts up, in the order in which they ended."""
    tally = Tally(webhook)
    for ended, outcome in sorted(attempts):
        if outcome == "succeeded":
            tally.failures, tally.failing_since, tally.succeeded_at = 0, None, ended
        elif outcome not in OURS:
            tally.failures += 1
            tally.failing_since = tally.failing_since or ended
            tally.failed_at = ended
    return tally


def hopeless(health: Health) -> bool:
    """Tell whether an endpoint has failed for too long."""
    if health.failing_since is None or health.last_failure_at is None:
        return False
    return health.failures >= MOST and health.last_failure_at - health.failing_since >= LONGEST


def worrying(health: Health) -> bool:
    """Tell whether an endpoint has failed for so long that somebody should hear of it."""
    if health.failing_since is None or health.last_failure_at is None or health.warned_at:
        return False
    return health.failures >= MANY and health.last_failure_at - health.failing_since >= LONG


async def is_hopeless(db: Db, webhook: UUID) -> bool:
    """Tell whether an endpoint has failed for too long as it is known now."""
    found = await db.find(
        Health,
        f"select {columns(Health)} from webhook_health where webhook = :webhook",
        webhook=webhook,
    )
    return found is not None and hopeless(found)


async def note(db: Db, tallies: Sequence[Tally]) -> list[Health]:
    """Write down how endpoints have been doing."""
    tallies = sorted(tallies, key=lambda tally: tally.webhook)
    return await db.many(
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
