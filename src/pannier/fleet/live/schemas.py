"""The fleet at a glance in JSON."""

from datetime import datetime
from typing import Annotated, Final, Literal, Self

import msgspec
from msgspec import Meta

from pannier.db.row import point
from pannier.fleet.schemas import DriverId, FleetId, Heading, Spot, Words
from pannier.web.identifiers import identifier
from pannier.web.spelling import spelled
from pannier.web.times import Time

MOST: Final = 500
DEFAULT: Final = 100
State = Literal["moving", "standing", "stale", "offline", "never_seen"]
Speed = Annotated[float, Meta(description="Metres a second.", examples=[8.3])]
UnitId = Annotated[str, identifier("vehicle_7cRw1TfM9hJb3XdE", most=100)]
Number = Annotated[int, Meta(ge=0, examples=[12])]


class UnitFilters(msgspec.Struct, frozen=True, kw_only=True):
    """What of the fleet is wanted."""

    id: Annotated[
        Annotated[list[UnitId], Meta(max_length=100)] | None,
        Meta(description="Any of these vehicles, or drivers without one."),
    ] = None
    query: Words | None = None
    state: Annotated[list[State] | None, Meta(description="In any of these.")] = None
    fleet: Annotated[FleetId | None, Meta(description="Only this fleet's.")] = None
    limit: Annotated[int, Meta(ge=1, le=MOST, description="As many.", examples=[DEFAULT])] = DEFAULT


class Unit(msgspec.Struct, kw_only=True):
    """A vehicle with who drives it, or a driver on foot, and where that was seen last."""

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
    """A vehicle with who drives it, or a driver without one."""

    id: UnitId
    kind: Literal["vehicle", "driver"]
    name: Annotated[
        str, Meta(description="Its plate, or what it is; a driver's name.", examples=["SGX 1234 A"])
    ]
    plate_number: Annotated[str | None, Meta(examples=["SGX 1234 A"])]
    status: Annotated[str, Meta(examples=["available"])]
    online: Annotated[bool, Meta(description="Whether it or its driver is.")]
    driver: DriverId | None
    driver_name: Annotated[str | None, Meta(examples=["Ada Lovelace"])]
    state: Annotated[
        State,
        Meta(
            description="Whether it moves or stands; `stale` when nothing was heard for 10 minutes,"
            " `offline` after 30."
        ),
    ]
    location: Spot | None
    heading: Heading | None
    speed: Speed | None
    located_at: Time | None

    @classmethod
    def of(cls, unit: Unit) -> Self:
        """Spell it."""
        return spelled(unit, cls, location=Spot.of(point(unit.latitude, unit.longitude)))


class Counts(msgspec.Struct, kw_only=True):
    """How many are in each state, whatever `state` was asked for."""

    moving: Number = 0
    standing: Number = 0
    stale: Number = 0
    offline: Number = 0
    never_seen: Number = 0


class WhereaboutsMeta(msgspec.Struct):
    """What is known of all that fit."""

    counts: Counts
    complete: Annotated[
        bool,
        Meta(description="False when there are so many that not all were looked at."),
    ]


class WhereaboutsOut(msgspec.Struct):
    """Where the fleet is: what moves first, then by name."""

    data: list[UnitOut]
    meta: WhereaboutsMeta
