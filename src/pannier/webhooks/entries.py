"""Deliveries, attempts, replays and pings in JSON."""

from datetime import datetime
from typing import Annotated, Any, Final, Literal, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import CreatedPageIn
from pannier.events.catalog import Name
from pannier.web.identifiers import identifier
from pannier.web.resource_out import PublicId
from pannier.web.serialization import to_schema
from pannier.web.times import Moment, Time, to_rfc3339
from pannier.webhooks.models import (
    PING,
    DeliveryState,
    Outcome,
    SignatureFormat,
    Trigger,
    WebhookAttempt,
)
from pannier.webhooks.schemas import Format, WebhookId

DeliveryId = Annotated[str, identifier("delivery_3nHb7WcY1tLk5GqJ", max_length=100)]
EventId = Annotated[str, identifier("event_2fLk9QdT7wYc3MzA", max_length=100)]
Subject = Annotated[
    str,
    identifier(
        "order_5uJr2EwZ7bQx9KmT",
        "UUID or public id of the record that the event is about.",
        max_length=100,
    ),
]
EventNames = Annotated[
    list[str],
    Meta(
        description="Filter by event name.",
        examples=[["order.created"]],
        extra_json_schema={"items": {"type": "string", "enum": [*Name, PING]}},
    ),
]
DeliveryStates = Annotated[
    list[Literal[DeliveryState, "canceled"]],
    Meta(description="Filter by state. `canceled` is the same as `cancelled`."),
]
PHASES: Final = ("dns", "connect", "tls", "wait", "read", "total")
Milliseconds = Annotated[float, Meta(description="Milliseconds.", examples=[41.7])]


class DeliveryRow(msgspec.Struct, kw_only=True):
    """A delivery in the log, without its body."""

    uuid: UUID
    public_id: PublicId
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
    """An event for a webhook, with any number of attempts."""

    id: DeliveryId
    uuid: UUID
    public_id: PublicId
    webhook: WebhookId
    event: Annotated[str, Meta(examples=["order.created"])]
    event_id: Annotated[EventId | None, Meta(description="Null for a ping.")]
    subject: Subject
    sequence: Annotated[
        int, Meta(description="Position among the deliveries about one order.", examples=[1])
    ]
    state: DeliveryState
    attempts: Annotated[int, Meta(description="Requests so far.", examples=[1])]
    retries_used: Annotated[int, Meta(description="Retries used, of four.", examples=[0])]
    replays: Annotated[int, Meta(examples=[0])]
    next_attempt_at: Time | None
    status: Annotated[
        int | None, Meta(description="HTTP status of the latest response.", examples=[200])
    ]
    error: Annotated[str | None, Meta(description="Error of the latest attempt.", examples=[None])]
    created_at: Time
    finished_at: Time | None

    @classmethod
    def from_row(cls, row: DeliveryRow, **extra_fields: object) -> Self:
        return to_schema(
            row,
            cls,
            webhook=row.webhook_id,
            event=row.name,
            retries_used=row.retries,
            replays=row.round,
            next_attempt_at=to_rfc3339(row.due_at) if row.state == "pending" else None,
            **extra_fields,
        )


class AttemptOut(msgspec.Struct, kw_only=True):
    """One request of a delivery."""

    id: Annotated[str, Meta(examples=["attempt_9vJs4XnB2yRf6KdW"])]
    number: Annotated[int, Meta(examples=[1])]
    trigger: Trigger
    outcome: Annotated[
        Outcome, Meta(description="`sending` while in flight.", examples=["succeeded"])
    ]
    started_at: Time
    finished_at: Time | None
    duration_ms: Milliseconds | None
    phases: Annotated[
        dict[str, float] | None,
        Meta(
            description="Milliseconds by phase: `dns`, `connect`, `tls`, `wait` for the "
            "head of the response, `read` of its body, `total`. Phases that "
            "were not needed are omitted.",
            examples=[{"connect": 4.2, "tls": 8.2, "wait": 28.9, "read": 0.4, "total": 41.7}],
        ),
    ]
    status: Annotated[int | None, Meta(examples=[200])]
    error: Annotated[str | None, Meta(description="Error message.", examples=[None])]
    remote_address: Annotated[str | None, Meta(examples=["198.51.100.7"])]
    request_headers: Annotated[
        dict[str, str] | None,
        Meta(
            description="Values of your own headers are masked.",
            examples=[{"Content-Type": "application/json", "X-Service-Event": "order.created"}],
        ),
    ]
    response_headers: Annotated[
        list[tuple[str, str]] | None,
        Meta(description="Names and values, in order.", examples=[[["Server", "nginx"]]]),
    ]
    response_body: Annotated[
        str | None, Meta(description="First 16 KiB, decoded as UTF-8.", examples=["ok"])
    ]
    response_cut: Annotated[bool, Meta(description="Whether the body was longer.")]

    @classmethod
    def from_row(cls, row: WebhookAttempt) -> Self:
        """Convert a row. Hide the address of a blocked attempt, which may be internal."""
        return to_schema(
            row,
            cls,
            duration_ms=_measure_duration(row),
            phases=None if row.phases is None else _order_phases(row.phases),
            remote_address=None if row.outcome == "blocked" else row.remote_address,
            response_body=_decode_body(row.response_body),
        )


