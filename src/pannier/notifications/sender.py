"""Sends due messages: lease, act, record.

The lease moves a message's due time ahead, so that a worker which dies in between makes it due
again; each lease counts an attempt, and only the holder of the latest one may record. A message
is delivered at least once, and more than once only when a worker died or a provider was too slow.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from pannier.db import Database, Db, columns
from pannier.db.sql import assignments
from pannier.notifications import failures, retries
from pannier.notifications.channels import Channel, Channels, Drawer, Undeliverable
from pannier.notifications.models import NOT_KEPT, Message
from pannier.web.logs import log

BATCH: Final = 16
# No channel may take longer than this, or another worker would find the lease run out.
TIME_LIMIT: Final = 30.0
LEASE: Final = timedelta(minutes=2)
EXPIRED: Final = "Expired before it could be sent."
INTERRUPTED: Final = "Given up: every attempt was interrupted."


async def step(database: Database, channels: Channels) -> bool:
    """Deliver a batch of what is due on these channels."""
    async with database.transaction() as db:
        expired = await _expire(db)
        leased = await _lease(db, list(channels))
    outcomes = await asyncio.gather(
        *(_send(database, channels[message.channel], message) for message in leased),
        # One that cannot be recorded must not cut the others off in the middle.
        return_exceptions=True,
    )
    for outcome in outcomes:
        if outcome is not None:
            raise outcome
    return bool(expired or leased)


async def _expire(db: Db) -> int:
    """Give up what came too late to be of use, such as a code after its life."""
    return await db.execute(
        """with late as materialized (
               select uuid from messages
               where state = 'due' and due_at <= :now and expires_at <= :now
               limit :batch for update skip locked)
           update messages set state = 'failed', error = :error,
               body = case when secret then :not_kept else body end
           from late where messages.uuid = late.uuid""",
        now=db.now,
        batch=BATCH,
        error=EXPIRED,
        not_kept=NOT_KEPT,
    )


async def _lease(db: Db, names: Sequence[str]) -> list[Message]:
    """Take the messages that are due longest, of all companies."""
    return await db.many(
        Message,
        f"""with next as materialized (
               select uuid from messages
               where state = 'due' and due_at <= :now and channel = any(:names)
                 and (expires_at is null or expires_at > :now)
               order by due_at limit :batch for update skip locked)
           update messages set due_at = :until, attempts = attempts + 1
           from next where messages.uuid = next.uuid
           returning {columns(Message, "messages")}""",
        now=db.now,
        until=db.now + LEASE,
        names=names,
        batch=BATCH,
    )


async def _send(database: Database, channel: Channel, message: Message) -> None:
    """Deliver one message, and record what became of it."""
    failure = await _failure(channel, message)
    async with database.transaction() as db:
        changes = _changes(message, channel, failure, db.now)
        await db.execute(
            f"""update messages set {assignments(changes)}
                where uuid = :uuid and state = 'due' and attempts = :lease""",
            uuid=message.uuid,
            lease=message.attempts,
            **changes,
        )
    if changes.get("state") == "failed":
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
            await channel.deliver(message.recipient, message.subject, message.body, message.sender)
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
    again = retries.next_attempt(message.attempts, now)
    if again is None or isinstance(failure, Undeliverable):
        return {"state": "failed", "error": error, **done}
    return {"due_at": again, "error": error}
