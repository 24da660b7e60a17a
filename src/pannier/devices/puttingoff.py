"""The worker's step for deferred effects that a crashed process left behind.

Under high load a writer stores events first and applies their effects a moment later. Effects that
stay deferred for longer are rebuilt from the stored events here. A batch that fails is set aside
for a while, so that others do not wait for it.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Final
from uuid import UUID

import asyncpg
import msgspec

from pannier.accounts.company_settings.models import Bounds
from pannier.db import Database, Db, columns
from pannier.devices import store
from pannier.devices.lookup import Known
from pannier.devices.models import EVENT_COLUMNS, EventRow
from pannier.devices.readings import Reading
from pannier.devices.store import Entry, PutOff
from pannier.kit.structs import remade
from pannier.parked import service as parking
from pannier.web.logs import log

# Age after which no writer is working on a batch any more, and the batches per step.
LEFT_BEHIND: Final = timedelta(seconds=10)
BATCH: Final = 10
# Delay before a failed batch is retried.
LATER: Final = timedelta(minutes=1)
_LEFT: Final = """
    select batch, batches, received_at, heard from device_put_off
    where received_at <= pannier_now() - :left_behind::interval
      and (again_at is null or again_at <= pannier_now())
    order by batch limit :most for update skip locked"""
_SET_ASIDE: Final = """
    update device_put_off set again_at = pannier_now() + :later::interval where batch = :batch"""
# The batch row bounds the time of its events, so that few partitions are searched.
_EVENTS: Final = f"""
    select {", ".join(f"e.{name}" for name in EVENT_COLUMNS)}
    from unnest(:batches::bigint[]) as n (batch)
    left join device_batches b on b.batch = n.batch
    join device_events e on e.batch = n.batch
        and e.occurred_at >= coalesce(b.earliest, '-infinity')
        and e.occurred_at <= coalesce(b.latest, 'infinity')"""
_DEVICES: Final = f"""
    select {columns(Known)} from devices where number = any(:numbers)
    union select {columns(Known)} from devices where uuid = any(:heard)"""


class Left(msgspec.Struct):
    """A deferred batch that a writer left behind."""

    batch: int
    batches: list[int]
    received_at: datetime
    heard: list[UUID]


async def step(database: Database, bounds: Bounds) -> bool:
    """Apply the effects of some deferred batches; return whether there were any."""
    try:
        return bool(await _note(database, bounds, BATCH))
    except Exception as failure:
        if not _may_be_its_own(failure):
            raise
    # One of them fails: apply each one alone.
    for _ in range(BATCH):
        await _note_one(database, bounds)
    return True


async def _note(database: Database, bounds: Bounds, most: int) -> list[Left]:
    async with database.transaction() as db:
        left = await _left(db, most)
        if left:
            await store.note(db, await _read(db, left), bounds)
    return left


async def _note_one(database: Database, bounds: Bounds) -> None:
    """Apply the oldest deferred batch, or set it aside."""
    async with database.transaction() as db:
        left = await _left(db, 1)
        if not left:
            return
        await db.mark()
        try:
            await store.note(db, await _read(db, left), bounds)
        except Exception as failure:
            if not _may_be_its_own(failure):
                raise
            await db.undo_to_mark()
            log.error(
                "effects of device events cannot be applied", batch=left[0].batch, exc_info=failure
            )
            await db.execute(_SET_ASIDE, batch=left[0].batch, later=LATER)


def _may_be_its_own(failure: Exception) -> bool:
    """Return whether other batches may succeed. A timeout counts, as the batch may be large."""
    return isinstance(failure, asyncpg.QueryCanceledError) or parking.blames_the_work(failure)


async def _left(db: Db, most: int) -> list[Left]:
    return await db.many(Left, _LEFT, left_behind=LEFT_BEHIND, most=most)


async def _read(db: Db, left: Sequence[Left]) -> list[PutOff]:
    """Rebuild deferred batches from the stored events."""
    batches = list(chain.from_iterable(each.batches for each in left))
    heard = set(chain.from_iterable(each.heard for each in left))
    await db.find_by_index()
    rows = await db.many(EventRow, _EVENTS, batches=batches)
    devices = await db.many(Known, _DEVICES, numbers={row.device_no for row in rows}, heard=heard)
    by_batch: dict[int, list[EventRow]] = {}
    for row in rows:
        by_batch.setdefault(row.batch, []).append(row)
    by_number = {device.number: device for device in devices}
    by_uuid = {device.uuid: device for device in devices}
    return [
        _again(
            each,
            chain.from_iterable(by_batch.get(batch, ()) for batch in each.batches),
            by_number,
            by_uuid,
        )
        for each in left
    ]


def _again(
    left: Left,
    rows: Iterable[EventRow],
    by_number: Mapping[int, Known],
    by_uuid: Mapping[UUID, Known],
) -> PutOff:
    """Rebuild the entries and contacts of one flush."""
    known = ((row, by_number.get(row.device_no)) for row in rows)
    entries = [
        Entry.of(0, device, remade(row, Reading, device=None))
        for row, device in known
        if device is not None
    ]
    heard = {entry.device.number: entry.device for entry in entries}
    for uuid in left.heard:
        if (device := by_uuid.get(uuid)) is not None:
            heard[device.number] = device
    return PutOff(left.batch, entries, heard, left.received_at)
