"""Vehicles in JSON."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Self

import msgspec
from msgspec import UNSET, Meta, UnsetType

from pannier.errors import FieldError, Invalid
from pannier.fleet.costs import Cost, CostCurrency
from pannier.fleet.models import Vehicle, VehicleProfile, VehicleStatus, Whereabouts
from pannier.fleet.schemas import (
    DriverId,
    FleetId,
    InternalId,
    MobileChange,
    MobileOut,
    SearchIn,
    VehicleId,
    get_sent_columns,
    to_schema_with_position,
)
from pannier.fleet.temperatures import MaxTemperature, MinTemperature, check_limits
from pannier.kit.structs import convert_struct
from pannier.web.compatibility import ACCEPTED, accept_response_fields
from pannier.web.fields import Clearable, Given, get_sent_fields
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
Kilograms = Annotated[float, Meta(ge=0, le=1e9, description="Kilograms.", examples=[1200])]
CubicMetres = Annotated[float, Meta(ge=0, le=1e9, description="Cubic metres.", examples=[6.5])]
ItemCount = Annotated[int, Meta(ge=0, le=1_000_000, description="Items.", examples=[80])]
PayloadCapacity = Annotated[
    float, Meta(ge=0, le=1e9, description="The same as `capacity.weight`.", examples=[1200])
]
Profile = Annotated[VehicleProfile, Meta(description="The roads it can use, for routes and times.")]


class CapacityOut(msgspec.Struct, kw_only=True):
    """The vehicle's capacity. Null means no limit."""

    weight: Kilograms | None
    volume: CubicMetres | None
    items: ItemCount | None


class CapacityFields(msgspec.Struct, kw_only=True):
    """The vehicle's capacity. An omitted limit stays, and null removes it."""

    weight: Clearable[Kilograms] = UNSET
    volume: Clearable[CubicMetres] = UNSET
    items: Clearable[ItemCount] = UNSET


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
    payload_capacity: PayloadCapacity | None
    capacity: CapacityOut
    profile: Profile
    cost_per_km: Cost | None
    currency: CostCurrency | None
    speed_limit_kmh: SpeedLimit | None
    min_temperature: MinTemperature | None
    max_temperature: MaxTemperature | None
    status: VehicleStatus
    driver: DriverId | None

    @classmethod
    def from_row(
        cls, row: Vehicle, position: Whereabouts | None, *, driver: str | None, fleets: list[str]
    ) -> Self:
        capacity = convert_struct(row.capacity, CapacityOut)
        return to_schema_with_position(
            row, cls, position, driver=driver, fleets=fleets, capacity=capacity
        )


class VehicleChange(MobileChange, kw_only=True):
    """Changes to a vehicle. Omitted fields stay, and null clears a field."""

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
    payload_capacity: Clearable[PayloadCapacity] = UNSET
    capacity: Clearable[CapacityFields] = UNSET
    profile: Given[Profile] = UNSET
    cost_per_km: Clearable[Cost] = UNSET
    currency: Clearable[CostCurrency] = UNSET
    speed_limit_kmh: Clearable[SpeedLimit] = UNSET
    min_temperature: Clearable[MinTemperature] = UNSET
    max_temperature: Clearable[MaxTemperature] = UNSET
    status: Given[VehicleStatus] = UNSET


class VehicleIn(VehicleChange, kw_only=True):
    """A new vehicle."""

    status: VehicleStatus = "available"
    online: bool = False


def to_columns(change: VehicleChange, row: Vehicle | None = None) -> dict[str, Any]:
    """Return the sent fields as columns. `capacity` and `payload_capacity` share the weight."""
    columns = get_sent_columns(change)
    check_limits(columns, row)
    capacity = columns.pop("capacity", UNSET)
    if capacity is None:
        capacity = CapacityFields(weight=None, volume=None, items=None)
    if isinstance(capacity, UnsetType):
        return columns
    limits = get_sent_fields(capacity)
    for name, column in _CAPACITY_COLUMNS.items():
        if name in limits:
            columns[column] = limits[name]
    sent_weight, weight = change.payload_capacity, limits.get("weight", UNSET)
    if sent_weight is UNSET or weight is UNSET or sent_weight == weight:
        return columns
    # A client that sends back a vehicle may have changed only one of the two.
    current_weight = None if row is None else row.payload_capacity
    if current_weight not in {sent_weight, weight}:
        raise Invalid(fields=[FieldError("payload_capacity", CONTRADICTION)])
    return {**columns, "payload_capacity": weight if sent_weight == current_weight else sent_weight}


CONTRADICTION: Final = "This contradicts `capacity.weight`. Send one of them."
_CAPACITY_COLUMNS: Final[Mapping[str, str]] = {
    "weight": "payload_capacity",
    "volume": "capacity_volume",
    "items": "capacity_items",
}


class VehicleFilters(SearchIn, frozen=True, kw_only=True):
    """Filters for the list of vehicles."""

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
