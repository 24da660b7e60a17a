"""What the fleet tells: the data of its events, each a snapshot of its subject."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.events.catalog import Name
from pannier.fleet.models import (
    Driver,
    DriverStatus,
    Issue,
    IssueStatus,
    Priority,
    Vehicle,
    Whereabouts,
)
from pannier.fleet.models import VehicleStatus as VehicleState
from pannier.fleet.schemas import DriverId, InternalId, Spot, VehicleId, placed, spelled
from pannier.web.times import Time

Changed = Annotated[
    list[str], Meta(description="The fields that changed.", examples=[["name", "status"]])
]
IssueId = Annotated[str, Meta(examples=["issue_3yHd8LqN1wPk6CvB"])]
Same = Annotated[str, Meta(description="The same as `id`.")]
Unique = Annotated[UUID, Meta(description="Its UUID.")]
Where = Annotated[Spot | None, Meta(description="Where the driver is, if anybody knows.")]
Located = Annotated[Time | None, Meta(description="When the driver was there.")]


class Assignment(msgspec.Struct, frozen=True):
    """To whom or what somebody or something was assigned."""

    type: Annotated[Literal["order", "fleet", "driver"], Meta(description="What it is.")]
    id: Annotated[str, Meta(description="By public id.", examples=["fleet_0nVt5GyK6qSa8UzP"])]
    name: Annotated[
        str | None, Meta(description="What it is called.", examples=["Night riders"])
    ] = None


class DriverTold(msgspec.Struct, kw_only=True):
    """What every event of a driver says."""

    id: Annotated[DriverId, Meta(description="The driver, by public id.")]
    public_id: Same
    uuid: Unique
    internal_id: InternalId | None
    name: Annotated[str, Meta(description="The driver's name.", examples=["Ada Lovelace"])]
    phone: Annotated[str, Meta(description="In E.164.", examples=["+6591234567"])]
    status: Annotated[DriverStatus, Meta(description="What the driver is doing.")]
    online: Annotated[bool, Meta(description="Whether the driver can be reached.")]


class DriverAssigned(DriverTold, kw_only=True):
    """A driver was assigned to an order or a fleet.

    Emitted by `POST /v1/fleets/{fleet_id}/drivers`, `POST /v1/orders/{order_id}/assign-driver` and
    `POST /v1/orders/{order_id}/take`, and by `POST /v1/orders`, `PUT /v1/orders/{order_id}`,
    `POST /v1/orders/{order_id}/dispatch` and `POST /v1/orders/{order_id}/start` when they name
    another driver.
    """

    assigned_to: Assignment

    @classmethod
    def of(cls, driver: Driver, to: Assignment) -> Self:
        """Spell an assignment."""
        return spelled(driver, cls, assigned_to=to)


class DriverLocationChanged(DriverTold, kw_only=True):
    """A driver moved by so many metres as the company wants told, or was located first.

    Emitted by `POST /v1/drivers/{driver_id}/track` and `POST /v1/drivers/{driver_id}/positions`, by
    events of a device that the driver's vehicle carries, and by `POST /v1/drivers` with a
    `location`.
    """

    location: Where
    heading: Annotated[float | None, Meta(description="Degrees clockwise from north.")]
    altitude: Annotated[float | None, Meta(description="Metres.")]
    speed: Annotated[float | None, Meta(description="Metres a second.")]
    located_at: Located

    @classmethod
    def of(cls, driver: Driver, where: Whereabouts) -> Self:
        """Spell where a driver is."""
        return placed(driver, cls, where)


class DriverPresence(DriverTold, kw_only=True):
    """A driver went online or offline.

    Emitted by `POST /v1/drivers/{driver_id}/toggle-online`, by `POST /v1/drivers` and
    `PUT /v1/drivers/{driver_id}` with `online` or a status in which nobody works, and by
    `DELETE /v1/drivers/{driver_id}`.
    """

    location: Where
    located_at: Located
    occurred_at: Annotated[
        Time, Meta(description="When it happened, by the clock of the device that told it.")
    ]

    @classmethod
    def of(cls, driver: Driver, where: Whereabouts | None, **more: object) -> Self:
        """Spell a driver's presence."""
        return placed(driver, cls, where, **more)


