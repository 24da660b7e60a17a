"""Webhooks in JSON. Secrets and header values are accepted but never returned."""

from datetime import datetime, timedelta
from typing import Annotated, Any, ClassVar, Literal, Self

import msgspec
from msgspec import UNSET, Meta

from pannier.db import PageIn
from pannier.web.compatibility import ACCEPTED, accept_response_fields
from pannier.web.fields import Clearable, Given
from pannier.web.identifiers import identifier
from pannier.web.resource_out import ResourceOut
from pannier.web.serialization import to_schema
from pannier.web.times import Time, to_rfc3339
from pannier.webhooks import headers
from pannier.webhooks.models import (
    Health,
    Ordering,
    Secret,
    SignatureFormat,
    Webhook,
    WebhookState,
)

WebhookId = Annotated[str, identifier("webhook_8sDk2PvR6mXe4QzT", max_length=100)]
Url = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=4096,
        description="URL of the receiver: HTTPS, and reachable from the internet.",
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
Description = Annotated[str, Meta(max_length=1000, examples=["Inventory system of the store"])]
HeadersIn = Annotated[
    dict[str, str],
    Meta(
        max_length=20,
        description="Your own headers. Send `***` to keep a value. If the URL changes to another "
        "host, send every value again.",
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
        description="Format of `X-Service-Signature`: `sha256=<hex>`, or only the hex digits.",
        examples=["prefixed"],
    ),
]
OrderingField = Annotated[
    Ordering,
    Meta(
        description="`first_attempt`: first attempts for events of the same order are "
        "made in sequence. `strict`: an event waits until the earlier one "
        "has succeeded or permanently failed.",
        examples=["first_attempt"],
    ),
]
Timeout = Annotated[int, Meta(ge=1, le=30, description="Timeout for the response, in seconds.")]
RateLimit = Annotated[
    int, Meta(ge=1, le=1000, description="Maximum deliveries per second.", examples=[50])
]
MaxInFlight = Annotated[int, Meta(ge=1, le=64, description="Maximum concurrent deliveries.")]
State = Annotated[
    WebhookState,
    Meta(
        description="Events for a webhook that is paused or disabled are held.",
        examples=["enabled"],
    ),
]
SearchText = Annotated[
    str,
    Meta(max_length=200, description="Searches URL and description.", examples=["shop"]),
]


class SecretOut(msgspec.Struct, kw_only=True):
    """A signing secret, without its text."""

    id: Annotated[str, Meta(examples=["4dTq9ZcW"])]
    created_at: Time
    leads_at: Annotated[Time, Meta(description="Time from which it signs `X-Service-Signature`.")]
    expires_at: Annotated[
        Time | None, Meta(description="Time at which it expires, if it was replaced.")
    ]

    @classmethod
    def from_row(cls, row: Secret) -> Self:
        return to_schema(row, cls)


class WebhookHealthOut(msgspec.Struct, kw_only=True):
    """The latest successes and failures of a webhook."""

    failing_since: Annotated[
        Time | None, Meta(description="Time of the first failure since the latest success.")
    ]
    failures: Annotated[
        int, Meta(description="Failed attempts since the latest success.", examples=[0])
    ]
    last_success_at: Time | None
    last_failure_at: Time | None

    @classmethod
    def from_row(cls, row: Health | None) -> Self:
        """Convert a row. A webhook without attempts has no row."""
        return cls(
            failing_since=to_rfc3339(row.failing_since) if row else None,
            failures=row.failures if row else 0,
            last_success_at=to_rfc3339(row.last_success_at) if row else None,
            last_failure_at=to_rfc3339(row.last_failure_at) if row else None,
        )


