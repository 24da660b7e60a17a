"""Fleets in JSON."""

from typing import Annotated, ClassVar, Self

import msgspec
from msgspec import UNSET, Meta

from pannier.errors import FieldError, Invalid
from pannier.fleet.models import Fleet, FleetStatus
from pannier.fleet.schemas import (
    Details,
    DriverId,
    FleetId,
    SearchIn,
    VehicleId,
    to_schema,
)
from pannier.web.compatibility import ACCEPTED, accept_response_fields
from pannier.web.fields import Clearable, Given
from pannier.web.identifiers import AnyOf
from pannier.web.resource_out import ResourceOut

FleetName = Annotated[str, Meta(min_length=1, max_length=200, examples=["Night riders"])]
Task = Annotated[str, Meta(max_length=200, examples=["Last mile"])]


class FleetOut(ResourceOut, kw_only=True):
    """A fleet with its members. `version` counts changes to the fleet's fields."""

    id: FleetId
    name: FleetName
    task: Task | None
    status: FleetStatus
    parent_fleet: FleetId | None
    drivers: Annotated[
        list[DriverId],
        Meta(description="The first 100. `GET /v1/drivers?fleet=` lists all of them."),
    ]
    vehicles: Annotated[
        list[VehicleId],
        Meta(description="The first 100. `GET /v1/vehicles?fleet=` lists all of them."),
    ]
    meta: Details

    @classmethod
    def from_row(
        cls, row: Fleet, *, parent: str | None, drivers: list[str], vehicles: list[str]
    ) -> Self:
        return to_schema(row, cls, parent_fleet=parent, drivers=drivers, vehicles=vehicles)


class FleetChange(msgspec.Struct, kw_only=True):
    """Changes to a fleet. Omitted fields stay, and null clears a field."""

    accepts: ClassVar = ACCEPTED["fleet"]
    name: Given[FleetName] = UNSET
    task: Clearable[Task] = UNSET
    status: Given[FleetStatus] = UNSET
    parent_fleet: Clearable[FleetId] = UNSET
    meta: Clearable[Details] = UNSET


class FleetIn(FleetChange, kw_only=True):
    """A new fleet."""

    name: FleetName
    status: FleetStatus = "active"


class FleetFilters(SearchIn, frozen=True, kw_only=True):
    """Filters for the list of fleets."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "updated_at", "name")

    id: AnyOf[FleetId] = None
    status: FleetStatus | None = None
    parent_fleet: Annotated[FleetId | None, Meta(description="Fleets within this one.")] = None


class FleetDriverIn(msgspec.Struct):
    """The driver to add to a fleet."""

    driver: DriverId | None = None

    def require_id(self) -> str:
        """Return the id, or refuse the body. Handlers find the fleet before they call it."""
        return _require_field("driver", self.driver)


class FleetVehicleIn(msgspec.Struct):
    """The vehicle to add to a fleet."""

    vehicle: VehicleId | None = None

    def require_id(self) -> str:
        """Return the id, or refuse the body. Handlers find the fleet before they call it."""
        return _require_field("vehicle", self.vehicle)


def _require_field(path: str, value: str | None) -> str:
    if value is None:
        raise Invalid(fields=[FieldError(path, "This field is required.")])
    return value


accept_response_fields(FleetChange, FleetOut)
