"""What drivers, vehicles, fleets and issues share in JSON."""

from typing import Annotated, Any, Literal, Self, TypeVar

import msgspec
from msgspec import UNSET, Meta

from pannier.db import PageIn
from pannier.errors import checked
from pannier.fleet import fixes
from pannier.fleet.models import Mobile, Whereabouts
from pannier.kit import geo
from pannier.kit.geo import Point
from pannier.places.schemas import Degrees, PointObject
from pannier.web import spelling
from pannier.web.ancestor import OBJECT
from pannier.web.fields import Clearable, Given, given_fields
from pannier.web.identifiers import identifier
from pannier.web.shown import Shown
from pannier.web.times import Moment, Time, stamp

Out = TypeVar("Out", bound=msgspec.Struct)

Text = Annotated[str, Meta(max_length=200)]
LongText = Annotated[str, Meta(max_length=10_000)]
InternalId = Annotated[
    str, Meta(max_length=200, description="The company's own number.", examples=["D-104"])
]
Details = Annotated[
    dict[str, Any],
    Meta(description="Anything the company wants to keep.", examples=[{"shift": "night"}]),
]
DriverId = Annotated[str, identifier("driver_4kQ8ZpL0sVxYt2Wn", most=100)]
VehicleId = Annotated[str, identifier("vehicle_7cRw1TfM9hJb3XdE", most=100)]
FleetId = Annotated[str, identifier("fleet_0nVt5GyK6qSa8UzP", most=100)]
Heading = Annotated[float, Meta(le=360, description="Degrees clockwise from north.", examples=[90])]
Words = Annotated[str, Meta(max_length=200, description="Words to look for.", examples=["ada"])]
AnyPoint = Annotated[
    dict[str, Any] | list[Any] | str,
    Meta(
        description="GeoJSON, `{latitude, longitude}` or `latitude,longitude`.",
        extra={OBJECT: PointObject},
        examples=[{"type": "Point", "coordinates": [103.8198, 1.3521]}],
    ),
]
Located = Annotated[Moment, Meta(examples=["2026-01-15T09:30:00.000Z"])]
AS_READ = (
    "Where something new is. A change takes it only as it was read: report positions to `track`."
)
# The bounds are not refused but cut off: whatever a phone's clock says, it did happen.
Occurred = Annotated[
    Moment,
    Meta(
        description="When it happened, by the device's clock; now, if left out or in the future.",
        examples=["2026-01-31T09:30:00.000Z"],
    ),
]


class Spot(msgspec.Struct):
    """A point on the earth as GeoJSON, longitude first."""

    type: Annotated[Literal["Point"], Meta(description="GeoJSON's word for it.")]
    coordinates: Annotated[
        list[float],
        Meta(description="Longitude, then latitude, in degrees.", examples=[[103.8198, 1.3521]]),
    ]

    @classmethod
    def of(cls, found: Point | None) -> Self | None:
        """Spell a point, if there is one."""
        return None if found is None else cls("Point", [found.longitude, found.latitude])


class MobileOut(Shown, kw_only=True):
    """What drivers and vehicles show alike: `version` counts changes, and positions are none."""

    internal_id: InternalId | None
    online: bool
    fleets: list[FleetId]
    location: Spot | None
    heading: Annotated[float | None, Meta(description="Degrees from north.", examples=[90])]
    altitude: Annotated[float | None, Meta(description="Metres.", examples=[15])]
    speed: Annotated[float | None, Meta(description="Metres a second.", examples=[8.3])]
    located_at: Time | None
    meta: Details


class MobileChange(msgspec.Struct, kw_only=True):
    """What may change of drivers and vehicles alike: a field left out stays, null clears."""

    internal_id: Clearable[InternalId] = UNSET
    online: Given[bool] = UNSET
    location: Clearable[Annotated[AnyPoint, Meta(description=AS_READ)]] = UNSET
    latitude: Clearable[Degrees] = UNSET
    longitude: Clearable[Degrees] = UNSET
    heading: Clearable[Heading] = UNSET
    altitude: Clearable[float] = UNSET
    speed: Clearable[float] = UNSET
    located_at: Clearable[Located] = UNSET
    meta: Clearable[Details] = UNSET


class SearchIn(PageIn, frozen=True, kw_only=True):
    """What every list of the fleet takes."""

    query: Words | None = None


def located(raw: object) -> Point | None:
    """Read a `location`, if there is one."""
    if raw is None or raw is UNSET:
        return None
    return checked("location", lambda given: fixes.somewhere(geo.parse(given)), raw)


def spelled(row: msgspec.Struct, out: type[Out], **more: object) -> Out:
    """Spell a row of the fleet, with its position as a point."""
    if "location" in out.__struct_fields__:
        more["location"] = Spot.of(row.location)  # type: ignore[attr-defined]  # every such row has one
    return spelling.spelled(row, out, **more)


def placed(row: Mobile, out: type[Out], where: Whereabouts | None, **more: object) -> Out:
    """Spell a driver or a vehicle where it is, if anybody knows."""
    return spelling.spelled(
        row,
        out,
        location=where and Spot.of(where.location),
        heading=where and where.heading,
        altitude=where and where.altitude,
        speed=where and where.speed,
        located_at=where and stamp(where.located_at),
        **more,
    )


def sent(change: msgspec.Struct) -> dict[str, Any]:
    """Read the fields that the caller sent; what is left out stays, and no details are empty."""
    columns = given_fields(change)
    if "meta" in columns:
        columns["meta"] = columns["meta"] or {}
    return columns
