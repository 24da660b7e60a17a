"""Webhooks in JSON; secrets and the values of headers go in and never come out again."""

from datetime import datetime, timedelta
from typing import Annotated, Any, Final, Literal, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from pannier.db import PageIn
from pannier.events.catalog import Name
from pannier.web.spelling import spelled
from pannier.web.times import Moment, Time, stamp
from pannier.webhooks import headers
from pannier.webhooks.models import (
    Attempt,
    DeliveryState,
    Health,
    Ordering,
    Outcome,
    Secret,
    SignatureFormat,
    Trigger,
    Webhook,
    WebhookState,
)
from pannier.webhooks.patterns import PING

WebhookId = Annotated[str, Meta(max_length=100, examples=["webhook_8sDk2PvR6mXe4QzT"])]
DeliveryId = Annotated[str, Meta(max_length=100, examples=["delivery_3nHb7WcY1tLk5GqJ"])]
EventId = Annotated[str, Meta(max_length=100, examples=["event_2fLk9QdT7wYc3MzA"])]
Subject = Annotated[
    str,
    Meta(
        max_length=100,
        description="What it is about, by UUID or public id.",
        examples=["order_5uJr2EwZ7bQx9KmT"],
    ),
]
Url = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=4096,
        description="Where deliveries go: HTTPS, and reachable from the internet.",
        examples=["https://shop.example.com/hooks"],
    ),
]
Patterns = Annotated[
    list[str],
    Meta(
        max_length=100,
        description="Events by name, groups such as `order.*`, or `*` for all.",
        examples=[["order.*", "proof_of_delivery.created"]],
    ),
]
Description = Annotated[str, Meta(max_length=1000, examples=["The shop's stock keeping"])]
HeadersIn = Annotated[
    dict[str, str],
    Meta(
        max_length=20,
        description="Headers of your own. A value that comes back as `***` stays as it is.",
        examples=[{"Authorization": "Bearer 7Yw2kQ"}],
    ),
]
HeadersOut = Annotated[
    dict[str, str],
    Meta(description="Values are not shown.", examples=[{"Authorization": "***"}]),
]
Format = Annotated[
    SignatureFormat,
    Meta(
        description="How `X-Service-Signature` is spelled: `sha256=<hex>`, or the bare hex.",
        examples=["prefixed"],
    ),
]
Order = Annotated[
    Ordering,
    Meta(
        description="`first_attempt`: events of one order make their first attempts in order. "
        "`strict`: a later one waits until the earlier one has succeeded or failed for good.",
        examples=["first_attempt"],
    ),
]
Timeout = Annotated[int, Meta(ge=1, le=30, description="Seconds an answer may take in all.")]
RateLimit = Annotated[
    int, Meta(ge=1, le=1000, description="Deliveries a second at the most.", examples=[50])
]
MaxInFlight = Annotated[
    int, Meta(ge=1, le=64, description="Deliveries on their way at once at the most.")
]
State = Annotated[
    WebhookState,
    Meta(
        description="Events for a webhook that is paused or disabled are held.",
        examples=["enabled"],
    ),
]
EventNames = Annotated[
    list[str],
    Meta(
        description="Any of these events.",
        examples=[["order.created"]],
        extra_json_schema={"items": {"type": "string", "enum": [*Name, PING]}},
    ),
]
DeliveryStates = Annotated[list[DeliveryState], Meta(description="Any of these states.")]
Words = Annotated[
    str,
    Meta(max_length=200, description="Looked for in URL and description.", examples=["shop"]),
]
PHASES: Final = ("dns", "connect", "tls", "wait", "read", "total")
Milliseconds = Annotated[float, Meta(description="Milliseconds.", examples=[41.7])]


class SecretOut(msgspec.Struct, kw_only=True):
    """A secret that deliveries are signed with, without its text."""

    id: Annotated[str, Meta(examples=["4dTq9ZcW"])]
    created_at: Time
    leads_at: Annotated[
        Time, Meta(description="From when on it is the one that signs `X-Service-Signature`.")
    ]
    expires_at: Annotated[Time | None, Meta(description="When it ends, once it was replaced.")]

    @classmethod
    def of(cls, row: Secret) -> Self:
        """Spell a secret."""
        return cls(
            id=row.id,
            created_at=stamp(row.created_at),
            leads_at=stamp(row.leads_at),
            expires_at=stamp(row.expires_at),
        )


