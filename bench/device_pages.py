"""Device events at any depth, each page against the first one, and an export with its memory.

*Pages.* The newest events of the fleet, those of one device, and those of one rare type, against
the same list at 100,000 rows of depth and at its far end, asked for again and again in turns.

*Export.* As NDJSON through a socket: events a second, and by how much the process grew at its peak.

`BENCH_EVENTS` and `BENCH_EXPORTED` say how many events there are and how many are exported.
"""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

import asyncpg

import stand
from pannier.db import Database
from pannier.devices import partitions
from pannier.devices.event_types import RetentionClass
from pannier.devices.events.cursors import Mark, encode_cursor

EVENTS: Final = stand.size("events", 10_000_000, tiny=2_000)
EXPORTED: Final = stand.size("exported", 1_000_000, tiny=500)
REPEATS: Final = stand.size("repeats", 200, tiny=5)
DEVICES: Final = 200
DAYS: Final = 90
LIMIT: Final = 100
PATH: Final = "/int/v1/fleet-module/device-events"
STEP: Final = timedelta(days=DAYS) / EVENTS
NOW: Final = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)

Ask = Callable[[], Awaitable[Any]]

# Mostly positions; every tenth event of the engine, every thousandth a fault or a door.
_FILL: Final = f"""
    insert into device_events (device_no, occurred_at, event_key, batch, company, latitude,
        longitude, speed, heading, class, kind, severity, flags)
    select ($3::bigint[])[1 + i % {DEVICES}], $1::timestamptz - i * $4::interval,
        hashint8extended(i, 0),
        i / 5000, $2, 1.2 + random() / 4, 103.6 + random() / 2, 30 + i % 50, i % 360, class,
        case class when 0 then 1 when 1 then 2 when 3 then 9 else case i % 20000 when 1 then 8
            else 4 end end,
        case when i % 20000 = 1 then 5 end, 0
    from (select i, case when i % 10 = 0 then 1 when i % 1000 = 1 then 2 when i % 20 = 3 then 3
              else 0 end as class
          from generate_series($5::bigint, $6::bigint) i) drawn"""


async def fill(url: str) -> UUID:
    """Write many events of many devices; their moments are a fixed step apart."""
    connection, database = await asyncpg.connect(url), await stand.connected(url)
    company: UUID = await connection.fetchval("select uuid from companies")
    numbers = await connection.fetch(
        f"""insert into devices (uuid, public_id, company, name, kind, meta, created_at, updated_at)
            select gen_random_uuid(), 'device_bench' || lpad(i::text, 12, '0'), $1, 'Tracker',
                'tracker', '{{}}', $2, $2 from generate_series(1, {DEVICES}) i returning number""",
        company,
        NOW,
    )
    moments = [NOW - timedelta(days=day) for day in range(DAYS + 1)]
    for class_ in RetentionClass:
        await partitions.ensure(database, class_, moments)
    listed, many = [row["number"] for row in numbers], 500_000
    for first in range(0, EVENTS, many):
        last = min(first + many, EVENTS) - 1
        await connection.execute(_FILL, NOW, company, listed, STEP, first, last)
    await connection.execute("vacuum analyze device_events")
    await database.close()
    await connection.close()
    return company


async def medians(*asks: Ask) -> list[float]:
    """Ask for things in turns, again and again; the median seconds of each."""
    taken: list[list[float]] = [[] for _ in asks]
    for turn in range(REPEATS + 5):
        for ask, times in zip(asks, taken, strict=True):
            began = time.perf_counter()
            await ask()
            if turn >= 5:
                times.append(time.perf_counter() - began)
    return [statistics.median(times) for times in taken]


def place(database: Database, company: UUID, depth: int) -> str:
    """Make the cursor behind which so many events were listed."""
    mark = Mark(NOW - depth * STEP, 0, 0)
    return encode_cursor(database.keys, company, mark, descending=True)


async def pages(here: stand.Stand, port: int, key: str, company: UUID) -> None:
    line, database = stand.Line(port, key), await stand.connected(here.url)
    deep = EVENTS * 19 // 20
    for name, asked in (
        ("of the fleet", {}),
        ("of one device", {"device": f"device_bench{7:012}"}),
        ("of one rare type", {"event_type": "fault_code"}),
    ):

        def ask(depth: int, asked: dict[str, str] = asked) -> Ask:
            query = {**asked, "limit": LIMIT}
            if depth:
                query["cursor"] = place(database, company, depth)
            return lambda: line.ask("GET", f"{PATH}?{urlencode(query)}")

        found = await medians(ask(0), ask(min(100_000, EVENTS // 4)), ask(deep))
        for depth, seconds in zip((min(100_000, EVENTS // 4), deep), found[1:], strict=True):
            here.tell(
                stand.Figure(
                    what=f"A page of {EVENTS:,} events {name}, {depth:,} deep in the fleet's",
                    measured=f"{seconds * 1e3:.2f} ms",
                    floor=f"{found[0] * 1e3:.2f} ms for the newest",
                    ratio=seconds / found[0],
                    aim=stand.at_most(1.3),
                )
            )
    await database.close()


def peak(pid: int) -> float:
    """Read how large a process was at most, in MiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


async def export(here: stand.Stand, process: stand.Process, key: str) -> None:
    """Take a file away, counting its lines."""
    since = (NOW - (EXPORTED - 1) * STEP).isoformat(timespec="milliseconds")
    query = urlencode({"format": "ndjson", "from": since.replace("+00:00", "Z")})
    before, began = peak(process.pid), time.perf_counter()
    spent = process.cpu()
    reader, writer = await asyncio.open_connection("127.0.0.1", process.port)
    writer.write(
        f"GET {PATH}/export?{query} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {key}\r\n"
        "Connection: close\r\n\r\n".encode()
    )
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    lines = 0
    while part := await reader.read(1 << 20):
        lines += part.count(b'{"id":')
    writer.close()
    seconds, spent = time.perf_counter() - began, process.cpu() - spent
    assert abs(lines - EXPORTED) <= EXPORTED // 100, lines
    here.tell(
        stand.Figure(
            what=f"Export of {lines:,} events",
            measured=f"{lines / seconds:,.0f} a second, {spent / lines * 1e6:.0f} µs of CPU each, "
            f"{peak(process.pid) - before:.1f} MiB more at the peak",
        )
    )


def measure(here: stand.Stand) -> None:
    key = asyncio.run(stand.found(here.url)).api_key
    began = time.perf_counter()
    company = asyncio.run(fill(here.url))
    print(f"{EVENTS:,} events made in {time.perf_counter() - began:.0f} s", flush=True)
    process = here.api(here.url)
    asyncio.run(pages(here, process.port, key, company))
    asyncio.run(export(here, process, key))


if __name__ == "__main__":
    stand.run(measure)
