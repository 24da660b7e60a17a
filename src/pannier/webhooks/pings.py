"""Test pings: sent at once, and logged like other deliveries."""

from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.db import Database, Db
from pannier.events.catalog import API_VERSION
from pannier.kit import ids
from pannier.kit.structs import remade
from pannier.web.spelling import spelled
from pannier.web.times import stamp
from pannier.webhooks import queue
from pannier.webhooks.carrier import Carrier
from pannier.webhooks.crew import NOBODY
from pannier.webhooks.entries import AttemptOut, PingOut
from pannier.webhooks.models import (
    Attempt,
    Claim,
    Delivery,
    DeliveryState,
    Queued,
    SignatureFormat,
    Webhook,
    delivery_name,
)
from pannier.webhooks.patterns import PING
from pannier.webhooks.queue import Done, Taken
from pannier.webhooks.requests import headers_of
from pannier.webhooks.schedule import Next

MESSAGE: Final = "This is a test: nothing has happened."
# The usual answer to a signature that does not match.
UNAUTHORIZED: Final = 401
OTHER: Final[dict[SignatureFormat, SignatureFormat]] = {"prefixed": "bare", "bare": "prefixed"}
NEITHER: Final = (
    "The receiver answers 401 to both signature formats; check that it has this webhook's secret."
)


class Pinged(msgspec.Struct):
    """A ping and its attempts: one, or a second in the other signature format."""

    webhook: Webhook
    delivery: str
    attempts: list[Attempt]

    @property
    def expects(self) -> SignatureFormat | None:
        """The other signature format, if the receiver accepted it after refusing the first."""
        wants = len(self.attempts) > 1 and self.attempts[1].outcome == "succeeded"
        return OTHER[self.webhook.signature_format] if wants else None

    @property
    def advice(self) -> str | None:
        """The suggested fix, if any."""
        if self.expects is not None:
            return (
                f"The receiver expects the other signature format; "
                f"change signature_format to {self.expects}."
            )
        return NEITHER if len(self.attempts) > 1 else None

    def out(self) -> PingOut:
        """Convert it to JSON fields. The first attempt counts: it is signed as deliveries are."""
        shown = [AttemptOut.of(attempt) for attempt in self.attempts]
        return spelled(
            shown[0],
            PingOut,
            delivery=self.delivery,
            ok=shown[0].outcome == "succeeded",
            signature_format=self.webhook.signature_format,
            expects=self.expects,
            advice=self.advice,
            attempts=shown,
        )


async def ping(database: Database, carrier: Carrier, webhook: Webhook) -> Pinged:
    """Send a ping in any state of the webhook. It is not retried.

    If the receiver answers 401, a second attempt uses the other signature format.
    """
    async with database.transaction() as db:
        delivery = _delivery(db, webhook)
        await db.insert("webhook_deliveries", delivery)
        first = await _begun(db, webhook, delivery, number=1)
    form = webhook.signature_format
    tried = [await _carried(database, carrier, webhook, first, form)]
    if tried[0].status == UNAUTHORIZED:
        async with database.transaction() as db:
            await db.update("webhook_deliveries", delivery.uuid, state=None, finished_at=None)
            second = await _begun(db, webhook, delivery, number=2)
        tried.append(await _carried(database, carrier, webhook, second, OTHER[form]))
    return Pinged(webhook, delivery_name(delivery.uuid), tried)


def _delivery(db: Db, webhook: Webhook) -> Delivery:
    uuid = db.new_uuid()
    return Delivery(
        uuid=uuid,
        company=webhook.company,
        webhook=webhook.uuid,
        event=None,
        body=_envelope(db, webhook),
        name=PING,
        subject=webhook.public_id,
        thread=str(uuid),
        sequence=0,
        created_at=db.now,
    )


def _envelope(db: Db, webhook: Webhook) -> bytes:
    """Build the JSON body, with fields in the order of the contract."""
    return msgspec.json.encode(
        {
            "event": PING,
            "api_version": API_VERSION,
            "created_at": stamp(db.now),
            "data": {"webhook": webhook.public_id, "message": MESSAGE},
            "id": ids.new_public_id("event"),
        }
    )


async def _carried(
    database: Database, carrier: Carrier, webhook: Webhook, taken: Taken, form: SignatureFormat
) -> Attempt:
    """Send an attempt that was recorded, and record its result."""
    sent, shown = headers_of(database.keys, webhook, taken, form)
    answer = await carrier.send(webhook.url, sent, taken.body, webhook.timeout_seconds, fresh=True)
    ended = database.clock.now()
    state: DeliveryState = "succeeded" if answer.outcome == "succeeded" else "failed"
    async with database.transaction() as db:
        await queue.record(db, [Done(taken, Next(state, 0, ended), ended, answer, shown)])
        await queue.leave(db, [taken.claim])
    return Attempt(
        delivery=taken.uuid,
        number=taken.attempts,
        trigger=taken.trigger,
        started_at=taken.started_at,
        finished_at=ended,
        request_headers=shown,
        **answer.columns(),
    )


async def _begun(db: Db, webhook: Webhook, delivery: Delivery, *, number: int) -> Taken:
    """Record an attempt before it is sent."""
    claim = await _claim(db, webhook, delivery)
    taken = remade(
        delivery,
        Taken,
        claim=claim.uuid,
        round=0,
        retries=0,
        attempts=number,
        trigger="ping",
        started_at=claim.started_at,
        body=delivery.body or b"",
    )
    await db.insert("webhook_queue", _on_its_way(taken, claim))
    await db.insert("webhook_claims", claim)
    return taken


async def _claim(db: Db, webhook: Webhook, delivery: Delivery) -> Claim:
    """Create the claim of a ping. Its lease lapses if this process dies."""
    await db.require_safe_clock()
    now: datetime = await db.value("select pannier_now()")
    longest = timedelta(seconds=webhook.timeout_seconds)
    return Claim(
        uuid=db.new_uuid(),
        sender=NOBODY,
        started_at=now,
        lease_until=now + longest + queue.MARGIN,
        deliveries=[delivery.uuid],
    )


def _on_its_way(taken: Taken, claim: Claim) -> Queued:
    return remade(
        taken,
        Queued,
        delivery=taken.uuid,
        event=None,
        thread=None,
        due_at=taken.started_at,
        sender=claim.sender,
        lease_until=claim.lease_until,
    )
