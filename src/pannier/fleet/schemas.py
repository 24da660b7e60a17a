"""JSON fields that drivers, vehicles, fleets and issues share."""

from typing import Annotated, Any, Literal, Self, TypeVar

import msgspec
from msgspec import UNSET, Meta

from pannier.db import PageIn
from pannier.errors import parse_field
from pannier.fleet import fixes
from pannier.fleet.models import Mobile, Whereabouts
from pannier.kit import geo
from pannier.kit.geo import Point
from pannier.places.schemas import Degrees
from pannier.places.shapes import POINT_FORMS, PointObject
from pannier.web import serialization
from pannier.web.compatibility import OBJECT_KEY
from pannier.web.fields import Clearable, Given, get_sent_fields
from pannier.web.identifiers import identifier
from pannier.web.resource_out import ResourceOut
from pannier.web.times import Moment, Time, to_rfc3339

Out = TypeVar("Out", bound=msgspec.Struct)

Text = Annotated[str, Meta(max_length=200)]
LongText = Annotated[str, Meta(max_length=10_000)]
InternalId = Annotated[
    str, Meta(max_length=200, description="The company's own reference.", examples=["D-104"])
]
Details = Annotated[
    dict[str, Any],
    Meta(description="Custom data of the company.", examples=[{"shift": "night"}]),
]
DriverId = Annotated[str, identifier("driver_4kQ8ZpL0sVxYt2Wn", max_length=100)]
VehicleId = Annotated[str, identifier("vehicle_7cRw1TfM9hJb3XdE", max_length=100)]
FleetId = Annotated[str, identifier("fleet_0nVt5GyK6qSa8UzP", max_length=100)]
PlaceId = Annotated[str, identifier("place_8KfR2yLq0VbN6wTd", max_length=100)]
Heading = Annotated[float, Meta(le=360, description="Degrees clockwise from north.", examples=[90])]
Words = Annotated[str, Meta(max_length=200, description="Search words.", examples=["ada"])]
AnyPoint = Annotated[
    dict[str, Any] | list[Any] | str,
    Meta(
        description="GeoJSON, `{latitude, longitude}` or `latitude,longitude`.",
        extra={OBJECT_KEY: PointObject},
        extra_json_schema=POINT_FORMS,
        examples=[{"type": "Point", "coordinates": [103.8198, 1.3521]}],
    ),
]
Located = Annotated[Moment, Meta(examples=["2026-01-15T09:30:00.000Z"])]
UNCHANGED_ONLY = (
    "Position of a new record. A change cannot set another position: report it to `track`."
)
# A time out of range is clamped, not refused: a phone's clock may be wrong.
Occurred = Annotated[
    Moment,
    Meta(
        description="Time of the event, by the device's clock. A future or missing time means now.",
        examples=["2026-01-31T09:30:00.000Z"],
    ),
]


class PointOut(msgspec.Struct):
    """A point on the earth as GeoJSON, longitude first."""

    type: Annotated[Literal["Point"], Meta(description="GeoJSON type.")]
    coordinates: Annotated[
        list[float],
        Meta(description="Longitude, then latitude, in degrees.", examples=[[103.8198, 1.3521]]),
    ]

    @classmethod
    def from_point(cls, point: Point | None) -> Self | None:
        return None if point is None else cls("Point", [point.longitude, point.latitude])


class MobileOut(ResourceOut, kw_only=True):
    """Fields of drivers and vehicles. Positions do not change `version`."""

    internal_id: InternalId | None
    online: bool
    fleets: list[FleetId]
    location: PointOut | None
    heading: Annotated[float | None, Meta(description="Degrees from north.", examples=[90])]
    altitude: Annotated[float | None, Meta(description="Metres.", examples=[15])]
    speed: Annotated[float | None, Meta(description="Metres per second.", examples=[8.3])]
    located_at: Time | None
    meta: Details


class MobileChange(msgspec.Struct, kw_only=True):
    """Changes to drivers and vehicles. Omitted fields stay, and null clears a field."""

    internal_id: Clearable[InternalId] = UNSET
    online: Given[bool] = UNSET
    location: Clearable[Annotated[AnyPoint, Meta(description=UNCHANGED_ONLY)]] = UNSET
    latitude: Clearable[Degrees] = UNSET
    longitude: Clearable[Degrees] = UNSET
    heading: Clearable[Heading] = UNSET
    altitude: Clearable[float] = UNSET
    speed: Clearable[float] = UNSET
    located_at: Clearable[Located] = UNSET
    meta: Clearable[Details] = UNSET


class SearchIn(PageIn, frozen=True, kw_only=True):
    """Filters of every list of the fleet."""

    query: Words | None = None


def parse_location(raw: object) -> Point | None:
    if raw is None or raw is UNSET:
        return None
    return parse_field("location", lambda value: fixes.check_point(geo.parse(value)), raw)


def to_schema(row: msgspec.Struct, out: type[Out], **extra: object) -> Out:
    """Convert a row to JSON, with its position as a point."""
    if "location" in out.__struct_fields__:
        extra["location"] = PointOut.from_point(row.location)  # type: ignore[attr-defined]  # every such row has a location
    return serialization.to_schema(row, out, **extra)


def to_schema_with_position(
    row: Mobile, out: type[Out], position: Whereabouts | None, **extra: object
) -> Out:
    """Convert a driver or a vehicle to JSON, with its current position if it is known."""
    return serialization.to_schema(
        row,
        out,
        location=position and PointOut.from_point(position.location),
        heading=position and position.heading,
        altitude=position and position.altitude,
        speed=position and position.speed,
        located_at=position and to_rfc3339(position.located_at),
        **extra,
    )


def get_sent_columns(change: msgspec.Struct) -> dict[str, Any]:
    """Return the sent fields as columns. Null details become an empty object."""
    columns = get_sent_fields(change)
    if "meta" in columns:
        columns["meta"] = columns["meta"] or {}
    return columns
