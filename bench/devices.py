"""Storing device events over HTTP, against raw binary COPY into the same table.

*Floor.* Prepared rows of the same content are written to `device_events` with COPY alone, 5,000 per
transaction. This is the least that PostgreSQL and its driver can take. A second run with 500 per
transaction is shown for comparison.

*Batches.* A gateway sends batches of 500 and of 5,000 positions of many devices as JSON, on two
connections. The bench alternates between floor and batches. The two CPU figures are those of the
server and of PostgreSQL. The ratio is the floor's CPU per event, divided by Pannier's: at 0.5,
Pannier costs twice the CPU of COPY. One more run uses four connections to two processes. Its ratio
is the rate, divided by the required rate.

*Single positions.* Phones send one position per request to the OsmAnd endpoint, on many connections
and then on one. The ratio is the CPU per request, divided by the cost that the line names. The
floor column shows what `/healthz` of the same server costs.

*Disk.* The space that one event takes, including indexes.
"""

import asyncio
import random
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any, Final, NamedTuple
from uuid import UUID

import asyncpg
import msgspec

import stand
from pannier.devices.models import EVENT_COLUMNS
from stand import Aim, BenchProcess, Figure, HttpConnection, Stand

TURNS: Final = 3
EVENTS: Final = stand.read_size("events", 100_000, tiny=1000)  # of each turn
DEVICES: Final = stand.read_size("devices", 1000, tiny=10)
REPORTS: Final = stand.read_size("reports", 7000, tiny=50)  # of each turn
PHONES: Final = stand.read_size("phones", 64, tiny=4)
GATEWAYS: Final = 4  # enough that none exceeds its rate limit
LARGE_BATCH: Final = 5000  # rows per transaction of the floor
SMALL_BATCH: Final = 500
BATCH_PATH: Final = "/int/v1/fleet-module/device-events/batch"


class IngestCost(NamedTuple):
    """Elapsed seconds for some events, and CPU seconds of the server and PostgreSQL."""

    events: int
    seconds: float
    ours: float
    database: float

    @property
    def rate(self) -> float:
        """Events per second."""
        return self.events / self.seconds

    @property
    def cpu(self) -> float:
        """CPU seconds per event."""
        return (self.ours + self.database) / self.events

    def __or__(self, other: "IngestCost") -> "IngestCost":
        """Add the cost of another turn."""
        return IngestCost(
            self.events + other.events,
            self.seconds + other.seconds,
            self.ours + other.ours,
            self.database + other.database,
        )

    def __str__(self) -> str:
        ours, database = self.ours / self.events * 1e6, self.database / self.events * 1e6
        return f"{self.rate:,.0f} events/s, {ours:.1f} + {database:.1f} µs of CPU per event"


class BenchFleet(NamedTuple):
    """Gateways, their company and the devices they report for."""

    company: UUID
    tokens: Sequence[str]
    names: Sequence[str]
    numbers: Sequence[int]

    @property
    def token(self) -> str:
        """The token of the first gateway."""
        return self.tokens[0]


async def register_fleet(url: str, port: int, key: str) -> BenchFleet:
    """Register gateways, and insert their devices."""
    line, gateway = HttpConnection(port, key), {"name": "G", "kind": "gateway"}
    made = [await line.request_json("POST", "/v1/devices", gateway) for _ in range(GATEWAYS)]
    connection = await asyncpg.connect(url)
    await connection.execute(
        """insert into devices (uuid, public_id, company, name, kind, identifier, meta, created_at,
               updated_at)
           select gen_random_uuid(), 'device_' || substr(md5('d' || i), 1, 16), company, 'D',
               'tracker', 'imei-' || i, '{}', created_at, created_at
           from devices cross join generate_series(1, $1::integer) i where public_id = $2""",
        DEVICES,
        made[0]["id"],
    )
    rows = await connection.fetch(
        "select company, identifier, number from devices where kind = 'tracker' order by number"
    )
    await connection.close()
    names, numbers = [row["identifier"] for row in rows], [row["number"] for row in rows]
    return BenchFleet(rows[0]["company"], [each["token"] for each in made], names, numbers)


def generate_moments(count: int) -> Iterator[datetime]:
    """Return distinct times in ascending order, which end now."""
    end = datetime.now(UTC).replace(microsecond=0)
    return (end - timedelta(milliseconds=count - each) for each in range(count))


def build_positions(fleet: BenchFleet, count: int) -> list[dict[str, Any]]:
    """Build positions of all devices in turn, as a gateway does."""
    chance = random.Random(1)  # noqa: S311 - the same positions in each run
    return [
        {
            "device": fleet.names[number % len(fleet.names)],
            "event_type": "position_update",
            "timestamp": moment.isoformat(),
            "location": {
                "latitude": chance.uniform(1.2, 1.4),
                "longitude": chance.uniform(103, 104),
            },
            "data": {"speed": chance.uniform(0, 90), "heading": chance.uniform(0, 359)},
        }
        for number, moment in enumerate(generate_moments(count))
    ]


