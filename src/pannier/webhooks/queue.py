"""Taking deliveries, and recording what came of them: each one statement, however many.

A delivery that is taken has an attempt in the log before its first byte leaves. That attempt is
the lease too: whoever records an attempt that is not the delivery's any more records nothing.
Times come from the caller's clock, never from the database's.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.webhooks.models import Answer, DeliveryState, Trigger
from pannier.webhooks.schedule import Next

# How much longer than its timeout an attempt may take before another worker thinks it is lost.
MARGIN: Final = timedelta(seconds=15)
REAPED: Final = 500
LOST: Final = "The worker stopped before it learned what became of this attempt."


class Work(NamedTuple):
    """How many deliveries to take from an endpoint's lane, and how long each may take."""

    webhook: UUID
    room: int
    timeout_seconds: int
    strict: bool


class Taken(msgspec.Struct, kw_only=True):
    """A delivery that is on its way, and the attempt that carries it."""

    uuid: UUID
    public_id: str
    webhook: UUID
    name: str
    thread: str
    sequence: int
    retries: int
    attempts: int
    attempt: UUID
    trigger: Trigger
    started_at: datetime
    body: bytes


class Done(NamedTuple):
    """An attempt that has come to its end."""

    attempt: UUID
    delivery: UUID
    next: Next
    ended: datetime
    answer: Answer
    request_headers: dict[str, str]


class Moved(msgspec.Struct):
    """A delivery that has moved on after an attempt."""

    delivery: UUID
    webhook: UUID
    thread: str
    sequence: int
    state: DeliveryState
    due_at: datetime


class Lane(msgspec.Struct):
    """An endpoint that has deliveries waiting, and since when the first of them is due."""

    webhook: UUID
    due_at: datetime


# The first entry of each endpoint in the index: it costs by endpoints, not by deliveries.
WAITING: Final = """
    with recursive lanes as (
        (select webhook, due_at from webhook_deliveries where state = 'pending'
         order by webhook, due_at limit 1)
        union all
        select next.webhook, next.due_at from lanes cross join lateral (
            select webhook, due_at from webhook_deliveries
            where state = 'pending' and webhook > lanes.webhook
            order by webhook, due_at limit 1) next)
    select webhook, due_at from lanes"""

# Of one thread, a delivery waits for those before it: until their first attempt has come to its
# end, or where the endpoint asked for strict order, until they have succeeded or failed for good.
# Replays are out of order by nature, and neither wait nor are waited for.
TAKE: Final = """
    with work as (
        select asked.* from unnest(:webhooks::uuid[], :rooms::integer[], :timeouts::integer[],
                                   :stricts::boolean[]) as asked (webhook, room, timeout, strict)
        join webhooks w on w.uuid = asked.webhook
        where w.state = 'enabled' and w.deleted_at is null),
    picked as materialized (
        select next.uuid, work.timeout from work cross join lateral (
            select d.uuid from webhook_deliveries d
            where d.webhook = work.webhook and d.state = 'pending' and d.due_at <= :now
              and (d.round > 0 or not exists (
                  select from webhook_deliveries before
                  where before.webhook = d.webhook and before.thread = d.thread
                    and before.sequence < d.sequence and before.round = 0
                    and before.state in ('pending', 'sending')
                    and (work.strict or not before.tried)))
            order by d.due_at, d.sequence limit work.room
            for update skip locked) next),
    taken as (
        update webhook_deliveries d
        set state = 'sending', attempts = attempts + 1, attempt = uuid_of(:now, attempts),
            sender = :sender,
            lease_until = :now::timestamptz + :margin + make_interval(secs => picked.timeout)
        from picked where d.uuid = picked.uuid
        returning d.*, case when d.retries > 0 then 'retry' when d.round > 0 then 'replay'
                       else 'event' end as trigger),
    logged as (
        insert into webhook_attempts
            (uuid, public_id, company, delivery, number, round, trigger, outcome, started_at)
        select attempt, name_of('attempt'), company, uuid, attempts, round, trigger, 'sending', :now
        from taken)
    select taken.uuid, taken.public_id, taken.webhook, taken.name, thread, sequence, retries,
           attempts, attempt, trigger, :now::timestamptz as started_at,
           coalesce(taken.body, (select body from events where events.uuid = taken.event)) as body
    from taken order by due_at, sequence"""

RECORD: Final = """
    with done as (
        select * from unnest(
            :attempts::uuid[], :deliveries::uuid[], :states::text[], :retries::integer[],
            :dues::timestamptz[], :ends::timestamptz[], :outcomes::text[], :statuses::integer[],
            :errors::text[], :addresses::text[], :phases::jsonb[], :requests::jsonb[],
            :heads::text[], :bodies::bytea[], :cuts::boolean[]
        ) as t (attempt, delivery, state, retries, due_at, ended, outcome, status, error, address,
                phases, request, head, body, cut)),
    closed as (
        update webhook_attempts a
        set outcome = done.outcome, finished_at = done.ended, status = done.status,
            error = done.error, remote_address = done.address, phases = done.phases,
            request_headers = done.request, response_headers = done.head::jsonb,
            response_body = done.body, response_cut = done.cut
        from done where a.uuid = done.attempt and a.outcome = 'sending')
    update webhook_deliveries d
    set state = case when done.state = 'pending' and w.deleted_at is not null then 'cancelled'
                else done.state end,
        retries = done.retries, due_at = done.due_at, status = done.status, error = done.error,
        tried = d.tried or done.outcome <> 'interrupted',
        attempt = null, sender = null, lease_until = null,
        finished_at = case when done.state <> 'pending' or w.deleted_at is not null
                      then done.ended end
    from done, webhooks w
    where d.uuid = done.delivery and d.attempt = done.attempt and w.uuid = d.webhook
    returning d.uuid as delivery, d.webhook, d.thread, d.sequence, d.state, d.due_at"""

