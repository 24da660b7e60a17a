"""Immediate effects of new events: last contact, latest readings, and the backlog of the rules.

Under high load the effects are deferred for a moment, so that one update covers several flushes of
a device (`deferred`). Applying them twice or out of order is safe, because newer values win.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, NamedTuple, Protocol
from uuid import UUID

from pannier.accounts.company_settings.models import Locations
from pannier.db import Db
from pannier.devices.event_types import RetentionClass
from pannier.devices.lookup import KnownDevice
from pannier.devices.readings import Reading, merge_data
from pannier.fleet import whereabouts
from pannier.fleet.fixes import PositionFix
from pannier.fleet.whereabouts import Move
from pannier.kit.geo import Point

# Number of custom event types remembered per device. Concurrent flushes may exceed it slightly.
MAX_CUSTOM_TYPES: Final = 100
# Up to this many notes are sent as parameters; more are first copied into a temporary table.
MAX_INLINE_NOTES: Final = 16
# Accessors that run for thousands of readings.
_DEVICE_NUMBER: Final = attrgetter("device.number")
_COMPANY: Final = attrgetter("device.company")
_MOMENT: Final = attrgetter("reading.occurred_at")
# Columns of a note: the latest reading of one type. The first note of a device also has the columns
# that exist once per device.
_COLUMNS: Final = {
    "device": "uuid",
    "company": "uuid",
    "seen_at": "timestamptz",
    "last_event_at": "timestamptz",
    "reporting_interval": "integer",
    "since": "timestamptz",
    "until": "timestamptz",
    "latitude": "float8",
    "longitude": "float8",
    "heading": "float8",
    "altitude": "float8",
    "speed": "float8",
    "accuracy": "float8",
    "kind": "smallint",
    "type": "text",
    "occurred_at": "timestamptz",
    "event_key": "bigint",
    "severity": "smallint",
    "data": "jsonb",
}
_COLUMN_NAMES: Final = ", ".join(_COLUMNS)
_INLINE_NOTES: Final = f"""unnest({
    ", ".join(f":{name}::{type_}[]" for name, type_ in _COLUMNS.items())
}) as given ({_COLUMN_NAMES})"""
# A single note is passed as scalars, because arrays would cost more than the note itself.
_SINGLE_NOTE: Final = f"""(values ({
    ", ".join(f":{name}::{type_}" for name, type_ in _COLUMNS.items())
})) as given ({_COLUMN_NAMES})"""
# The table lives as long as its connection, and is emptied by each commit.
_CREATE_STAGE: Final = f"""create temporary table if not exists device_notes ({
    ", ".join(f"{name} {type_}" for name, type_ in _COLUMNS.items())
}) on commit delete rows"""
_BATCHES: Final = """
    batches as (
        insert into device_batches
            (batch, company, xid, received_at, earliest, latest, events) overriding system value
        select batch, company, pg_current_xact_id()::text::bigint, :now, earliest, latest, events
        from unnest(:batches::bigint[], :companies::uuid[], :earliest::timestamptz[],
                    :newest::timestamptz[], :events::integer[])
            as b (batch, company, earliest, latest, events))"""
# One statement does everything and locks rows in the order of devices. The recorded status stays
# until the silence step has run; for a device that is not online that step is due now. A phone
# whose driver was deleted is ignored.
# The result lists the driver and vehicle of each device, which move with it. A phone is on the
# vehicle that its driver drives. A deleted vehicle has no devices.
_APPLY: Final = f"""
    with n as materialized (
        select {_COLUMN_NAMES}, d.driver from {{}}
        join lateral (
            select driver, deleted_at from devices where uuid = device limit 1) d
            on d.deleted_at is null
        left join lateral (
            select deleted_at from drivers where uuid = d.driver limit 1) p on true
        where p.deleted_at is null),
    {_BATCHES},
    completed as (delete from device_put_off where batch = any(:applied_batches::bigint[])),
    states as (
        insert into device_states as s
            (device, company, last_seen_at, last_event_at, status, status_due_at)
        select device, company, seen_at, last_event_at, 'online',
               seen_at + make_interval(secs => 2 * reporting_interval)
        from n where seen_at is not null
        on conflict (device) do update set
            last_seen_at = greatest(s.last_seen_at, excluded.last_seen_at),
            last_event_at = greatest(s.last_event_at, excluded.last_event_at),
            status_due_at = case s.status when 'online' then s.status_due_at else :now end),
    lasting as (
        insert into device_latest as l
            (device, company, kind, type, occurred_at, event_key, severity, data)
        select device, company, kind, type, occurred_at, event_key, severity, data from n
        where kind > 0 or kind = 0 and (exists (
            select from device_latest k
            where k.device = n.device and k.kind = n.kind and k.type = n.type)
        or :most_types > (select count(*) from (
            select from device_latest k
            where k.device = n.device and k.kind = n.kind limit :most_types) k))
        on conflict (device, kind, type) do update set
            occurred_at = excluded.occurred_at, event_key = excluded.event_key,
            severity = excluded.severity, data = excluded.data
        where (l.occurred_at, l.event_key) < (excluded.occurred_at, excluded.event_key)),
    backlog as (
        insert into device_backlog (company, device, since, until)
        select company, device, since, until from n where since is not null),
    placed as (
        {whereabouts.UPSERT_DEVICE_POSITIONS.format("n")})
    select pg_current_xact_id()::text::bigint, null, null, null, null, null
    union all
    select 0, n.device, coalesce(n.driver, r.driver), r.since, v.uuid,
        coalesce(a.since, w.since)
    from n
    left join lateral (
        select vehicle, since from attachments
        where device = n.device and until is null limit 1) a on true
    left join lateral (
        select vehicle, since from drives where driver = n.driver and until is null limit 1) w
        on true
    left join lateral (
        select uuid, deleted_at from vehicles
        where uuid = coalesce(a.vehicle, w.vehicle) limit 1) v on v.deleted_at is null
    left join lateral (
        select driver, since from drives
        where n.driver is null and vehicle = v.uuid and until is null
        order by since desc limit 1) r on true
    where n.until is not null and coalesce(n.driver, v.uuid) is not null"""
_APPLY_SINGLE: Final = _APPLY.format(_SINGLE_NOTE)
_APPLY_INLINE: Final = _APPLY.format(_INLINE_NOTES)
_APPLY_STAGED: Final = _APPLY.format("device_notes")
_DEFER: Final = f"""
    with {_BATCHES},
    put_off as (
        insert into device_put_off (batch, batches, received_at, heard)
        values (:batch, :batches, :now, :heard))
    select pg_current_xact_id()::text::bigint"""


class NewReading(Protocol):
    """A new reading and its device."""

    @property
    def device(self) -> KnownDevice:
        """The reading's device."""

    @property
    def reading(self) -> Reading:
        """The reading itself."""


