"""The queue: leasing deliveries and recording their results, each with one statement.

Leasing a delivery records its attempt before the first byte is sent. The attempt's number is also
the lease: a result with an older number is ignored. The log gets a row when the attempt ends.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.jobs.leases import Leases
from pannier.webhooks.models import (
    AttemptLogRow,
    AttemptResult,
    DeliveryState,
    Trigger,
    delivery_name,
)
from pannier.webhooks.schedule import NextStep

# Time after an attempt's timeout until its lease lapses and another worker takes it.
LEASE_MARGIN: Final = timedelta(seconds=15)
LEASES: Final = Leases("webhook_queue", key="delivery", until="lease_until")
LOW_64_BITS: Final = 2**64 - 1


class LaneQuota(NamedTuple):
    """How many deliveries to lease for an endpoint, and the timeout of each."""

    webhook: UUID
    room: int
    timeout_seconds: int


class TakenDelivery(msgspec.Struct, kw_only=True):
    """A leased delivery and its attempt."""

    uuid: UUID
    company: UUID
    webhook: UUID
    name: str
    sequence: int
    round: int
    retries: int
    attempts: int
    trigger: Trigger
    started_at: datetime
    body: bytes
    # The claim of all deliveries that were leased together.
    claim: UUID

    @property
    def public_id(self) -> str:
        """The delivery's public id."""
        return delivery_name(self.uuid)


class EndedAttempt(NamedTuple):
    """An attempt that has ended."""

    taken: TakenDelivery
    next: NextStep
    ended: datetime
    answer: AttemptResult
    request_headers: dict[str, str]

    @property
    def attempt(self) -> tuple[UUID, int]:
        """The delivery's UUID and the attempt's number."""
        return self.taken.uuid, self.taken.attempts


class MovedDelivery(msgspec.Struct):
    """A delivery after a recorded attempt, and whether others of its thread wait for it."""

    delivery: UUID
    number: int
    webhook: UUID
    thread: str | None
    state: DeliveryState
    followed: bool


class WaitingEndpoint(msgspec.Struct):
    """An endpoint with queued deliveries, and the time at which the first is due."""

    webhook: UUID
    due_at: datetime
    version: int


class Thread(NamedTuple):
    """The deliveries of one thread of events to one endpoint. Replays belong to no thread."""

    webhook: UUID
    thread: str | None


# Adding to an endpoint's queue and recording results take this lock, so that each sees what the
# other has done to the heads of threads. Disabling an endpoint does not need it.
LOCK_QUEUES: Final = "select count(pg_advisory_xact_lock(turn)) from unnest(:turns::bigint[]) turn"

LIST_WAITING: Final = """
    select webhook, due_at, (select version from webhooks w where w.uuid = webhook) as version
    from webhook_lanes"""

# Rows that were found are addressed by `ctid`. `offset 0` and `limit 1` force the planner to look
# each row up by its key: for `exists` it may read the whole queue.
TAKE: Final = f"""
    with work as (
        select asked.webhook, asked.room from unnest(:webhooks::uuid[], :rooms::integer[])
            as asked (webhook, room)
        where (select w.state = 'enabled' and w.deleted_at is null
               from webhooks w where w.uuid = asked.webhook)),
    picked as materialized (
        select next.place from work cross join lateral (
            select q.ctid as place from webhook_queue q
            where q.webhook = work.webhook and q.ready and q.sender is null
                and {LEASES.due_condition("q")}
            order by q.due_at, q.sequence limit work.room
            for update skip locked) next),
    taken as (
        update webhook_queue q
        set {LEASES.lease_assignments}, sender = :sender, started_at = pannier_now()
        where q.ctid = any(array(select place from picked))
        returning q.delivery, q.company, q.webhook, q.event, q.sequence, q.round, q.retries,
                  q.attempts, q.started_at, q.lease_until, q.due_at),
    claimed as (
        insert into webhook_claims (uuid, sender, started_at, lease_until, deliveries)
        select :claim, :sender, min(started_at), min(lease_until), array_agg(delivery)
        from taken having count(*) > 0),
    over as (delete from webhook_claims where uuid = any(:over))
    select :claim::uuid as claim, taken.delivery as uuid, taken.company, taken.webhook, e.name,
           taken.sequence, taken.round, taken.retries, taken.attempts, taken.started_at,
           case when taken.retries > 0 then 'retry' when taken.round > 0 then 'replay'
           else 'event' end as trigger, e.body
    from taken cross join lateral (
        select name, body from events where uuid = taken.event offset 0) e
    order by taken.due_at, taken.sequence"""

