"""Vehicles in JSON."""

from typing import Annotated, ClassVar, Self

from msgspec import UNSET, Meta

from pannier.fleet.models import Vehicle, VehicleStatus, Whereabouts
from pannier.fleet.schemas import (
    DriverId,
    FleetId,
    InternalId,
    MobileChange,
    MobileOut,
    SearchIn,
    VehicleId,
    to_schema_with_position,
)
from pannier.web.compatibility import ACCEPTED, accept_response_fields
from pannier.web.fields import Clearable, Given
from pannier.web.identifiers import AnyOf

Vin = Annotated[str, Meta(max_length=64, examples=["1HGBH41JXMN109186"])]
Plate = Annotated[str, Meta(max_length=64, examples=["SGX 1234 A"])]
Make = Annotated[str, Meta(max_length=100, examples=["Toyota"])]
Model = Annotated[str, Meta(max_length=100, examples=["HiAce"])]
Trim = Annotated[str, Meta(max_length=100, examples=["Commuter"])]
Year = Annotated[int, Meta(ge=1800, le=2200, examples=[2024])]
Color = Annotated[str, Meta(max_length=100, examples=["white"])]
Kind = Annotated[str, Meta(max_length=100, examples=["van"])]
Fuel = Annotated[str, Meta(max_length=100, examples=["electric"])]
SpeedLimit = Annotated[
    int,
    Meta(
        ge=1,
        le=400,
        description="Devices on the vehicle raise a speed alert above it. A zone's limit overrides "
        "it, and it overrides the company's.",
        examples=[90],
    ),
]
Capacity = Annotated[float, Meta(ge=0, description="Kilograms.", examples=[1200])]


class VehicleOut(MobileOut, kw_only=True):
    """A vehicle. Positions do not change `version`."""

    id: VehicleId
    vin: Vin | None
    plate_number: Plate | None
    make: Make | None
    model: Model | None
    trim: Trim | None
    year: Year | None
    color: Color | None
    type: Kind | None
    fuel_type: Fuel | None
    payload_capacity: Capacity | None
    speed_limit_kmh: SpeedLimit | None
    status: VehicleStatus
    driver: DriverId | None

    @classmethod
    def from_row(
        cls, row: Vehicle, position: Whereabouts | None, *, driver: str | None, fleets: list[str]
    ) -> Self:
        return to_schema_with_position(row, cls, position, driver=driver, fleets=fleets)


class VehicleChange(MobileChange, kw_only=True):
    """Changes of a vehicle: an omitted field stays, null clears it."""

    accepts: ClassVar = ACCEPTED["vehicle"]
    vin: Clearable[Vin] = UNSET
    plate_number: Clearable[Plate] = UNSET
    make: Clearable[Make] = UNSET
    model: Clearable[Model] = UNSET
    trim: Clearable[Trim] = UNSET
    year: Clearable[Year] = UNSET
    color: Clearable[Color] = UNSET
    type: Clearable[Kind] = UNSET
    fuel_type: Clearable[Fuel] = UNSET
    payload_capacity: Clearable[Capacity] = UNSET
    speed_limit_kmh: Clearable[SpeedLimit] = UNSET
    status: Given[VehicleStatus] = UNSET


class VehicleIn(VehicleChange, kw_only=True):
    """A new vehicle."""

    status: VehicleStatus = "available"
    online: bool = False


class VehicleFilters(SearchIn, frozen=True, kw_only=True):
    """Filters of the list of vehicles."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "updated_at", "status")

    id: AnyOf[VehicleId] = None
    status: VehicleStatus | None = None
    online: bool | None = None
    type: Kind | None = None
    make: Make | None = None
    model: Model | None = None
    vin: Vin | None = None
    plate_number: Plate | None = None
    internal_id: InternalId | None = None
    driver: Annotated[DriverId | None, Meta(description="Only this driver's vehicle.")] = None
    fleet: Annotated[FleetId | None, Meta(description="Only members of this fleet.")] = None


accept_response_fields(VehicleChange, VehicleOut)