class DeviceContact(NamedTuple):
    """A contact with a device."""

    device: KnownDevice
    seen_at: datetime


class DeviceCarriers(NamedTuple):
    """The driver and the vehicle that a device is with, and since when."""

    driver: UUID | None
    driving_since: datetime | None
    vehicle: UUID | None
    since: datetime | None


async def apply(
    db: Db,
    new_readings: Sequence[NewReading],
    contacts: Sequence[DeviceContact],
    batches: Mapping[UUID, int],
    locations: Locations,
    applied_batches: Sequence[int] = (),
) -> int:
    """Apply the effects of new events and return the transaction id.

    `new_readings` is sorted by device and then by time. `contacts` has every device that was in
    contact, sorted by device. `batches` are written in the same statement. `applied_batches` has
    the deferred batches that this call completes.
    """
    readings_by_device = {
        number: [new_reading.reading for new_reading in group]
        for number, group in _group_by_device(new_readings)
    }
    notes = [
        note
        for device, seen_at in contacts
        for note in _build_notes(device, seen_at, readings_by_device.get(device.number, ()))
    ]
    values = {
        "now": db.now,
        "applied_batches": applied_batches,
        "most_types": MAX_CUSTOM_TYPES,
        **_summarise_by_company(new_readings, batches),
    }
    if len(notes) == 1:
        arguments = dict(zip(_COLUMNS, notes[0], strict=True))
        rows = await db.fetch_tuples(_APPLY_SINGLE, **arguments, **values)
    elif len(notes) <= MAX_INLINE_NOTES:
        columns = zip(*notes, strict=True) if notes else ((),) * len(_COLUMNS)
        arguments = dict(zip(_COLUMNS, columns, strict=True))
        rows = await db.fetch_tuples(_APPLY_INLINE, **arguments, **values)
    else:
        await db.execute(_CREATE_STAGE)
        await db.copy_rows("device_notes", list(_COLUMNS), notes)
        rows = await db.fetch_tuples(_APPLY_STAGED, **values)
    if len(rows) > 1:
        carriers = {
            uuid: DeviceCarriers(*device_carriers) for _, uuid, *device_carriers in rows[1:]
        }
        await _move_carriers(db, contacts, readings_by_device, carriers, locations)
    transaction: int = rows[0][0]
    return transaction


async def defer(
    db: Db,
    new_readings: Sequence[NewReading],
    devices: Mapping[int, KnownDevice],
    batches: Mapping[UUID, int],
) -> tuple[int, int]:
    """Record that effects are deferred, so that the worker applies them even after a crash.

    `devices` are those in contact, by number. Return the transaction id, and the batch under which
    the effects were deferred.
    """
    batch, device_numbers = max(batches.values()), set(map(_DEVICE_NUMBER, new_readings))
    transaction: int = await db.fetch_value(
        _DEFER,
        now=db.now,
        batch=batch,
        heard=[devices[number].uuid for number in devices.keys() - device_numbers],
        **_summarise_by_company(new_readings, batches),
    )
    return transaction, batch