class WebhookOut(ResourceOut, kw_only=True):
    """An endpoint that events are sent to."""

    id: WebhookId
    url: Url
    description: Description | None
    events: Patterns
    headers: HeadersOut
    signature_format: Format
    ordering: OrderingField
    timeout: Annotated[Timeout, Meta(examples=[10])]
    rate_limit: RateLimit | None
    max_in_flight: Annotated[MaxInFlight, Meta(examples=[16])]
    state: State
    state_reason: Annotated[
        str | None,
        Meta(
            description="Why the webhook is not enabled: `operator`; `gone` if the receiver "
            "responded with 410; `failing` if nothing has succeeded for days.",
            examples=[None],
        ),
    ]
    state_changed_at: Time
    secrets: list[SecretOut]
    health: WebhookHealthOut

    @classmethod
    def from_row(
        cls, row: Webhook, health: Health | None, now: datetime, **extra_fields: str
    ) -> Self:
        """Convert a webhook, with the secrets that have not expired."""
        active_secrets = [
            secret for secret in row.secrets if secret.expires_at is None or secret.expires_at > now
        ]
        return to_schema(
            row,
            cls,
            headers=headers.mask_values(row.header_names),
            timeout=row.timeout_seconds,
            rate_limit=row.rate_per_second,
            secrets=[SecretOut.from_row(secret) for secret in active_secrets],
            health=WebhookHealthOut.from_row(health),
            **extra_fields,
        )


class NewWebhookOut(WebhookOut, kw_only=True):
    """A webhook with a new secret, which is not shown again."""

    secret: Annotated[str, Meta(examples=["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD6QyPTyqkMWc="])]


class WebhookIn(msgspec.Struct, kw_only=True):
    """A new webhook."""

    url: Url
    events: Patterns = msgspec.field(default_factory=lambda: ["*"])
    description: Description | None = None
    headers: HeadersIn | None = None
    signature_format: Format = "prefixed"
    ordering: OrderingField = "first_attempt"
    timeout: Timeout = 10
    rate_limit: RateLimit | None = None
    max_in_flight: MaxInFlight = 16
    state: State = "enabled"


class WebhookChange(msgspec.Struct, kw_only=True):
    """A change of a webhook. Fields left out stay unchanged; null clears a field."""

    accepts: ClassVar = ACCEPTED["record"]
    url: Given[Url] = UNSET
    events: Given[Patterns] = UNSET
    description: Clearable[Description] = UNSET
    headers: Clearable[HeadersIn] = UNSET
    signature_format: Given[Format] = UNSET
    ordering: Given[OrderingField] = UNSET
    timeout: Given[Timeout] = UNSET
    rate_limit: Clearable[RateLimit] = UNSET
    max_in_flight: Given[MaxInFlight] = UNSET
    state: Given[State] = UNSET


def to_columns(data: WebhookIn | WebhookChange) -> dict[str, Any]:
    """Convert the fields that were sent to columns."""
    columns = {"timeout": "timeout_seconds", "rate_limit": "rate_per_second"}
    values = {columns.get(name, name): getattr(data, name) for name in data.__struct_fields__}
    return {name: value for name, value in values.items() if value is not UNSET}


class WebhookFilters(PageIn, frozen=True, kw_only=True):
    """Filters of the list of webhooks."""

    state: Annotated[list[WebhookState] | None, Meta(description="Filter by state.")] = None
    query: SearchText | None = None


class RotateIn(msgspec.Struct, kw_only=True):
    """Options for the rotation of a secret."""

    grace_seconds: Annotated[
        int,
        Meta(
            ge=0,
            le=604_800,
            description="Seconds for which deliveries are also signed with the older secrets; "
            "0 expires them at once.",
        ),
    ] = 86_400
    switch: Annotated[
        Literal["now", "at_end"],
        Meta(
            description="When the new secret starts to sign `X-Service-Signature`, which "
            "contains one signature: now, or when the grace period ends."
        ),
    ] = "now"

    @property
    def grace(self) -> timedelta:
        """The time for which older secrets stay valid."""
        return timedelta(seconds=self.grace_seconds)


accept_response_fields(WebhookChange, WebhookOut)