MOVE: Final = """
    with told as (
        select * from unnest(
            :deliveries::uuid[], :numbers::integer[], :states::text[], :retries::integer[],
            :waits::interval[], :ends::timestamptz[], :tried::boolean[]
        ) as t (delivery, number, state, retries, wait, ended, tried)),
    done as materialized (
        select told.*, q.place from told cross join lateral (
            select ctid as place from webhook_queue where delivery = told.delivery offset 0) q),
    again as (
        update webhook_queue q
        set retries = done.retries, due_at = pannier_now() + done.wait, ready = true,
            tried = q.tried or done.tried, sender = null, started_at = null, lease_until = null
        from done
        where q.ctid = done.place and q.attempts = done.number and q.sender is not null
          and done.state = 'pending'
        returning q.delivery, done.number, q.webhook, q.thread, done.state, done.ended),
    over as (
        delete from webhook_queue q using done
        where q.ctid = done.place and q.attempts = done.number and q.sender is not null
          and done.state <> 'pending'
        returning q.delivery, done.number, q.webhook, q.thread, done.state, done.ended),
    failed as (
        update webhook_deliveries d
        set state = 'failed',
            finished_at = (select ended from over where over.delivery = d.uuid)
        where d.uuid = any(array(select delivery from over where state = 'failed')))
    select delivery, number, webhook, thread, state,
           (select true from webhook_queue q
            where q.webhook = moved.webhook and q.thread = moved.thread
              and not q.tried and not q.ready limit 1) is not null as followed
    from (select * from again union all select * from over) moved"""

# The next delivery of a thread is ready if no earlier one blocks it. An earlier one blocks until
# its first attempt has ended, or with strict ordering until the delivery has ended.
ADVANCE: Final = """
    update webhook_queue set ready = true where delivery = any(array(
        select next.delivery from (
            select distinct webhook, thread
            from unnest(:webhooks::uuid[], :threads::text[]) as t (webhook, thread)) t
        cross join lateral (
            select delivery from webhook_queue
            where webhook = t.webhook and thread = t.thread and not ready and not tried
            order by sequence limit 1) next
        where not exists (
            select from webhook_queue before
            where before.webhook = t.webhook and before.thread = t.thread
              and before.ready and not before.tried)
          and not ((select ordering = 'strict' from webhooks w where w.uuid = t.webhook)
              and exists (
                  select from webhook_queue before
                  where before.webhook = t.webhook and before.thread = t.thread
                    and before.ready and before.tried))))"""

# After an endpoint's ordering was changed: updates which delivery of each thread is ready.
# Deliveries that were attempted stay ready.
REORDER: Final = """
    update webhook_queue q set ready = heads.ready
    from (
        select delivery,
               tried or sender is not null
               or row_number() over (partition by thread, tried order by sequence) = 1
               and not (:strict and bool_or(tried) over (partition by thread)) as ready
        from webhook_queue where webhook = :webhook and thread is not null) heads
    where q.delivery = heads.delivery and q.ready <> heads.ready"""


async def lock_queues(db: Db, webhooks: Collection[UUID]) -> None:
    """Lock the queues of these endpoints until the transaction ends."""
    await db.prefer_indexes()
    await db.fetch_value(LOCK_QUEUES, turns=sorted({_lock_key(webhook) for webhook in webhooks}))


def _lock_key(webhook: UUID) -> int:
    """Derive the key of an endpoint's lock from the random half of its UUID."""
    return (webhook.int & LOW_64_BITS) - 2**63


