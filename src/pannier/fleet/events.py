"""Data of the fleet's events. Each is a snapshot of its subject."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.events.catalog import Name
from pannier.fleet.drivers.hours import ShiftExceptionFields, ShiftFields
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
from pannier.fleet.schemas import (
    DriverId,
    InternalId,
    PlaceId,
    PointOut,
    VehicleId,
    to_schema,
    to_schema_with_position,
)
from pannier.fleet.skills import Skills
from pannier.web.times import Time

Changed = Annotated[
    list[str], Meta(description="The fields that changed.", examples=[["name", "status"]])
]
IssueId = Annotated[str, Meta(examples=["issue_3yHd8LqN1wPk6CvB"])]
Same = Annotated[str, Meta(description="The same as `id`.")]
Unique = Annotated[UUID, Meta(description="The UUID.")]
DriverPosition = Annotated[
    PointOut | None, Meta(description="The driver's position, or null if unknown.")
]
Located = Annotated[Time | None, Meta(description="Time of the position.")]


class Assignment(msgspec.Struct, frozen=True):
    """The order, fleet or driver that something was assigned to."""

    type: Annotated[Literal["order", "fleet", "driver"], Meta(description="Kind of the assignee.")]
    id: Annotated[
        str, Meta(description="Public id of the assignee.", examples=["fleet_0nVt5GyK6qSa8UzP"])
    ]
    name: Annotated[str | None, Meta(description="Its name.", examples=["Night riders"])] = None


class DriverEvent(msgspec.Struct, kw_only=True):
    """Data of every driver event."""

    id: Annotated[DriverId, Meta(description="The driver, by public id.")]
    public_id: Same
    uuid: Unique
    internal_id: InternalId | None
    name: Annotated[str, Meta(description="The driver's name.", examples=["Ada Lovelace"])]
    phone: Annotated[str, Meta(description="In E.164.", examples=["+6591234567"])]
    status: Annotated[DriverStatus, Meta(description="The driver's status.")]
    online: Annotated[bool, Meta(description="Whether the driver is online.")]


class DriverAssigned(DriverEvent, kw_only=True):
    """A driver was assigned to an order or a fleet.

    Emitted by `POST /v1/fleets/{fleet_id}/drivers`, `POST /v1/orders/{order_id}/assign-driver` and
    `POST /v1/orders/{order_id}/take`, and by `POST /v1/orders`, `PUT /v1/orders/{order_id}`,
    `POST /v1/orders/{order_id}/dispatch` and `POST /v1/orders/{order_id}/start` when they name
    another driver.
    """

    assigned_to: Assignment

    @classmethod
    def from_row(cls, driver: Driver, to: Assignment) -> Self:
        return to_schema(driver, cls, assigned_to=to)


class DriverLocationChanged(DriverEvent, kw_only=True):
    """A driver moved by the company's minimum distance, or was located for the first time.

    A move within the company's interval after the last event is emitted at the end of the interval,
    with the latest position. Emitted by `POST /v1/drivers/{driver_id}/track` and
    `POST /v1/drivers/{driver_id}/positions`, by events of a device that the driver's vehicle
    carries, and by `POST /v1/drivers` with a `location`.
    """

    location: DriverPosition
    heading: Annotated[float | None, Meta(description="Degrees clockwise from north.")]
    altitude: Annotated[float | None, Meta(description="Metres.")]
    speed: Annotated[float | None, Meta(description="Metres per second.")]
    located_at: Located

    @classmethod
    def from_row(cls, driver: Driver, position: Whereabouts) -> Self:
        return to_schema_with_position(driver, cls, position)


class DriverPresence(DriverEvent, kw_only=True):
    """A driver went online or offline.

    Emitted by `POST /v1/drivers/{driver_id}/toggle-online`, by `POST /v1/drivers` and
    `PUT /v1/drivers/{driver_id}` with `online` or a status that bars work, and by
    `DELETE /v1/drivers/{driver_id}`.
    """

    location: DriverPosition
    located_at: Located
    occurred_at: Annotated[
        Time, Meta(description="Time of the event, by the reporting device's clock.")
    ]

    @classmethod
    def from_row(cls, driver: Driver, position: Whereabouts | None, **extra: object) -> Self:
        return to_schema_with_position(driver, cls, position, **extra)


class DriverUpdated(DriverEvent, kw_only=True):
    """A driver's profile, status or vehicle changed.

    Emitted by `PUT /v1/drivers/{driver_id}`, and by `DELETE /v1/vehicles/{vehicle_id}` when the
    vehicle was the driver's.
    """

    email: Annotated[str | None, Meta(description="The driver's email address.")]
    drivers_license_number: Annotated[str | None, Meta(description="The driver's license number.")]
    license_expiry: Annotated[
        str | None,
        Meta(
            description="The last day on which the license is valid.",
            examples=["2028-05-31"],
            extra_json_schema={"format": "date"},
        ),
    ]
    vehicle: Annotated[VehicleId | None, Meta(description="The driver's vehicle, by public id.")]
    country: Annotated[str | None, Meta(description="ISO 3166, two letters.")]
    city: Annotated[str | None, Meta(description="The driver's city.")]
    skills: Annotated[Skills, Meta(description="The driver's skills.")]
    shifts: Annotated[
        list[ShiftFields] | None,
        Meta(description="The weekly shifts, in the company's time zone. Null is at any time."),
    ]
    shift_exceptions: Annotated[
        list[ShiftExceptionFields], Meta(description="Days off, and days with other shifts.")
    ]
    start_place: Annotated[
        PlaceId | None, Meta(description="The place where work begins, by public id.")
    ]
    end_place: Annotated[
        PlaceId | None, Meta(description="The place where work ends, by public id.")
    ]
    changed: Changed

    @classmethod
    def from_row(cls, driver: Driver, changed: list[str], **links: object) -> Self:
        """Build the event. `links` are public ids of the vehicle and the places."""
        expiry = driver.license_expiry
        return to_schema(
            driver, cls, changed=changed,
            license_expiry=None if expiry is None else expiry.isoformat(),
            **links,
        )  # fmt: skip


class VehicleEvent(msgspec.Struct, kw_only=True):
    """Data of every vehicle event."""

    id: Annotated[VehicleId, Meta(description="The vehicle, by public id.")]
    public_id: Same
    uuid: Unique
    internal_id: InternalId | None
    plate_number: Annotated[
        str | None, Meta(description="The plate number.", examples=["SGX 1234 A"])
    ]
    make: Annotated[str | None, Meta(description="Manufacturer.", examples=["Toyota"])]
    model: Annotated[str | None, Meta(description="Model.", examples=["HiAce"])]
    year: Annotated[int | None, Meta(description="Year of manufacture.", examples=[2024])]
    type: Annotated[str | None, Meta(description="The type of vehicle.", examples=["van"])]
    status: Annotated[VehicleState, Meta(description="The vehicle's status.")]
    online: Annotated[bool, Meta(description="Whether the vehicle is online.")]


class VehicleUpdated(VehicleEvent, kw_only=True):
    """A vehicle's details or status changed, or it moved. `changed` has `location` for a move.

    Emitted by `PUT /v1/vehicles/{vehicle_id}`. A move is emitted after the same distance and
    interval as a driver's: by `POST /v1/vehicles/{vehicle_id}/track`, by events of a device that
    the vehicle carries, by reports of its driver's position, and by `POST /v1/vehicles` with a
    `location`.
    """

    vin: Annotated[str | None, Meta(description="The vehicle identification number.")]
    changed: Changed

    @classmethod
    def from_row(cls, vehicle: Vehicle, changed: list[str]) -> Self:
        return to_schema(vehicle, cls, changed=changed)


class VehicleAssigned(VehicleEvent, kw_only=True):
    """A vehicle was assigned to a driver or a fleet.

    Emitted by `POST /v1/drivers` and `PUT /v1/drivers/{driver_id}` with a `vehicle`, and by
    `POST /v1/fleets/{fleet_id}/vehicles`.
    """

    assigned_to: Assignment

    @classmethod
    def from_row(cls, vehicle: Vehicle, to: Assignment) -> Self:
        return to_schema(vehicle, cls, assigned_to=to)


class IssueEvent(msgspec.Struct, kw_only=True):
    """Data of every issue event."""

    id: Annotated[IssueId, Meta(description="The issue, by public id.")]
    public_id: Same
    uuid: Unique
    driver: Annotated[DriverId | None, Meta(description="The driver concerned, by public id.")]
    vehicle: Annotated[VehicleId | None, Meta(description="The vehicle concerned, by public id.")]
    order: Annotated[
        str | None,
        Meta(
            description="The order concerned, by public id.",
            examples=["order_5uJr2EwZ7bQx9KmT"],
        ),
    ]
    title: Annotated[str | None, Meta(description="A short title.", examples=["Rear door"])]
    report: Annotated[
        str, Meta(description="What happened.", examples=["The rear door does not close."])
    ]
    priority: Annotated[Priority, Meta(description="The issue's priority.")]
    type: Annotated[str | None, Meta(description="The type of issue.", examples=["vehicle"])]
    category: Annotated[
        str | None, Meta(description="A category within `type`.", examples=["body work"])
    ]
    tags: Annotated[list[str], Meta(description="Tags for search.", examples=[["door"]])]
    status: Annotated[IssueStatus, Meta(description="The issue's status.")]
    location: Annotated[PointOut | None, Meta(description="Where it happened.")]


class IssueCreated(IssueEvent, kw_only=True):
    """An issue was reported.

    Emitted by `POST /v1/issues` and `POST /v1/issues/with-photos`.
    """


class IssueUpdated(IssueEvent, kw_only=True):
    """An issue was changed or reopened.

    Emitted by `PUT /v1/issues/{issue_id}`, `POST /v1/issues/{issue_id}/reopen` and
    `POST /v1/issues/{issue_id}/photos`.
    """

    changed: Changed


class IssueResolved(IssueEvent, kw_only=True):
    """An issue was resolved.

    Emitted by `POST /v1/issues/{issue_id}/resolve`, and by `POST /v1/issues` and
    `PUT /v1/issues/{issue_id}` with the status `resolved`.
    """

    resolution: Annotated[
        str | None, Meta(description="The resolution.", examples=["The hinge was replaced."])
    ]
    resolved_at: Annotated[Time | None, Meta(description="Time of resolution.")]


class IssueLinks(msgspec.Struct, frozen=True):
    """The public ids of an issue's driver and vehicle."""

    driver: str | None
    vehicle: str | None


def make_issue_event(
    event_type: type[IssueEvent], issue: Issue, links: IssueLinks, **extra: object
) -> IssueEvent:
    return to_schema(
        issue, event_type, driver=links.driver, vehicle=links.vehicle, order=issue.order_id, **extra
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
