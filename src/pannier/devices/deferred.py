"""The worker's step for deferred effects that a crashed process left behind.

Under high load a writer stores events first and applies their effects a moment later. Effects that
stay deferred for longer are rebuilt from the stored events here. A batch that fails is postponed,
so that others do not wait for it.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Final
from uuid import UUID

import asyncpg
import msgspec

from pannier.accounts.company_settings.models import InstallationLimits
from pannier.db import Database, Db, columns
from pannier.devices import store
from pannier.devices.lookup import KnownDevice
from pannier.devices.models import EVENT_COLUMNS, DeviceEventRow
from pannier.devices.readings import Reading
from pannier.devices.store import DeferredEffects, ReadingEntry
from pannier.kit.structs import convert_struct
from pannier.parked import service as parking
from pannier.web.logs import log

# Age after which no writer processes a batch any more, and the batches per step.
LEFTOVER_AGE: Final = timedelta(seconds=10)
BATCHES_PER_STEP: Final = 10
# Delay before a failed batch is retried.
RETRY_DELAY: Final = timedelta(minutes=1)
_LOCK_LEFTOVERS: Final = """
    select batch, batches, received_at, heard from device_put_off
    where received_at <= pannier_now() - :leftover_age::interval
      and (again_at is null or again_at <= pannier_now())
    order by batch limit :limit for update skip locked"""
_POSTPONE: Final = """
    update device_put_off set again_at = pannier_now() + :delay::interval where batch = :batch"""
# The batch row bounds the time of its events, so that few partitions are searched.
_EVENTS: Final = f"""
    select {", ".join(f"e.{name}" for name in EVENT_COLUMNS)}
    from unnest(:batches::bigint[]) as n (batch)
    left join device_batches b on b.batch = n.batch
    join device_events e on e.batch = n.batch
        and e.occurred_at >= coalesce(b.earliest, '-infinity')
        and e.occurred_at <= coalesce(b.latest, 'infinity')"""
_DEVICES: Final = f"""
    select {columns(KnownDevice)} from devices where number = any(:numbers)
    union select {columns(KnownDevice)} from devices where uuid = any(:heard)"""


class LeftoverBatch(msgspec.Struct):
    """A deferred batch that a writer left behind."""

    batch: int
    batches: list[int]
    received_at: datetime
    heard: list[UUID]


async def step(database: Database, bounds: InstallationLimits) -> bool:
    """Apply the effects of some deferred batches; return whether there were any."""
    try:
        return bool(await _apply_leftovers(database, bounds, BATCHES_PER_STEP))
    except Exception as failure:
        if not _is_batch_failure(failure):
            raise
    # One of them fails: apply each one alone.
    for _ in range(BATCHES_PER_STEP):
        await _apply_oldest(database, bounds)
    return True


async def _apply_leftovers(
    database: Database, bounds: InstallationLimits, limit: int
) -> list[LeftoverBatch]:
    async with database.transaction() as db:
        leftovers = await _lock_leftovers(db, limit)
        if leftovers:
            await store.apply_deferred_effects(db, await _load_effects(db, leftovers), bounds)
    return leftovers


async def _apply_oldest(database: Database, bounds: InstallationLimits) -> None:
    """Apply the oldest deferred batch, or postpone it."""
    async with database.transaction() as db:
        leftovers = await _lock_leftovers(db, 1)
        if not leftovers:
            return
        await db.set_savepoint()
        try:
            await store.apply_deferred_effects(db, await _load_effects(db, leftovers), bounds)
        except Exception as failure:
            if not _is_batch_failure(failure):
                raise
            await db.roll_back_to_savepoint()
            log.error(
                "effects of device events cannot be applied",
                batch=leftovers[0].batch,
                exc_info=failure,
            )
            await db.execute(_POSTPONE, batch=leftovers[0].batch, delay=RETRY_DELAY)


def _is_batch_failure(failure: Exception) -> bool:
    """Return whether other batches may succeed. A timeout counts, as the batch may be large."""
    return isinstance(failure, asyncpg.QueryCanceledError) or parking.is_caused_by_work(failure)


async def _lock_leftovers(db: Db, limit: int) -> list[LeftoverBatch]:
    return await db.fetch_all(
        LeftoverBatch, _LOCK_LEFTOVERS, leftover_age=LEFTOVER_AGE, limit=limit
    )


async def _load_effects(db: Db, leftovers: Sequence[LeftoverBatch]) -> list[DeferredEffects]:
    """Rebuild deferred batches from the stored events."""
    batches = list(chain.from_iterable(leftover.batches for leftover in leftovers))
    contacted_uuids = set(chain.from_iterable(leftover.heard for leftover in leftovers))
    await db.prefer_indexes()
    rows = await db.fetch_all(DeviceEventRow, _EVENTS, batches=batches)
    devices = await db.fetch_all(
        KnownDevice, _DEVICES, numbers={row.device_no for row in rows}, heard=contacted_uuids
    )
    rows_by_batch: dict[int, list[DeviceEventRow]] = {}
    for row in rows:
        rows_by_batch.setdefault(row.batch, []).append(row)
    by_number = {device.number: device for device in devices}
    by_uuid = {device.uuid: device for device in devices}
    return [
        _rebuild_effects(
            leftover,
            chain.from_iterable(rows_by_batch.get(batch, ()) for batch in leftover.batches),
            by_number,
            by_uuid,
        )
        for leftover in leftovers
    ]


def _rebuild_effects(
    leftover: LeftoverBatch,
    rows: Iterable[DeviceEventRow],
    by_number: Mapping[int, KnownDevice],
    by_uuid: Mapping[UUID, KnownDevice],
) -> DeferredEffects:
    """Rebuild the entries and contacts of one flush."""
    devices_of_rows = ((row, by_number.get(row.device_no)) for row in rows)
    entries = [
        ReadingEntry.from_reading(0, device, convert_struct(row, Reading, device=None))
        for row, device in devices_of_rows
        if device is not None
    ]
    devices = {entry.device.number: entry.device for entry in entries}
    for uuid in leftover.heard:
        if (device := by_uuid.get(uuid)) is not None:
            devices[device.number] = device
    return DeferredEffects(leftover.batch, entries, devices, leftover.received_at)
