"""The current state of devices: status, position and the latest reading of each type."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import Db
from pannier.db.paging import DEFAULT_LIMIT
from pannier.devices import event_types
from pannier.devices.event_types import SEVERITIES, Severity
from pannier.devices.events.cursors import Mark, event_id
from pannier.devices.events.schemas import MAX_ROWS, EventId, EventType
from pannier.devices.models import Device
from pannier.devices.registry import queries as registry
from pannier.devices.registry.schemas import DeviceDetails, DeviceFilters, DeviceOut
from pannier.web.times import Time, to_rfc3339

MAX_READINGS_PER_DEVICE: Final = 50  # per device; custom types are unlimited


class LatestFilters(DeviceFilters, frozen=True, kw_only=True):
    """Filters of the current state of devices."""

    limit: Annotated[
        int, Meta(ge=1, le=MAX_ROWS, description="Rows per page.", examples=[DEFAULT_LIMIT])
    ] = DEFAULT_LIMIT


class LatestReading(msgspec.Struct):
    """The latest reading of a type."""

    event_id: EventId
    event_type: EventType
    timestamp: Time
    severity: Severity | None
    data: Annotated[dict[str, Any], Meta(examples=[{"temperature": 4.5}])]


class DeviceLatestOut(DeviceOut, kw_only=True):
    """A device in its current state."""

    readings: Annotated[
        list[LatestReading], Meta(description="The latest reading of each type, newest first.")
    ]


class _LatestRow(msgspec.Struct):
    device: UUID
    number: int
    kind: int
    type: str
    occurred_at: datetime
    event_key: int
    severity: int | None
    data: dict[str, Any] | None

    def to_reading(self) -> LatestReading:
        event_ref = Mark(self.occurred_at, self.number, self.event_key)
        return LatestReading(
            event_id(event_ref),
            event_types.type_name(self.kind, self.type),
            to_rfc3339(self.occurred_at),
            None if self.severity is None else SEVERITIES[self.severity],
            self.data or {},
        )


class LatestDetails(msgspec.Struct):
    """Details and latest readings of some devices."""

    details: dict[UUID, DeviceDetails]
    readings: dict[UUID, list[LatestReading]]

    def to_out(self, row: Device) -> DeviceLatestOut:
        readings = self.readings.get(row.uuid, [])
        return DeviceLatestOut.from_row(row, self.details[row.uuid], readings=readings)


async def load_details(db: Db, company: UUID, rows: Sequence[Device]) -> LatestDetails:
    """Load details and latest readings of devices."""
    uuids = [row.uuid for row in rows]
    latest_rows = await db.fetch_all(
        _LatestRow,
        """select d.uuid as device, d.number, l.kind, l.type, l.occurred_at, l.event_key,
                  l.severity, l.data
           from devices d cross join lateral (
               select kind, type, occurred_at, event_key, severity, data from device_latest
               where device = d.uuid order by occurred_at desc limit :limit) l
           where d.company = :company and d.uuid = any(:uuids)
           order by d.uuid, l.occurred_at desc""",
        company=company,
        uuids=uuids,
        limit=MAX_READINGS_PER_DEVICE,
    )
    readings: dict[UUID, list[LatestReading]] = {}
    for latest_row in latest_rows:
        readings.setdefault(latest_row.device, []).append(latest_row.to_reading())
    return LatestDetails(await registry.load_details(db, company, uuids), readings)
