"""Lists of device events at any depth, and an export with its memory.

*Pages.* Three lists are measured: all events of the fleet, those of one device, and those of one
rare type. Each is read 100,000 events of the fleet deep and near its end, in turns. The floor is
the newest page of the same list. A ratio of 1 means that depth costs nothing.

*Export.* An NDJSON export over a socket. The figures are events per second, CPU per event, and how
much memory the process gains at its peak. It has no floor.

`BENCH_EVENTS` and `BENCH_EXPORTED` set the number of events and of exported events.
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

EVENTS: Final = stand.read_size("events", 10_000_000, tiny=2_000)
EXPORTED_EVENTS: Final = stand.read_size("exported", 1_000_000, tiny=500)
REPEATS: Final = stand.read_size("repeats", 200, tiny=5)
DEVICES: Final = 200
DAYS: Final = 90
PAGE_SIZE: Final = 100
PATH: Final = "/int/v1/fleet-module/device-events"
STEP: Final = timedelta(days=DAYS) / EVENTS
NOW: Final = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)

Request = Callable[[], Awaitable[Any]]

# Mostly positions. Every tenth event is from the engine, every thousandth a fault or a door.
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


async def insert_events(url: str) -> UUID:
    """Insert events of many devices, at a fixed interval."""
    connection, database = await asyncpg.connect(url), await stand.open_database(url)
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
        await partitions.create_missing_partitions(database, class_, moments)
    listed, many = [row["number"] for row in numbers], 500_000
    for first in range(0, EVENTS, many):
        last = min(first + many, EVENTS) - 1
        await connection.execute(_FILL, NOW, company, listed, STEP, first, last)
    await connection.execute("vacuum analyze device_events")
    await database.close()
    await connection.close()
    return company


async def measure_medians(*requests: Request) -> list[float]:
    """Send requests in turns; return the median seconds of each."""
    taken: list[list[float]] = [[] for _ in requests]
    for turn in range(REPEATS + 5):
        for request, times in zip(requests, taken, strict=True):
            began = time.perf_counter()
            await request()
            if turn >= 5:
                times.append(time.perf_counter() - began)
    return [statistics.median(times) for times in taken]


def encode_cursor_at(database: Database, company: UUID, depth: int) -> str:
    """Encode the cursor of the page at a depth."""
    mark = Mark(NOW - depth * STEP, 0, 0)
    return encode_cursor(database.keys, company, mark, descending=True)


async def measure_pages(test_stand: stand.Stand, port: int, key: str, company: UUID) -> None:
    line, database = stand.HttpConnection(port, key), await stand.open_database(test_stand.url)
    deep = EVENTS * 19 // 20
    for name, asked in (
        ("of the fleet", {}),
        ("of one device", {"device": f"device_bench{7:012}"}),
        ("of one rare type", {"event_type": "fault_code"}),
    ):

        def build_request(depth: int, asked: dict[str, str] = asked) -> Request:
            query = {**asked, "limit": PAGE_SIZE}
            if depth:
                query["cursor"] = encode_cursor_at(database, company, depth)
            return lambda: line.request_json("GET", f"{PATH}?{urlencode(query)}")

        found = await measure_medians(
            build_request(0), build_request(min(100_000, EVENTS // 4)), build_request(deep)
        )
        for depth, seconds in zip((min(100_000, EVENTS // 4), deep), found[1:], strict=True):
            test_stand.record(
                stand.Figure(
                    what=f"Events {name}, page at depth {depth:,} of {EVENTS:,}",
                    measured=f"{seconds * 1e3:.2f} ms",
                    floor=f"{found[0] * 1e3:.2f} ms for the newest page",
                    ratio=seconds / found[0],
                    aim=stand.aim_at_most(1.3),
                )
            )
    await database.close()


def read_peak_mib(pid: int) -> float:
    """Read the peak memory of a process in MiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


async def measure_export(test_stand: stand.Stand, process: stand.BenchProcess, key: str) -> None:
    """Read an export to its end, and count its events."""
    since = (NOW - (EXPORTED_EVENTS - 1) * STEP).isoformat(timespec="milliseconds")
    query = urlencode({"format": "ndjson", "from": since.replace("+00:00", "Z")})
    before, began = read_peak_mib(process.pid), time.perf_counter()
    spent = process.read_cpu_seconds()
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
    seconds, spent = time.perf_counter() - began, process.read_cpu_seconds() - spent
    assert abs(lines - EXPORTED_EVENTS) <= EXPORTED_EVENTS // 100, lines
    test_stand.record(
        stand.Figure(
            what=f"Export of {lines:,} events",
            measured=f"{lines / seconds:,.0f} events/s, "
            f"{spent / lines * 1e6:.0f} µs of CPU per event, "
            f"{read_peak_mib(process.pid) - before:.1f} MiB more memory at the peak",
        )
    )


def measure(test_stand: stand.Stand) -> None:
    key = asyncio.run(stand.provision_company(test_stand.url)).api_key
    began = time.perf_counter()
    company = asyncio.run(insert_events(test_stand.url))
    print(f"{EVENTS:,} events inserted in {time.perf_counter() - began:.0f} s", flush=True)
    process = test_stand.start_api(test_stand.url)
    asyncio.run(measure_pages(test_stand, process.port, key, company))
    asyncio.run(measure_export(test_stand, process, key))


if __name__ == "__main__":
    stand.run(measure)
