"""Retention of device events: by partition, and by row for companies that keep less."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import asyncpg
import msgspec

from pannier.accounts.company_settings.retention import Retention
from pannier.db import Database, Db, retention
from pannier.db.retention import BATCH, Sweep
from pannier.devices import partitions
from pannier.devices.partitions import TABLES, Partition
from pannier.web.logs import log

# How long an event with a wrong clock is recognised when it is sent again.
CORRECTIONS: Final = timedelta(days=30)
REJECTS: Final = Sweep("other_readings", "device_rejects", at="received_at")
# Names of the classes in the companies' retention settings, by class number.
KINDS: Final = ("positions", "telemetry", "alerts", "heartbeats", "other_readings")


class _Company(msgspec.Struct):
    uuid: UUID
    days: int


async def step(database: Database, keep: Retention, batch: int = BATCH) -> bool:
    """Drop expired partitions, and delete a batch of rows for companies that keep less."""
    found = False
    for class_, (kind, most) in enumerate(zip(KINDS, keep.of_devices, strict=True)):
        async with database.reading() as db:
            await db.require_safe_clock()
            longest = await _longest(db, kind, most)
            forgetful = await _forgetful(db, kind, longest)
        await _drop(database, class_, timedelta(days=longest))
        for company in forgetful:
            found |= await _forget(database, class_, company, batch)
    return found


async def _longest(db: Db, kind: str, most: int) -> int:
    """Return the longest retention of a class over all companies, in days."""
    days = await db.value(
        "select max(least(:most, coalesce((retention->>:kind)::integer, :most))) from companies",
        kind=kind,
        most=most,
    )
    return most if days is None else int(days)


async def _forgetful(db: Db, kind: str, longest: int) -> list[_Company]:
    """Return the companies that keep a class for a shorter time than the longest."""
    return await db.many(
        _Company,
        """select uuid, (retention->>:kind)::integer as days from companies
           where (retention->>:kind)::integer < :longest order by uuid""",
        kind=kind,
        longest=longest,
    )


async def _drop(database: Database, class_: int, keep: timedelta) -> None:
    """Drop partitions that ended before the retention period, unless they are being read."""
    table = TABLES[class_][0]
    for partition in await _partitions(database, class_):
        try:
            async with database.transaction() as db:
                if not await _is_over(db, partition, keep):
                    continue
                await partitions.begin(db)
                await db.execute(f"alter table {table} detach partition {partition.name}")
                await retention.delete(db, f"drop table {partition.name}")
        except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError):
            log.warning("partition not dropped yet: it is in use", partition=partition.name)
            return
        partitions.forget(database, partition)


async def _is_over(db: Db, partition: Partition, keep: timedelta) -> bool:
    over: bool = await db.value(
        "select :until::timestamptz <= pannier_now() - :keep::interval",
        until=partition.until,
        keep=keep,
    )
    return over


async def _partitions(database: Database, class_: int) -> list[Partition]:
    """List the existing partitions of a class."""
    table = TABLES[class_][0]
    async with database.reading() as db:
        names = await db.value(
            """select array_agg(inhrelid::regclass::text) from pg_inherits
               where inhparent = to_regclass(:table)""",
            table=table,
        )
    return sorted(
        partitions.partition_of(class_, datetime.strptime(f"{day}Z", "%Y%m%d%z"))
        for name in names or ()
        if (day := name.removeprefix(f"{table}_")).isdigit()
    )


async def _forget(database: Database, class_: int, company: _Company, batch: int) -> bool:
    """Delete a batch of a company's expired events, by the index on company and time."""
    table = TABLES[class_][0]
    async with database.transaction() as db:
        gone = await retention.delete(
            db,
            f"""delete from {table} e using (
                    select device_no, occurred_at, event_key from {table}
                    where company = :company
                      and occurred_at < pannier_now() - make_interval(days => :days)
                    order by occurred_at limit :batch) old
                where e.device_no = old.device_no and e.occurred_at = old.occurred_at
                  and e.event_key = old.event_key""",
            company=company.uuid,
            days=company.days,
            batch=batch,
        )
    return gone > 0


async def forget_corrections(database: Database, batch: int = BATCH) -> bool:
    """Delete a batch of expired records of corrected clocks."""
    async with database.transaction() as db:
        gone = await retention.delete(
            db,
            """delete from device_corrections c using (
                   select device_no, event_key from device_corrections
                   where occurred_at < pannier_now() - :keep::interval
                   order by occurred_at limit :batch) old
               where c.device_no = old.device_no and c.event_key = old.event_key""",
            keep=CORRECTIONS,
            batch=batch,
        )
    return gone > 0
