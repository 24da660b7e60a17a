"""Alerts of temperatures outside the limits of a device, or else of its vehicle."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.alerts import service as alerts
from pannier.alerts.models import AlertCause
from pannier.db import Database, Db
from pannier.devices import event_types
from pannier.devices.effects import NewReading
from pannier.devices.rules.temperatures import (
    MAX_SILENCE,
    SensorReading,
    TemperatureLimits,
    update_outside,
)
from pannier.web.times import to_rfc3339

# A device without reception sends its readings later. Older ones are history.
MAX_AGE: Final = timedelta(days=1)
ALERTS_PER_STEP: Final = 100
_NUMBER: Final = event_types.TEMPERATURE.number
# The devices that have limits, or an open alert. Their own limits come first. Each part must use
# its own index, whatever the planner estimates.
_LOAD_DEVICES: Final = f"""
    select d.uuid, d.company, d.public_id, a.details, l.occurred_at as latest_at,
        case when d.is_limited then d.min_temperature else v.min_temperature end as lowest,
        case when d.is_limited then d.max_temperature else v.max_temperature end as highest
    from unnest(:devices::uuid[]) n (uuid)
    join lateral (
        select uuid, company, public_id, min_temperature, max_temperature, deleted_at,
            num_nonnulls(min_temperature, max_temperature) > 0 as is_limited
        from devices where uuid = n.uuid limit 1) d on d.deleted_at is null
    left join lateral (
        select vehicle from attachments where device = d.uuid and until is null limit 1) t on true
    left join lateral (
        select min_temperature, max_temperature, deleted_at from vehicles
        where uuid = t.vehicle limit 1) v on v.deleted_at is null
    left join lateral (
        select details from alerts
        where company = d.company and kind = 'temperature' and subject_uuid = d.uuid
          and closed_at is null limit 1) a on true
    left join lateral (
        select occurred_at from device_latest
        where device = d.uuid and kind = {_NUMBER} and type = '' limit 1) l on true
    where d.is_limited or a.details is not null
        or num_nonnulls(v.min_temperature, v.max_temperature) > 0
    order by d.uuid"""


class WatchedDevice(msgspec.Struct, frozen=True):
    """A device with its limits, and the details of its open alert."""

    uuid: UUID
    company: UUID
    public_id: str
    details: dict[str, Any] | None
    latest_at: datetime | None
    lowest: float | None
    highest: float | None

    @property
    def limits(self) -> TemperatureLimits:
        return TemperatureLimits(self.lowest, self.highest)

    def list_outside(self) -> dict[str, SensorReading]:
        """Return the sensors that are outside the limits by the open alert."""
        sensors = {} if self.details is None else self.details["sensors"]
        return {
            name: SensorReading(
                name, sensor["temperature"], datetime.fromisoformat(sensor["occurred_at"])
            )
            for name, sensor in sensors.items()
        }


async def update_alerts(db: Db, entries: Iterable[NewReading]) -> None:
    """Raise or close the alerts of devices with new temperatures.

    The entries are sorted by device and time, and their effects applied, so the devices' states
    are locked.
    """
    readings: defaultdict[UUID, list[SensorReading]] = defaultdict(list)
    for entry in entries:
        if entry.reading.kind == _NUMBER and entry.reading.occurred_at >= db.now - MAX_AGE:
            readings[entry.device.uuid].extend(_list_sensor_readings(entry))
    if not readings:
        return
    devices = await db.fetch_all(WatchedDevice, _LOAD_DEVICES, devices=sorted(readings))
    for device in devices:
        await _update_alert(db, device, readings[device.uuid])


def _list_sensor_readings(entry: NewReading) -> Iterator[SensorReading]:
    data = entry.reading.data or {}
    temperature = data.get("temperature")
    if temperature is not None:
        names = (data.get("zone"), data.get("sensor_id"))
        sensor = " ".join(str(name) for name in names if name is not None)
        yield SensorReading(sensor, temperature, entry.reading.occurred_at)


async def _update_alert(db: Db, device: WatchedDevice, readings: Sequence[SensorReading]) -> None:
    before = device.list_outside()
    latest_at = device.latest_at or readings[-1].occurred_at
    outside = update_outside(before, readings, device.limits, latest_at)
    if not outside:
        await alerts.close_alerts(db, device.company, "temperature", [device.uuid])
    elif outside.keys() - before.keys():
        await alerts.raise_alert(db, device.company, _to_cause(device, outside))
    elif outside != before:
        await alerts.update_details(db, device.company, _to_cause(device, outside))


def _to_cause(device: WatchedDevice, outside: dict[str, SensorReading]) -> AlertCause:
    sensors = {
        name: {
            "temperature": reading.temperature,
            "occurred_at": to_rfc3339(reading.occurred_at),
        }
        for name, reading in outside.items()
    }
    return AlertCause(
        kind="temperature",
        subject=device.public_id,
        subject_uuid=device.uuid,
        id=", ".join(sorted(outside)),
        details={
            "sensors": sensors,
            "min_temperature": device.lowest,
            "max_temperature": device.highest,
        },
    )


async def close_silent_alerts(database: Database) -> bool:
    """Close a batch of alerts whose sensors have sent no reading for a day.

    Each reading outside the limits changes its alert. So does an acknowledgement, which gives it
    another day.
    """
    async with database.transaction() as db:
        closed_count = await alerts.close_unchanged_alerts(
            db, "temperature", MAX_SILENCE, {"ended": "no_reading"}, ALERTS_PER_STEP
        )
    return closed_count == ALERTS_PER_STEP
