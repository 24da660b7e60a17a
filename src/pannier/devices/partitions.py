"""Partitions of device events: by class, then by week, month or day, made before they are needed.

One is made as a table of its own and then attached, so that neither readers nor writers of the
others wait. Only the default partition is locked for that, and nobody waits long for a lock: what
comes meanwhile lies in the default partition, from where it moves once there is a better place.
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

AHEAD: Final = timedelta(days=21)  # for which there are partitions already
PAUSE: Final = timedelta(seconds=10)  # after an attempt that found no way in
LOCK_TIMEOUT: Final = "500ms"
LOCK: Final = 0x64657669  # of the database's advisory locks, for whoever makes or drops partitions
DAY: Final = timedelta(days=1)
_COLUMNS: Final = ", ".join(EVENT_COLUMNS)


class Partition(NamedTuple):
    """A stretch of time of one class, and the table that holds it."""

    class_: int
    name: str
    since: datetime
    until: datetime


# The tables of the classes, by their number, and what one partition of each spans.
TABLES: Final[Sequence[tuple[str, str]]] = (
    ("device_events_positions", "week"),
    ("device_events_telemetry", "week"),
    ("device_events_alerts", "month"),
    ("device_events_heartbeats", "day"),
    ("device_events_other", "week"),
)


# Counts what lies in default partitions, up to a thousand of each class.
STRAYS: Final = f"""select count(*) from ({
    " union all ".join(f"(select from {table}_default limit 1000)" for table, _ in TABLES)
}) strays"""


def partition_of(class_: int, moment: datetime) -> Partition:
    """Tell where an event of a moment belongs."""
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


def partitions_of(class_: int, since: datetime, until: datetime) -> Iterator[Partition]:
    """List the partitions of a stretch of time."""
    moment = since
    while moment <= until:
        found = partition_of(class_, moment)
        yield found
        moment = found.until


class _Known:
    """What a process knows to be there, and until when it tries nothing again with a class.

    Whoever reads all of a class is in the way of each of its partitions: trying one after the other
    would have everybody wait who stores.
    """

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.resting: dict[int, datetime] = {}


_KNOWN: Final[weakref.WeakKeyDictionary[Database, _Known]] = weakref.WeakKeyDictionary()


async def ensure(database: Database, class_: int, moments: Iterable[datetime]) -> bool:
    """Make the partitions of these moments where there are none; False when that must wait.

    Whoever calls it holds no lock on device events: it works in a transaction of its own.
    """
    known = _KNOWN.setdefault(database, _Known())
    wanted = {partition_of(class_, moment) for moment in moments}
    missing = sorted(each for each in wanted if each.name not in known.names)
    now = database.clock.now()
    for partition in missing:
        if known.resting.get(class_, now) > now:
            return False
        try:
            async with database.apart() as db:
                await _make(db, partition)
        except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError):
            known.resting[class_] = database.clock.now() + PAUSE
            log.warning("partition must wait", partition=partition.name)
            return False
        known.names.add(partition.name)
        known.resting.pop(class_, None)
    return True


def forget(database: Database, partition: Partition) -> None:
    """Know no more of a partition that was dropped."""
    _KNOWN.setdefault(database, _Known()).names.discard(partition.name)


def forget_all(database: Database) -> None:
    """Look for every partition again before it is used."""
    _KNOWN.pop(database, None)


async def _make(db: Db, partition: Partition) -> None:
    """Make one partition, unless somebody else has; what lay in the default one moves into it."""
    table = TABLES[partition.class_][0]
    await begin(db)
    if await db.value("select to_regclass(:name) is not null", name=partition.name):
        return
    # The names and moments are ours: such a statement takes no parameters.
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


async def begin(db: Db) -> None:
    """Begin to change the partitions: one at a time does, and nobody queues behind it for long."""
    await db.execute(f"set local lock_timeout = '{LOCK_TIMEOUT}'")
    await db.execute("select pg_advisory_xact_lock(:lock)", lock=LOCK)


async def step(database: Database) -> bool:
    """Make the partitions of the days to come, and of what lies in a default partition."""
    async with database.reading() as db:
        now = await db.value("select pannier_now()")
        strays = {
            class_: await db.value(
                f"select array_agg(distinct date_trunc('day', occurred_at)) from {table}_default"
            )
            for class_, (table, _) in enumerate(TABLES)
        }
    if any(strays.values()):  # another process may have dropped their partitions
        forget_all(database)
    for class_ in range(len(TABLES)):
        coming = [each.since for each in partitions_of(class_, now, now + AHEAD)]
        await ensure(database, class_, [*coming, *(strays[class_] or ())])
    async with database.reading() as db:
        metrics.observe_strays(await db.value(STRAYS))
    return False
