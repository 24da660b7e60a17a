"""Test pings: sent at once, and logged like other deliveries."""

from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.db import Database, Db
from pannier.events.catalog import API_VERSION
from pannier.jobs import silence
from pannier.kit import ids
from pannier.kit.structs import convert_struct
from pannier.web.serialization import to_schema
from pannier.web.times import to_rfc3339
from pannier.webhooks import queue
from pannier.webhooks.entries import AttemptOut, PingOut
from pannier.webhooks.membership import NO_MEMBER
from pannier.webhooks.models import (
    PING,
    Delivery,
    DeliveryClaim,
    DeliveryState,
    QueuedDelivery,
    SignatureFormat,
    Webhook,
    WebhookAttempt,
    delivery_name,
)
from pannier.webhooks.queue import EndedAttempt, LeasedDelivery
from pannier.webhooks.requests import build_headers
from pannier.webhooks.schedule import NextStep
from pannier.webhooks.webhook_client import WebhookClient

MESSAGE: Final = "This is a test event."
# The usual answer to a signature that does not match.
UNAUTHORIZED: Final = 401
OTHER_FORMAT: Final[dict[SignatureFormat, SignatureFormat]] = {
    "prefixed": "bare",
    "bare": "prefixed",
}
BOTH_FORMATS_REFUSED: Final = (
    "The receiver responds with 401 to both signature formats. Check that it uses this "
    "webhook's secret."
)


class PingResult(msgspec.Struct):
    """A ping and its attempts. A second attempt uses the other signature format."""

    webhook: Webhook
    delivery: str
    attempts: list[WebhookAttempt]

    @property
    def expected_format(self) -> SignatureFormat | None:
        """The other signature format, if the receiver accepted it after refusing the first."""
        is_accepted = len(self.attempts) > 1 and self.attempts[1].outcome == "succeeded"
        return OTHER_FORMAT[self.webhook.signature_format] if is_accepted else None

    @property
    def advice(self) -> str | None:
        """The suggested fix, if any."""
        if self.expected_format is not None:
            return (
                f"The receiver expects the other signature format; "
                f"change signature_format to {self.expected_format}."
            )
        return BOTH_FORMATS_REFUSED if len(self.attempts) > 1 else None

    def to_out(self) -> PingOut:
        """Convert the result to JSON fields. `ok` depends on the first attempt only."""
        attempts = [AttemptOut.from_row(attempt) for attempt in self.attempts]
        return to_schema(
            attempts[0],
            PingOut,
            delivery=self.delivery,
            ok=attempts[0].outcome == "succeeded",
            signature_format=self.webhook.signature_format,
            expects=self.expected_format,
            advice=self.advice,
            attempts=attempts,
        )


async def ping(database: Database, webhook_client: WebhookClient, webhook: Webhook) -> PingResult:
    """Send a ping, whatever the webhook's state. It is not retried.

    If the receiver responds with 401, a second attempt uses the other signature format.
    """
    await silence.refuse(database)
    async with database.transaction() as db:
        delivery = _make_delivery(db, webhook)
        await db.insert("webhook_deliveries", delivery)
        leased_delivery = await _begin_attempt(db, webhook, delivery, number=1)
    signature_format = webhook.signature_format
    attempts = [
        await _send_attempt(database, webhook_client, webhook, leased_delivery, signature_format)
    ]
    if attempts[0].status == UNAUTHORIZED:
        async with database.transaction() as db:
            await db.update("webhook_deliveries", delivery.uuid, state=None, finished_at=None)
            leased_delivery = await _begin_attempt(db, webhook, delivery, number=2)
        attempts.append(
            await _send_attempt(
                database, webhook_client, webhook, leased_delivery, OTHER_FORMAT[signature_format]
            )
        )
    return PingResult(webhook, delivery_name(delivery.uuid), attempts)


def _make_delivery(db: Db, webhook: Webhook) -> Delivery:
    uuid = db.new_uuid()
    return Delivery(
        uuid=uuid,
        company=webhook.company,
        webhook=webhook.uuid,
        event=None,
        body=_build_envelope(db, webhook),
        name=PING,
        subject=webhook.public_id,
        thread=str(uuid),
        sequence=0,
        created_at=db.now,
    )


def _build_envelope(db: Db, webhook: Webhook) -> bytes:
    """Build the JSON body, with fields in the order of the contract."""
    return msgspec.json.encode(
        {
            "event": PING,
            "api_version": API_VERSION,
            "created_at": to_rfc3339(db.now),
            "data": {"webhook": webhook.public_id, "message": MESSAGE},
            "id": ids.new_public_id("event"),
        }
    )


async def _send_attempt(
    database: Database,
    webhook_client: WebhookClient,
    webhook: Webhook,
    delivery: LeasedDelivery,
    signature_format: SignatureFormat,
) -> WebhookAttempt:
    """Send a recorded attempt, and record its result."""
    request_headers, logged_headers = build_headers(
        database.keys, webhook, delivery, signature_format
    )
    result = await webhook_client.send(
        webhook.url, request_headers, delivery.body, webhook.timeout_seconds, fresh=True
    )
    ended_at = database.clock.now()
    state: DeliveryState = "succeeded" if result.outcome == "succeeded" else "failed"
    async with database.transaction() as db:
        await queue.record_attempts(
            db,
            [
                EndedAttempt(
                    delivery, NextStep(state, 0, ended_at), ended_at, result, logged_headers
                )
            ],
        )
        await queue.delete_claims(db, [delivery.claim])
    return WebhookAttempt(
        delivery=delivery.uuid,
        number=delivery.attempts,
        trigger=delivery.trigger,
        started_at=delivery.started_at,
        finished_at=ended_at,
        request_headers=logged_headers,
        **result.to_log_columns(),
    )


async def _begin_attempt(
    db: Db, webhook: Webhook, delivery: Delivery, *, number: int
) -> LeasedDelivery:
    """Record an attempt before it is sent."""
    claim = await _make_claim(db, webhook, delivery)
    leased_delivery = convert_struct(
        delivery,
        LeasedDelivery,
        claim=claim.uuid,
        round=0,
        retries=0,
        attempts=number,
        trigger="ping",
        started_at=claim.started_at,
        body=delivery.body or b"",
    )
    await db.insert("webhook_queue", _to_queue_row(leased_delivery, claim))
    await db.insert("webhook_claims", claim)
    return leased_delivery


async def _make_claim(db: Db, webhook: Webhook, delivery: Delivery) -> DeliveryClaim:
    """Create the claim of a ping. Its lease lapses if this process dies."""
    await db.require_safe_clock()
    now: datetime = await db.fetch_value("select pannier_now()")
    timeout = timedelta(seconds=webhook.timeout_seconds)
    return DeliveryClaim(
        uuid=db.new_uuid(),
        sender=NO_MEMBER,
        started_at=now,
        lease_until=now + timeout + queue.LEASE_MARGIN,
        deliveries=[delivery.uuid],
    )


def _to_queue_row(delivery: LeasedDelivery, claim: DeliveryClaim) -> QueuedDelivery:
    return convert_struct(
        delivery,
        QueuedDelivery,
        delivery=delivery.uuid,
        event=None,
        thread=None,
        due_at=delivery.started_at,
        sender=claim.sender,
        lease_until=claim.lease_until,
    )