class DriverUpdated(DriverTold, kw_only=True):
    """A driver's profile, status or vehicle changed.

    Emitted by `PUT /v1/drivers/{driver_id}`, and by `DELETE /v1/vehicles/{vehicle_id}` when the
    vehicle was the driver's.
    """

    email: Annotated[str | None, Meta(description="The driver's e-mail address.")]
    drivers_license_number: Annotated[str | None, Meta(description="As it was given.")]
    license_expiry: Annotated[
        str | None,
        Meta(
            description="The last day on which it is valid.",
            examples=["2028-05-31"],
            extra_json_schema={"format": "date"},
        ),
    ]
    vehicle: Annotated[VehicleId | None, Meta(description="What the driver drives, by public id.")]
    country: Annotated[str | None, Meta(description="ISO 3166, two letters.")]
    city: Annotated[str | None, Meta(description="Where the driver works.")]
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

    id: Annotated[VehicleId, Meta(description="The vehicle, by public id.")]
    public_id: Same
    uuid: Unique
    internal_id: InternalId | None
    plate_number: Annotated[
        str | None, Meta(description="As it is written on it.", examples=["SGX 1234 A"])
    ]
    make: Annotated[str | None, Meta(description="Who built it.", examples=["Toyota"])]
    model: Annotated[str | None, Meta(description="What they call it.", examples=["HiAce"])]
    year: Annotated[int | None, Meta(description="When it was built.", examples=[2024])]
    type: Annotated[str | None, Meta(description="What kind of vehicle.", examples=["van"])]
    status: Annotated[VehicleState, Meta(description="What it is doing.")]
    online: Annotated[bool, Meta(description="Whether it can be reached.")]


class VehicleUpdated(VehicleTold, kw_only=True):
    """A vehicle's details or status changed, or it moved: then `changed` names `location`.

    Emitted by `PUT /v1/vehicles/{vehicle_id}`; of a move, which is told as seldom as those of
    drivers, by `POST /v1/vehicles/{vehicle_id}/track`, by events of a device that the vehicle
    carries, by what tells where its driver is, and by `POST /v1/vehicles` with a `location`.
    """

    vin: Annotated[str | None, Meta(description="The vehicle identification number.")]
    changed: Changed

    @classmethod
    def of(cls, vehicle: Vehicle, changed: list[str]) -> Self:
        """Spell a vehicle, and what is new."""
        return spelled(vehicle, cls, changed=changed)


class VehicleAssigned(VehicleTold, kw_only=True):
    """A vehicle was assigned to a driver or a fleet.

    Emitted by `POST /v1/drivers` and `PUT /v1/drivers/{driver_id}` with a `vehicle`, and by
    `POST /v1/fleets/{fleet_id}/vehicles`.
    """

    assigned_to: Assignment

    @classmethod
    def of(cls, vehicle: Vehicle, to: Assignment) -> Self:
        """Spell an assignment."""
        return spelled(vehicle, cls, assigned_to=to)


class IssueTold(msgspec.Struct, kw_only=True):
    """What every event of an issue says."""

    id: Annotated[IssueId, Meta(description="The issue, by public id.")]
    public_id: Same
    uuid: Unique
    driver: Annotated[DriverId | None, Meta(description="Whom it is about, by public id.")]
    vehicle: Annotated[VehicleId | None, Meta(description="What it is about, by public id.")]
    order: Annotated[
        str | None,
        Meta(
            description="The order it happened on, by public id.",
            examples=["order_5uJr2EwZ7bQx9KmT"],
        ),
    ]
    title: Annotated[str | None, Meta(description="In a few words.", examples=["Rear door"])]
    report: Annotated[
        str, Meta(description="What happened.", examples=["The rear door does not close."])
    ]
    priority: Annotated[Priority, Meta(description="How much it matters.")]
    type: Annotated[str | None, Meta(description="What kind of issue.", examples=["vehicle"])]
    category: Annotated[
        str | None, Meta(description="More precisely than `type`.", examples=["body work"])
    ]
    tags: Annotated[list[str], Meta(description="Words to find it by.", examples=[["door"]])]
    status: Annotated[IssueStatus, Meta(description="How far it has come.")]
    location: Annotated[Spot | None, Meta(description="Where it happened.")]


class IssueCreated(IssueTold, kw_only=True):
    """An issue was reported.

    Emitted by `POST /v1/issues` and `POST /v1/issues/with-photos`.
    """


class IssueUpdated(IssueTold, kw_only=True):
    """An issue changed, or was opened again.

    Emitted by `PUT /v1/issues/{issue_id}`, `POST /v1/issues/{issue_id}/reopen` and
    `POST /v1/issues/{issue_id}/photos`.
    """

    changed: Changed


class IssueResolved(IssueTold, kw_only=True):
    """An issue was resolved.

    Emitted by `POST /v1/issues/{issue_id}/resolve`, and by `POST /v1/issues` and
    `PUT /v1/issues/{issue_id}` with the status `resolved`.
    """

    resolution: Annotated[
        str | None, Meta(description="What was done.", examples=["The hinge was replaced."])
    ]
    resolved_at: Annotated[Time | None, Meta(description="When it was resolved.")]


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
