"""Device events against raw binary COPY into the same table in the same run.

*Floor.* Rows of the same content that are made beforehand go into `device_events` by nothing but
COPY, 5,000 a transaction: what PostgreSQL and its driver take at the least. What COPY takes with
500 a transaction stands beside it; no aim is held against that.

*Batches.* A gateway sends batches of 500 and of 5,000 positions of many devices as JSON, on two
connections. The figure is events per second, and per CPU second of the server and PostgreSQL
together, against the floor's; each takes turns with the others, as a machine's pace changes. Then
on four connections to two processes, as many as two cores bear.

*One by one.* Phones send one position a request to the OsmAnd door, many of them at once, and then
one after the other. The floor is `/healthz` of the same server, in turns: what a request takes that
says nothing.

*Bytes.* What an event takes on disk, with its indexes.
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
from stand import Aim, Figure, Line, Process, Stand

TURNS: Final = 3
EVENTS: Final = stand.size("events", 100_000, tiny=1000)  # of each turn
DEVICES: Final = stand.size("devices", 1000, tiny=10)
REPORTS: Final = stand.size("reports", 7000, tiny=50)  # of each turn
PHONES: Final = stand.size("phones", 64, tiny=4)
GATEWAYS: Final = 4  # of which none sends more requests than one may
TOGETHER: Final = 5000  # rows of a transaction of the floor
FEWER: Final = 500
BATCH: Final = "/int/v1/fleet-module/device-events/batch"


class Cost(NamedTuple):
    """What storing events took: seconds of a clock, and of CPUs, ours and PostgreSQL's."""

    events: int
    seconds: float
    ours: float
    database: float

    @property
    def rate(self) -> float:
        """Events a second."""
        return self.events / self.seconds

    @property
    def cpu(self) -> float:
        """CPU seconds of an event."""
        return (self.ours + self.database) / self.events

    def __or__(self, other: "Cost") -> "Cost":
        """Add what another turn took."""
        return Cost(
            self.events + other.events,
            self.seconds + other.seconds,
            self.ours + other.ours,
            self.database + other.database,
        )

    def __str__(self) -> str:
        ours, database = self.ours / self.events * 1e6, self.database / self.events * 1e6
        return f"{self.rate:,.0f} events/s, {ours:.1f} + {database:.1f} µs of CPU an event"


class Fleet(NamedTuple):
    """Gateways, their company and the devices that they speak for."""

    company: UUID
    tokens: Sequence[str]
    names: Sequence[str]
    numbers: Sequence[int]

    @property
    def token(self) -> str:
        """The token of one of the gateways."""
        return self.tokens[0]


async def take_in(url: str, port: int, key: str) -> Fleet:
    """Register gateways, and write the devices they speak for."""
    line, gateway = Line(port, key), {"name": "G", "kind": "gateway"}
    made = [await line.ask("POST", "/v1/devices", gateway) for _ in range(GATEWAYS)]
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
    return Fleet(rows[0]["company"], [each["token"] for each in made], names, numbers)


def moments(count: int) -> Iterator[datetime]:
    """Tell times that end now, each once and after the one before."""
    end = datetime.now(UTC).replace(microsecond=0)
    return (end - timedelta(milliseconds=count - each) for each in range(count))


def told(fleet: Fleet, count: int) -> list[dict[str, Any]]:
    """Spell positions of all devices in turns, as a gateway does."""
    chance = random.Random(1)  # noqa: S311 - the same places in each run
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
        for number, moment in enumerate(moments(count))
    ]


