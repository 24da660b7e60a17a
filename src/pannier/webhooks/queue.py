"""The queue: deliveries are leased, and their results recorded, by one statement each.

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
    """The number of deliveries to lease for an endpoint, and the timeout of each."""

    webhook: UUID
    slots: int
    timeout_seconds: int


class LeasedDelivery(msgspec.Struct, kw_only=True):
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

    delivery: LeasedDelivery
    next_step: NextStep
    ended_at: datetime
    result: AttemptResult
    request_headers: dict[str, str]

    @property
    def key(self) -> tuple[UUID, int]:
        """The delivery's UUID and the attempt's number."""
        return self.delivery.uuid, self.delivery.attempts


class RecordedDelivery(msgspec.Struct):
    """A delivery after a recorded attempt, and whether later ones of its thread wait for it."""

    delivery: UUID
    number: int
    webhook: UUID
    thread: str | None
    state: DeliveryState
    has_followers: bool


class WaitingEndpoint(msgspec.Struct):
    """An endpoint with queued deliveries, and the time at which the first is due."""

    webhook: UUID
    due_at: datetime
    version: int


class Thread(NamedTuple):
    """The deliveries of one thread of events to one endpoint. Replays belong to no thread."""

    webhook: UUID
    thread: str | None


# Adding to an endpoint's queue and recording results take this lock, so that each sees the
# other's changes to the heads of threads. Disabling an endpoint does not need it.
LOCK_QUEUES: Final = (
    "select count(pg_advisory_xact_lock(lock_key)) from unnest(:lock_keys::bigint[]) lock_key"
)

LIST_WAITING: Final = """
    select webhook, due_at, (select version from webhooks w where w.uuid = webhook) as version
    from webhook_lanes"""

# Rows that were found are addressed by `ctid`. `offset 0` and `limit 1` force the planner to look
# each row up by its key: for `exists` it may read the whole queue.
LEASE_DUE: Final = f"""
    with quotas as (
        select quota.webhook, quota.slots from unnest(:webhooks::uuid[], :slots::integer[])
            as quota (webhook, slots)
        where (select w.state = 'enabled' and w.deleted_at is null
               from webhooks w where w.uuid = quota.webhook)),
    picked as materialized (
        select next.row_id from quotas cross join lateral (
            select q.ctid as row_id from webhook_queue q
            where q.webhook = quotas.webhook and q.ready and q.sender is null
                and {LEASES.due_condition("q")}
            order by q.due_at, q.sequence limit quotas.slots
            for update skip locked) next),
    leased as (
        update webhook_queue q
        set {LEASES.lease_assignments}, sender = :sender, started_at = pannier_now()
        where q.ctid = any(array(select row_id from picked))
        returning q.delivery, q.company, q.webhook, q.event, q.sequence, q.round, q.retries,
                  q.attempts, q.started_at, q.lease_until, q.due_at),
    claimed as (
        insert into webhook_claims (uuid, sender, started_at, lease_until, deliveries)
        select :claim, :sender, min(started_at), min(lease_until), array_agg(delivery)
        from leased having count(*) > 0),
    deleted as (delete from webhook_claims where uuid = any(:finished_claims))
    select :claim::uuid as claim, leased.delivery as uuid, leased.company, leased.webhook, e.name,
           leased.sequence, leased.round, leased.retries, leased.attempts, leased.started_at,
           case when leased.retries > 0 then 'retry' when leased.round > 0 then 'replay'
           else 'event' end as trigger, e.body
    from leased cross join lateral (
        select name, body from events where uuid = leased.event offset 0) e
    order by leased.due_at, leased.sequence"""

RECORD: Final = """
    with results as (
        select * from unnest(
            :deliveries::uuid[], :numbers::integer[], :states::text[], :retries::integer[],
            :waits::interval[], :ends::timestamptz[], :tried::boolean[]
        ) as t (delivery, number, state, retries, wait, ended, tried)),
    done as materialized (
        select results.*, q.row_id from results cross join lateral (
            select ctid as row_id from webhook_queue where delivery = results.delivery offset 0) q),
    requeued as (
        update webhook_queue q
        set retries = done.retries, due_at = pannier_now() + done.wait, ready = true,
            tried = q.tried or done.tried, sender = null, started_at = null, lease_until = null
        from done
        where q.ctid = done.row_id and q.attempts = done.number and q.sender is not null
          and done.state = 'pending'
        returning q.delivery, done.number, q.webhook, q.thread, done.state, done.ended),
    finished as (
        delete from webhook_queue q using done
        where q.ctid = done.row_id and q.attempts = done.number and q.sender is not null
          and done.state <> 'pending'
        returning q.delivery, done.number, q.webhook, q.thread, done.state, done.ended),
    failed as (
        update webhook_deliveries d
        set state = 'failed',
            finished_at = (select ended from finished where finished.delivery = d.uuid)
        where d.uuid = any(array(select delivery from finished where state = 'failed')))
    select delivery, number, webhook, thread, state,
           (select true from webhook_queue q
            where q.webhook = recorded.webhook and q.thread = recorded.thread
              and not q.tried and not q.ready limit 1) is not null as has_followers
    from (select * from requeued union all select * from finished) recorded"""

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
            select from webhook_queue earlier
            where earlier.webhook = t.webhook and earlier.thread = t.thread
              and earlier.ready and not earlier.tried)
          and not ((select ordering = 'strict' from webhooks w where w.uuid = t.webhook)
              and exists (
                  select from webhook_queue earlier
                  where earlier.webhook = t.webhook and earlier.thread = t.thread
                    and earlier.ready and earlier.tried))))"""

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
    await db.fetch_value(
        LOCK_QUEUES, lock_keys=sorted({_lock_key(webhook) for webhook in webhooks})
    )


