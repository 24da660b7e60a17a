"""The rows of webhooks."""

from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

import msgspec

from pannier.db.row import KeptRow
from pannier.kit import ids

DELIVERY: Final = "delivery_"

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
    """A secret that deliveries are signed with, sealed; one that was replaced expires.

    From `leads_at` on it is the one that signs our own header, which has room for one.
    """

    id: str
    sealed: bytes
    created_at: datetime
    leads_at: datetime
    expires_at: datetime | None = None


class Webhook(KeptRow, kw_only=True):
    """An endpoint: where a company wants its events sent, and how."""

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
    """How an endpoint has been doing."""

    webhook: UUID
    company: UUID
    failing_since: datetime | None
    failures: int
    last_success_at: datetime | None
    last_failure_at: datetime | None
    warned_at: datetime | None = None


def delivery_name(uuid: UUID) -> str:
    """Tell what people call a delivery, as the database's function of this name does."""
    return f"{DELIVERY}{uuid.hex}"


def delivery_uuid(identifier: str) -> UUID | None:
    """Read which delivery is named, by its UUID or by what people call it."""
    spelled = identifier.removeprefix(DELIVERY)
    try:
        return UUID(spelled) if spelled.isalnum() else ids.as_uuid(identifier)
    except ValueError:
        return None


class Delivery(msgspec.Struct, kw_only=True):
    """An event on its way to one endpoint, however many attempts that takes.

    It has ended when it is not in the queue; `state` and `finished_at` say so unless it succeeded.
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


class Queued(msgspec.Struct, kw_only=True):
    """A delivery that has not ended, and the attempt of it that is on its way."""

    delivery: UUID
    company: UUID
    webhook: UUID
    event: UUID | None
    thread: str | None
    sequence: int
    due_at: datetime
    round: int = 0
    retries: int = 0
    attempts: int = 0
    ready: bool = True
    tried: bool = False
    sender: int | None = None
    started_at: datetime | None = None
    lease_until: datetime | None = None


class Claim(msgspec.Struct, kw_only=True):
    """Deliveries that somebody has taken at once, and until when at the latest."""

    uuid: UUID
    sender: int
    started_at: datetime
    lease_until: datetime
    deliveries: list[UUID]


class Attempt(msgspec.Struct, kw_only=True):
    """One request, written down before its first byte leaves."""

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
        """Give it the name by which a caller knows it; nobody looks for one by that name."""
        self.public_id = f"attempt_{self.delivery.hex}{self.number}"


class Logged(msgspec.Struct, kw_only=True):
    """A row of the log of attempts, written at the end of one; what is JSON as its text."""

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


class Answer(msgspec.Struct, kw_only=True):
    """What came of an attempt."""

    outcome: Outcome
    status: int | None = None
    error: str | None = None
    remote_address: str | None = None
    phases: dict[str, float] = msgspec.field(default_factory=dict)
    response_headers: list[tuple[str, str]] | None = None
    response_body: bytes | None = None
    response_cut: bool = False
    retry_after: str | None = None
    # The connection was an old one, and ended before a byte of an answer came.
    stale: bool = False

    def columns(self) -> dict[str, Any]:
        """Give what the log keeps."""
        kept = msgspec.structs.asdict(self)
        return {name: kept[name] for name in kept if name not in {"retry_after", "stale"}}