async def floor(url: str, company: str, numbers: str, size: str, turn: str) -> list[float]:
    """Copy rows that were made beforehand, so many a transaction; what that took."""
    together = int(size)
    # Keys that no other size or turn has: all of them go where the doors' events go.
    chance = random.Random(f"{size}-{turn}")  # noqa: S311 - nobody is to guess anything
    devices = msgspec.json.decode(numbers, type=list[int])
    rows = [
        (
            devices[number % len(devices)], moment, chance.getrandbits(63), 1,
            UUID(company), chance.uniform(1.2, 1.4), chance.uniform(103, 104),
            chance.uniform(0, 90), chance.uniform(0, 359), None, None, 0, 1, None, 0, None, None,
        )
        for number, moment in enumerate(moments(EVENTS))
    ]  # fmt: skip
    connection = await asyncpg.connect(url)
    began, spent, database = time.perf_counter(), time.process_time(), stand.database_cpu(url)
    for start in range(0, len(rows), together):
        await connection.copy_records_to_table(
            "device_events", columns=EVENT_COLUMNS, records=rows[start : start + together]
        )
    seconds, ours = time.perf_counter() - began, time.process_time() - spent
    database = stand.database_cpu(url) - database
    await connection.close()
    return [EVENTS, seconds, ours, database]


def copied(stand_: Stand, url: str, fleet: Fleet, size: int, turn: int) -> Cost:
    """Measure raw COPY in a process of its own, so many rows a transaction."""
    numbers = msgspec.json.encode(fleet.numbers).decode()
    return Cost(*stand_.result("floor", url, fleet.company, numbers, size, turn))


async def batches(
    url: str, servers: Sequence[Process], fleet: Fleet, size: int, turn: int = 0
) -> Cost:
    """Send all events of a turn in batches of a size, on two connections to each server."""
    events = told(fleet, EVENTS)
    for event in events:
        event["event_id"] = f"{len(servers)}-{size}-{turn}-{event['timestamp']}"
    bodies = [
        msgspec.Raw(msgspec.json.encode(events[at : at + size])) for at in range(0, EVENTS, size)
    ]
    lines = [Line(server.port, fleet.token) for _ in range(2) for server in servers]
    left = iter(bodies)
    before = sum(server.cpu() for server in servers), stand.database_cpu(url)
    began = time.perf_counter()
    stored = 0

    async def send(line: Line) -> None:
        nonlocal stored
        answer = await line.ask("POST", BATCH, next(left))
        stored += answer["accepted"]

    await stand.spread(lines, len(bodies), send)
    seconds = time.perf_counter() - began
    assert stored == EVENTS, f"{stored} of {EVENTS} were stored"
    await all_noted(url)
    ours, database = sum(server.cpu() for server in servers), stand.database_cpu(url)
    return Cost(EVENTS, seconds, ours - before[0], database - before[1])


async def all_noted(url: str) -> None:
    """Wait for what was put off: it belongs to the cost."""
    connection = await asyncpg.connect(url)
    async with asyncio.timeout(stand.PATIENCE):
        while await connection.fetchval("select exists (select from device_put_off)"):  # noqa: ASYNC110 - another process does the work
            await asyncio.sleep(0.1)
    await connection.close()


async def reports(url: str, server: Process, fleet: Fleet, turn: int, phones: int) -> Cost:
    """Send one position a request, as phones do, on so many connections at once."""
    lines = [Line(server.port, fleet.tokens[number % GATEWAYS]) for number in range(phones)]
    asked = [
        f"/ingest/osmand?id={fleet.names[number % len(fleet.names)]}&lat=1.3&lon=103.8"
        f"&timestamp={moment.timestamp():.3f}&speed=20&bearing=90&phones={phones}-{turn}"
        for number, moment in enumerate(moments(REPORTS))
    ]
    left = iter(asked)
    before = server.cpu(), stand.database_cpu(url)
    began = time.perf_counter()
    await stand.spread(lines, REPORTS, lambda line: line.raw("GET", next(left)))
    seconds = time.perf_counter() - began
    await all_noted(url)
    return Cost(REPORTS, seconds, server.cpu() - before[0], stand.database_cpu(url) - before[1])


async def bare(server: Process, phones: int) -> Cost:
    """Ask the same server for nothing as often, on so many connections at once."""
    lines = [Line(server.port, "") for _ in range(phones)]
    before, began = server.cpu(), time.perf_counter()
    await stand.spread(lines, REPORTS, lambda line: line.raw("GET", "/healthz"))
    return Cost(REPORTS, time.perf_counter() - began, server.cpu() - before, 0)


