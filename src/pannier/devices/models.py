"""The rows of devices."""

from datetime import datetime
from typing import Any, ClassVar, Final, Literal
from uuid import UUID

import msgspec

from pannier.db.row import MetaRow
from pannier.fleet.models import VehicleTenure

Kind = Literal["tracker", "obd", "sensor", "camera", "phone", "gateway", "virtual"]
Status = Literal["online", "stale", "offline", "never_seen"]


class Device(MetaRow, kw_only=True):
    """A device that reports. A gateway reports for others; a virtual one stands for an API."""

    name: str
    kind: Kind = "tracker"
    identifier: str | None = None
    provider: str | None = None
    vehicle: UUID | None = None
    driver: UUID | None = None
    reporting_interval: int = 300
    adopts: bool = False
    # °C.
    min_temperature: float | None = None
    max_temperature: float | None = None


class Attachment(VehicleTenure, kw_only=True):
    """A period in which a device was attached to a vehicle."""

    device: UUID


class DeviceEventContent(msgspec.Struct, kw_only=True):
    """The content of a device event, stored or not: km/h, degrees, metres, UTC."""

    occurred_at: datetime
    event_key: int
    # The numbers of class and type, and the name of a custom type: see `event_types.py`.
    class_: int = msgspec.field(name="class")
    kind: int
    type: str | None = None
    latitude: float | None = None
    longitude: float | None = None
    speed: float | None = None
    heading: float | None = None
    altitude: float | None = None
    accuracy: float | None = None
    severity: int | None = None
    flags: int = 0
    data: dict[str, Any] | None = None


class DeviceEventRow(DeviceEventContent, kw_only=True):
    """A stored device event. Its class selects the partition."""

    device_no: int
    batch: int
    company: UUID


# In the order of the table's columns, which COPY uses.
EVENT_COLUMNS: Final = (
    "device_no", "occurred_at", "event_key", "batch", "company", "latitude", "longitude", "speed",
    "heading", "altitude", "accuracy", "class", "kind", "severity", "flags", "type", "data",
)  # fmt: skip


class RejectRow(msgspec.Struct, kw_only=True):
    """A reading that was rejected, and why."""

    created_column: ClassVar = "received_at"
    uuid: UUID
    public_id: str
    company: UUID
    # The device that sent it, if a device did, and the device name in the reading.
    device: UUID | None = None
    named: str | None = None
    code: str
    reason: str
    body: bytes
    received_at: datetime