class WebhookHealthOut(msgspec.Struct, kw_only=True):
    """How a webhook has been doing."""

    failing_since: Annotated[Time | None, Meta(description="Since when nothing has succeeded.")]
    failures: Annotated[int, Meta(description="Failed attempts since then.", examples=[0])]
    last_success_at: Time | None
    last_failure_at: Time | None

    @classmethod
    def of(cls, row: Health | None) -> Self:
        """Spell it; of a webhook that nothing was sent to yet there is nothing to say."""
        return cls(
            failing_since=stamp(row.failing_since) if row else None,
            failures=row.failures if row else 0,
            last_success_at=stamp(row.last_success_at) if row else None,
            last_failure_at=stamp(row.last_failure_at) if row else None,
        )


class WebhookOut(msgspec.Struct, kw_only=True):
    """An endpoint that events are sent to."""

    id: WebhookId
    uuid: UUID
    public_id: str
    url: Url
    description: Description | None
    events: Patterns
    headers: HeadersOut
    signature_format: Format
    ordering: Order
    timeout: Annotated[Timeout, Meta(examples=[10])]
    rate_limit: RateLimit | None
    max_in_flight: Annotated[MaxInFlight, Meta(examples=[16])]
    state: State
    state_reason: Annotated[
        str | None,
        Meta(
            description="Why it is not enabled: `operator`; or `gone`, when the receiver answered "
            "410; or `failing`, when nothing has succeeded for days.",
            examples=[None],
        ),
    ]
    state_changed_at: Time
    secrets: list[SecretOut]
    health: WebhookHealthOut
    created_at: Time
    updated_at: Time
    version: Annotated[int, Meta(description="Grows with each change.", examples=[1])]

    @classmethod
    def of(cls, row: Webhook, health: Health | None, now: datetime, **more: str) -> Self:
        """Spell a webhook with the secrets that are in force."""
        living = [one for one in row.secrets if one.expires_at is None or one.expires_at > now]
        return spelled(
            row,
            cls,
            headers=headers.hidden(row.header_names),
            timeout=row.timeout_seconds,
            rate_limit=row.rate_per_second,
            secrets=[SecretOut.of(one) for one in living],
            health=WebhookHealthOut.of(health),
            **more,
        )


class NewWebhookOut(WebhookOut, kw_only=True):
    """A webhook with a new secret, which is shown this once."""

    secret: Annotated[str, Meta(examples=["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD6QyPTyqkMWc="])]


class WebhookIn(msgspec.Struct, kw_only=True):
    """A new webhook."""

    url: Url
    events: Patterns = msgspec.field(default_factory=lambda: ["*"])
    description: Description | None = None
    headers: HeadersIn | None = None
    signature_format: Format = "prefixed"
    ordering: Order = "first_attempt"
    timeout: Timeout = 10
    rate_limit: RateLimit | None = None
    max_in_flight: MaxInFlight = 16
    state: State = "enabled"


class WebhookChange(msgspec.Struct, kw_only=True):
    """What may change of a webhook: a field left out stays, null clears."""

    url: Url | UnsetType = UNSET
    events: Patterns | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET
    headers: HeadersIn | UnsetType | None = UNSET
    signature_format: Format | UnsetType = UNSET
    ordering: Order | UnsetType = UNSET
    timeout: Timeout | UnsetType = UNSET
    rate_limit: RateLimit | UnsetType | None = UNSET
    max_in_flight: MaxInFlight | UnsetType = UNSET
    state: State | UnsetType = UNSET


def parsed(given: WebhookIn | WebhookChange) -> dict[str, Any]:
    """Read what was sent into columns; what was left out stays as it is."""
    columns = {"timeout": "timeout_seconds", "rate_limit": "rate_per_second"}
    values = {columns.get(name, name): getattr(given, name) for name in given.__struct_fields__}
    return {name: value for name, value in values.items() if value is not UNSET}


class WebhookFilters(PageIn, frozen=True, kw_only=True):
    """How webhooks are listed."""

    state: Annotated[list[WebhookState] | None, Meta(description="Any of these.")] = None
    query: Words | None = None