async def copy_rows(url: str, company: str, numbers: str, size: str, turn: str) -> list[float]:
    """Copy prepared rows, `size` per transaction; return the cost."""
    together = int(size)
    # Keys are unique to the size and turn, because all events share one table.
    chance = random.Random(f"{size}-{turn}")  # noqa: S311 - not a secret
    devices = msgspec.json.decode(numbers, type=list[int])
    rows = [
        (
            devices[number % len(devices)], moment, chance.getrandbits(63), 1,
            UUID(company), chance.uniform(1.2, 1.4), chance.uniform(103, 104),
            chance.uniform(0, 90), chance.uniform(0, 359), None, None, 0, 1, None, 0, None, None,
        )
        for number, moment in enumerate(generate_moments(EVENTS))
    ]  # fmt: skip
    connection = await asyncpg.connect(url)
    began, spent, database = (
        time.perf_counter(),
        time.process_time(),
        stand.read_database_cpu_seconds(url),
    )
    for start in range(0, len(rows), together):
        await connection.copy_records_to_table(
            "device_events", columns=EVENT_COLUMNS, records=rows[start : start + together]
        )
    seconds, ours = time.perf_counter() - began, time.process_time() - spent
    database = stand.read_database_cpu_seconds(url) - database
    await connection.close()
    return [EVENTS, seconds, ours, database]


def measure_copy(
    test_stand: Stand, url: str, fleet: BenchFleet, size: int, turn: int
) -> IngestCost:
    """Measure raw COPY in a process of its own."""
    numbers = msgspec.json.encode(fleet.numbers).decode()
    return IngestCost(*test_stand.run_part("floor", url, fleet.company, numbers, size, turn))


async def send_batches(
    url: str, servers: Sequence[BenchProcess], fleet: BenchFleet, size: int, turn: int = 0
) -> IngestCost:
    """Send all events of a turn in batches, on two connections to each server."""
    events = build_positions(fleet, EVENTS)
    for event in events:
        event["event_id"] = f"{len(servers)}-{size}-{turn}-{event['timestamp']}"
    bodies = [
        msgspec.Raw(msgspec.json.encode(events[at : at + size])) for at in range(0, EVENTS, size)
    ]
    lines = [HttpConnection(server.port, fleet.token) for _ in range(2) for server in servers]
    left = iter(bodies)
    before = (
        sum(server.read_cpu_seconds() for server in servers),
        stand.read_database_cpu_seconds(url),
    )
    began = time.perf_counter()
    stored = 0

    async def send(line: HttpConnection) -> None:
        nonlocal stored
        answer = await line.request_json("POST", BATCH_PATH, next(left))
        stored += answer["accepted"]

    await stand.run_requests(lines, len(bodies), send)
    seconds = time.perf_counter() - began
    assert stored == EVENTS, f"{stored} of {EVENTS} were stored"
    await wait_for_deferred(url)
    ours, database = (
        sum(server.read_cpu_seconds() for server in servers),
        stand.read_database_cpu_seconds(url),
    )
    return IngestCost(EVENTS, seconds, ours - before[0], database - before[1])


async def wait_for_deferred(url: str) -> None:
    """Wait for deferred work, which is part of the cost."""
    connection = await asyncpg.connect(url)
    async with asyncio.timeout(stand.TIMEOUT_SECONDS):
        while await connection.fetchval("select exists (select from device_put_off)"):  # noqa: ASYNC110 - another process does the work
            await asyncio.sleep(0.1)
    await connection.close()


async def send_reports(
    url: str, server: BenchProcess, fleet: BenchFleet, turn: int, phones: int
) -> IngestCost:
    """Send one position per request, as phones do."""
    lines = [
        HttpConnection(server.port, fleet.tokens[number % GATEWAYS]) for number in range(phones)
    ]
    asked = [
        f"/ingest/osmand?id={fleet.names[number % len(fleet.names)]}&lat=1.3&lon=103.8"
        f"&timestamp={moment.timestamp():.3f}&speed=20&bearing=90&phones={phones}-{turn}"
        for number, moment in enumerate(generate_moments(REPORTS))
    ]
    left = iter(asked)
    before = server.read_cpu_seconds(), stand.read_database_cpu_seconds(url)
    began = time.perf_counter()
    await stand.run_requests(lines, REPORTS, lambda line: line.request("GET", next(left)))
    seconds = time.perf_counter() - began
    await wait_for_deferred(url)
    return IngestCost(
        REPORTS,
        seconds,
        server.read_cpu_seconds() - before[0],
        stand.read_database_cpu_seconds(url) - before[1],
    )


