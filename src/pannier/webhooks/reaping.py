"""Recovery of deliveries whose worker died or whose lease lapsed. They use up no retry."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.jobs.leases import Leases
from pannier.webhooks.models import AttemptLogRow, Trigger
from pannier.webhooks.queue import LEASES

MAX_CLAIMS: Final = 500
CLAIMS: Final = Leases("webhook_claims", until="lease_until")
LOST_ERROR: Final = "The worker stopped before the result of this attempt was known."

LIST_SENDERS: Final = "select array_agg(distinct sender) from webhook_claims"

LIST_LAPSED: Final = f"""
    select uuid, deliveries from webhook_claims
    where {CLAIMS.lapsed_condition()} or sender = any(:dead)
    limit :limit for update skip locked"""

# Pings are not sent again: the request that asked for one has ended.
END_PINGS: Final = """
    with deleted as (delete from webhook_queue where delivery = any(:pings))
    update webhook_deliveries set state = 'failed', finished_at = pannier_now()
    where uuid = any(:pings)"""

# A claim stays while one of its deliveries is in flight: recording it may yet fail.
END_CLAIMS: Final = """
    delete from webhook_claims claim where uuid = any(:claims) and not exists (
        select from unnest(claim.deliveries) as claimed (delivery)
        cross join lateral (
            select from webhook_queue
            where delivery = claimed.delivery and sender = claim.sender
              and lease_until <= claim.lease_until offset 0) q)"""


class LapsedClaim(msgspec.Struct):
    """The deliveries that a worker leased together."""

    uuid: UUID
    deliveries: list[UUID]


class LostDelivery(msgspec.Struct):
    """A delivery that was in flight when its worker died."""

    delivery: UUID
    company: UUID
    event: UUID | None
    round: int
    retries: int
    attempts: int
    started_at: datetime

    @property
    def is_ping(self) -> bool:
        """Whether it is a test ping, which has no event."""
        return self.event is None

    @property
    def trigger(self) -> Trigger:
        """The reason for the attempt."""
        if self.is_ping:
            return "ping"
        if self.retries:
            return "retry"
        return "replay" if self.round else "event"


async def list_senders(db: Db) -> list[int]:
    """List the workers that hold deliveries."""
    await db.prefer_indexes()
    senders: list[int] | None = await db.fetch_value(LIST_SENDERS)
    return senders or []


async def recover_deliveries(db: Db, dead_senders: Sequence[int]) -> int:
    """Make the deliveries of dead workers and of lapsed leases due. Return their number.

    Call `list_senders` first, in the same transaction.
    """
    await db.require_safe_clock()
    claims = await db.fetch_all(LapsedClaim, LIST_LAPSED, dead=list(dead_senders), limit=MAX_CLAIMS)
    if not claims:
        return 0
    lost_deliveries = await LEASES.reap(
        db,
        LostDelivery,
        # Two claims may contain the same delivery, if its sender soon leased it again.
        {delivery for claim in claims for delivery in claim.deliveries},
        lost_condition="sender = any(:dead)",
        clear=("sender", "started_at"),
        dead=list(dead_senders),
    )
    await db.insert(
        "webhook_attempts",
        *[_make_interrupted_attempt(delivery, db.now) for delivery in lost_deliveries],
    )
    await db.execute(
        END_PINGS,
        pings=[
            lost_delivery.delivery for lost_delivery in lost_deliveries if lost_delivery.is_ping
        ],
    )
    await db.execute(END_CLAIMS, claims=[claim.uuid for claim in claims])
    return len(lost_deliveries)


def _make_interrupted_attempt(delivery: LostDelivery, now: datetime) -> AttemptLogRow:
    return AttemptLogRow(
        company=delivery.company,
        delivery=delivery.delivery,
        number=delivery.attempts,
        round=delivery.round,
        retries=delivery.retries,
        trigger=delivery.trigger,
        outcome="interrupted",
        started_at=delivery.started_at,
        finished_at=now,
        error=LOST_ERROR,
    )
