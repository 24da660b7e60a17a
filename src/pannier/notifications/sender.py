"""Sending of due messages: lease, act, record.

If a worker dies, its messages are due again when their leases lapse. Only the holder of the latest
lease may record a result. A message is delivered at least once, and more than once only if a worker
died or a provider was too slow.

A slow provider or a busy company does not delay others: each channel has its own sender, some slots
are reserved for codes, and companies take turns.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from itertools import chain, repeat
from typing import Any, Final, TypeAlias
from uuid import UUID

from pannier.db import Database, Db, columns
from pannier.db.database import should_repeat
from pannier.jobs.leases import Lease, Leases
from pannier.notifications import failures, retries
from pannier.notifications.channels import (
    MAX_IN_FLIGHT,
    AppriseChannel,
    Channel,
    Channels,
    MessageAttachment,
    NullChannel,
    Undeliverable,
)
from pannier.notifications.models import NOT_KEPT, ChannelName, MessageRow
from pannier.web.logs import log

# A channel's slots that are reserved for codes, and the maximum for one company.
RESERVED_FOR_CODES: Final = MAX_IN_FLIGHT // 4
MAX_PER_COMPANY: Final = MAX_IN_FLIGHT // 2
# Must be shorter than the lease, so that no other worker leases the message in the meantime.
TIMEOUT_SECONDS: Final = 30.0
ATTACHMENT_SECONDS: Final = 60.0
LEASE_DURATION: Final = timedelta(minutes=2)
# Seconds between attempts to record a result.
RECORD_PAUSES: Final = (0.05, 0.2, 0.5, 1.0, 2.0)
LEASES: Final = Leases("messages", condition="state = 'due'")
# Expired messages need no slot, so many are failed at once.
EXPIRY_BATCH_SIZE: Final = 500
EXPIRED: Final = "Expired before it could be sent."
INTERRUPTED: Final = "Given up: every attempt was interrupted."


# Loads the document that is attached to a message.
AttachmentLoader: TypeAlias = Callable[[MessageRow], Awaitable[MessageAttachment]]


class MessageSender:
    """Sends the due messages of one channel, a limited number at a time."""

    def __init__(
        self,
        database: Database,
        name: ChannelName,
        channel: Channel,
        load_attachment: AttachmentLoader | None = None,
    ) -> None:
        self._database, self.name, self._channel = database, name, channel
        self._load_attachment = load_attachment
        self.wakeup = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        # Messages in flight by company: codes (True), and others (False).
        self._in_flight: dict[bool, Counter[UUID]] = {True: Counter(), False: Counter()}

    async def step(self) -> bool:
        """Lease due messages, codes first, and start sending. Return True if more may be due."""
        async with self._database.transaction() as db:
            expired_count = await _fail_expired_messages(db, self.name)
            codes = await self._lease_messages(db, MAX_IN_FLIGHT - len(self._tasks), secret=True)
            free_slots = MAX_IN_FLIGHT - RESERVED_FOR_CODES - len(self._tasks) - len(codes)
            messages = await self._lease_messages(db, free_slots, secret=False)
        for message in (*codes, *messages):
            self._start_delivery(message)
        return bool(expired_count or codes or messages)

    async def wait_until_idle(self) -> None:
        """Wait until nothing is in flight."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self, grace: float = 0.0) -> None:
        """Wait for messages in flight, then cancel them. They are due again after their leases."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=grace)
        for task in self._tasks:
            task.cancel()
        await self.wait_until_idle()

    async def _lease_messages(self, db: Db, limit: int, *, secret: bool) -> list[MessageRow]:
        """Lease the messages that have been due longest. Companies take turns.

        A company's messages in flight count as its turns.
        """
        if limit <= 0:
            return []
        return await LEASES.lease_by_statement(
            db,
            MessageRow,
            LEASE_NEXT,
            lease=LEASE_DURATION,
            channel=self.name,
            secret=secret,
            room=limit,
            companies=list(self._in_flight[secret].keys()),
            busy=list(self._in_flight[secret].values()),
            max_turns=MAX_PER_COMPANY,
        )

    def _start_delivery(self, message: MessageRow) -> None:
        self._in_flight[message.secret][message.company] += 1
        task = asyncio.create_task(self._deliver_and_record(message))
        self._tasks.add(task)
        task.add_done_callback(self._end_task)

    def _end_task(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self.wakeup.set()

    async def _deliver_and_record(self, message: MessageRow) -> None:
        """Deliver a message and record the result."""
        try:
            failure = await _try_delivery(self._channel, message, self._load_attachment)
            await _record_with_retries(self._database, self._channel, message, failure)
        except Exception as error:  # noqa: BLE001 - an unrecorded message is due again later
            log.error("message not recorded", message=message.public_id, exc_info=error)
        finally:
            self._in_flight[message.secret][message.company] -= 1
            self._in_flight[message.secret] += Counter()  # drops companies with nothing in flight


def make_senders(
    database: Database, channels: Channels, load_attachment: AttachmentLoader | None = None
) -> Sequence[MessageSender]:
    """Create a sender for each channel. Without `load_attachment`, they attach nothing."""
    return [
        MessageSender(database, name, channel, load_attachment)
        for name, channel in channels.items()
    ]


async def _fail_expired_messages(db: Db, channel: ChannelName) -> int:
    """Fail messages that have expired, such as codes that are no longer valid.

    The provider's last error stays, because it tells why the message was not sent in time.
    """
    await db.require_safe_clock()
    return await db.execute(
        f"""with late as materialized (
               select uuid from messages
               where state = 'due' and channel = :channel and expires_at <= pannier_now()
                 and {LEASES.due_condition()}
               limit :batch for update skip locked)
           update messages set state = 'failed', error = concat_ws(' ', error, :error::text),
               body = case when secret then :not_kept else body end
           from late where messages.uuid = late.uuid""",
        channel=channel,
        batch=EXPIRY_BATCH_SIZE,
        error=EXPIRED,
        not_kept=NOT_KEPT,
    )


# The query steps through the companies by index, so that one long queue does not slow it down.
LEASE_NEXT: Final = f"""
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
              and company = waiting.company and {LEASES.due_condition()}
              and (expires_at is null or expires_at > pannier_now())
            order by due_at limit :room) due),
    chosen as (
        select uuid from turns where turn <= :max_turns order by turn, due_at limit :room),
    next as materialized (
        select uuid from messages
        where uuid in (select uuid from chosen) and state = 'due' and {LEASES.due_condition()}
        for update skip locked)
    update messages set {LEASES.lease_assignments}
    from next where messages.uuid = next.uuid
    returning {columns(MessageRow, "messages")}"""


async def _record_with_retries(
    database: Database, channel: Channel, message: MessageRow, failure: Exception | None
) -> None:
    """Record a result. If the database is unavailable, retry until the lease ends.

    Recording is idempotent. Without a record, the message would be sent again.
    """
    async with asyncio.timeout(LEASE_DURATION.total_seconds()):
        for pause in chain(RECORD_PAUSES, repeat(RECORD_PAUSES[-1])):
            try:
                await _record_result(database, channel, message, failure)
            except Exception as error:
                if not should_repeat(error):
                    raise
            else:
                return
            await asyncio.sleep(pause)


async def _record_result(
    database: Database, channel: Channel, message: MessageRow, failure: Exception | None
) -> None:
    async with database.transaction() as db:
        lease, delay = (
            Lease(message.uuid, message.attempts),
            _calculate_retry_delay(message, failure),
        )
        changes = _make_result_columns(message, channel, failure, db.now)
        if delay is None:
            await LEASES.release(db, lease, **changes)
        else:
            await LEASES.retry(db, lease, delay, error=changes["error"])
    if delay is None and changes["state"] == "failed":
        log.warning(
            "message failed",
            message=message.public_id,
            channel=message.channel,
            attempts=message.attempts,
            error=changes["error"],
        )


async def _try_delivery(
    channel: Channel, message: MessageRow, load_attachment: AttachmentLoader | None
) -> Exception | None:
    """Try to deliver a message. Return the failure, or None on success."""
    if message.attempts > retries.MAX_ATTEMPTS:
        return Undeliverable(INTERRUPTED)
    options: dict[str, MessageAttachment] = {}
    try:
        if message.attachment is not None and load_attachment and _accepts_attachments(channel):
            async with asyncio.timeout(ATTACHMENT_SECONDS):
                options["attachment"] = await load_attachment(message)
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await channel.deliver(
                message.recipient,
                message.subject,
                message.body,
                message.sender,
                message.way_out,
                **options,
            )
    except TimeoutError:
        return TimeoutError("The channel did not answer in time.")
    except Exception as failure:  # noqa: BLE001 - whatever a channel raises is a failed attempt
        return failure
    return None


def _accepts_attachments(channel: Channel) -> bool:
    return isinstance(channel, AppriseChannel) and channel.accepts_attachments


def _make_result_columns(
    message: MessageRow, channel: Channel, failure: Exception | None, now: datetime
) -> dict[str, Any]:
    """Return the columns to record for an attempt."""
    text_column: dict[str, Any] = {"body": NOT_KEPT} if message.secret else {}
    if failure is None and isinstance(channel, NullChannel):
        return {"state": "drawer", "error": None}
    if failure is None:
        return {"state": "sent", "sent_at": now, "error": None, **text_column}
    error = failures.describe_failure(failure, message.body, message.subject)
    return {"state": "failed", "error": error, **text_column}


def _calculate_retry_delay(message: MessageRow, failure: Exception | None) -> timedelta | None:
    """Return the delay before the next attempt, or None after the last attempt."""
    if failure is None or isinstance(failure, Undeliverable):
        return None
    return retries.find_next_delay(message.attempts)
