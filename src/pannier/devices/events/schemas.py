"""Device events in JSON."""

from typing import Annotated, Any, Final, Literal, Self

import msgspec
from msgspec import Meta

from pannier.db.paging import DEFAULT_LIMIT
from pannier.devices import event_types
from pannier.devices.event_types import SEVERITIES, Severity
from pannier.devices.events.cursors import Mark, event_id
from pannier.devices.models import DeviceEventRow
from pannier.devices.readings import Flags, merge_data
from pannier.devices.registry.schemas import DeviceId
from pannier.fleet.schemas import PointOut, VehicleId
from pannier.web.former_names import same_as
from pannier.web.identifiers import identifier
from pannier.web.streams import AfterParameter
from pannier.web.times import Moment, Time, to_rfc3339

MAX_ROWS: Final = 1000
# Plain integers, because a page tests them thousands of times.
LATE, CLOCK_CORRECTED, DERIVED = int(Flags.LATE), int(Flags.CLOCK_CORRECTED), int(Flags.DERIVED)
MAX_LIST: Final = Meta(max_length=100)  # devices, vehicles or types per request
EventId = Annotated[
    str, identifier("devevt_0648ab31c1f0009c31e6a5f2d0b7e81a4", "The event's id.", max_length=100)
]
EventType = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        description="One of the nine types, by name or alias, or a custom type.",
        examples=["position_update"],
    ),
]
BoundingBoxIn = Annotated[
    str | list[float],
    Meta(
        description="West, south, east and north in degrees. West is greater than east if the "
        "box crosses the 180th meridian.",
        examples=["103.6,1.2,104.1,1.5"],
    ),
]


class BaseEventFilters(msgspec.Struct, frozen=True, kw_only=True):
    """Filters of device events; all of them must match."""

    device: Annotated[
        Annotated[list[DeviceId], MAX_LIST] | None, Meta(description="Filter by device.")
    ] = None
    vehicle: Annotated[
        Annotated[list[VehicleId], MAX_LIST] | None,
        Meta(
            description="Filter by vehicle: events of devices while they were attached to it.",
        ),
    ] = None
    event_type: Annotated[
        Annotated[list[EventType], MAX_LIST] | None, Meta(description="Filter by event type.")
    ] = None
    severity: Annotated[list[Severity] | None, Meta(description="Filter by severity.")] = None
    since: Annotated[Moment | None, Meta(description="Start of the period, inclusive.")] = (
        msgspec.field(name="from", default=None)
    )
    until: Annotated[Moment | None, Meta(description="End of the period, exclusive.")] = (
        msgspec.field(name="to", default=None)
    )
    bbox: BoundingBoxIn | None = None


class DeviceEventFilters(BaseEventFilters, frozen=True, kw_only=True):
    """Filters, order and page of the list of device events."""

    limit: Annotated[
        int, Meta(ge=1, le=MAX_ROWS, description="Rows per page.", examples=[DEFAULT_LIMIT])
    ] = DEFAULT_LIMIT
    cursor: Annotated[str | None, Meta(description="`next_cursor` of the previous page.")] = None
    sort: Annotated[
        Literal["-timestamp", "timestamp"],
        Meta(description="Newest first. Without `-`, oldest first."),
    ] = "-timestamp"
    after: Annotated[
        Annotated[str, Meta(max_length=200)] | None,
        Meta(
            description="List in the order of arrival instead: after the `next_cursor` of the "
            "previous page, from the `beginning` (30 days ago), or from `now`. Late events are "
            "included. An empty page has a cursor as well; use it for the next request.",
            examples=["beginning"],
        ),
    ] = None

    @property
    def descending(self) -> bool:
        """Whether the newest come first."""
        return self.sort == "-timestamp"


