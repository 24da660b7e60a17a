"""Device events in JSON, as senders send them, and rejects."""

from datetime import datetime
from typing import Annotated, Any, ClassVar, Self

import msgspec
from msgspec import Meta

from pannier.db import PageIn
from pannier.devices.items import LocationIn
from pannier.devices.models import RejectRow
from pannier.web.serialization import to_schema
from pannier.web.times import Time

DeviceName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="The device's own id, such as an IMEI, or its public id or UUID.",
        examples=["device_3hWq8NcZ5tLp1YvA"],
    ),
]


class EventIn(msgspec.Struct, kw_only=True):
    """An event of a device."""

    event_type: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=64,
            description="One of the nine types, or any other, which is stored as it is.",
            examples=["position_update"],
        ),
    ]
    timestamp: Annotated[
        datetime | float | None,
        Meta(
            description="Time of the event: RFC 3339 with an offset, or Unix time in "
            "seconds or milliseconds. Defaults to now.",
            examples=["2026-01-15T11:59:30Z"],
        ),
    ] = None
    location: Annotated[
        LocationIn | None,
        Meta(
            description="A GeoJSON point, or `latitude` and `longitude`.",
            examples=[{"latitude": 52.52, "longitude": 13.405}],
        ),
    ] = None
    data: Annotated[
        dict[str, Any] | None,
        Meta(
            description="Values of the event type. Other keys are stored unchanged.", examples=[{}]
        ),
    ] = None
    event_id: (
        Annotated[
            str,
            Meta(
                max_length=200,
                description="Your own id, by which a repeat is recognised. Without one, the "
                "whole content is compared.",
                examples=["42"],
            ),
        ]
        | None
    ) = None


class NamedEventIn(EventIn, kw_only=True):
    """An event of one of many devices."""

    device: DeviceName


class BatchIn(msgspec.Struct):
    """Events of many devices, at most 5,000."""

    events: Annotated[list[NamedEventIn], Meta(max_length=5000)]


class RejectFilters(PageIn, frozen=True, kw_only=True):
    """Filters of rejects."""

    sortable: ClassVar[tuple[str, ...]] = ("received_at",)

    code: Annotated[str | None, Meta(examples=["unknown_device"])] = None
    device: Annotated[
        str | None, Meta(description="The device of the event, as the sender named it.")
    ] = None


class RejectOut(msgspec.Struct, kw_only=True):
    """An event that was not stored, and why."""

    id: Annotated[str, Meta(examples=["device_reject_3hWq8NcZ5tLp1YvA"])]
    device: Annotated[str | None, Meta(description="The device, as the sender named it.")]
    code: Annotated[str, Meta(examples=["unknown_device"])]
    reason: str
    body: Annotated[str, Meta(description="The rejected event, truncated if it is long.")]
    received_at: Time

    @classmethod
    def from_row(cls, row: RejectRow) -> Self:
        return to_schema(row, cls, device=row.named, body=row.body.decode(errors="replace"))
