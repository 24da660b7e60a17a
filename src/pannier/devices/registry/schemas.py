"""Devices in JSON."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, ClassVar, Final, Literal, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta

from pannier.db.row import to_point
from pannier.devices.models import Device, Kind, Status
from pannier.devices.rules import silence
from pannier.fleet.schemas import Details, DriverId, PointOut, SearchIn, VehicleId
from pannier.fleet.temperatures import MaxTemperature, MinTemperature
from pannier.web.compatibility import ACCEPTED, accept_response_fields
from pannier.web.fields import Clearable, Given, check_meta, get_sent_fields, normalise
from pannier.web.former_names import former_name
from pannier.web.identifiers import identifier
from pannier.web.resource_out import ResourceOut
from pannier.web.serialization import to_schema
from pannier.web.times import Moment, Time, to_rfc3339

DeviceId = Annotated[str, identifier("device_3hWq8NcZ5tLp1YvA", max_length=100)]
Name = Annotated[str, Meta(min_length=1, max_length=200, examples=["Tracker of van 12"])]
Identifier = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="The device's own id: an IMEI, a serial number or the id in an app.",
        examples=["352093081234567"],
    ),
]
Provider = Annotated[
    str, Meta(max_length=100, description="Manufacturer or service.", examples=["Teltonika"])
]
Interval = Annotated[
    int,
    Meta(
        ge=1,
        le=86_400,
        description="Reporting interval in seconds. After two missed reports the device is stale, "
        "after six offline.",
        examples=[300],
    ),
]
Adopts = Annotated[
    bool,
    Meta(
        description="Whether unknown devices that a gateway reports are registered. Gateways only.",
        examples=[False],
    ),
]


class DeviceDetails(msgspec.Struct):
    """Details of a device that its own row lacks."""

    uuid: UUID
    vehicle: str | None
    driver: str | None
    last_seen_at: datetime | None
    # Contacts after this time may not be recorded yet.
    recorded_until: datetime
    latitude: float | None
    longitude: float | None
    located_at: datetime | None


class DeviceOut(ResourceOut, kw_only=True):
    """A device that reports; `version` counts changes, not reports."""

    id: DeviceId
    name: Name
    kind: Kind
    identifier: Identifier | None
    provider: Provider | None
    vehicle: Annotated[
        VehicleId | None, Meta(description="The vehicle that the device is attached to.")
    ]
    driver: Annotated[DriverId | None, Meta(description="The driver who uses the phone.")]
    reporting_interval: Interval
    adopts: Adopts
    min_temperature: MinTemperature | None
    max_temperature: MaxTemperature | None
    status: Annotated[Status, Meta(description="Whether the device reports.")]
    last_seen_at: Time | None
    location: PointOut | None
    located_at: Time | None
    meta: Details

    @classmethod
    def from_row(cls, row: Device, details: DeviceDetails, **extra_fields: object) -> Self:
        return to_schema(
            row,
            cls,
            vehicle=details.vehicle,
            driver=details.driver,
            status=silence.status(
                details.last_seen_at, row.reporting_interval, details.recorded_until
            ),
            last_seen_at=to_rfc3339(details.last_seen_at),
            location=PointOut.from_point(to_point(details.latitude, details.longitude)),
            located_at=to_rfc3339(details.located_at),
            **extra_fields,
        )


class NewDeviceOut(DeviceOut, kw_only=True):
    """A device with its token, which is shown only once."""

    token: Annotated[
        str,
        Meta(
            description="The token that the device sends with its events.",
            examples=["dvc_live_4QsT9kXv7LsR2wNc_…"],
        ),
    ]


DEFAULT_KIND: Final = "tracker"
# Device types of other products, and our kinds for them.
KIND_ALIASES: Final[Mapping[str, Kind]] = {
    "gps_tracker": "tracker",
    "battery_asset_tracker": "tracker",
    "hardwired_black_box": "tracker",
    "trailer_container_node": "tracker",
    "obd2_plugin": "obd",
    "can_bus_module": "obd",
    "dashcam_unit": "camera",
    "smartphone_app_device": "phone",
    "mobile_edge_gateway": "gateway",
}
AnyKind = Kind | Literal[
    "gps_tracker", "battery_asset_tracker", "hardwired_black_box", "trailer_container_node",
    "obd2_plugin", "can_bus_module", "dashcam_unit", "smartphone_app_device", "mobile_edge_gateway",
]  # fmt: skip


class DeviceChange(msgspec.Struct, kw_only=True):
    """Changes of a device: an omitted field stays, null clears it."""

    accepts: ClassVar = ACCEPTED["device"]
    name: Given[Name] = UNSET
    kind: Given[Kind] = UNSET
    identifier: Clearable[Identifier] = UNSET
    provider: Clearable[Provider] = UNSET
    reporting_interval: Given[Interval] = UNSET
    adopts: Given[Adopts] = UNSET
    min_temperature: Clearable[MinTemperature] = UNSET
    max_temperature: Clearable[MaxTemperature] = UNSET
    meta: Clearable[Details] = UNSET
    device_id: Annotated[Clearable[Identifier], former_name("identifier")] = UNSET
    type: Annotated[
        Given[AnyKind],
        former_name(
            "kind",
            convert=lambda kind: KIND_ALIASES.get(kind, kind),
            description="Also accepts other products' names.",
        ),
    ] = UNSET
    vehicle: Annotated[
        Clearable[VehicleId], Meta(description="Attach it to this vehicle; null detaches it.")
    ] = UNSET


class NewDeviceIn(DeviceChange, kw_only=True):
    """A new device."""

    name: Name
    kind: Kind = DEFAULT_KIND
    driver: Annotated[
        DriverId | None,
        Meta(description="The driver who uses the phone. Phones only.", examples=[None]),
    ] = None


class DeviceFilters(SearchIn, frozen=True, kw_only=True):
    """Filters of the list of devices."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "updated_at", "name")

    kind: Annotated[list[Kind] | None, Meta(description="Any of these.")] = None
    vehicle: Annotated[
        VehicleId | None, Meta(description="Filter by vehicle, including the phone of its driver.")
    ] = None
    driver: Annotated[DriverId | None, Meta(description="This driver's phone.")] = None
    status: Annotated[list[Status] | None, Meta(description="Any of these.")] = None
    identifier: Identifier | None = None


