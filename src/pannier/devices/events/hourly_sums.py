"""Hourly sums of device events, each event counted once.

A worker's step follows the feed of all companies batch by batch, and records its position in the
transaction of the sums. Derived alerts are left out, because they may be withdrawn. Derived status
events are final and count.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Database, Db, retention, sweep_guard
from pannier.devices.event_types import RetentionClass
from pannier.devices.events.feed import FOREIGN_XIDS_FROM, FeedBatch, take_batches
from pannier.devices.events.horizon import HORIZON
from pannier.devices.readings import Flags
from pannier.kit.hooks import Hook

BATCHES_PER_STEP: Final = 500  # fewer if they are large
ALL_DEVICES: Final = 0  # stands for all devices of a company
DERIVED: Final = int(Flags.DERIVED)
SUM_RETENTION: Final = timedelta(days=5 * 366)
# How far back the feed goes: each flush adds a batch, so there may be many a second.
BATCH_RETENTION: Final = timedelta(days=30)
MAX_BATCHES: Final = 10_000_000
LATE: Final = timedelta(hours=2)  # readings of an hour that began earlier are late
STATUS: Final = "status"  # the type of derived status events, which no device sent
ROWS_PER_TRANSACTION: Final = 10_000  # rows deleted per transaction
_OLD_BATCHES: Final = """select from device_batches
    where received_at < pannier_now() - :keep::interval limit :batch"""

# Called with the companies and hours of readings that arrived late.
after_late_readings: Final = Hook[[Db, Sequence[tuple[UUID, datetime]]], None](
    "pannier.reports.subscriber"
)
_ADD: Final = f"""
    with added as (
    insert into device_counts as c (company, device_no, hour, kind, type, events)
    select company, coalesce(device_no, {ALL_DEVICES}), hour, kind, type, count(*) from (
        select company, device_no, date_trunc('hour', occurred_at) as hour, kind,
               case when flags & {DERIVED} = 0 then coalesce(type, '') else '{STATUS}' end as type
        from device_events
        where batch = any(:batches) and occurred_at between :earliest and :latest
          and (flags & {DERIVED} = 0 or class <> {RetentionClass.ALERT:d})) events
    group by grouping sets ((company, hour, kind, type, device_no), (company, hour, kind, type))
    order by 1, 2, 3, 4, 5
    on conflict (company, device_no, hour, kind, type)
        do update set events = c.events + excluded.events
    returning company, device_no, hour)
    select distinct company, hour from added
    where device_no = {ALL_DEVICES} and hour < :late order by company, hour"""


class _SumPosition(msgspec.Struct):
    xid: int
    batch: int


async def step(database: Database) -> bool:
    async with database.transaction() as db:
        position = await _lock_position(db)
        batches = [] if position is None else take_batches(await _load_batches(db, position))
        if not batches:
            return False
        late_hours = await db.execute_returning(
            _ADD,
            late=db.now - LATE,
            batches=[batch.batch for batch in batches],
            earliest=min(batch.earliest for batch in batches),
            latest=max(batch.latest for batch in batches),
        )
        if late_hours:
            await after_late_readings(db, [(company, hour) for company, hour in late_hours])
        await db.execute(
            "update device_counted set xid = :xid, batch = :batch",
            xid=batches[-1].xid,
            batch=batches[-1].batch,
        )
    return True


async def _lock_position(db: Db) -> _SumPosition | None:
    """Lock and return the position of the sums, or None if another worker holds it."""
    statement = "select xid, batch from device_counted for update skip locked"
    position = await db.find(_SumPosition, statement)
    if position is None:
        await db.execute(
            "insert into device_counted (xid, batch) values (0, 0) on conflict do nothing"
        )
        position = await db.find(_SumPosition, statement)
    return position


async def _load_batches(db: Db, position: _SumPosition) -> list[FeedBatch]:
    return await db.fetch_all(
        FeedBatch,
        f"""select batch, xid, earliest, latest, events, true as settled from device_batches
            where (xid, batch) > (:xid, :batch) and xid < {HORIZON}
            order by xid, batch limit :limit""",
        xid=position.xid,
        batch=position.batch,
        limit=BATCHES_PER_STEP,
    )


async def renumber_restored_batches(database: Database) -> bool:
    """Place batches from a restored dump before all new batches. Return whether there were any.

    A dump contains the transaction ids of its server, but not its counter. New ids start lower, so
    restored batches would seem to be in the future, and new events would come before them.
    """
    async with database.transaction() as db:
        batch_count = await db.execute(
            f"""update device_batches set xid = 0 where batch = any(array(
                    select batch from device_batches where xid >= {FOREIGN_XIDS_FROM}
                    order by xid, batch limit :limit))""",
            limit=ROWS_PER_TRANSACTION,
        )
        await db.execute(f"update device_counted set xid = 0 where xid >= {FOREIGN_XIDS_FROM}")
    return batch_count > 0


async def purge(database: Database) -> bool:
    """Delete some expired sums, and some batches that are too old for the feed."""
    async with database.transaction() as db:
        sum_count = await retention.purge(
            db, "device_counts", "hour", keep=SUM_RETENTION, batch=ROWS_PER_TRANSACTION
        )
        # Only batches that are already part of the sums. Their number is bounded by no clock.
        batch_count = await retention.delete(
            db,
            """delete from device_batches where batch = any(array(
                   select b.batch from device_batches b join device_counted c
                       on (b.xid, b.batch) <= (c.xid, c.batch)
                   where b.batch <= (select max(batch) from device_batches) - :most
                   order by b.batch limit :limit))""",
            most=MAX_BATCHES,
            limit=ROWS_PER_TRANSACTION,
        )
        if await sweep_guard.may_delete(
            db, "device_batches", _OLD_BATCHES, batch=ROWS_PER_TRANSACTION, keep=BATCH_RETENTION
        ):
            batch_count += await retention.delete(
                db,
                """delete from device_batches where batch = any(array(
                       select b.batch from device_batches b join device_counted c
                           on (b.xid, b.batch) <= (c.xid, c.batch)
                       where b.received_at < pannier_now() - :keep::interval
                       order by b.received_at limit :limit))""",
                keep=BATCH_RETENTION,
                limit=ROWS_PER_TRANSACTION,
            )
    return sum_count + batch_count > 0
