"""Position reports and position history in JSON."""

from collections.abc import Mapping
from datetime import datetime
from hashlib import blake2b
from struct import pack
from typing import Annotated, Any, ClassVar, Final, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import PagingIn
from pannier.devices.items import EventItem, LocationIn
from pannier.devices.models import DeviceEventRow
from pannier.devices.outcomes import IngestOutcome
from pannier.devices.readings import ItemRefusal
from pannier.errors import FieldError, Invalid, parse_field
from pannier.fleet import fixes
from pannier.fleet.schemas import AnyPoint, Heading, PointOut
from pannier.kit import geo
from pannier.web.compatibility import ACCEPTED
from pannier.web.times import Moment, Time, to_rfc3339

MAX_POSITIONS: Final = 1000  # fixes per request
# Devices use km/h, the fleet uses m/s.
KMH_PER_METRE_PER_SECOND: Final = 3.6
Altitude = Annotated[float, Meta(ge=-100_000, le=10_000_000, description="Metres.", examples=[15])]
Speed = Annotated[float, Meta(le=550, description="Metres per second.", examples=[8.3])]
Accuracy = Annotated[float, Meta(le=100_000_000, description="Metres.", examples=[5])]
SenderEventId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="The sender's own id, by which a repeat is recognised. Without one, the whole "
        "content is compared.",
        examples=["a3f1-000042"],
    ),
]


class TrackIn(msgspec.Struct):
    """The position of a driver or a vehicle."""

    accepts: ClassVar = ACCEPTED["position"]
    latitude: Annotated[float | None, Meta(examples=[1.3521])] = None
    longitude: Annotated[float | None, Meta(examples=[103.8198])] = None
    location: Annotated[
        AnyPoint | None, Meta(description="Instead of `latitude` and `longitude`.")
    ] = None
    heading: Heading | None = None
    altitude: Altitude | None = None
    speed: Speed | None = None
    accuracy: Accuracy | None = None
    recorded_at: Annotated[
        Moment | None,
        Meta(
            description="Time of the position. Defaults to now. Late reports do not replace "
            "newer positions."
        ),
    ] = None

    def to_item(self, now: datetime) -> EventItem:
        """Convert the report to a device's position, or raise Invalid."""
        location, path = self._get_sent_location()
        point = parse_field(path, lambda raw: fixes.check_point(geo.parse(raw)), location)
        measures = {
            "heading": fixes.drop_unknown_measure(self.heading),
            "altitude": self.altitude,
            "speed": fixes.drop_unknown_measure(
                self.speed and round(self.speed * KMH_PER_METRE_PER_SECOND, 6)
            ),
            "accuracy": fixes.drop_unknown_measure(self.accuracy),
        }
        return EventItem(
            event_type="position_update",
            timestamp=parse_field(
                "recorded_at", lambda raw: fixes.choose_fix_time(raw, now), self.recorded_at
            ),
            location=LocationIn(latitude=point.latitude, longitude=point.longitude),
            data={name: value for name, value in measures.items() if value is not None},
        )

    def _get_sent_location(self) -> tuple[object, str]:
        """Return the point that was sent, and the name of its field."""
        if self.location is not None:
            return self.location, "location"
        coordinates = {"latitude": self.latitude, "longitude": self.longitude}
        missing_names = [name for name, value in coordinates.items() if value is None]
        if missing_names:
            raise Invalid(
                fields=[FieldError(name, "This field is required.") for name in missing_names]
            )
        return coordinates, "latitude"


class FixIn(TrackIn):
    """A past position of a driver."""

    event_id: SenderEventId | None = None

    def to_item(self, now: datetime) -> EventItem:
        """Convert the report to a device's position, with the sender's id for it."""
        return msgspec.structs.replace(super().to_item(now), event_id=self.event_id)


class PositionsIn(msgspec.Struct):
    """Many positions; an invalid one is rejected without affecting the others."""

    positions: Annotated[list[Any], Meta(max_length=MAX_POSITIONS)]


class PositionBatchIn(msgspec.Struct):
    """Positions of a driver in any order, also old ones. The body may be compressed (gzip)."""

    positions: Annotated[list[FixIn], Meta(max_length=MAX_POSITIONS)]


class RejectedPosition(msgspec.Struct):
    """A position that was not stored, and why."""

    index: Annotated[int, Meta(description="Index in the request.", examples=[3])]
    code: Annotated[str, Meta(examples=["location_nowhere"])]
    message: Annotated[
        str, Meta(examples=["must not be 0,0, which devices send when they have no fix."])
    ]

    @classmethod
    def from_refusal(cls, refusal: ItemRefusal) -> Self:
        return cls(refusal.index, refusal.code, refusal.reason)


class PositionsOut(msgspec.Struct):
    """The outcome of a batch; accepted positions are stored."""

    accepted: Annotated[int, Meta(examples=[998])]
    duplicates: Annotated[
        int, Meta(description="Number of positions that were stored before.", examples=[1])
    ]
    rejected: list[RejectedPosition]

    @classmethod
    def from_outcome(cls, outcome: IngestOutcome) -> Self:
        refusals = sorted(outcome.refusals, key=lambda refusal: refusal.index)
        return cls(
            outcome.accepted,
            outcome.duplicates,
            [RejectedPosition.from_refusal(refusal) for refusal in refusals],
        )


class PositionOut(msgspec.Struct):
    """A position of a driver or a vehicle. It has no public id, as nothing refers to it."""

    uuid: UUID
    location: PointOut
    heading: Heading | None
    altitude: Altitude | None
    speed: Speed | None
    accuracy: Accuracy | None
    recorded_at: Annotated[Time, Meta(description="Time of the position.")]
    created_at: Annotated[Time, Meta(description="Time of the report.")]

    @classmethod
    def from_row(cls, row: DeviceEventRow, arrivals: Mapping[int, datetime]) -> Self:
        """Convert a row to JSON fields. `arrivals` has the arrival time of each batch."""
        return cls(
            _derive_uuid(row),
            PointOut("Point", [row.longitude or 0.0, row.latitude or 0.0]),
            row.heading,
            row.altitude,
            None if row.speed is None else round(row.speed / KMH_PER_METRE_PER_SECOND, 6),
            row.accuracy,
            to_rfc3339(row.occurred_at),
            to_rfc3339(arrivals.get(row.batch, row.occurred_at)),
        )


class PositionFilters(PagingIn, frozen=True, kw_only=True):
    """Filters of positions, which are listed by recording time, latest first."""

    sortable: ClassVar[tuple[str, ...]] = ("recorded_at",)

    since: Annotated[Moment | None, Meta(description="Recorded at or after this time.")] = None
    until: Annotated[Moment | None, Meta(description="Recorded before this time.")] = None


def _derive_uuid(row: DeviceEventRow) -> UUID:
    """Derive a stable UUID from the identity of an event."""
    identity = pack(">qdq", row.device_no, row.occurred_at.timestamp(), row.event_key)
    return UUID(bytes=blake2b(identity, digest_size=16).digest())
