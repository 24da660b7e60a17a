"""Retention of device events: by partition, and by row for companies with a shorter retention."""

from datetime import timedelta
from typing import Final
from uuid import UUID

import asyncpg
import msgspec

from pannier.accounts.company_settings.retention import Retention
from pannier.db import Database, Db, retention, sweep_guard
from pannier.db.retention import BATCH_ROWS, RetentionSweep
from pannier.devices import partitions
from pannier.devices.partitions import TABLES, Partition
from pannier.web.logs import log

# How long an event with a wrong clock is recognised when it is sent again.
CORRECTION_RETENTION: Final = timedelta(days=30)
REJECTS: Final = RetentionSweep(
    "other_readings", "device_rejects", time_column="received_at", marked=True
)
# Names of the classes in the companies' retention settings, by class number.
RETENTION_KINDS: Final = ("positions", "telemetry", "alerts", "heartbeats", "other_readings")


class _CompanyRetention(msgspec.Struct):
    uuid: UUID
    days: int


async def step(database: Database, retention_limits: Retention, batch: int = BATCH_ROWS) -> bool:
    """Drop expired partitions, and delete some rows for companies with a shorter retention."""
    has_deleted = False
    for class_, (kind, max_days) in enumerate(
        zip(RETENTION_KINDS, retention_limits.device_days, strict=True)
    ):
        async with database.reading() as db:
            await db.require_safe_clock()
            max_retention = await _load_longest_retention(db, kind, max_days)
            companies = await _list_shorter_retentions(db, kind, max_retention)
        await _drop_partitions(database, class_, timedelta(days=max_retention))
        for company in companies:
            has_deleted |= await _purge_company(database, class_, company, batch)
    return has_deleted


async def _load_longest_retention(db: Db, kind: str, max_days: int) -> int:
    """Return the longest retention of a class over all companies, in days."""
    longest_days = await db.fetch_value(
        """select max(least(:max_days, coalesce((retention->>:kind)::integer, :max_days)))
           from companies""",
        kind=kind,
        max_days=max_days,
    )
    return max_days if longest_days is None else int(longest_days)


async def _list_shorter_retentions(db: Db, kind: str, longest_days: int) -> list[_CompanyRetention]:
    """Return the companies that keep a class for a shorter time than the longest."""
    return await db.fetch_all(
        _CompanyRetention,
        """select uuid, (retention->>:kind)::integer as days from companies
           where (retention->>:kind)::integer < :longest_days order by uuid""",
        kind=kind,
        longest_days=longest_days,
    )


async def _drop_partitions(database: Database, class_: int, retention_period: timedelta) -> None:
    """Drop partitions that ended before the retention period, unless they are being read."""
    table = TABLES[class_][0]
    existing_partitions = await _list_partitions(database, class_)
    async with database.transaction() as db:
        await db.require_safe_clock()
        expired_partitions = [
            partition
            for partition in existing_partitions
            if await _is_expired(db, partition, retention_period)
        ]
        if not await _may_drop(db, table, expired_partitions, existing_partitions):
            return
    for partition in expired_partitions:
        try:
            async with database.transaction() as db:
                if not await _is_expired(db, partition, retention_period):
                    continue
                rows = await partitions.estimate_rows(db, [partition])
                await partitions.lock_partitions(db)
                await db.execute(f"alter table {table} detach partition {partition.name}")
                await retention.delete(db, f"drop table {partition.name}")
        except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError):
            log.warning("partition not dropped yet: it is in use", partition=partition.name)
            return
        log.info("partition dropped", partition=partition.name, rows=rows)
        partitions.forget(database, partition)


async def _may_drop(
    db: Db, table: str, expired_partitions: list[Partition], existing_partitions: list[Partition]
) -> bool:
    """Return whether the expired partitions hold a plausible share of a class's events.

    With a short retention period, even one partition holds most of them.
    """
    if len(expired_partitions) <= 1:
        return await sweep_guard.is_plausible(db, table, 0, 0)
    expired_rows = await partitions.estimate_rows(db, expired_partitions)
    all_rows = await partitions.estimate_rows(db, existing_partitions)
    return await sweep_guard.is_plausible(db, table, expired_rows, all_rows)


async def _is_expired(db: Db, partition: Partition, retention_period: timedelta) -> bool:
    is_over: bool = await db.fetch_value(
        "select :until::timestamptz <= pannier_now() - :keep::interval",
        until=partition.until,
        keep=retention_period,
    )
    return is_over


async def _list_partitions(database: Database, class_: int) -> list[Partition]:
    """List the existing partitions of a class."""
    async with database.reading() as db:
        return [
            Partition(class_, existing.name, existing.since, existing.until)
            for existing in await partitions.list_existing_partitions(db, class_)
        ]


async def _purge_company(
    database: Database, class_: int, company: _CompanyRetention, batch: int
) -> bool:
    """Delete a batch of a company's expired events, by the index on company and time."""
    table = TABLES[class_][0]
    async with database.transaction() as db:
        await db.require_safe_clock()
        if not await sweep_guard.may_delete(
            db,
            f"{table}.{company.uuid}",
            f"""select from {table} where company = :company
                and occurred_at < pannier_now() - make_interval(days => :days) limit :batch""",
            table=table,
            batch=batch,
            company=company.uuid,
            days=company.days,
        ):
            return False
        deleted_rows = await retention.delete(
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
    return deleted_rows > 0


async def purge_corrections(database: Database, batch: int = BATCH_ROWS) -> bool:
    """Delete a batch of expired records of corrected clocks."""
    async with database.transaction() as db:
        deleted_rows = await retention.delete(
            db,
            """delete from device_corrections c using (
                   select device_no, event_key from device_corrections
                   where occurred_at < pannier_now() - :keep::interval
                   order by occurred_at limit :batch) old
               where c.device_no = old.device_no and c.event_key = old.event_key""",
            keep=CORRECTION_RETENTION,
            batch=batch,
        )
    return deleted_rows > 0
