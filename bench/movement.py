"""A moving fleet: what a position report of a vehicle with a driver costs in the database.

Trackers report for vehicles that drivers drive. Each report moves its device, its vehicle and its
driver by 140 m. Gateways send the reports in batches, at a constant rate. An API process and a
worker run, as in an installation. After a first round of all vehicles, the bench counts what a
report adds, in all tables together:

*Rows* that stay: inserted and not deleted. The second figure has all rows written: inserted,
updated and deleted ones.

*Bytes*: growth of tables and indexes. Another figure has the write-ahead log.

*Events*: `driver.location_changed` and `vehicle.updated`, which webhooks deliver.

The ratio is the figure, divided by its bound. `BENCH_SECONDS` sets the duration.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import asyncpg
import msgspec

import stand
from stand import BenchProcess, Figure, HttpConnection, Stand

SECONDS: Final = stand.read_size("seconds", 600, tiny=1)
VEHICLES: Final = stand.read_size("vehicles", 10_000, tiny=20)
REPORTS_PER_SECOND: Final = stand.read_size("reports", 1000, tiny=40)
BATCH: Final = stand.read_size("batch", 50, tiny=10)
CONNECTIONS: Final = 4
ATTEMPTS: Final = 5  # to send a batch, while the database is overloaded
BATCH_PATH: Final = "/int/v1/fleet-module/device-events/batch"
MAX_ROWS: Final = 1.3  # that a report adds
MAX_BYTES: Final = 400
# A vehicle moves this far between two reports, in degrees of latitude: 140 m.
STEP: Final = 140 / 111_195
LISTED_TABLES: Final = 9

# Vehicles with a driver and a tracker each, as if they had been attached through the API.
_CREATE_FLEET: Final = """
    with numbers as (
        select i, gen_random_uuid() as vehicle, gen_random_uuid() as driver,
               gen_random_uuid() as device, company, created_at
        from devices cross join generate_series(1, $1::integer) i where public_id = $2),
    made_vehicles as (
        insert into vehicles (uuid, public_id, company, plate_number, make, model, status, online,
                              meta, created_at, updated_at)
        select vehicle, 'vehicle_' || substr(md5('v' || i), 1, 16), company, 'SGX ' || i, 'Isuzu',
               'N-Series', 'active', true, '{}', created_at, created_at from numbers),
    made_drivers as (
        insert into drivers (uuid, public_id, company, name, phone, status, online, vehicle, meta,
                             created_at, updated_at)
        select driver, 'driver_' || substr(md5('p' || i), 1, 16), company, 'Driver ' || i,
               '+6590' || lpad(i::text, 6, '0'), 'active', true, vehicle, '{}', created_at,
               created_at from numbers),
    made_devices as (
        insert into devices (uuid, public_id, company, name, kind, identifier, vehicle, meta,
                             created_at, updated_at)
        select device, 'device_' || substr(md5('d' || i), 1, 16), company, 'Tracker ' || i,
               'tracker', 'imei-' || i, vehicle, '{}', created_at, created_at from numbers),
    made_attachments as (
        insert into attachments (uuid, company, device, vehicle, since)
        select gen_random_uuid(), company, device, vehicle, created_at - interval '1 day'
        from numbers)
    insert into drives (uuid, company, driver, vehicle, since)
    select gen_random_uuid(), company, driver, vehicle, created_at - interval '1 day'
    from numbers"""
# Partitions count as their table.
_READ_TABLES: Final = """
    select coalesce(pg_partition_root(relid)::regclass, relid::regclass)::text as name,
           sum(n_tup_ins)::bigint as inserted, sum(n_tup_upd)::bigint as updated,
           sum(n_tup_hot_upd)::bigint as hot, sum(n_tup_del)::bigint as deleted,
           sum(pg_total_relation_size(relid))::bigint as size
    from pg_stat_user_tables where schemaname = 'public' group by 1"""
_HAS_WORK: Final = """
    select exists (select from device_put_off) or exists (select from device_backlog)
        or exists (select from event_queue)"""


class TableCounts(NamedTuple):
    """What was written to a table."""

    inserted: int = 0
    updated: int = 0
    hot: int = 0
    deleted: int = 0
    size: int = 0

    def subtract(self, earlier: "TableCounts") -> "TableCounts":
        return TableCounts(*(now - then for now, then in zip(self, earlier, strict=True)))

    @property
    def added(self) -> int:
        """Rows that stay."""
        return self.inserted - self.deleted

    @property
    def written(self) -> int:
        """All rows written."""
        return self.inserted + self.updated + self.deleted


class Snapshot(NamedTuple):
    """The counters of the database and the processes at one time."""

    tables: Mapping[str, TableCounts]
    wal: int
    api_cpu: float
    worker_cpu: float
    database_cpu: float


class Processes(NamedTuple):
    api: BenchProcess
    worker: BenchProcess


async def create_fleet(url: str, port: int, key: str) -> str:
    """Create the fleet, and return the token of a gateway."""
    made = await HttpConnection(port, key).request_json(
        "POST", "/v1/devices", {"name": "G", "kind": "gateway"}
    )
    connection = await asyncpg.connect(url)
    await connection.execute(_CREATE_FLEET, VEHICLES, made["id"])
    await connection.execute("vacuum (analyze)")
    await connection.close()
    return str(made["token"])


def build_batches(first: int, count: int) -> list[msgspec.Raw]:
    """Build the batches of some reports, counted from the start of the bench."""
    moment = datetime.now(UTC).isoformat()
    reports = [build_report(number, moment) for number in range(first, first + count)]
    return [
        msgspec.Raw(msgspec.json.encode(reports[start : start + BATCH]))
        for start in range(0, count, BATCH)
    ]


def build_report(number: int, moment: str) -> dict[str, Any]:
    """Build a report. All vehicles report in turn, and drive north."""
    turn, vehicle = divmod(number, VEHICLES)
    return {
        "device": f"imei-{vehicle + 1}",
        "event_type": "position_update",
        "timestamp": moment,
        "location": {
            "latitude": round(1.2 + vehicle % 100 * 0.01 + turn * STEP, 6),
            "longitude": round(103 + vehicle // 100 * 0.01, 6),
        },
        "data": {"speed": 50.4, "heading": 0, "accuracy": 5},
    }


async def send_reports(lines: list[HttpConnection], first: int, seconds: int) -> float:
    """Send the reports of some seconds at a constant rate. Return how long it took."""
    began = time.perf_counter()
    for second in range(seconds):
        batches = iter(build_batches(first + second * REPORTS_PER_SECOND, REPORTS_PER_SECOND))
        await asyncio.gather(*(send_batches(line, batches) for line in lines))
        await asyncio.sleep(max(0.0, began + second + 1 - time.perf_counter()))
    return time.perf_counter() - began


async def send_batches(line: HttpConnection, batches: Iterator[msgspec.Raw]) -> None:
    """Send the batches that no other connection has sent. Repeat one that was refused."""
    for batch in batches:
        for attempt in range(ATTEMPTS):
            try:
                await line.request("POST", BATCH_PATH, batch)
            except AssertionError:
                if attempt == ATTEMPTS - 1:
                    raise
                await asyncio.sleep(2)
            else:
                break


async def wait_until_idle(connection: asyncpg.Connection) -> None:
    """Wait until the worker has finished, because its work is part of the cost."""
    async with asyncio.timeout(stand.TIMEOUT_SECONDS):
        while await connection.fetchval(_HAS_WORK):  # noqa: ASYNC110 - another process works
            await asyncio.sleep(0.1)


async def take_snapshot(url: str, connection: asyncpg.Connection, processes: Processes) -> Snapshot:
    """Read all counters, once the database has counted everything."""
    await wait_until_idle(connection)
    await asyncio.sleep(0 if stand.TINY else 1.5)  # backends report at most once a second
    rows = await connection.fetch(_READ_TABLES)
    return Snapshot(
        {row["name"]: TableCounts(*list(row.values())[1:]) for row in rows},
        await connection.fetchval("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint"),
        processes.api.read_cpu_seconds(),
        processes.worker.read_cpu_seconds(),
        stand.read_database_cpu_seconds(url),
    )


async def run_fleet(
    url: str, processes: Processes, key: str
) -> tuple[Snapshot, Snapshot, float, int]:
    """Run the bench; return the counters before and after, the seconds, and the events."""
    token = await create_fleet(url, processes.api.port, key)
    lines = [HttpConnection(processes.api.port, token) for _ in range(CONNECTIONS)]
    connection = await asyncpg.connect(url)
    # The first round creates the rows of current positions and states.
    rounds = -(-VEHICLES // REPORTS_PER_SECOND)
    await send_reports(lines, 0, rounds)
    await wait_until_idle(connection)
    await connection.execute("checkpoint")
    earlier_events = await connection.fetchval("select count(*) from events")
    before = await take_snapshot(url, connection, processes)
    seconds = await send_reports(lines, rounds * REPORTS_PER_SECOND, SECONDS)
    after = await take_snapshot(url, connection, processes)
    events = await connection.fetchval("select count(*) from events") - earlier_events
    await connection.close()
    return before, after, seconds, events


def compare_tables(before: Snapshot, after: Snapshot) -> dict[str, TableCounts]:
    """Return what was written to each table, by the bytes that it grew."""
    changes = {
        name: counts.subtract(before.tables.get(name, TableCounts()))
        for name, counts in after.tables.items()
    }
    return dict(sorted(changes.items(), key=lambda change: (-change[1].size, -change[1].written)))


def describe_table(name: str, counts: TableCounts, reports: int) -> Figure:
    """Describe what a report writes to one table."""
    hot = f", {counts.hot / counts.updated:.0%} of updates in place" if counts.updated else ""
    measured = (
        f"{counts.size / reports:.0f} B; {counts.inserted / reports:.3f} inserted, "
        f"{counts.updated / reports:.3f} updated, {counts.deleted / reports:.3f} deleted{hot}"
    )
    return Figure(what=f"`{name}`", measured=measured)


def measure(test_stand: Stand) -> None:
    """Measure everything."""
    url = test_stand.create_database()
    company = asyncio.run(stand.provision_company(url))
    processes = Processes(test_stand.start_api(url), test_stand.start_worker(url))
    before, after, seconds, events = asyncio.run(run_fleet(url, processes, company.api_key))
    reports, tables = SECONDS * REPORTS_PER_SECOND, compare_tables(before, after)
    rows = sum(counts.added for counts in tables.values()) / reports
    written = sum(counts.written for counts in tables.values()) / reports
    size = sum(counts.size for counts in tables.values()) / reports
    ours, worker, database = (
        (now - then) / reports * 1e6 for now, then in zip(after[2:], before[2:], strict=True)
    )
    aim = stand.aim_at_most(1)
    for figure in (
        Figure(
            what="Rows that a report adds",
            measured=f"{rows:.2f} ({written:.1f} written)",
            floor=f"{MAX_ROWS}",
            ratio=rows / MAX_ROWS,
            aim=aim,
        ),
        Figure(
            what="Bytes that a report adds",
            measured=f"{size:,.0f} B",
            floor=f"{MAX_BYTES} B",
            ratio=size / MAX_BYTES,
            aim=aim,
        ),
        Figure(
            what="Write-ahead log per report",
            measured=f"{(after.wal - before.wal) / reports:,.0f} B",
        ),
        Figure(what="Events per report", measured=f"{events / reports:.3f}"),
        Figure(
            what=f"{reports:,} reports of {VEHICLES:,} vehicles",
            measured=f"{reports / seconds:,.0f}/s; CPU per report: API {ours:.0f}, worker "
            f"{worker:.0f}, PostgreSQL {database:.0f} µs",
        ),
        *(describe_table(*item, reports) for item in list(tables.items())[:LISTED_TABLES]),
    ):
        test_stand.record(figure)


if __name__ == "__main__":
    stand.run(measure)