async def request_health(server: BenchProcess, phones: int) -> IngestCost:
    """Send as many `/healthz` requests to the same server."""
    lines = [HttpConnection(server.port, "") for _ in range(phones)]
    before, began = server.read_cpu_seconds(), time.perf_counter()
    await stand.run_requests(lines, REPORTS, lambda line: line.request("GET", "/healthz"))
    return IngestCost(REPORTS, time.perf_counter() - began, server.read_cpu_seconds() - before, 0)


async def vacuum_events(url: str) -> None:
    """Vacuum after the batches; otherwise autovacuum distorts the next measurement."""
    connection = await asyncpg.connect(url)
    await connection.execute("vacuum (analyze) device_events")
    await connection.close()


async def read_bytes_per_event(url: str) -> float:
    """Return the disk space of an event, including indexes."""
    connection = await asyncpg.connect(url)
    taken: float = await connection.fetchval(
        """select sum(pg_total_relation_size(relid))::float8 / (select count(*) from device_events)
           from pg_partition_tree('device_events') where isleaf"""
    )
    await connection.close()
    return taken


def _compare_with_floor(
    raw: IngestCost, what: str, cost: IngestCost, aim: Aim | None = None
) -> Figure:
    """Compare a run's CPU per event with the floor's."""
    return Figure(what=what, measured=str(cost), floor=str(raw), ratio=raw.cpu / cost.cpu, aim=aim)


def measure_ingest(test_stand: Stand) -> tuple[str, BenchProcess, BenchFleet]:
    """Measure batches, single positions and disk space."""
    url = test_stand.create_database()
    company = asyncio.run(stand.provision_company(url))
    server = test_stand.start_api(url)
    fleet = asyncio.run(register_fleet(url, server.port, company.api_key))
    # Warm up.
    asyncio.run(send_batches(url, [server], fleet, 250))
    measure_copy(test_stand, url, fleet, LARGE_BATCH, TURNS)
    turns = [
        (
            measure_copy(test_stand, url, fleet, LARGE_BATCH, turn),
            measure_copy(test_stand, url, fleet, SMALL_BATCH, turn),
            asyncio.run(send_batches(url, [server], fleet, LARGE_BATCH, turn)),
            asyncio.run(send_batches(url, [server], fleet, SMALL_BATCH, turn)),
        )
        for turn in range(TURNS)
    ]
    raw, fewer, large, small = (reduce(or_, costs) for costs in zip(*turns, strict=True))
    test_stand.record(
        Figure(what=f"Raw COPY, {LARGE_BATCH:,} rows per transaction", measured=str(raw))
    )
    test_stand.record(
        _compare_with_floor(raw, f"Raw COPY, {SMALL_BATCH} rows per transaction", fewer)
    )
    for size, cost in ((LARGE_BATCH, large), (SMALL_BATCH, small)):
        test_stand.record(
            _compare_with_floor(raw, f"Batches of {size:,}", cost, stand.aim_at_least(0.4))
        )
    servers = [server, test_stand.start_api(url)]
    both = reduce(
        or_,
        [
            asyncio.run(send_batches(url, servers, fleet, LARGE_BATCH, turn))
            for turn in range(TURNS)
        ],
    )
    test_stand.record(
        Figure(
            what=f"Batches of {LARGE_BATCH:,} to two processes, against 40,000 events/s",
            measured=str(both),
            floor=str(raw),
            ratio=both.rate / 40_000,
            aim=stand.aim_at_least(1),
        )
    )
    asyncio.run(vacuum_events(url))
    for phones in (PHONES, 1):
        pairs = [
            (
                asyncio.run(request_health(server, phones)),
                asyncio.run(send_reports(url, server, fleet, turn, phones)),
            )
            for turn in range(TURNS)
        ]
        least, cost = (reduce(or_, costs) for costs in zip(*pairs, strict=True))
        bound, aim = (350e-6, 1.0) if phones == 1 else (least.cpu, 2.2)
        against = "350 µs" if phones == 1 else "`/healthz`"
        test_stand.record(
            Figure(
                what=f"One position per request, {phones} connections, against {against}",
                measured=str(cost),
                floor=f"{least.cpu * 1e6:.0f} µs for `/healthz`",
                ratio=cost.cpu / bound,
                aim=stand.aim_at_most(aim),
            )
        )
    test_stand.record(
        Figure(
            what="Disk space", measured=f"{asyncio.run(read_bytes_per_event(url)):.0f} B per event"
        )
    )
    return url, server, fleet


def measure(test_stand: Stand) -> None:
    """Measure everything."""
    measure_ingest(test_stand)


if __name__ == "__main__":
    stand.run(measure, floor=copy_rows)
