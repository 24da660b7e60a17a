"""The test ping: sent at once, shown at once, and in the log like any other delivery."""

from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.db import Database, Db
from pannier.events.catalog import API_VERSION
from pannier.kit import ids
from pannier.web.times import stamp
from pannier.webhooks import queue
from pannier.webhooks.carrier import Carrier
from pannier.webhooks.crew import NOBODY
from pannier.webhooks.entries import AttemptOut, PingOut
from pannier.webhooks.models import Attempt, Delivery, DeliveryState, SignatureFormat, Webhook
from pannier.webhooks.patterns import PING
from pannier.webhooks.queue import Done
from pannier.webhooks.requests import headers_of
from pannier.webhooks.schedule import Next

MESSAGE: Final = "This is a test: nothing has happened."
# What a receiver answers to a signature that does not match.
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
        """Tell which other format the receiver wants, if it has shown that."""
        wants = len(self.attempts) > 1 and self.attempts[1].outcome == "succeeded"
        return OTHER[self.webhook.signature_format] if wants else None

    @property
    def advice(self) -> str | None:
        """Say what to do about it, if there is something to say."""
        if self.expects is not None:
            return (
                f"The receiver expects the other signature format; "
                f"change signature_format to {self.expects}."
            )
        return NEITHER if len(self.attempts) > 1 else None

    def out(self) -> PingOut:
        """Spell it by its first attempt, which is signed as deliveries are."""
        shown = [AttemptOut.of(attempt) for attempt in self.attempts]
        first = shown[0]
        return PingOut(
            delivery=self.delivery,
            ok=first.outcome == "succeeded",
            status=first.status,
            error=first.error,
            duration_ms=first.duration_ms,
            response_body=first.response_body,
            signature_format=self.webhook.signature_format,
            expects=self.expects,
            advice=self.advice,
            attempts=shown,
        )


async def ping(database: Database, carrier: Carrier, webhook: Webhook) -> Pinged:
    """Send a ping, whatever the webhook's state; nobody tries it again.

    One that is refused as not signed is sent a second time in the other signature format.
    """
    async with database.transaction() as db:
        first = _attempt(db, webhook, db.new_uuid(), number=1)
        delivery = _delivery(db, webhook, first)
        await db.insert("webhook_deliveries", delivery)
        await db.insert("webhook_attempts", first)
    form = webhook.signature_format
    tried = [await _carried(database, carrier, webhook, delivery, first, form)]
    if tried[0].status == UNAUTHORIZED:
        async with database.transaction() as db:
            second = _attempt(db, webhook, delivery.uuid, number=2)
            await db.insert("webhook_attempts", second)
            await db.update("webhook_deliveries", delivery.uuid, **_on_its_way(webhook, second))
        tried.append(await _carried(database, carrier, webhook, delivery, second, OTHER[form]))
    return Pinged(webhook, delivery.public_id, tried)


def _attempt(db: Db, webhook: Webhook, delivery: UUID, *, number: int) -> Attempt:
    return Attempt(
        uuid=db.new_uuid(),
        public_id=ids.new_public_id("attempt"),
        company=webhook.company,
        delivery=delivery,
        number=number,
        round=0,
        trigger="ping",
        outcome="sending",
        started_at=db.now,
    )


def _delivery(db: Db, webhook: Webhook, first: Attempt) -> Delivery:
    public_id = ids.new_public_id("delivery")
    return Delivery(
        uuid=first.delivery,
        public_id=public_id,
        company=webhook.company,
        webhook=webhook.uuid,
        event=None,
        body=_envelope(db, webhook),
        name=PING,
        subject=webhook.public_id,
        thread=public_id,
        sequence=0,
        due_at=db.now,
        created_at=db.now,
        **_on_its_way(webhook, first),
    )


def _envelope(db: Db, webhook: Webhook) -> bytes:
    """Write what receivers get, in the contract's order."""
    return msgspec.json.encode(
        {
            "event": PING,
            "api_version": API_VERSION,
            "created_at": stamp(db.now),
            "data": {"webhook": webhook.public_id, "message": MESSAGE},
            "id": ids.new_public_id("event"),
        }
    )


def _on_its_way(webhook: Webhook, attempt: Attempt) -> dict[str, Any]:
    """Lease a ping to its attempt: should we die, it is taken back."""
    longest = timedelta(seconds=webhook.timeout_seconds)
    return {
        "state": "sending",
        "attempt": attempt.uuid,
        "attempts": attempt.number,
        "sender": NOBODY,
        "lease_until": attempt.started_at + longest + queue.MARGIN,
        "finished_at": None,
    }


async def _carried(
    database: Database,
    carrier: Carrier,
    webhook: Webhook,
    delivery: Delivery,
    attempt: Attempt,
    form: SignatureFormat,
) -> Attempt:
    """Make an attempt that is in the log, and write down what came of it."""
    body = delivery.body or b""
    sent, shown = headers_of(
        database.keys,
        webhook,
        id=delivery.public_id,
        name=PING,
        number=attempt.number,
        sequence=delivery.sequence,
        body=body,
        moment=attempt.started_at,
        form=form,
    )
    answer = await carrier.send(webhook.url, sent, body, webhook.timeout_seconds, fresh=True)
    ended = database.clock.now()
    state: DeliveryState = "succeeded" if answer.outcome == "succeeded" else "failed"
    async with database.transaction() as db:
        await queue.record(
            db, [Done(attempt.uuid, delivery.uuid, Next(state, 0, ended), ended, answer, shown)]
        )
    return msgspec.structs.replace(
        attempt, finished_at=ended, request_headers=shown, **answer.columns()
    )