# A ping is somebody's who waits for it; nobody sends it again.
REAP: Final = """
    with lost as materialized (
        select uuid, attempt from webhook_deliveries
        where state = 'sending' and (lease_until <= :now or sender = any(:dead))
        limit :most for update skip locked),
    closed as (
        update webhook_attempts a set outcome = 'interrupted', finished_at = :now, error = :error
        from lost where a.uuid = lost.attempt and a.outcome = 'sending')
    update webhook_deliveries d
    set state = case when d.body is null then 'pending' else 'failed' end,
        due_at = :now, attempt = null, sender = null, lease_until = null, error = :error,
        finished_at = case when d.body is null then null else :now::timestamptz end
    from lost where d.uuid = lost.uuid"""


async def by_index(db: Db) -> None:
    """Have the rest of the transaction find its few rows by index.

    The planner may know the tables as they were when they were nearly empty, and would read all
    of them each time, until somebody tells it otherwise.
    """
    await db.value(
        """select set_config('enable_seqscan', 'off', true),
                  set_config('enable_hashjoin', 'off', true),
                  set_config('enable_mergejoin', 'off', true)"""
    )


async def waiting(db: Db) -> list[Lane]:
    """List the endpoints that have deliveries waiting, due or not."""
    return await db.many(Lane, WAITING)


async def take(db: Db, work: Sequence[Work], sender: int) -> list[Taken]:
    """Take what is due, and write its attempts down."""
    await by_index(db)
    return await db.many(
        Taken,
        TAKE,
        now=db.now,
        margin=MARGIN,
        sender=sender,
        webhooks=[lane.webhook for lane in work],
        rooms=[lane.room for lane in work],
        timeouts=[lane.timeout_seconds for lane in work],
        stricts=[lane.strict for lane in work],
    )


async def record(db: Db, done: Sequence[Done]) -> list[Moved]:
    """Close attempts, and move their deliveries on; those that were taken from us stay."""
    await by_index(db)
    return await db.many(Moved, RECORD, **_columns(done))


def _columns(done: Sequence[Done]) -> dict[str, list[Any]]:
    # In one order everywhere, so that two who record at once never wait for each other.
    done = sorted(done, key=lambda one: one.delivery)
    answers = [one.answer for one in done]
    return {
        "attempts": [one.attempt for one in done],
        "deliveries": [one.delivery for one in done],
        "states": [one.next.state for one in done],
        "retries": [one.next.retries for one in done],
        "dues": [one.next.due_at for one in done],
        "ends": [one.ended for one in done],
        "requests": [one.request_headers for one in done],
        "outcomes": [answer.outcome for answer in answers],
        "statuses": [answer.status for answer in answers],
        "errors": [answer.error for answer in answers],
        "addresses": [answer.remote_address for answer in answers],
        "phases": [answer.phases for answer in answers],
        # As text: asyncpg would take lists within a list for one array of more dimensions.
        "heads": [_spelled(answer.response_headers) for answer in answers],
        "bodies": [answer.response_body for answer in answers],
        "cuts": [answer.response_cut for answer in answers],
    }


def _spelled(headers: list[tuple[str, str]] | None) -> str | None:
    return None if headers is None else msgspec.json.encode(headers).decode()


async def free_followers(db: Db, moved: Sequence[Moved]) -> None:
    """Let what waits behind these in strict order become due with them, or at once after them."""
    await db.execute(
        """update webhook_deliveries d
           set due_at = case when head.state = 'pending' then head.due_at else :now end
           from unnest(:webhooks::uuid[], :threads::text[], :sequences::bigint[], :states::text[],
                       :dues::timestamptz[]) as head (webhook, thread, sequence, state, due_at)
           where d.webhook = head.webhook and d.thread = head.thread
             and d.sequence > head.sequence and d.state = 'pending' and d.round = 0
             and not d.tried""",
        now=db.now,
        webhooks=[one.webhook for one in moved],
        threads=[one.thread for one in moved],
        sequences=[one.sequence for one in moved],
        states=[one.state for one in moved],
        dues=[one.due_at for one in moved],
    )


async def senders(db: Db) -> list[int]:
    """List the workers that have something on its way."""
    found: list[int] | None = await db.value(
        "select array_agg(distinct sender) from webhook_deliveries where state = 'sending'"
    )
    return found or []


async def reap(db: Db, dead: Sequence[int]) -> int:
    """Take back what was on its way when its worker died; it costs no retry.

    A lease that has run out counts as well, whoever has it.
    """
    return await db.execute(REAP, now=db.now, dead=list(dead), most=REAPED, error=LOST)
