"""Positions of the whole fleet in JSON."""

from datetime import datetime
from typing import Annotated, Final, Literal, Self

import msgspec
from msgspec import Meta

from pannier.db.row import to_point
from pannier.fleet.schemas import DriverId, FleetId, Heading, PointOut, Words
from pannier.web.identifiers import identifier
from pannier.web.serialization import to_schema
from pannier.web.times import Time

MAX_LIMIT: Final = 500
DEFAULT_LIMIT: Final = 100
State = Literal["moving", "standing", "stale", "offline", "never_seen"]
Speed = Annotated[float, Meta(description="Metres per second.", examples=[8.3])]
UnitId = Annotated[str, identifier("vehicle_7cRw1TfM9hJb3XdE", max_length=100)]
Number = Annotated[int, Meta(ge=0, examples=[12])]


class UnitFilters(msgspec.Struct, frozen=True, kw_only=True):
    """Filters of the fleet's units."""

    id: Annotated[
        Annotated[list[UnitId], Meta(max_length=100)] | None,
        Meta(description="Filter by vehicle, or by driver without a vehicle."),
    ] = None
    query: Words | None = None
    state: Annotated[list[State] | None, Meta(description="In any of these states.")] = None
    fleet: Annotated[FleetId | None, Meta(description="Only members of this fleet.")] = None
    limit: Annotated[
        int,
        Meta(ge=1, le=MAX_LIMIT, description="Maximum number of units.", examples=[DEFAULT_LIMIT]),
    ] = DEFAULT_LIMIT


class Unit(msgspec.Struct, kw_only=True):
    """A vehicle with its driver, or a driver without one, with the last known position."""

    kind: Literal["vehicle", "driver"]
    public_id: str
    name: str
    plate_number: str | None
    status: str
    online: bool
    driver: str | None
    driver_name: str | None
    state: State
    latitude: float | None
    longitude: float | None
    heading: float | None
    speed: float | None
    located_at: datetime | None


class UnitOut(msgspec.Struct, kw_only=True):
    """A vehicle with its driver, or a driver without one."""

    id: UnitId
    kind: Literal["vehicle", "driver"]
    name: Annotated[
        str,
        Meta(
            description="The vehicle's plate or model, or the driver's name.",
            examples=["SGX 1234 A"],
        ),
    ]
    plate_number: Annotated[str | None, Meta(examples=["SGX 1234 A"])]
    status: Annotated[str, Meta(examples=["available"])]
    online: Annotated[bool, Meta(description="Whether the vehicle or its driver is online.")]
    driver: DriverId | None
    driver_name: Annotated[str | None, Meta(examples=["Ada Lovelace"])]
    state: Annotated[
        State,
        Meta(
            description="`stale` after 10 minutes without a report, `offline` after 30; "
            "otherwise whether the unit moves."
        ),
    ]
    location: PointOut | None
    heading: Heading | None
    speed: Speed | None
    located_at: Time | None

    @classmethod
    def from_unit(cls, unit: Unit) -> Self:
        return to_schema(
            unit, cls, location=PointOut.from_point(to_point(unit.latitude, unit.longitude))
        )


class Counts(msgspec.Struct, kw_only=True):
    """Units in each state, regardless of the `state` filter."""

    moving: Number = 0
    standing: Number = 0
    stale: Number = 0
    offline: Number = 0
    never_seen: Number = 0


class WhereaboutsMeta(msgspec.Struct):
    """Counts of all matching units."""

    counts: Counts
    complete: Annotated[
        bool,
        Meta(description="False if there were too many units to count all."),
    ]


class WhereaboutsOut(msgspec.Struct):
    """Positions of the fleet: moving units first, then by name."""

    data: list[UnitOut]
    meta: WhereaboutsMeta
