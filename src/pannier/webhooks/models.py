"""The rows of webhooks."""

from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

import msgspec

from pannier.db.row import SoftDeletedRow
from pannier.kit import ids

DELIVERY_PREFIX: Final = "delivery_"
PING: Final = "webhook.ping"  # the name of the test event, which is in no catalogue

SignatureFormat = Literal["prefixed", "bare"]
Ordering = Literal["first_attempt", "strict"]
WebhookState = Literal["enabled", "paused", "disabled"]
DeliveryState = Literal[
    "pending", "sending", "succeeded", "failed", "held", "superseded", "cancelled"
]
Trigger = Literal["event", "retry", "replay", "ping"]
Outcome = Literal[
    "sending",
    "succeeded",
    "refused",
    "timeout",
    "dns",
    "connect",
    "tls",
    "blocked",
    "disconnected",
    "malformed",
    "internal",
    "interrupted",
]


class Secret(msgspec.Struct, frozen=True):
    """A signing secret, sealed. It expires some time after it was replaced.

    From `leads_at` on, it signs the header `X-Service-Signature`, which holds one signature.
    """

    id: str
    sealed: bytes
    created_at: datetime
    leads_at: datetime
    expires_at: datetime | None = None


class Webhook(SoftDeletedRow, kw_only=True):
    """An endpoint: the URL to which a company's events are sent, and its settings."""

    url: str
    description: str | None
    events: list[str]
    headers: bytes | None
    header_names: list[str]
    secrets: list[Secret]
    signature_format: SignatureFormat
    ordering: Ordering
    timeout_seconds: int
    rate_per_second: int | None
    max_in_flight: int
    state: WebhookState
    state_reason: str | None
    state_changed_at: datetime


class Health(msgspec.Struct, kw_only=True):
    """The latest successes and failures of an endpoint."""

    webhook: UUID
    company: UUID
    failing_since: datetime | None
    failures: int
    last_success_at: datetime | None
    last_failure_at: datetime | None
    warned_at: datetime | None = None


def delivery_name(uuid: UUID) -> str:
    """Return a delivery's public id. The database function of this name returns the same."""
    return f"{DELIVERY_PREFIX}{uuid.hex}"


def parse_delivery_id(identifier: str) -> UUID | None:
    """Parse a delivery's UUID or public id. Return None if it is neither."""
    text = identifier.removeprefix(DELIVERY_PREFIX)
    try:
        return UUID(text) if text.isalnum() else ids.parse_uuid(identifier)
    except ValueError:
        return None


class Delivery(msgspec.Struct, kw_only=True):
    """An event for one endpoint, with any number of attempts.

    A delivery has ended when it is not in the queue. `state` and `finished_at` are set unless it
    succeeded.
    """

    uuid: UUID
    company: UUID
    webhook: UUID
    event: UUID | None
    body: bytes | None
    name: str
    subject: str
    thread: str
    sequence: int
    created_at: datetime
    state: Literal["failed", "superseded", "cancelled"] | None = None
    finished_at: datetime | None = None


class QueuedDelivery(msgspec.Struct, kw_only=True):
    """A delivery that has not ended, and its attempt in flight, if any."""

    delivery: UUID
    company: UUID
    webhook: UUID
    event: UUID | None
    thread: str | None
    sequence: int
    due_at: datetime
    # Whether a later delivery of the same event of the thread replaces it.
    coalesced: bool = False
    round: int = 0
    retries: int = 0
    attempts: int = 0
    ready: bool = True
    tried: bool = False
    sender: int | None = None
    started_at: datetime | None = None
    lease_until: datetime | None = None


class DeliveryClaim(msgspec.Struct, kw_only=True):
    """Deliveries that were leased together, and the time at which the lease lapses."""

    uuid: UUID
    sender: int
    started_at: datetime
    lease_until: datetime
    deliveries: list[UUID]


class WebhookAttempt(msgspec.Struct, kw_only=True):
    """One request of a delivery, recorded before its first byte is sent."""

    delivery: UUID
    public_id: str = ""
    number: int
    trigger: Trigger
    outcome: Outcome
    started_at: datetime
    finished_at: datetime | None = None
    status: int | None = None
    error: str | None = None
    remote_address: str | None = None
    phases: dict[str, float] | None = None
    request_headers: dict[str, str] | None = None
    response_headers: list[tuple[str, str]] | None = None
    response_body: bytes | None = None
    response_cut: bool = False

    def __post_init__(self) -> None:
        """Derive the public id. No query looks an attempt up by it."""
        self.public_id = f"attempt_{self.delivery.hex}{self.number}"


class AttemptLogRow(msgspec.Struct, kw_only=True):
    """A row of the attempt log, written when an attempt ends. JSON columns hold encoded text."""

    company: UUID
    delivery: UUID
    number: int
    round: int
    retries: int
    trigger: Trigger
    outcome: Outcome
    started_at: datetime
    finished_at: datetime
    status: int | None = None
    error: str | None = None
    remote_address: str | None = None
    phases: str | None = None
    request_headers: str | None = None
    response_headers: str | None = None
    response_body: bytes | None = None
    response_cut: bool = False


class AttemptResult(msgspec.Struct, kw_only=True):
    """The result of an attempt."""

    outcome: Outcome
    status: int | None = None
    error: str | None = None
    remote_address: str | None = None
    phases: dict[str, float] = msgspec.field(default_factory=dict)
    response_headers: list[tuple[str, str]] | None = None
    response_body: bytes | None = None
    response_cut: bool = False
    retry_after: str | None = None
    # Whether a reused connection closed before the first byte of a response.
    stale: bool = False

    def to_log_columns(self) -> dict[str, Any]:
        """Return the columns of the log."""
        fields = msgspec.structs.asdict(self)
        return {name: fields[name] for name in fields if name not in {"retry_after", "stale"}}