async def tidied(url: str) -> None:
    """Tidy up after the batches, or PostgreSQL does so at the cost of whatever is measured next."""
    connection = await asyncpg.connect(url)
    await connection.execute("vacuum (analyze) device_events")
    await connection.close()


async def bytes_an_event(url: str) -> float:
    """Tell what an event takes on disk, with its indexes."""
    connection = await asyncpg.connect(url)
    taken: float = await connection.fetchval(
        """select sum(pg_total_relation_size(relid))::float8 / (select count(*) from device_events)
           from pg_partition_tree('device_events') where isleaf"""
    )
    await connection.close()
    return taken


def _against(raw: Cost, what: str, cost: Cost, aim: Aim | None = None) -> Figure:
    """Compare what something takes of CPU with the floor."""
    return Figure(what=what, measured=str(cost), floor=str(raw), ratio=raw.cpu / cost.cpu, aim=aim)


def ingest(stand_: Stand) -> tuple[str, Process, Fleet]:
    """Measure how events come in."""
    url = stand_.database()
    company = asyncio.run(stand.found(url))
    server = stand_.api(url)
    fleet = asyncio.run(take_in(url, server.port, company.api_key))
    # To begin with, all is cold.
    asyncio.run(batches(url, [server], fleet, 250))
    copied(stand_, url, fleet, TOGETHER, TURNS)
    turns = [
        (
            copied(stand_, url, fleet, TOGETHER, turn),
            copied(stand_, url, fleet, FEWER, turn),
            asyncio.run(batches(url, [server], fleet, TOGETHER, turn)),
            asyncio.run(batches(url, [server], fleet, FEWER, turn)),
        )
        for turn in range(TURNS)
    ]
    raw, fewer, large, small = (reduce(or_, costs) for costs in zip(*turns, strict=True))
    stand_.tell(Figure(what=f"Raw COPY, {TOGETHER:,} a transaction", measured=str(raw)))
    stand_.tell(_against(raw, f"Raw COPY, {FEWER} a transaction", fewer))
    for size, cost in ((TOGETHER, large), (FEWER, small)):
        stand_.tell(_against(raw, f"Batches of {size:,}", cost, stand.at_least(0.4)))
    servers = [server, stand_.api(url)]
    both = reduce(
        or_,
        [asyncio.run(batches(url, servers, fleet, TOGETHER, turn)) for turn in range(TURNS)],
    )
    stand_.tell(
        Figure(
            what=f"Batches of {TOGETHER:,} to two processes, against 40,000 a second",
            measured=str(both),
            floor=str(raw),
            ratio=both.rate / 40_000,
            aim=stand.at_least(1),
        )
    )
    asyncio.run(tidied(url))
    for phones in (PHONES, 1):
        pairs = [
            (
                asyncio.run(bare(server, phones)),
                asyncio.run(reports(url, server, fleet, turn, phones)),
            )
            for turn in range(TURNS)
        ]
        least, cost = (reduce(or_, costs) for costs in zip(*pairs, strict=True))
        bound, aim = (350e-6, 1.0) if phones == 1 else (least.cpu, 2.2)
        against = "350 µs" if phones == 1 else "such a request that says nothing"
        stand_.tell(
            Figure(
                what=f"One a request, {phones} at once, against {against}",
                measured=str(cost),
                floor=f"{least.cpu * 1e6:.0f} µs for a request that says nothing",
                ratio=cost.cpu / bound,
                aim=stand.at_most(aim),
            )
        )
    stand_.tell(
        Figure(what="On disk", measured=f"{asyncio.run(bytes_an_event(url)):.0f} B an event")
    )
    return url, server, fleet


def measure(stand_: Stand) -> None:
    """Measure all of it."""
    ingest(stand_)


if __name__ == "__main__":
    stand.run(measure, floor=floor)