class RotateTokenIn(msgspec.Struct, kw_only=True):
    """Options for a new token."""

    grace_seconds: Annotated[
        int,
        Meta(
            ge=0,
            le=2_592_000,
            description="Seconds for which the old token stays valid; 0 ends it at once.",
        ),
    ] = 86_400

    @property
    def grace(self) -> timedelta:
        """How long the old token stays valid."""
        return timedelta(seconds=self.grace_seconds)


class AttachIn(msgspec.Struct, kw_only=True):
    """The vehicle to attach a device to."""

    vehicle: VehicleId
    since: Annotated[
        Moment | None,
        Meta(
            description="Start of the attachment. Defaults to now. Events are assigned by "
            "their own time."
        ),
    ] = None


class DetachIn(msgspec.Struct, kw_only=True):
    """When a device was detached."""

    until: Annotated[Moment | None, Meta(description="End of the attachment. Defaults to now.")] = (
        None
    )


class AttachmentRow(msgspec.Struct):
    """A span of a device, with the public id of its vehicle."""

    created_column: ClassVar = "since"
    changed_column: ClassVar = "greatest(since, until)"
    uuid: UUID
    vehicle: UUID
    vehicle_id: str
    since: datetime
    until: datetime | None


class AttachmentOut(msgspec.Struct):
    """A period in which a device was on a vehicle; without an end it still is."""

    vehicle: VehicleId
    vehicle_uuid: UUID
    since: Time
    until: Annotated[Time | None, Meta(description="Null while the device is attached.")]

    @classmethod
    def from_row(cls, row: AttachmentRow) -> Self:
        return cls(row.vehicle_id, row.vehicle, to_rfc3339(row.since), to_rfc3339(row.until))


def to_columns(data: DeviceChange) -> dict[str, Any]:
    columns = get_sent_fields(data)
    if "meta" in columns:
        columns["meta"] = columns["meta"] or {}
    return normalise(columns, {"meta": check_meta}, never_empty=frozenset({"name"}))


accept_response_fields(DeviceChange, DeviceOut)