class RotateIn(msgspec.Struct, kw_only=True):
    """How a new secret takes over."""

    grace_seconds: Annotated[
        int,
        Meta(
            ge=0,
            le=604_800,
            description="Seconds in which deliveries are signed with the older secrets too; "
            "0 ends those at once.",
        ),
    ] = 86_400
    switch: Annotated[
        Literal["now", "at_end"],
        Meta(
            description="When `X-Service-Signature`, which has room for one, is signed with the "
            "new secret: now, or when the grace ends."
        ),
    ] = "now"

    @property
    def grace(self) -> timedelta:
        """How long the older secrets stay."""
        return timedelta(seconds=self.grace_seconds)


class DeliveryRow(msgspec.Struct, kw_only=True):
    """A delivery as the log lists it, without its body."""

    uuid: UUID
    public_id: str
    company: UUID
    webhook: UUID
    webhook_id: str
    event: UUID | None
    event_id: str | None
    name: str
    subject: str
    sequence: int
    state: DeliveryState
    attempts: int
    retries: int
    round: int
    due_at: datetime
    status: int | None
    error: str | None
    created_at: datetime
    finished_at: datetime | None


class DeliveryOut(msgspec.Struct, kw_only=True):
    """An event on its way to a webhook, however many attempts that takes."""

    id: DeliveryId
    uuid: UUID
    public_id: str
    webhook: WebhookId
    event: Annotated[str, Meta(examples=["order.created"])]
    event_id: Annotated[EventId | None, Meta(description="Null of a ping.")]
    subject: Subject
    sequence: Annotated[
        int, Meta(description="Its turn among those about one order.", examples=[1])
    ]
    state: DeliveryState
    attempts: Annotated[int, Meta(description="Requests so far.", examples=[1])]
    retries_used: Annotated[int, Meta(description="Of the four there are.", examples=[0])]
    replays: Annotated[int, Meta(examples=[0])]
    next_attempt_at: Time | None
    status: Annotated[int | None, Meta(description="The latest answer's.", examples=[200])]
    error: Annotated[str | None, Meta(description="What was wrong the last time.", examples=[None])]
    created_at: Time
    finished_at: Time | None

    @classmethod
    def of(cls, row: DeliveryRow, **more: object) -> Self:
        """Spell a delivery."""
        return spelled(
            row,
            cls,
            webhook=row.webhook_id,
            event=row.name,
            retries_used=row.retries,
            replays=row.round,
            next_attempt_at=stamp(row.due_at) if row.state == "pending" else None,
            **more,
        )


class AttemptOut(msgspec.Struct, kw_only=True):
    """One request of a delivery."""

    id: Annotated[str, Meta(examples=["attempt_9vJs4XnB2yRf6KdW"])]
    number: Annotated[int, Meta(examples=[1])]
    trigger: Trigger
    outcome: Annotated[
        Outcome, Meta(description="`sending` while it is on its way.", examples=["succeeded"])
    ]
    started_at: Time
    finished_at: Time | None
    duration_ms: Milliseconds | None
    phases: Annotated[
        dict[str, float] | None,
        Meta(
            description="Milliseconds by phase: `dns`, `connect`, `tls`, `wait` for the head of "
            "the answer, `read` of its body, `total`. One that was not needed is left out.",
            examples=[{"connect": 4.2, "tls": 8.2, "wait": 28.9, "read": 0.4, "total": 41.7}],
        ),
    ]
    status: Annotated[int | None, Meta(examples=[200])]
    error: Annotated[str | None, Meta(description="In words.", examples=[None])]
    remote_address: Annotated[str | None, Meta(examples=["198.51.100.7"])]
    request_headers: Annotated[
        dict[str, str] | None,
        Meta(
            description="Values of your own headers are not shown.",
            examples=[{"Content-Type": "application/json", "X-Service-Event": "order.created"}],
        ),
    ]
    response_headers: Annotated[
        list[tuple[str, str]] | None,
        Meta(description="Name and value, in their order.", examples=[[["Server", "nginx"]]]),
    ]
    response_body: Annotated[
        str | None, Meta(description="Its first 16 KiB, read as UTF-8.", examples=["ok"])
    ]
    response_cut: Annotated[bool, Meta(description="Whether there was more of it.")]

    @classmethod
    def of(cls, row: Attempt) -> Self:
        """Spell an attempt; where a blocked one would have gone is nobody's business."""
        return spelled(
            row,
            cls,
            duration_ms=_duration(row),
            phases=None if row.phases is None else _in_order(row.phases),
            remote_address=None if row.outcome == "blocked" else row.remote_address,
            response_body=_text(row.response_body),
        )