async def list_waiting(db: Db) -> list[WaitingEndpoint]:
    """List the endpoints with queued deliveries, due or not."""
    await db.prefer_indexes()
    return await db.fetch_all(WaitingEndpoint, LIST_WAITING)


async def lease(
    db: Db, quotas: Sequence[LaneQuota], sender: int, finished_claims: Collection[UUID] = ()
) -> list[TakenDelivery]:
    """Lease due deliveries and record their attempts. Delete finished claims."""
    await db.prefer_indexes()
    return await LEASES.lease_by_statement(
        db,
        TakenDelivery,
        TAKE,
        lease=timedelta(seconds=max(lane.timeout_seconds for lane in quotas)) + LEASE_MARGIN,
        sender=sender,
        claim=db.new_uuid(),
        over=list(finished_claims),
        webhooks=[lane.webhook for lane in quotas],
        rooms=[lane.room for lane in quotas],
    )


async def record(db: Db, attempts: Sequence[EndedAttempt]) -> list[MovedDelivery]:
    """Record results and log the attempts. Ignore attempts whose lease was lost."""
    await lock_queues(db, {attempt.taken.webhook for attempt in attempts})
    moved_deliveries = await db.fetch_all(MovedDelivery, MOVE, **_columns(attempts))
    moved_attempts = {(delivery.delivery, delivery.number) for delivery in moved_deliveries}
    await db.insert(
        "webhook_attempts",
        *[_to_log_row(attempt) for attempt in attempts if attempt.attempt in moved_attempts],
    )
    await advance(
        db,
        [
            Thread(delivery.webhook, delivery.thread)
            for delivery in moved_deliveries
            if delivery.followed
        ],
    )
    return moved_deliveries


def _columns(done: Sequence[EndedAttempt]) -> dict[str, Any]:
    return {
        "deliveries": [attempt.taken.uuid for attempt in done],
        "numbers": [attempt.taken.attempts for attempt in done],
        "states": [attempt.next.state for attempt in done],
        "retries": [attempt.next.retries for attempt in done],
        "waits": [attempt.next.due_at - attempt.ended for attempt in done],
        "ends": [attempt.ended for attempt in done],
        "tried": [attempt.answer.outcome != "interrupted" for attempt in done],
    }


def _to_log_row(attempt: EndedAttempt) -> AttemptLogRow:
    delivery, result = attempt.taken, attempt.answer
    return AttemptLogRow(
        company=delivery.company,
        delivery=delivery.uuid,
        number=delivery.attempts,
        round=delivery.round,
        retries=delivery.retries,
        trigger=delivery.trigger,
        outcome=result.outcome,
        started_at=delivery.started_at,
        finished_at=attempt.ended,
        status=result.status,
        error=result.error,
        remote_address=result.remote_address,
        phases=_to_json(result.phases),
        request_headers=_to_json(attempt.request_headers),
        response_headers=_to_json(result.response_headers),
        response_body=result.response_body,
        response_cut=result.response_cut,
    )


def _to_json(value: object) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()


async def advance(db: Db, threads: Iterable[Thread]) -> None:
    """Make the next delivery of each thread ready, if no earlier one blocks it.

    The caller has locked the queues of the endpoints.
    """
    named_threads = {thread for thread in threads if thread.thread is not None}
    if named_threads:
        webhooks, names = zip(*named_threads, strict=True)
        await db.execute(ADVANCE, webhooks=list(webhooks), threads=list(names))


async def reorder(db: Db, webhook: UUID, *, strict: bool) -> None:
    """Update which deliveries of an endpoint are ready, after its ordering was changed."""
    await lock_queues(db, [webhook])
    await db.execute(REORDER, webhook=webhook, strict=strict)


async def delete_claims(db: Db, claims: Sequence[UUID]) -> None:
    """Delete claims whose deliveries are all recorded."""
    await db.execute("delete from webhook_claims where uuid = any(:over)", over=list(claims))
