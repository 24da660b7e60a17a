"""What the fleet tells: the data of its events, each a snapshot of its subject."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.events.catalog import Name
from pannier.fleet.models import Driver, DriverStatus, Issue, IssueStatus, Priority, Vehicle
from pannier.fleet.models import VehicleStatus as VehicleState
from pannier.fleet.schemas import DriverId, Spot, VehicleId, spelled
from pannier.web.times import Time

Changed = Annotated[
    list[str], Meta(description="The fields that changed.", examples=[["name", "status"]])
]
IssueId = Annotated[str, Meta(examples=["issue_3yHd8LqN1wPk6CvB"])]
PersonName = Annotated[str, Meta(examples=["Ada Lovelace"])]


class Assignment(msgspec.Struct, frozen=True):
    """To whom or what somebody or something was assigned."""

    type: Literal["order", "fleet", "driver"]
    id: Annotated[str, Meta(examples=["fleet_0nVt5GyK6qSa8UzP"])]
    name: Annotated[str | None, Meta(examples=["Night riders"])] = None


class DriverTold(msgspec.Struct, kw_only=True):
    """What every event of a driver says."""

    id: DriverId
    public_id: DriverId
    uuid: UUID
    internal_id: str | None
    name: PersonName
    phone: Annotated[str, Meta(examples=["+6591234567"])]
    status: DriverStatus
    online: bool


class DriverAssigned(DriverTold, kw_only=True):
    """A driver was assigned to an order or a fleet."""

    assigned_to: Assignment

    @classmethod
    def of(cls, driver: Driver, to: Assignment) -> Self:
        """Spell an assignment."""
        return spelled(driver, cls, assigned_to=to)


class DriverLocationChanged(DriverTold, kw_only=True):
    """A driver moved by a metre or more, or was located for the first time."""

    location: Spot | None
    heading: float | None
    altitude: float | None
    speed: float | None
    located_at: Time | None

    @classmethod
    def of(cls, driver: Driver) -> Self:
        """Spell where a driver is."""
        return spelled(driver, cls)


class DriverPresence(DriverTold, kw_only=True):
    """A driver went online or offline."""

    location: Spot | None
    located_at: Time | None

    @classmethod
    def of(cls, driver: Driver) -> Self:
        """Spell a driver's presence."""
        return spelled(driver, cls)


class DriverUpdated(DriverTold, kw_only=True):
    """A driver's profile, status or vehicle changed."""

    email: str | None
    drivers_license_number: str | None
    license_expiry: Annotated[str | None, Meta(examples=["2028-05-31"])]
    vehicle: VehicleId | None
    country: str | None
    city: str | None
    changed: Changed

    @classmethod
    def of(cls, driver: Driver, vehicle: str | None, changed: list[str]) -> Self:
        """Spell a driver, and what is new."""
        expiry = driver.license_expiry
        return spelled(
            driver, cls, vehicle=vehicle, changed=changed,
            license_expiry=None if expiry is None else expiry.isoformat(),
        )  # fmt: skip


class VehicleTold(msgspec.Struct, kw_only=True):
    """What every event of a vehicle says."""

    id: VehicleId
    public_id: VehicleId
    uuid: UUID
    internal_id: str | None
    plate_number: Annotated[str | None, Meta(examples=["SGX 1234 A"])]
    make: Annotated[str | None, Meta(examples=["Toyota"])]
    model: Annotated[str | None, Meta(examples=["HiAce"])]
    year: Annotated[int | None, Meta(examples=[2024])]
    type: Annotated[str | None, Meta(examples=["van"])]
    status: VehicleState
    online: bool


class VehicleUpdated(VehicleTold, kw_only=True):
    """A vehicle's details or status changed."""

    vin: str | None
    changed: Changed

    @classmethod
    def of(cls, vehicle: Vehicle, changed: list[str]) -> Self:
        """Spell a vehicle, and what is new."""
        return spelled(vehicle, cls, changed=changed)


class VehicleAssigned(VehicleTold, kw_only=True):
    """A vehicle was assigned to a driver or a fleet."""

    assigned_to: Assignment

    @classmethod
    def of(cls, vehicle: Vehicle, to: Assignment) -> Self:
        """Spell an assignment."""
        return spelled(vehicle, cls, assigned_to=to)


class IssueTold(msgspec.Struct, kw_only=True):
    """What every event of an issue says."""

    id: IssueId
    public_id: IssueId
    uuid: UUID
    driver: DriverId | None
    vehicle: VehicleId | None
    order: Annotated[str | None, Meta(examples=["order_5uJr2EwZ7bQx9KmT"])]
    title: str | None
    report: Annotated[str, Meta(examples=["The rear door does not close."])]
    priority: Priority
    type: str | None
    category: str | None
    tags: list[str]
    status: IssueStatus
    location: Spot | None


class IssueCreated(IssueTold, kw_only=True):
    """An issue was reported."""


class IssueUpdated(IssueTold, kw_only=True):
    """An issue changed, or was opened again."""

    changed: Changed


class IssueResolved(IssueTold, kw_only=True):
    """An issue was resolved."""

    resolution: Annotated[str | None, Meta(examples=["The hinge was replaced."])]
    resolved_at: Time | None


class IssueLinks(msgspec.Struct, frozen=True):
    """The names of what an issue is about."""

    driver: str | None
    vehicle: str | None


def told_issue(kind: type[IssueTold], issue: Issue, links: IssueLinks, **more: object) -> IssueTold:
    """Spell an issue for an event."""
    return spelled(
        issue, kind, driver=links.driver, vehicle=links.vehicle, order=issue.order_id, **more
    )


SCHEMAS: Final[Mapping[Name, type[msgspec.Struct]]] = {
    Name.DRIVER_ASSIGNED: DriverAssigned,
    Name.DRIVER_LOCATION_CHANGED: DriverLocationChanged,
    Name.DRIVER_ONLINE: DriverPresence,
    Name.DRIVER_OFFLINE: DriverPresence,
    Name.DRIVER_UPDATED: DriverUpdated,
    Name.VEHICLE_UPDATED: VehicleUpdated,
    Name.VEHICLE_ASSIGNED: VehicleAssigned,
    Name.ISSUE_CREATED: IssueCreated,
    Name.ISSUE_UPDATED: IssueUpdated,
    Name.ISSUE_RESOLVED: IssueResolved,
}
