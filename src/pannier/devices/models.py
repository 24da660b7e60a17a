"""The rows of devices."""

from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

import msgspec

from pannier.db.row import OwnRow
from pannier.fleet.models import Tenure

Kind = Literal["tracker", "obd", "sensor", "camera", "phone", "gateway", "virtual"]
Status = Literal["online", "stale", "offline", "never_seen"]


class Device(OwnRow, kw_only=True):
    """Something that reports; a gateway speaks for others, a virtual one is an API that does."""

    name: str
    kind: Kind = "tracker"
    identifier: str | None = None
    provider: str | None = None
    vehicle: UUID | None = None
    driver: UUID | None = None
    reporting_interval: int = 300
    adopts: bool = False


class Attachment(Tenure, kw_only=True):
    """That a device was on a vehicle."""

    device: UUID


class EventRow(msgspec.Struct, kw_only=True):
    """A device event as it is stored, in the order of its columns."""

    device_no: int
    occurred_at: datetime
    event_key: int
    batch: int
    company: UUID
    latitude: float | None = None
    longitude: float | None = None
    speed: float | None = None
    heading: float | None = None
    altitude: float | None = None
    accuracy: float | None = None
    # `class_` has the partition, `kind` the type: see `kinds.py`.
    class_: int = msgspec.field(name="class")
    kind: int
    severity: int | None = None
    flags: int = 0
    type: str | None = None
    data: dict[str, Any] | None = None


EVENT_COLUMNS: Final = EventRow.__struct_encode_fields__


class Reject(msgspec.Struct, kw_only=True):
    """Something that could not be stored, and why."""

    uuid: UUID
    public_id: str
    company: UUID
    # Who sent it, where that is a device, and what it called the one it spoke of.
    device: UUID | None = None
    named: str | None = None
    code: str
    reason: str
    body: bytes
    received_at: datetime
