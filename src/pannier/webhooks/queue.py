"""The queue: taking deliveries, and recording what came of them, each one statement however many.

What is taken has an attempt in the queue before its first byte leaves. That attempt is the lease
too: whoever records an attempt that is not the delivery's any more records nothing. In the log it
is written once, at its end. Times come from the caller's clock, never from the database's.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.webhooks.models import Answer, DeliveryState, Trigger, delivery_name
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


class Taken(msgspec.Struct, kw_only=True):
    """A delivery that is on its way, and the attempt that carries it."""

    uuid: UUID
    company: UUID
    webhook: UUID
    name: str
    sequence: int
    round: int
    retries: int
    attempts: int
    attempt: UUID
    trigger: Trigger
    started_at: datetime
    body: bytes

    @property
    def public_id(self) -> str:
        """What people call the delivery."""
        return delivery_name(self.uuid)


class Done(NamedTuple):
    """An attempt that has come to its end."""

    taken: Taken
    next: Next
    ended: datetime
    answer: Answer
    request_headers: dict[str, str]


class Moved(msgspec.Struct):
    """A delivery that has moved on after an attempt, and whether others wait behind it."""

    delivery: UUID
    webhook: UUID
    thread: str | None
    state: DeliveryState
    followed: bool


class Waiting(msgspec.Struct):
    """An endpoint, as it stands, that has deliveries waiting; since when the first is due."""

    webhook: UUID
    due_at: datetime
    version: int


class Thread(NamedTuple):
    """Whose story it is, as one endpoint is told it; what is replayed is part of none."""

    webhook: UUID
    thread: str | None


# Whoever adds to an endpoint's queue and whoever ends something in it take turns: only so does
# each see what the other has done to the heads of threads. Nobody who switches it off has to wait.
TURNS: Final = """
    select count(pg_advisory_xact_lock(turn)) from (
        select distinct hashtextextended(webhook::text, 0) as turn
        from unnest(:webhooks::uuid[]) webhook order by turn) turns"""

# The planner may know the tables as they were when they were nearly empty, and would go through
# all of them each time, until somebody tells it otherwise. Planning anew costs more than the work.
BY_INDEX: Final = """
    select set_config('enable_seqscan', 'off', true),
           set_config('enable_hashjoin', 'off', true),
           set_config('enable_mergejoin', 'off', true),
           set_config('plan_cache_mode', 'force_generic_plan', true)"""

LANES: Final = """
    select webhook, due_at, (select version from webhooks w where w.uuid = webhook) as version
    from webhook_lanes"""

# A row that was found once is found again by its place. `offset 0` has each row looked up by its
# key, whatever the planner believes.
TAKE: Final = """
    with work as (
        select asked.webhook, asked.room from unnest(:webhooks::uuid[], :rooms::integer[])
            as asked (webhook, room)
        where (select w.state = 'enabled' and w.deleted_at is null
               from webhooks w where w.uuid = asked.webhook)),
    picked as materialized (
        select next.place from work cross join lateral (
            select q.ctid as place from webhook_queue q
            where q.webhook = work.webhook and q.ready and q.attempt is null and q.due_at <= :now
            order by q.due_at, q.sequence limit work.room
            for update skip locked) next),
    taken as (
        update webhook_queue q
        set attempts = attempts + 1, attempt = uuid_of(:now, attempts), sender = :sender,
            started_at = :now,
            lease_until = :now::timestamptz + :margin + make_interval(
                secs => (:timeouts::integer[])[array_position(:webhooks::uuid[], q.webhook)])
        where q.ctid = any(array(select place from picked))
        returning q.delivery, q.webhook, q.sequence, q.round, q.retries, q.attempts, q.attempt,
                  q.started_at, q.due_at)
    select d.uuid, d.company, taken.webhook, d.name, taken.sequence, taken.round, taken.retries,
           taken.attempts, taken.attempt, taken.started_at,
           case when taken.retries > 0 then 'retry' when taken.round > 0 then 'replay'
           else 'event' end as trigger,
           coalesce(d.body, (select body from events where events.uuid = d.event)) as body
    from taken cross join lateral (
        select uuid, company, name, event, body
        from webhook_deliveries where uuid = taken.delivery offset 0) d
    order by taken.due_at, taken.sequence"""

RECORD: Final = """
    with told as (
        select * from unnest(
            :attempts::uuid[], :deliveries::uuid[], :companies::uuid[], :numbers::integer[],
            :rounds::integer[], :used::integer[], :triggers::text[], :starts::timestamptz[],
            :states::text[], :retries::integer[], :dues::timestamptz[], :ends::timestamptz[],
            :outcomes::text[], :statuses::integer[], :errors::text[], :addresses::text[],
            :phases::text[], :requests::text[], :heads::text[], :bodies::bytea[], :cuts::boolean[]
        ) as t (attempt, delivery, company, number, round, used, trigger, started, state, retries,
                due_at, ended, outcome, status, error, address, phases, request, head, body, cut)),
    done as materialized (
        select told.*, q.place, q.webhook, q.thread from told cross join lateral (
            select ctid as place, webhook, thread
            from webhook_queue where delivery = told.delivery offset 0) q),
    again as (
        update webhook_queue q
        set retries = done.retries, due_at = done.due_at, ready = true,
            tried = q.tried or done.outcome <> 'interrupted',
            attempt = null, sender = null, started_at = null, lease_until = null
        from done
        where q.ctid = done.place and q.attempt = done.attempt and done.state = 'pending'
        returning done.*),
    over as (
        delete from webhook_queue q using done
        where q.ctid = done.place and q.attempt = done.attempt and done.state <> 'pending'
        returning done.*),
    moved as (select * from again union all select * from over),
    logged as (
        insert into webhook_attempts
            (uuid, company, delivery, number, round, retries, trigger, outcome, started_at,
             finished_at, status, error, remote_address, phases, request_headers,
             response_headers, response_body, response_cut)
        select attempt, company, delivery, number, round, used, trigger, outcome, started, ended,
               status, error, address, phases::json, request::json, head::json, body, cut
        from moved),
    failed as (
        update webhook_deliveries d
        set state = 'failed',
            finished_at = (select ended from over where over.delivery = d.uuid)
        where d.uuid = any(array(select delivery from over where state = 'failed')))
    select delivery, webhook, thread, state,
           exists (select from webhook_queue q
                   where q.webhook = moved.webhook and q.thread = moved.thread
                     and not q.tried and not q.ready) as followed
    from moved"""

# The next of a thread has its turn when nothing before it is left to wait for: nothing that is
# still to make its first attempt, or where the endpoint asked for strict order, nothing at all.
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

# An endpoint that has changed its mind about order: whose turn it is now, in each of its threads.
# What has been tried goes on as it began.
REORDER: Final = """
    update webhook_queue q set ready = heads.ready
    from (
        select delivery,
               tried or attempt is not null
               or row_number() over (partition by thread, tried order by sequence) = 1
               and not (:strict and bool_or(tried) over (partition by thread)) as ready
        from webhook_queue where webhook = :webhook and thread is not null) heads
    where q.delivery = heads.delivery and q.ready <> heads.ready"""

SENDERS: Final = "select array_agg(distinct sender) from webhook_queue where attempt is not null"

# A ping is somebody's who waits for it; nobody sends it again.
REAP: Final = """
    with lost as materialized (
        select q.delivery, q.attempt, q.attempts, q.round, q.retries, q.started_at, d.company,
               d.event is null as ping
        from webhook_queue q cross join lateral (
            select company, event from webhook_deliveries where uuid = q.delivery offset 0) d
        where q.attempt is not null and (q.lease_until <= :now or q.sender = any(:dead))
        limit :most for update of q skip locked),
    logged as (
        insert into webhook_attempts (uuid, company, delivery, number, round, retries, trigger,
                                      outcome, started_at, finished_at, error)
        select attempt, company, delivery, attempts, round, retries,
               case when ping then 'ping' when retries > 0 then 'retry'
               when round > 0 then 'replay' else 'event' end,
               'interrupted', started_at, :now, :error
        from lost),
    again as (
        update webhook_queue q
        set due_at = :now, attempt = null, sender = null, started_at = null, lease_until = null
        where q.delivery = any(array(select delivery from lost where not ping))),
    over as (
        delete from webhook_queue
        where delivery = any(array(select delivery from lost where ping))),
    failed as (
        update webhook_deliveries set state = 'failed', finished_at = :now
        where uuid = any(array(select delivery from lost where ping)))
    select count(*) from lost"""


async def by_index(db: Db) -> None:
    """Have the rest of the transaction find its few rows by index, with plans that are made once.

    What takes turns does so anyway.
    """
    await db.value(BY_INDEX)


async def take_turns(db: Db, webhooks: Collection[UUID]) -> None:
    """Wait for one's turn at these endpoints' queues, and have it until the transaction ends."""
    await db.value(f"{BY_INDEX}, ({TURNS})", webhooks=list(webhooks))


async def waiting(db: Db) -> list[Waiting]:
    """List the endpoints that have deliveries waiting, due or not."""
    return await db.many(Waiting, LANES)


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
    )


async def record(db: Db, done: Sequence[Done]) -> list[Moved]:
    """Close attempts, and move their deliveries on; those that were taken from us stay."""
    await take_turns(db, {one.taken.webhook for one in done})
    moved = await db.many(Moved, RECORD, **_columns(done))
    await advance(db, [Thread(one.webhook, one.thread) for one in moved if one.followed])
    return moved


def _columns(done: Sequence[Done]) -> dict[str, list[Any]]:
    answers = [one.answer for one in done]
    return {
        "attempts": [one.taken.attempt for one in done],
        "deliveries": [one.taken.uuid for one in done],
        "companies": [one.taken.company for one in done],
        "numbers": [one.taken.attempts for one in done],
        "rounds": [one.taken.round for one in done],
        "used": [one.taken.retries for one in done],
        "triggers": [one.taken.trigger for one in done],
        "starts": [one.taken.started_at for one in done],
        "states": [one.next.state for one in done],
        "retries": [one.next.retries for one in done],
        "dues": [one.next.due_at for one in done],
        "ends": [one.ended for one in done],
        "requests": [_spelled(one.request_headers) for one in done],
        "outcomes": [answer.outcome for answer in answers],
        "statuses": [answer.status for answer in answers],
        "errors": [answer.error for answer in answers],
        "addresses": [answer.remote_address for answer in answers],
        "phases": [_spelled(answer.phases) for answer in answers],
        "heads": [_spelled(answer.response_headers) for answer in answers],
        "bodies": [answer.response_body for answer in answers],
        "cuts": [answer.response_cut for answer in answers],
    }


def _spelled(value: object) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()


async def advance(db: Db, threads: Iterable[Thread]) -> None:
    """Give the next of each thread its turn, if nothing is left before it.

    The caller has the turn of the endpoints.
    """
    found = {one for one in threads if one.thread is not None}
    if found:
        webhooks, names = zip(*found, strict=True)
        await db.execute(ADVANCE, webhooks=list(webhooks), threads=list(names))


async def reorder(db: Db, webhook: UUID, *, strict: bool) -> None:
    """Decide anew whose turn it is in each thread of an endpoint."""
    await take_turns(db, [webhook])
    await db.execute(REORDER, webhook=webhook, strict=strict)


async def senders(db: Db) -> list[int]:
    """List the workers that have something on its way."""
    await by_index(db)
    found: list[int] | None = await db.value(SENDERS)
    return found or []


async def reap(db: Db, dead: Sequence[int]) -> int:
    """Take back what was on its way when its worker died; it costs no retry.

    `senders` was asked first. A lease that has run out counts as well, whoever has it.
    """
    count: int = await db.value(REAP, now=db.now, dead=list(dead), most=REAPED, error=LOST)
    return count