def _lock_key(webhook: UUID) -> int:
    """Derive the key of an endpoint's lock from the random half of its UUID."""
    return (webhook.int & LOW_64_BITS) - 2**63


async def list_waiting_endpoints(db: Db) -> list[WaitingEndpoint]:
    """List the endpoints with queued deliveries, due or not."""
    await db.prefer_indexes()
    return await db.fetch_all(WaitingEndpoint, LIST_WAITING)


async def lease_deliveries(
    db: Db, quotas: Sequence[LaneQuota], sender: int, finished_claims: Collection[UUID] = ()
) -> list[LeasedDelivery]:
    """Lease due deliveries and record their attempts. Delete finished claims."""
    await db.prefer_indexes()
    return await LEASES.lease_by_statement(
        db,
        LeasedDelivery,
        LEASE_DUE,
        lease=timedelta(seconds=max(quota.timeout_seconds for quota in quotas)) + LEASE_MARGIN,
        sender=sender,
        claim=db.new_uuid(),
        finished_claims=list(finished_claims),
        webhooks=[quota.webhook for quota in quotas],
        slots=[quota.slots for quota in quotas],
    )


async def record_attempts(db: Db, attempts: Sequence[EndedAttempt]) -> list[RecordedDelivery]:
    """Record results and log the attempts. Ignore attempts whose lease was lost."""
    await lock_queues(db, {attempt.delivery.webhook for attempt in attempts})
    recorded_deliveries = await db.fetch_all(RecordedDelivery, RECORD, **_to_parameters(attempts))
    recorded_keys = {(delivery.delivery, delivery.number) for delivery in recorded_deliveries}
    await db.insert(
        "webhook_attempts",
        *[_to_log_row(attempt) for attempt in attempts if attempt.key in recorded_keys],
    )
    await advance_threads(
        db,
        [
            Thread(delivery.webhook, delivery.thread)
            for delivery in recorded_deliveries
            if delivery.has_followers
        ],
    )
    return recorded_deliveries


def _to_parameters(attempts: Sequence[EndedAttempt]) -> dict[str, Any]:
    return {
        "deliveries": [attempt.delivery.uuid for attempt in attempts],
        "numbers": [attempt.delivery.attempts for attempt in attempts],
        "states": [attempt.next_step.state for attempt in attempts],
        "retries": [attempt.next_step.retries for attempt in attempts],
        "waits": [attempt.next_step.due_at - attempt.ended_at for attempt in attempts],
        "ends": [attempt.ended_at for attempt in attempts],
        "tried": [attempt.result.outcome != "interrupted" for attempt in attempts],
    }


def _to_log_row(attempt: EndedAttempt) -> AttemptLogRow:
    delivery, result = attempt.delivery, attempt.result
    return AttemptLogRow(
        company=delivery.company,
        delivery=delivery.uuid,
        number=delivery.attempts,
        round=delivery.round,
        retries=delivery.retries,
        trigger=delivery.trigger,
        outcome=result.outcome,
        started_at=delivery.started_at,
        finished_at=attempt.ended_at,
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


async def advance_threads(db: Db, threads: Iterable[Thread]) -> None:
    """Make the next delivery of each thread ready, if no earlier one blocks it.

    The caller has locked the queues of the endpoints.
    """
    threads_to_advance = {thread for thread in threads if thread.thread is not None}
    if threads_to_advance:
        webhooks, names = zip(*threads_to_advance, strict=True)
        await db.execute(ADVANCE, webhooks=list(webhooks), threads=list(names))


async def reorder_queue(db: Db, webhook: UUID, *, strict: bool) -> None:
    """Update which deliveries of an endpoint are ready, after its ordering was changed."""
    await lock_queues(db, [webhook])
    await db.execute(REORDER, webhook=webhook, strict=strict)


async def delete_claims(db: Db, claims: Sequence[UUID]) -> None:
    """Delete claims whose deliveries are all recorded."""
    await db.execute("delete from webhook_claims where uuid = any(:claims)", claims=list(claims))
