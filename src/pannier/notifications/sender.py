"""Sends due messages of one channel: lease, act, record.

A message whose worker dies is due again when its lease has lapsed, and only the holder of the
latest lease may record. A message is delivered at least once, and more than once only when a
worker died or a provider was too slow.

Nobody waits for somebody else's slowness: each channel has a sender of its own, each message a
place of its own, codes have places that nothing else takes, and companies take turns.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import chain, repeat
from typing import Any, Final
from uuid import UUID

from pannier.db import Database, Db, columns
from pannier.db.pool import is_away
from pannier.jobs.leases import Lease, Leases
from pannier.notifications import failures, retries
from pannier.notifications.channels import PLACES, Channel, Channels, Drawer, Undeliverable
from pannier.notifications.models import NOT_KEPT, ChannelName, Message
from pannier.web.logs import log

# Of the places, those that only codes take; and how many of the places one company may have.
FOR_CODES: Final = PLACES // 4
MOST_OF_ONE: Final = PLACES // 2
# No channel may take longer than this, or another worker would find the lease run out.
TIME_LIMIT: Final = 30.0
LEASE: Final = timedelta(minutes=2)
# Between two attempts to record what became of a message.
PAUSES: Final = (0.05, 0.2, 0.5, 1.0, 2.0)
LEASES: Final = Leases("messages", that="state = 'due'")
# What came too late needs no place: it is given up by the hundred.
EXPIRED_AT_ONCE: Final = 500
EXPIRED: Final = "Expired before it could be sent."
INTERRUPTED: Final = "Given up: every attempt was interrupted."


class Sender:
    """Sends what is due on one channel, so many at a time."""

    def __init__(self, database: Database, name: ChannelName, channel: Channel) -> None:
        self._database, self.name, self._channel = database, name, channel
        self.bell = asyncio.Event()
        self._flights: set[asyncio.Task[None]] = set()
        # How many each company has on their way: of codes, and of what is none.
        self._busy: dict[bool, Counter[UUID]] = {True: Counter(), False: Counter()}

    async def step(self) -> bool:
        """Take what is due, codes first, and send it on its way; True when there may be more."""
        async with self._database.transaction() as db:
            expired = await _expire(db, self.name)
            codes = await self._lease(db, PLACES - len(self._flights), secret=True)
            room = PLACES - FOR_CODES - len(self._flights) - len(codes)
            others = await self._lease(db, room, secret=False)
        for message in (*codes, *others):
            self._send(message)
        return bool(expired or codes or others)

    async def all_landed(self) -> None:
        """Wait until nothing is on its way."""
        while self._flights:
            await asyncio.wait(self._flights)

    async def close(self, patience: float = 0.0) -> None:
        """Let what is on its way come to its end for so long; the rest is due again by itself."""
        if self._flights:
            await asyncio.wait(self._flights, timeout=patience)
        for flight in self._flights:
            flight.cancel()
        await self.all_landed()

    async def _lease(self, db: Db, room: int, *, secret: bool) -> list[Message]:
        """Take the messages that are due longest, of all companies in turn.

        A company's turns begin after those that it already has on their way.
        """
        if room <= 0:
            return []
        return await LEASES.lease_by(
            db,
            Message,
            LEASED,
            lease=LEASE,
            channel=self.name,
            secret=secret,
            room=room,
            companies=list(self._busy[secret].keys()),
            busy=list(self._busy[secret].values()),
            most=MOST_OF_ONE,
        )

    def _send(self, message: Message) -> None:
        self._busy[message.secret][message.company] += 1
        flight = asyncio.create_task(self._carry(message))
        self._flights.add(flight)
        flight.add_done_callback(self._landed)

    def _landed(self, flight: asyncio.Task[None]) -> None:
        self._flights.discard(flight)
        self.bell.set()

    async def _carry(self, message: Message) -> None:
        """Deliver one message, and record what became of it."""
        try:
            failure = await _failure(self._channel, message)
            await _record_patiently(self._database, self._channel, message, failure)
        except Exception as defect:  # noqa: BLE001 - one that cannot be recorded is due again later
            log.error("message not recorded", message=message.public_id, exc_info=defect)
        finally:
            self._busy[message.secret][message.company] -= 1
            self._busy[message.secret] += Counter()  # forgets those with nothing on its way


def senders(database: Database, channels: Channels) -> Sequence[Sender]:
    """Give each channel a sender of its own."""
    return [Sender(database, name, channel) for name, channel in channels.items()]


async def _expire(db: Db, channel: ChannelName) -> int:
    """Give up what came too late to be of use, such as a code after its life."""
    await db.require_safe_clock()
    return await db.execute(
        f"""with late as materialized (
               select uuid from messages
               where state = 'due' and channel = :channel and expires_at <= pannier_now()
                 and {LEASES.is_due()}
               limit :batch for update skip locked)
           update messages set state = 'failed', error = :error,
               body = case when secret then :not_kept else body end
           from late where messages.uuid = late.uuid""",
        channel=channel,
        batch=EXPIRED_AT_ONCE,
        error=EXPIRED,
        not_kept=NOT_KEPT,
    )


# It goes from company to company by the index, so that a long queue of one costs no more.
LEASED: Final = f"""
    with recursive waiting as (
        (select company from messages
         where state = 'due' and channel = :channel and secret = :secret
         order by company limit 1)
        union all
        select next.company from waiting cross join lateral (
            select company from messages
            where state = 'due' and channel = :channel and secret = :secret
              and company > waiting.company
            order by company limit 1) next),
    turns as (
        select due.uuid, due.due_at,
            coalesce(flying.busy, 0) + row_number() over (
                partition by waiting.company order by due.due_at) as turn
        from waiting
        left join unnest(:companies::uuid[], :busy::integer[]) as flying (company, busy)
            on flying.company = waiting.company
        cross join lateral (
            select uuid, due_at from messages
            where state = 'due' and channel = :channel and secret = :secret
              and company = waiting.company and {LEASES.is_due()}
              and (expires_at is null or expires_at > pannier_now())
            order by due_at limit :room) due),
    chosen as (
        select uuid from turns where turn <= :most order by turn, due_at limit :room),
    next as materialized (
        select uuid from messages
        where uuid in (select uuid from chosen) and state = 'due' and {LEASES.is_due()}
        for update skip locked)
    update messages set {LEASES.leasing}
    from next where messages.uuid = next.uuid
    returning {columns(Message, "messages")}"""


async def _record_patiently(
    database: Database, channel: Channel, message: Message, failure: Exception | None
) -> None:
    """Record what became of a message; while the database is away, as long as the lease lasts.

    To record it twice does no harm. Not to record it would send it twice.
    """
    async with asyncio.timeout(LEASE.total_seconds()):
        for pause in chain(PAUSES, repeat(PAUSES[-1])):
            try:
                await _record(database, channel, message, failure)
            except Exception as trouble:
                if not is_away(trouble):
                    raise
            else:
                return
            await asyncio.sleep(pause)


async def _record(
    database: Database, channel: Channel, message: Message, failure: Exception | None
) -> None:
    async with database.transaction() as db:
        held, wait = Lease(message.uuid, message.attempts), _wait(message, failure)
        changes = _changes(message, channel, failure, db.now)
        if wait is None:
            await LEASES.release(db, held, **changes)
        else:
            await LEASES.retry(db, held, wait, error=changes["error"])
    if wait is None and changes["state"] == "failed":
        log.warning(
            "message failed",
            message=message.public_id,
            channel=message.channel,
            attempts=message.attempts,
            error=changes["error"],
        )


async def _failure(channel: Channel, message: Message) -> Exception | None:
    """Try to deliver; None when it was."""
    if message.attempts > retries.MOST_ATTEMPTS:
        return Undeliverable(INTERRUPTED)
    try:
        async with asyncio.timeout(TIME_LIMIT):
            await channel.deliver(
                message.recipient,
                message.subject,
                message.body,
                message.sender,
                message.way_out,
            )
    except TimeoutError:
        return TimeoutError("The channel did not answer in time.")
    except Exception as failure:  # noqa: BLE001 - whatever a channel raises is a failed attempt
        return failure
    return None


def _changes(
    message: Message, channel: Channel, failure: Exception | None, now: datetime
) -> dict[str, Any]:
    """Decide what to record of an attempt."""
    done: dict[str, Any] = {"body": NOT_KEPT} if message.secret else {}
    if failure is None and isinstance(channel, Drawer):
        return {"state": "drawer", "error": None}
    if failure is None:
        return {"state": "sent", "sent_at": now, "error": None, **done}
    error = failures.in_words(failure, message.body, message.subject)
    return {"state": "failed", "error": error, **done}


def _wait(message: Message, failure: Exception | None) -> timedelta | None:
    """Return how long to wait before the next attempt, or None when this was the last one."""
    if failure is None or isinstance(failure, Undeliverable):
        return None
    return retries.next_wait(message.attempts)
