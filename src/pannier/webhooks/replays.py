"""Replaying: a delivery that has come to its end goes out again, with its whole schedule.

It stays the same delivery, so that a receiver knows it again by its id and its bytes.
"""

from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts import audit
from pannier.db import Db, Where
from pannier.errors import Conflict, Field, Invalid, NotFound
from pannier.webhooks import fanout, queries
from pannier.webhooks.entries import DeliveryRow, ReplayFilter, ReplayIn, ReplayOut
from pannier.webhooks.models import DeliveryState, Webhook
from pannier.webhooks.switch import WEBHOOKS

# What is replayed when a filter names no state.
FAILED: Final[list[DeliveryState]] = ["failed"]
_AGAIN: Final = """
    state = 'pending', due_at = :now, round = d.round + 1, retries = 0, finished_at = null"""


class DeliveryInFlight(Conflict):
    """An attempt of the delivery is on its way; it may well succeed."""

    code = "delivery_in_flight"
    title = "An attempt of this delivery is on its way; wait for its end."


class WebhookDeleted(Conflict):
    """The delivery's webhook was deleted, so there is nowhere to send it."""

    code = "webhook_deleted"
    title = "The webhook of this delivery was deleted."


class WebhookNotEnabled(Conflict):
    """Nothing is sent to a webhook that is paused or disabled."""

    code = "webhook_not_enabled"
    title = "The webhook of this delivery is not enabled; enable it first."


class PingNotReplayable(Conflict):
    """A ping is sent once; another one is as good."""

    code = "ping_not_replayable"
    title = "A ping is not replayed; send another one."


class Found(msgspec.Struct):
    """How many deliveries a filter finds, and what was done with them."""

    matched: int
    chosen: int
    replayed: int
    last: str | None


async def replay(db: Db, webhook: Webhook, delivery: DeliveryRow) -> DeliveryRow:
    """Replay a delivery; the caller holds it and its webhook."""
    check(webhook, delivery)
    await db.execute(
        f"""update webhook_deliveries d set {_AGAIN}
            where company = :company and uuid = :uuid""",
        company=delivery.company,
        uuid=delivery.uuid,
        now=db.now,
    )
    audit.record(
        db,
        delivery.company,
        "webhook_delivery.replayed",
        delivery.public_id,
        webhook=webhook.public_id,
    )
    await _wake(db)
    return msgspec.structs.replace(
        delivery,
        state="pending",
        due_at=db.now,
        round=delivery.round + 1,
        retries=0,
        finished_at=None,
    )


def check(webhook: Webhook, delivery: DeliveryRow) -> None:
    """Refuse a delivery that cannot be replayed."""
    if delivery.event is None:
        raise PingNotReplayable
    if webhook.deleted_at is not None:
        raise WebhookDeleted
    if delivery.state == "sending":
        raise DeliveryInFlight
    if webhook.state != "enabled":
        raise WebhookNotEnabled


async def replay_all(db: Db, company: UUID, wish: ReplayIn) -> ReplayOut:
    """Replay what a filter finds, the oldest first and so many at once; or only count it."""
    if wish.filter.empty:
        names = ", ".join(ReplayFilter.__struct_fields__)
        raise Invalid(fields=[Field("filter", f"Name at least one of {names}.")])
    where = await _matching(db, company, wish)
    found = await (_counted(db, where) if wish.dry_run else _replayed(db, where, wish.limit))
    if found.replayed:
        audit.record(
            db,
            company,
            "webhook_deliveries.replayed",
            "webhook_deliveries",
            filter=msgspec.to_builtins(wish.filter),
            matched=found.matched,
            replayed=found.replayed,
        )
        await _wake(db)
    return ReplayOut(
        dry_run=wish.dry_run,
        matched=found.matched,
        replayed=found.replayed,
        remaining=found.matched - found.chosen,
        last=found.last,
    )


async def _matching(db: Db, company: UUID, wish: ReplayIn) -> Where:
    """Begin the condition on what can be replayed; webhooks that it may come to are held."""
    chosen = wish.filter
    where = queries.narrow(Where(company), chosen, path="filter.")
    where.that("event is not null and state not in ('pending', 'sending')")
    queries.standing(where, FAILED if chosen.state is None else chosen.state)
    where.that("webhook = any(:webhooks)", webhooks=await _enabled(db, company, wish))
    if wish.after is not None:
        after = await queries.named(db, company, "delivery", wish.after, "after")
        where.that(
            """(created_at, uuid) > (
                   select created_at, uuid from webhook_deliveries where uuid = :after)""",
            after=after,
        )
    return where


async def _enabled(db: Db, company: UUID, wish: ReplayIn) -> list[UUID]:
    """List the webhooks that are on; unless we only count, none is switched off meanwhile."""
    where = WEBHOOKS.where(company).that("state = 'enabled'")
    if wish.filter.webhook is not None:
        webhook = await WEBHOOKS.find(db, company, wish.filter.webhook)
        if webhook is None:
            raise NotFound(fields=[Field("filter.webhook", "There is no such webhook.")])
        where.equal(uuid=webhook.uuid)
    lock = "" if wish.dry_run else "order by uuid for share"
    rows = await db.many(Webhook, f"select * from webhooks {where} {lock}", **where.values)
    return [row.uuid for row in rows]


async def _counted(db: Db, where: Where) -> Found:
    count = await db.value(f"select count(*) from webhook_deliveries {where}", **where.values)
    return Found(count, 0, 0, None)


async def _replayed(db: Db, where: Where, limit: int) -> Found:
    return await db.one(
        Found,
        f"""with matching as materialized (
                select uuid, public_id, created_at from webhook_deliveries {where}),
            chosen as (select * from matching order by created_at, uuid limit :limit),
            replayed as (
                update webhook_deliveries d set {_AGAIN} from chosen
                where d.uuid = chosen.uuid and d.state not in ('pending', 'sending')
                returning d.uuid)
            select (select count(*) from matching) as matched,
                   (select count(*) from chosen) as chosen,
                   (select count(*) from replayed) as replayed,
                   (select public_id from chosen
                    order by created_at desc, uuid desc limit 1) as last""",
        **where.values,
        now=db.now,
        limit=limit,
    )


async def _wake(db: Db) -> None:
    db.ring(fanout.CHANNEL)
