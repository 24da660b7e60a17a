"""The log in JSON: deliveries with their attempts, replays and pings."""

from datetime import datetime
from typing import Annotated, Any, Final, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import PageIn
from pannier.events.catalog import Name
from pannier.web.identifiers import identifier
from pannier.web.spelling import spelled
from pannier.web.times import Moment, Time, stamp
from pannier.webhooks.models import Attempt, DeliveryState, Outcome, SignatureFormat, Trigger
from pannier.webhooks.patterns import PING
from pannier.webhooks.schemas import Format, WebhookId

DeliveryId = Annotated[str, identifier("delivery_3nHb7WcY1tLk5GqJ", most=100)]
EventId = Annotated[str, identifier("event_2fLk9QdT7wYc3MzA", most=100)]
Subject = Annotated[
    str, identifier("order_5uJr2EwZ7bQx9KmT", "What it is about, by UUID or public id.", most=100)
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
PHASES: Final = ("dns", "connect", "tls", "wait", "read", "total")
Milliseconds = Annotated[float, Meta(description="Milliseconds.", examples=[41.7])]


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
    due_at: datetime | None
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
        dict[str, Any] | None,
        Meta(
            description="The envelope, as every attempt sends it. Null for a key without the scope "
            "`events:read`.",
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
    retry_delays: Annotated[
        list[int],
        Meta(
            description="Seconds from an attempt that failed to the next one, one for each retry.",
            examples=[[300, 1800, 7200, 28800]],
        ),
    ]


class PerformanceOut(msgspec.Struct, kw_only=True):
    """How the latest attempts to reach a webhook went: those of the last day, and not too many."""

    since: Time
    deliveries: Annotated[int, Meta(description="That were looked at.", examples=[312])]
    complete: Annotated[
        bool, Meta(description="Whether these are all of the day; else the latest 1,000.")
    ]
    attempts: Annotated[int, Meta(examples=[318])]
    succeeded: Annotated[int, Meta(description="Attempts that the receiver took.", examples=[312])]
    median_ms: Milliseconds | None
    slow_ms: Annotated[
        float | None,
        Meta(description="Milliseconds within which 95 of 100 answered.", examples=[180.2]),
    ]


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
