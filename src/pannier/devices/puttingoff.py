"""What was put off and never noted: the worker's step after somebody fell.

While much comes in, a writer stores events first, and notes what they say of the present a moment
later. What is left behind for longer is read again from the events, and noted here. Noting twice
does no harm.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings.models import Bounds
from pannier.db import Database, Db, columns
from pannier.devices import store
from pannier.devices.effects import Heard
from pannier.devices.lookup import Known
from pannier.devices.models import EVENT_COLUMNS, EventRow
from pannier.devices.readings import Reading
from pannier.devices.store import Entry, PutOff

# After which nobody is on it any more; and how many are noted in one go.
LEFT_BEHIND: Final = timedelta(seconds=5)
BATCH: Final = 10
_LEFT: Final = """
    select batch, batches, received_at, heard from device_put_off
    where received_at <= :before order by batch limit :most for update skip locked"""
_EVENTS: Final = f"""
    select {", ".join(EVENT_COLUMNS)} from device_events where batch = any(:batches)"""
_DEVICES: Final = f"""
    select {columns(Known)} from devices where number = any(:numbers)
    union select {columns(Known)} from devices where uuid = any(:heard)"""


class Left(msgspec.Struct):
    """What somebody put off, and left."""

    batch: int
    batches: list[int]
    received_at: datetime
    heard: list[UUID]


async def step(database: Database, bounds: Bounds) -> bool:
    """Note some of what was left behind; True when there was any."""
    async with database.transaction() as db:
        left = await db.many(Left, _LEFT, before=db.now - LEFT_BEHIND, most=BATCH)
        if left:
            await store.note(db, await _read(db, left), bounds)
    return bool(left)


async def _read(db: Db, left: Sequence[Left]) -> list[PutOff]:
    """Read again what was stored then."""
    batches = list(chain.from_iterable(each.batches for each in left))
    heard = set(chain.from_iterable(each.heard for each in left))
    rows = await db.many(EventRow, _EVENTS, batches=batches)
    devices = await db.many(Known, _DEVICES, numbers={row.device_no for row in rows}, heard=heard)
    by_number = {device.number: device for device in devices}
    return [_again(each, rows, by_number) for each in left]


def _again(left: Left, rows: Sequence[EventRow], devices: dict[int, Known]) -> PutOff:
    """Put together what a flush brought."""
    entries = [
        _entry(row, devices[row.device_no])
        for row in rows
        if row.batch in left.batches and row.device_no in devices
    ]
    brought = {entry.number for entry in entries}
    heard = [
        Heard(device, left.received_at)
        for device in devices.values()
        if device.number in brought or device.uuid in left.heard
    ]
    return PutOff(left.batch, entries, heard)


def _entry(row: EventRow, device: Known) -> Entry:
    reading = Reading(
        device=None,
        class_=row.class_,
        kind=row.kind,
        type=row.type,
        occurred_at=row.occurred_at,
        event_key=row.event_key,
        latitude=row.latitude,
        longitude=row.longitude,
        speed=row.speed,
        heading=row.heading,
        altitude=row.altitude,
        accuracy=row.accuracy,
        severity=row.severity,
        flags=row.flags,
        data=row.data,
    )
    return Entry(row.device_no, row.occurred_at, row.event_key, row.class_, 0, device, reading)