def _order_phases(phases: dict[str, float]) -> dict[str, float]:
    """Sort phases by time, because the database does not keep their order."""
    return {name: phases[name] for name in PHASES if name in phases}


def _measure_duration(row: WebhookAttempt) -> float | None:
    if row.finished_at is None:
        return None
    elapsed_ms = (row.finished_at - row.started_at).total_seconds() * 1000
    return (row.phases or {}).get("total", round(elapsed_ms, 2))


def _decode_body(body: bytes | None) -> str | None:
    return None if body is None else body.decode("utf-8", "replace")


class DeliveryDetailOut(DeliveryOut, kw_only=True):
    """A delivery with its body and all attempts."""

    body: Annotated[
        dict[str, Any] | None,
        Meta(
            description="The envelope that every attempt sends. Null for a key without the scope "
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
            description="Seconds from a failed attempt to the next one, for each retry.",
            examples=[[300, 1800, 7200, 28800]],
        ),
    ]


class PerformanceOut(msgspec.Struct, kw_only=True):
    """Statistics of a webhook's attempts in the last day, for at most 1,000 deliveries."""

    since: Time
    deliveries: Annotated[
        int, Meta(description="Deliveries that the statistics cover.", examples=[312])
    ]
    complete: Annotated[
        bool,
        Meta(
            description="Whether all of the day's deliveries are covered, or only the latest 1,000."
        ),
    ]
    attempts: Annotated[int, Meta(examples=[318])]
    succeeded: Annotated[int, Meta(description="Successful attempts.", examples=[312])]
    median_ms: Milliseconds | None
    slow_ms: Annotated[
        float | None,
        Meta(
            description="95th percentile of the response time, in milliseconds.", examples=[180.2]
        ),
    ]


class DeliveryFilters(CreatedPageIn, frozen=True, kw_only=True):
    """Filters of one webhook's deliveries."""

    event: EventNames | None = None
    state: DeliveryStates | None = None
    since: Annotated[Moment | None, Meta(description="Created at or after this time.")] = None
    until: Annotated[Moment | None, Meta(description="Created before this time.")] = None
    subject: Subject | None = None
    event_id: Annotated[EventId | None, Meta(description="Filter by event id.")] = None


class LogFilters(DeliveryFilters, frozen=True, kw_only=True):
    """Filters of the deliveries of all webhooks."""

    webhook: Annotated[WebhookId | None, Meta(description="Filter by webhook.")] = None


class ReplayFilter(msgspec.Struct, kw_only=True):
    """Filters of the deliveries to replay. At least one is required."""

    webhook: Annotated[WebhookId | None, Meta(description="Filter by webhook.")] = None
    event: EventNames | None = None
    state: Annotated[
        DeliveryStates | None,
        Meta(
            description="Filter by state. Defaults to `failed`. `canceled` is the same as "
            "`cancelled`."
        ),
    ] = None
    since: Annotated[Moment | None, Meta(description="Created at or after this time.")] = None
    until: Annotated[Moment | None, Meta(description="Created before this time.")] = None
    subject: Subject | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no filter is given."""
        return all(getattr(self, name) is None for name in self.__struct_fields__)


class ReplayIn(msgspec.Struct, kw_only=True):
    """A replay of many deliveries, or a count of them."""

    filter: ReplayFilter
    dry_run: Annotated[bool, Meta(description="Count without replaying.")] = False
    limit: Annotated[
        int, Meta(ge=1, le=10_000, description="Maximum deliveries to replay, oldest first.")
    ] = 10_000
    after: Annotated[
        DeliveryId | None,
        Meta(description="Continue after this delivery: `last` of the previous response."),
    ] = None


class ReplayOut(msgspec.Struct, kw_only=True):
    """The result of a replay of many deliveries."""

    dry_run: bool
    matched: Annotated[int, Meta(description="Deliveries that match the filter.", examples=[3])]
    replayed: Annotated[int, Meta(examples=[3])]
    remaining: Annotated[
        int, Meta(description="Matching deliveries after this batch.", examples=[0])
    ]
    last: Annotated[DeliveryId | None, Meta(description="The last delivery of this batch.")]


class PingOut(msgspec.Struct, kw_only=True):
    """The result of a ping."""

    delivery: DeliveryId
    ok: Annotated[
        bool, Meta(description="Whether the receiver accepted the current signature format.")
    ]
    status: Annotated[
        int | None, Meta(description="HTTP status of the first attempt.", examples=[200])
    ]
    error: Annotated[str | None, Meta(description="Error message.", examples=[None])]
    duration_ms: Milliseconds | None
    response_body: Annotated[str | None, Meta(examples=["ok"])]
    signature_format: Format
    expects: Annotated[
        SignatureFormat | None,
        Meta(
            description="The other signature format, if the receiver responded with 401 and "
            "then accepted it.",
            examples=[None],
        ),
    ]
    advice: Annotated[str | None, Meta(description="Suggested fix.", examples=[None])]
    attempts: list[AttemptOut]