class DeviceExportFilters(BaseEventFilters, frozen=True, kw_only=True):
    """Filters and format of an export."""

    format: Annotated[
        Literal["csv", "ndjson", "geojson", "gpx"], Meta(description="Format of the file.")
    ] = "csv"
    sort: Annotated[
        Literal["-timestamp", "timestamp"],
        Meta(
            description="Oldest first; with `-`, newest first. Tracks in GPX are always oldest "
            "first."
        ),
    ] = "timestamp"

    @property
    def descending(self) -> bool:
        """Whether the newest come first."""
        return self.sort == "-timestamp"


class DeviceStreamFilters(BaseEventFilters, frozen=True, kw_only=True):
    """Filters of the stream of device events, and where it starts."""

    after: AfterParameter = None


class CountFilters(BaseEventFilters, frozen=True, kw_only=True):
    """Filters of counts, and their unit."""

    by: Annotated[
        Literal["hour", "day"], Meta(description="Days are in the company's time zone.")
    ] = "hour"


class DeviceEventCount(msgspec.Struct):
    """The number of events in an hour or on a day."""

    start: Annotated[Time, Meta(description="Start of the hour or day.")]
    count: Annotated[int, Meta(examples=[3600])]
    types: Annotated[
        dict[str, int],
        Meta(description="Number of events by type.", examples=[{"position_update": 3600}]),
    ]


class CountsMeta(msgspec.Struct):
    """The unit and period of the counts."""

    by: Literal["hour", "day"]
    since: Annotated[Time, Meta(description="Start of the first hour or day.")] = msgspec.field(
        name="from"
    )
    until: Annotated[Time, Meta(description="End of the last hour or day.")] = msgspec.field(
        name="to"
    )
    complete: Annotated[
        bool,
        Meta(description="False if there were too many events to count all of them."),
    ]


class DeviceEventCounts(msgspec.Struct):
    """Numbers of events, by hour or by day."""

    data: list[DeviceEventCount]
    meta: CountsMeta


class DeviceEventOut(msgspec.Struct):
    """An event that a device reported, or that was derived from its positions."""

    id: EventId
    device_id: Annotated[DeviceId, Meta(description="The device that sent it.")]
    vehicle_id: Annotated[
        VehicleId | None, Meta(description="The vehicle that the device was on at that moment.")
    ]
    event_type: EventType
    timestamp: Annotated[Time, Meta(description="Time of the event.")]
    location: PointOut | None
    data: Annotated[
        dict[str, Any],
        Meta(
            description="Values of the event type, in km/h, degrees, metres and °C.",
            examples=[{"speed": 42.5, "heading": 90, "altitude": 15, "accuracy": 5}],
        ),
    ]
    severity: Severity | None
    late: Annotated[bool, Meta(description="Whether the event arrived late.")]
    clock_corrected: Annotated[
        bool,
        Meta(
            description="Whether the device's clock was wrong. `timestamp` is then the time of "
            "arrival."
        ),
    ]
    derived: Annotated[bool, Meta(description="Whether the event was derived from positions.")]
    device: Annotated[DeviceId, same_as("device_id")]
    vehicle: Annotated[VehicleId | None, same_as("vehicle_id")]

    @classmethod
    def from_row(cls, row: DeviceEventRow, device: str, vehicle: str | None) -> Self:
        has_location = row.latitude is not None and row.longitude is not None
        return cls(
            event_id(to_mark(row)),
            device,
            vehicle,
            event_types.type_name(row.kind, row.type),
            to_rfc3339(row.occurred_at),
            PointOut("Point", [row.longitude, row.latitude]) if has_location else None,  # type: ignore[list-item]  # see `has_location`
            merge_data(row),
            None if row.severity is None else SEVERITIES[row.severity],
            row.flags & LATE != 0,
            row.flags & CLOCK_CORRECTED != 0,
            row.flags & DERIVED != 0,
            device,
            vehicle,
        )


def to_mark(row: DeviceEventRow) -> Mark:
    """Return the position of an event in lists."""
    return Mark(row.occurred_at, row.device_no, row.event_key)
