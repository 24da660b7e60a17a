"""Partitions of device events by class and by week, month or day, created ahead of time.

Where a day of a class takes much space, its partitions are shorter: of one day, so that each can be
vacuumed, backed up and dropped quickly.

A partition is created as a separate table and then attached, so that readers and writers of other
partitions never wait. Only the default partition is locked, with a short lock timeout. Events that
arrive before their partition exists go to the default partition and are moved later.
"""

import weakref
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

import asyncpg
import msgspec

from pannier.db import Database, Db
from pannier.devices import metrics
from pannier.devices.models import EVENT_COLUMNS
from pannier.web.logs import log

CREATE_AHEAD: Final = timedelta(days=21)  # time for which partitions are created in advance
RETRY_PAUSE: Final = timedelta(seconds=10)  # pause after an attempt that got no lock
LOCK_TIMEOUT: Final = "500ms"
ADVISORY_LOCK: Final = 0x64657669  # advisory lock for changes of partitions
DAY: Final = timedelta(days=1)
# From this size per day on, a class gets partitions of one day.
DAILY_FROM_BYTES: Final = 2 * 2**30
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


# The attached partitions of a table with their bounds and sizes, without the default partition.
_PARTITIONS: Final = """
    select name, bounds[1]::timestamptz as since, bounds[2]::timestamptz as until, size
    from (select c.relname as name, pg_total_relation_size(c.oid) as size,
                 regexp_match(pg_get_expr(c.relpartbound, c.oid),
                              'FROM \\(''(.*)''\\) TO \\(''(.*)''\\)') as bounds
          from pg_inherits join pg_class c on c.oid = inhrelid
          where inhparent = to_regclass(:table)) attached
    where bounds is not null order by since"""


class ExistingPartition(msgspec.Struct):
    """An attached partition, and its size in bytes."""

    name: str
    since: datetime
    until: datetime
    size: int

    @property
    def bytes_per_day(self) -> float:
        return self.size / ((self.until - self.since) / DAY)


def find_day(moment: datetime) -> datetime:
    """Return the start of the day of a moment, in UTC."""
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def find_partition(class_: int, moment: datetime) -> Partition:
    """Return the partition of ordinary length for an event of this class and time."""
    table, span = TABLES[class_]
    day = find_day(moment)
    if span == "month":
        since = day.replace(day=1)
        until = (since + 31 * DAY).replace(day=1)
    elif span == "week":
        since = day - day.weekday() * DAY
        until = since + 7 * DAY
    else:
        since, until = day, day + DAY
    return Partition(class_, f"{table}_{since:%Y%m%d}", since, until)


class _KnownPartitions:
    """The partitions known to exist, and when to try each class again after a failure.

    A long read of a class blocks the creation of each of its partitions. Trying one after the other
    would make every writer wait.
    """

    def __init__(self) -> None:
        # The class and start of each day that has a partition.
        self.days: set[tuple[int, datetime]] = set()
        self.retry_at: dict[int, datetime] = {}

    def add(self, partition: Partition) -> None:
        self.days.update((partition.class_, day) for day in list_days(partition))


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
    now = database.clock.now()
    for day in sorted({find_day(moment) for moment in moments}):
        if (class_, day) in known_partitions.days:
            continue
        if known_partitions.retry_at.get(class_, now) > now:
            return False
        try:
            async with database.side_transaction() as db:
                partition = await _create_partition(db, class_, day)
        except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError):
            known_partitions.retry_at[class_] = database.clock.now() + RETRY_PAUSE
            log.warning(
                "partition not created yet: it is in use", partition=TABLES[class_][0], day=day
            )
            return False
        known_partitions.add(partition)
        known_partitions.retry_at.pop(class_, None)
    return True


async def estimate_rows(db: Db, partitions: Sequence[Partition]) -> int:
    """Return about how many events are in some partitions. Those never analyzed are counted."""
    rows = await db.fetch_tuples(
        "select relname, reltuples::bigint from pg_class where relname = any(:names)",
        names=[partition.name for partition in partitions],
    )
    return sum(
        [
            estimate if estimate >= 0 else await db.fetch_value(f"select count(*) from {name}")
            for name, estimate in rows
        ]
    )


def forget(database: Database, partition: Partition) -> None:
    """Forget a dropped partition, so that it is created again when needed."""
    known_partitions = _KNOWN_BY_DATABASE.setdefault(database, _KnownPartitions())
    known_partitions.days.difference_update((partition.class_, day) for day in list_days(partition))


def forget_all(database: Database) -> None:
    """Clear the known partitions, so that each is checked again before use."""
    _KNOWN_BY_DATABASE.pop(database, None)


def list_days(partition: Partition) -> Iterator[datetime]:
    """Yield the start of each day of a partition."""
    day = partition.since
    while day < partition.until:
        yield day
        day += DAY


async def list_existing_partitions(db: Db, class_: int) -> list[ExistingPartition]:
    """List the attached partitions of a class in chronological order."""
    return await db.fetch_all(ExistingPartition, _PARTITIONS, table=TABLES[class_][0])


def choose_partition(
    class_: int, day: datetime, existing_partitions: Sequence[ExistingPartition]
) -> Partition:
    """Choose the partition to create for a day: of one day if the class is large.

    A longer one must not overlap those that exist.
    """
    partition = find_partition(class_, day)
    is_large = any(existing.bytes_per_day >= DAILY_FROM_BYTES for existing in existing_partitions)
    has_overlap = any(
        existing.since < partition.until and partition.since < existing.until
        for existing in existing_partitions
    )
    if is_large or has_overlap:
        return Partition(class_, f"{TABLES[class_][0]}_{day:%Y%m%d}", day, day + DAY)
    return partition


async def _create_partition(db: Db, class_: int, day: datetime) -> Partition:
    """Create the partition of a day, and move its events out of the default partition.

    If one exists, return that.
    """
    table = TABLES[class_][0]
    await lock_partitions(db)
    existing_partitions = await list_existing_partitions(db, class_)
    for existing in existing_partitions:
        if existing.since <= day < existing.until:
            return Partition(class_, existing.name, existing.since, existing.until)
    partition = choose_partition(class_, day, existing_partitions)
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
    return partition


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
        days = [now + number * DAY for number in range(CREATE_AHEAD.days + 1)]
        await create_missing_partitions(database, class_, [*days, *(stray_days[class_] or ())])
    async with database.reading() as db:
        metrics.observe_unpartitioned_events(await db.fetch_value(UNPARTITIONED))
    return False
