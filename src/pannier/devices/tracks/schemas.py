"""Position reports and position history in JSON."""

from collections.abc import Mapping
from datetime import datetime
from hashlib import blake2b
from struct import pack
from typing import Annotated, Any, ClassVar, Final, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import PageIn
from pannier.devices.items import Item, Place
from pannier.devices.models import EventRow
from pannier.devices.outcomes import Outcome
from pannier.devices.readings import Refusal
from pannier.errors import Field, Invalid, checked
from pannier.fleet import fixes
from pannier.fleet.schemas import AnyPoint, Heading, Spot
from pannier.kit import geo
from pannier.web.ancestor import ACCEPTED
from pannier.web.times import Moment, Time, stamp

MOST: Final = 1000  # fixes per request
# Devices use km/h, the fleet uses m/s.
KMH: Final = 3.6
Altitude = Annotated[float, Meta(ge=-100_000, le=10_000_000, description="Metres.", examples=[15])]
Speed = Annotated[float, Meta(le=550, description="Metres a second.", examples=[8.3])]
Accuracy = Annotated[float, Meta(le=100_000_000, description="Metres.", examples=[5])]
OwnName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="The sender's own name for it. What is sent again is recognised by it, or else "
        "by all that it says.",
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
        Meta(description="When it was there; now, when left out. Late reports move nobody back."),
    ] = None

    def item(self, now: datetime) -> Item:
        """Convert the report to a device's position, or raise Invalid."""
        where, path = self._where()
        point = checked(path, lambda raw: fixes.somewhere(geo.parse(raw)), where)
        measures = {
            "heading": fixes.known(self.heading),
            "altitude": self.altitude,
            "speed": fixes.known(self.speed and round(self.speed * KMH, 6)),
            "accuracy": fixes.known(self.accuracy),
        }
        return Item(
            event_type="position_update",
            timestamp=checked("recorded_at", lambda raw: fixes.moment(raw, now), self.recorded_at),
            location=Place(latitude=point.latitude, longitude=point.longitude),
            data={name: value for name, value in measures.items() if value is not None},
        )

    def _where(self) -> tuple[object, str]:
        """Return the point that was sent, and the name of its field."""
        if self.location is not None:
            return self.location, "location"
        given = {"latitude": self.latitude, "longitude": self.longitude}
        missing = [name for name, value in given.items() if value is None]
        if missing:
            raise Invalid(fields=[Field(name, "This field is required.") for name in missing])
        return given, "latitude"


class FixIn(TrackIn):
    """A past position of a driver."""

    event_id: OwnName | None = None

    def item(self, now: datetime) -> Item:
        """Convert the report to a device's position, with the sender's id for it."""
        return msgspec.structs.replace(super().item(now), event_id=self.event_id)


class PositionsIn(msgspec.Struct):
    """Many positions; an invalid one is rejected without affecting the others."""

    positions: Annotated[list[Any], Meta(max_length=MOST)]


class PositionsGiven(msgspec.Struct):
    """Positions of a driver in any order, also old ones. The body may be compressed (gzip)."""

    positions: Annotated[list[FixIn], Meta(max_length=MOST)]


class Rejected(msgspec.Struct):
    """A position that was not stored, and why."""

    index: Annotated[int, Meta(description="Its place in what was sent.", examples=[3])]
    code: Annotated[str, Meta(examples=["location_nowhere"])]
    message: Annotated[
        str, Meta(examples=["must not be 0,0, which devices send when they have no fix."])
    ]

    @classmethod
    def of(cls, refusal: Refusal) -> Self:
        return cls(refusal.index, refusal.code, refusal.reason)


class PositionsOut(msgspec.Struct):
    """The outcome of a batch; accepted positions are stored."""

    accepted: Annotated[int, Meta(examples=[998])]
    duplicates: Annotated[int, Meta(description="Those that were there before.", examples=[1])]
    rejected: list[Rejected]

    @classmethod
    def of(cls, outcome: Outcome) -> Self:
        refusals = sorted(outcome.refusals, key=lambda refusal: refusal.index)
        return cls(outcome.accepted, outcome.duplicates, [Rejected.of(one) for one in refusals])


class PositionOut(msgspec.Struct):
    """A position of a driver or a vehicle. It has no public id, as nothing refers to it."""

    uuid: UUID
    location: Spot
    heading: Heading | None
    altitude: Altitude | None
    speed: Speed | None
    accuracy: Accuracy | None
    recorded_at: Annotated[Time, Meta(description="When it was there.")]
    created_at: Annotated[Time, Meta(description="When that was reported.")]

    @classmethod
    def of(cls, row: EventRow, received: Mapping[int, datetime]) -> Self:
        """Convert a row to JSON fields; `received` has the arrival time of each batch."""
        return cls(
            _uuid(row),
            Spot("Point", [row.longitude or 0.0, row.latitude or 0.0]),
            row.heading,
            row.altitude,
            None if row.speed is None else round(row.speed / KMH, 6),
            row.accuracy,
            stamp(row.occurred_at),
            stamp(received.get(row.batch, row.occurred_at)),
        )


class PositionFilters(PageIn, frozen=True, kw_only=True):
    """Filters of positions, which are listed by recording time, latest first."""

    sortable: ClassVar[tuple[str, ...]] = ("recorded_at",)

    since: Annotated[Moment | None, Meta(description="Recorded not before this moment.")] = None
    until: Annotated[Moment | None, Meta(description="Recorded before this moment.")] = None


def _uuid(row: EventRow) -> UUID:
    """Derive a stable UUID from the identity of an event."""
    identity = pack(">qdq", row.device_no, row.occurred_at.timestamp(), row.event_key)
    return UUID(bytes=blake2b(identity, digest_size=16).digest())
