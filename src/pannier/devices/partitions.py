"""Partitions of device events by class and by week, month or day, created ahead of time.

A partition is created as a separate table and then attached, so that readers and writers of other
partitions never wait. Only the default partition is locked, with a short lock timeout. Events that
arrive before their partition exists go to the default partition and are moved later.
"""

import weakref
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

import asyncpg

from pannier.db import Database, Db
from pannier.devices import metrics
from pannier.devices.models import EVENT_COLUMNS
from pannier.web.logs import log

CREATE_AHEAD: Final = timedelta(days=21)  # time for which partitions are created in advance
RETRY_PAUSE: Final = timedelta(seconds=10)  # pause after an attempt that got no lock
LOCK_TIMEOUT: Final = "500ms"
ADVISORY_LOCK: Final = 0x64657669  # advisory lock for changes of partitions
DAY: Final = timedelta(days=1)
_COLUMNS: Final = ", ".join(EVENT_COLUMNS)


class Partition(NamedTuple):
    """A period of one class, and the table that holds it."""

    class_: int
    name: str
    since: datetime
    until: datetime


# By class number: the table, and the period of one partition.
TABLES: Final[Sequence[tuple[str, str]]] = (
    ("device_events_positions", "week"),
    ("device_events_telemetry", "week"),
    ("device_events_alerts", "month"),
    ("device_events_heartbeats", "day"),
    ("device_events_other", "week"),
)


# Counts events in default partitions, up to a thousand per class.
UNPARTITIONED: Final = f"""select count(*) from ({
    " union all ".join(f"(select from {table}_default limit 1000)" for table, _ in TABLES)
}) strays"""


def find_partition(class_: int, moment: datetime) -> Partition:
    """Return the partition that an event of this class and time belongs to."""
    table, span = TABLES[class_]
    day = moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if span == "month":
        since = day.replace(day=1)
        until = (since + 31 * DAY).replace(day=1)
    elif span == "week":
        since = day - day.weekday() * DAY
        until = since + 7 * DAY
    else:
        since, until = day, day + DAY
    return Partition(class_, f"{table}_{since:%Y%m%d}", since, until)


def list_partitions(class_: int, since: datetime, until: datetime) -> Iterator[Partition]:
    """Yield the partitions that cover a period."""
    moment = since
    while moment <= until:
        partition = find_partition(class_, moment)
        yield partition
        moment = partition.until


class _KnownPartitions:
    """The partitions known to exist, and when to try each class again after a failure.

    A long read of a class blocks the creation of each of its partitions. Trying one after the other
    would make every writer wait.
    """

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.retry_at: dict[int, datetime] = {}


_KNOWN_BY_DATABASE: Final[weakref.WeakKeyDictionary[Database, _KnownPartitions]] = (
    weakref.WeakKeyDictionary()
)


async def create_missing_partitions(
    database: Database, class_: int, moments: Iterable[datetime]
) -> bool:
    """Create the missing partitions for some times; return False if a lock is not available.

    It uses its own transaction, so the caller must not hold a lock on device events.
    """
    known_partitions = _KNOWN_BY_DATABASE.setdefault(database, _KnownPartitions())
    partitions = {find_partition(class_, moment) for moment in moments}
    missing_partitions = sorted(
        partition for partition in partitions if partition.name not in known_partitions.names
    )
    now = database.clock.now()
    for partition in missing_partitions:
        if known_partitions.retry_at.get(class_, now) > now:
            return False
        try:
            async with database.side_transaction() as db:
                await _create_partition(db, partition)
        except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError):
            known_partitions.retry_at[class_] = database.clock.now() + RETRY_PAUSE
            log.warning("partition not created yet: it is in use", partition=partition.name)
            return False
        known_partitions.names.add(partition.name)
        known_partitions.retry_at.pop(class_, None)
    return True


def forget(database: Database, partition: Partition) -> None:
    """Forget a dropped partition, so that it is created again when needed."""
    _KNOWN_BY_DATABASE.setdefault(database, _KnownPartitions()).names.discard(partition.name)


def forget_all(database: Database) -> None:
    """Clear the known partitions, so that each is checked again before use."""
    _KNOWN_BY_DATABASE.pop(database, None)


async def _create_partition(db: Db, partition: Partition) -> None:
    """Create a partition unless it exists, and move its events out of the default partition."""
    table = TABLES[partition.class_][0]
    await lock_partitions(db)
    if await db.fetch_value("select to_regclass(:name) is not null", name=partition.name):
        return
    # DDL takes no parameters. The names and times are our own, so formatting is safe.
    await db.execute(f"create table {partition.name} (like {table} including all)")
    await db.execute(f"lock table {table} in share update exclusive mode")
    await db.execute(f"lock table {table}_default in access exclusive mode")
    await db.execute(
        f"""with moved as (delete from {table}_default
                where occurred_at >= :since and occurred_at < :until returning {_COLUMNS})
            insert into {partition.name} ({_COLUMNS}) select {_COLUMNS} from moved""",
        since=partition.since,
        until=partition.until,
    )
    await db.execute(
        f"""alter table {table} attach partition {partition.name}
            for values from ('{partition.since}') to ('{partition.until}')"""
    )


async def lock_partitions(db: Db) -> None:
    """Take the partition lock, with a short timeout for all locks of the transaction."""
    await db.execute(f"set local lock_timeout = '{LOCK_TIMEOUT}'")
    await db.execute("select pg_advisory_xact_lock(:lock)", lock=ADVISORY_LOCK)


async def step(database: Database) -> bool:
    """Create partitions for the days ahead, and for events in default partitions."""
    async with database.reading() as db:
        now = await db.fetch_value("select pannier_now()")
        stray_days = {
            class_: await db.fetch_value(
                f"select array_agg(distinct date_trunc('day', occurred_at)) from {table}_default"
            )
            for class_, (table, _) in enumerate(TABLES)
        }
    if any(stray_days.values()):  # another process may have dropped their partitions
        forget_all(database)
    for class_ in range(len(TABLES)):
        days = [partition.since for partition in list_partitions(class_, now, now + CREATE_AHEAD)]
        await create_missing_partitions(database, class_, [*days, *(stray_days[class_] or ())])
    async with database.reading() as db:
        metrics.observe_unpartitioned_events(await db.fetch_value(UNPARTITIONED))
    return False