def _in_order(phases: dict[str, float]) -> dict[str, float]:
    """Tell phases as they followed one another; the database keeps no order."""
    return {name: phases[name] for name in PHASES if name in phases}


def _duration(row: Attempt) -> float | None:
    if row.finished_at is None:
        return None
    lasted = (row.finished_at - row.started_at).total_seconds() * 1000
    return (row.phases or {}).get("total", round(lasted, 2))


def _text(body: bytes | None) -> str | None:
    return None if body is None else body.decode("utf-8", "replace")


class DeliveryDetailOut(DeliveryOut, kw_only=True):
    """A delivery with what is sent, and every attempt so far."""

    body: Annotated[
        dict[str, Any],
        Meta(
            description="The envelope, as every attempt sends it.",
            examples=[
                {
                    "event": "order.created",
                    "api_version": "1.0",
                    "created_at": "2026-01-31T09:30:00.000Z",
                    "data": {"id": "order_5uJr2EwZ7bQx9KmT"},
                    "id": "event_2fLk9QdT7wYc3MzA",
                }
            ],
        ),
    ]
    attempt_log: list[AttemptOut]


class DeliveryFilters(PageIn, frozen=True, kw_only=True):
    """How the deliveries of one webhook are listed."""

    event: EventNames | None = None
    state: DeliveryStates | None = None
    since: Annotated[Moment | None, Meta(description="Made not before this moment.")] = None
    until: Annotated[Moment | None, Meta(description="Made before this moment.")] = None
    subject: Subject | None = None
    event_id: Annotated[EventId | None, Meta(description="Only of this event.")] = None


class LogFilters(DeliveryFilters, frozen=True, kw_only=True):
    """How the deliveries of all webhooks are listed."""

    webhook: Annotated[WebhookId | None, Meta(description="Only to this webhook.")] = None


class ReplayFilter(msgspec.Struct, kw_only=True):
    """Which deliveries to replay; at least one of these must be named."""

    webhook: Annotated[WebhookId | None, Meta(description="Only to this webhook.")] = None
    event: EventNames | None = None
    state: Annotated[
        DeliveryStates | None, Meta(description="Any of these; `failed`, when left out.")
    ] = None
    since: Annotated[Moment | None, Meta(description="Made not before this moment.")] = None
    until: Annotated[Moment | None, Meta(description="Made before this moment.")] = None
    subject: Subject | None = None

    @property
    def empty(self) -> bool:
        """Whether it names nothing, and so would take everything."""
        return all(getattr(self, name) is None for name in self.__struct_fields__)


class ReplayIn(msgspec.Struct, kw_only=True):
    """Replay many deliveries, or count them first."""

    filter: ReplayFilter
    dry_run: Annotated[bool, Meta(description="Only count.")] = False
    limit: Annotated[
        int, Meta(ge=1, le=10_000, description="How many to replay at once, the oldest first.")
    ] = 10_000
    after: Annotated[
        DeliveryId | None, Meta(description="Go on behind this one: the last answer's `last`.")
    ] = None


class ReplayOut(msgspec.Struct, kw_only=True):
    """What came of a replay of many."""

    dry_run: bool
    matched: Annotated[int, Meta(description="How many the filter finds.", examples=[3])]
    replayed: Annotated[int, Meta(examples=[3])]
    remaining: Annotated[int, Meta(description="How many are left to go on with.", examples=[0])]
    last: Annotated[DeliveryId | None, Meta(description="The last one that was replayed.")]


class PingOut(msgspec.Struct, kw_only=True):
    """What came of a ping."""

    delivery: DeliveryId
    ok: Annotated[
        bool, Meta(description="Whether the receiver took it, signed as deliveries are today.")
    ]
    status: Annotated[int | None, Meta(description="Of that attempt.", examples=[200])]
    error: Annotated[str | None, Meta(description="In words.", examples=[None])]
    duration_ms: Milliseconds | None
    response_body: Annotated[str | None, Meta(examples=["ok"])]
    signature_format: Format
    expects: Annotated[
        SignatureFormat | None,
        Meta(
            description="The other format, when the receiver answered 401 and took that one.",
            examples=[None],
        ),
    ]
    advice: Annotated[str | None, Meta(description="What to do about it.", examples=[None])]
    attempts: list[AttemptOut]
