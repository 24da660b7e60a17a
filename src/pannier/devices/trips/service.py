"""Storage of trips: the trips of a period replace those derived earlier."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.db.retention import RetentionSweep
from pannier.devices.rules.trips import Trip
from pannier.kit import ids
from pannier.kit.hooks import Hook

# Trips expire with the positions they were derived from.
TRIPS: Final = RetentionSweep("positions", "device_trips", time_column="started_at", marked=True)
# Called with the companies and starts of trips that have ended or are gone.
after_trips: Final = Hook[[Db, Sequence[tuple[UUID, datetime]]], None]("pannier.reports.subscriber")
_FIELDS: Final = {
    "started_at": "timestamptz",
    "ended_at": "timestamptz",
    "start_latitude": "float8",
    "start_longitude": "float8",
    "end_latitude": "float8",
    "end_longitude": "float8",
    "distance": "float8",
    "moving_seconds": "float8",
    "idle_seconds": "float8",
    "longest_stop_seconds": "float8",
    "max_speed": "float8",
}
_SAVE: Final = f"""
    insert into device_trips (uuid, public_id, company, device, {", ".join(_FIELDS)})
    select * from unnest(:uuids::uuid[], :public_ids::text[], :companies::uuid[], :devices::uuid[],
        {", ".join(f":{name}::{type_}[]" for name, type_ in _FIELDS.items())})
    on conflict (device, started_at) do update
    set {", ".join(f"{name} = excluded.{name}" for name in _FIELDS if name != "started_at")}"""
_DELETE: Final = """
    delete from device_trips t
    using unnest(:devices::uuid[], :since::timestamptz[], :until::timestamptz[])
        as g (device, since, until)
    where t.device = g.device and t.started_at >= g.since
      and (g.until is null or t.started_at < g.until)
      and not exists (
          select from unnest(:saved_devices::uuid[], :starts::timestamptz[])
              as k (device, started_at)
          where k.device = t.device and k.started_at = t.started_at)
    returning t.company, t.started_at"""


class DeviceTrip(msgspec.Struct):
    """A derived trip and its device."""

    company: UUID
    device: UUID
    trip: Trip


class TripWindow(msgspec.Struct):
    """A period of a device whose trips are replaced, by start time.

    It has no end if `until` is None.
    """

    device: UUID
    since: datetime
    until: datetime | None


async def replace_trips(db: Db, windows: Sequence[TripWindow], trips: Sequence[DeviceTrip]) -> None:
    """Save trips, and delete others that start in the windows."""
    sorted_trips = sorted(trips, key=lambda trip: (trip.device, trip.trip.started_at))
    changes = [
        (trip.company, trip.trip.started_at)
        for trip in sorted_trips
        if trip.trip.ended_at is not None
    ]
    if windows:
        changes += await db.execute_returning(
            _DELETE,
            devices=[window.device for window in windows],
            since=[window.since for window in windows],
            until=[window.until for window in windows],
            saved_devices=[trip.device for trip in sorted_trips],
            starts=[trip.trip.started_at for trip in sorted_trips],
        )
    if sorted_trips:
        await db.execute(
            _SAVE,
            uuids=[db.new_uuid() for _ in sorted_trips],
            public_ids=[ids.new_public_id("trip") for _ in sorted_trips],
            companies=[trip.company for trip in sorted_trips],
            devices=[trip.device for trip in sorted_trips],
            **{name: [getattr(trip.trip, name) for trip in sorted_trips] for name in _FIELDS},
        )
    if changes:
        await after_trips(db, changes)