def _build_notes(
    device: KnownDevice, seen_at: datetime, readings: Sequence[Reading]
) -> Iterator[tuple[object, ...]]:
    """Build the notes of a device, with their values in column order."""
    last_event_at = readings[-1].occurred_at if readings else None
    latest_readings: Sequence[Reading | None] = _choose_latest_by_type(readings) or [None]
    yield (
        device.uuid, device.company, seen_at, last_event_at, device.reporting_interval,
        *_position_columns(readings), *_reading_columns(latest_readings[0]),
    )  # fmt: skip
    for reading in latest_readings[1:]:
        yield (
            device.uuid,
            device.company,
            None,
            None,
            None,
            *_position_columns(()),
            *_reading_columns(reading),
        )


def _choose_latest_by_type(readings: Sequence[Reading]) -> list[Reading]:
    """Return the last reading of each type, with a limit on custom types."""
    by_type = {(reading.kind, reading.type): reading for reading in readings}
    latest_readings = sorted(
        by_type.values(), key=lambda reading: (reading.kind, reading.type or "")
    )
    custom_types = sum(not reading.kind for reading in latest_readings)
    return latest_readings[max(0, custom_types - MAX_CUSTOM_TYPES) :]


def _position_columns(readings: Sequence[Reading]) -> tuple[object, ...]:
    """Return the column values for the period of the positions and for the last position."""
    positions = [reading for reading in readings if reading.class_ == RetentionClass.POSITION]
    if not positions:
        return (None,) * 8
    last_position = positions[-1]
    return (
        positions[0].occurred_at, last_position.occurred_at, last_position.latitude,
        last_position.longitude, last_position.heading,
        last_position.altitude, _to_metres_per_second(last_position), last_position.accuracy,
    )  # fmt: skip


def _to_metres_per_second(reading: Reading) -> float | None:
    """Convert a speed from km/h, as devices report it, to m/s, as the fleet stores it."""
    return None if reading.speed is None else round(reading.speed / 3.6, 6)


def _reading_columns(reading: Reading | None) -> tuple[object, ...]:
    if reading is None:
        return (None,) * 6
    return (
        reading.kind, reading.type or "", reading.occurred_at, reading.event_key, reading.severity,
        merge_data(reading) or None,
    )  # fmt: skip


async def _move_carriers(
    db: Db,
    contacts: Sequence[DeviceContact],
    readings_by_device: Mapping[int, Sequence[Reading]],
    carriers: Mapping[UUID, DeviceCarriers],
    locations: Locations,
) -> None:
    """Move drivers and vehicles to their devices' last positions, company by company."""
    by_company: dict[UUID, list[Move]] = {}
    for device, seen_at in contacts:
        device_carriers = carriers.get(device.uuid)
        if device_carriers is not None:
            moves = by_company.setdefault(device.company, [])
            moves.extend(_build_moves(device_carriers, seen_at, readings_by_device[device.number]))
    for company in sorted(by_company):
        await whereabouts.update_positions(db, company, by_company[company], locations)


def _build_moves(
    carriers: DeviceCarriers, seen_at: datetime, readings: Sequence[Reading]
) -> Iterator[Move]:
    """Yield the moves of a device's driver and of the vehicle it was on at that time.

    A move is never later than the contact itself, whatever the device's clock says.
    """
    last_position = next(
        reading for reading in reversed(readings) if reading.class_ == RetentionClass.POSITION
    )
    if last_position.latitude is None or last_position.longitude is None:
        return
    fix = PositionFix(
        Point(longitude=last_position.longitude, latitude=last_position.latitude),
        min(last_position.occurred_at, seen_at),
        last_position.heading,
        last_position.altitude,
        _to_metres_per_second(last_position),
        last_position.accuracy,
    )
    driver, driving_since, vehicle, since = carriers
    if driver is not None and (driving_since is None or driving_since <= last_position.occurred_at):
        yield Move(driver, "driver", fix)
    if vehicle is not None and since is not None and since <= last_position.occurred_at:
        yield Move(vehicle, "vehicle", fix)


def _group_by_device(
    new_readings: Sequence[NewReading],
) -> Iterator[tuple[int, Iterator[NewReading]]]:
    return groupby(new_readings, key=_DEVICE_NUMBER)


def _summarise_by_company(
    new_readings: Sequence[NewReading], batches: Mapping[UUID, int]
) -> dict[str, list[Any]]:
    """Return the number of each company's events, and their earliest and latest times."""
    times: dict[UUID, list[datetime]] = {}
    for company, group in groupby(new_readings if batches else (), key=_COMPANY):
        times.setdefault(company, []).extend(map(_MOMENT, group))
    return {
        "batches": [batches[company] for company in times],
        "companies": list(times),
        "earliest": [min(moments) for moments in times.values()],
        "newest": [max(moments) for moments in times.values()],
        "events": [len(moments) for moments in times.values()],
    }
