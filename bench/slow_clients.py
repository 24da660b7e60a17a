"""Response times for ordinary clients while slow or oversized connections occupy the server.

*What.* Eight clients read their company at a steady rate. Beside them, a thousand connections from
twenty other addresses misbehave. Some send a byte per second of a header or of a body. Some send
nothing, and some send a header of one megabyte. Rejected clients reconnect after five seconds. The
figure is the 95th percentile of the ordinary clients' response time.

*Floor.* The same percentile without the misbehaving connections, measured alternately.

*Ratio.* The response time with these connections, divided by the time without them. Close to 1
means that ordinary clients are not affected.
"""

import asyncio
import os
import time
from contextlib import suppress
from itertools import cycle
from statistics import median
from typing import Final

import stand
from stand import BenchProcess, Figure, HttpConnection, Stand

SLOW_CLIENTS = stand.read_size("crowd", 1000, tiny=20)
ROUNDS = stand.read_size("rounds", 5, tiny=1)
REQUESTS = stand.read_size("requests", 4000, tiny=40)
ORDINARY_CLIENTS: Final = 8
RETRY_SECONDS: Final = 5.0  # after a rejection
PAUSE_SECONDS: Final = 0.01  # between two requests of a client
SETTLING_SECONDS: Final = RETRY_SECONDS if not stand.TINY else 0.2
PATH: Final = "/v1/organizations/current"
HEAD: Final = b"POST /v1/orders HTTP/1.1\r\nHost: bench\r\n"
MEGABYTE: Final = 1024 * 1024
# What a client sends at once, and then every second.
BEHAVIORS: Final = (
    (HEAD + b"X: ", b"x"),
    (HEAD + b"Content-Length: 1000000\r\n\r\n", b"x"),
    (b"", b""),
    (HEAD + b"X: " + b"x" * MEGABYTE, b""),
)


async def run_slow_clients(port: str, size: str, _descriptor: str) -> None:
    """Misbehave until stopped, at a low priority: real clients run elsewhere."""
    os.nice(5)
    behaviors = cycle(BEHAVIORS)
    await asyncio.gather(
        *(_run_slow_client(int(port), next(behaviors), n) for n in range(int(size)))
    )


async def _run_slow_client(port: int, behavior: tuple[bytes, bytes], number: int) -> None:
    at_once, then = behavior
    address = (f"127.0.0.{2 + number % 20}", 0)
    await asyncio.sleep(number % 100 / 100 * RETRY_SECONDS)
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=address)
            writer.write(at_once)
            gone = asyncio.ensure_future(reader.read())
            while not gone.done():
                await asyncio.wait([gone], timeout=1.0)
                writer.write(then)
            writer.transport.abort()
            gone.exception()
        await asyncio.sleep(RETRY_SECONDS)


async def measure_p95(lines: list[HttpConnection]) -> float:
    """Read at a steady rate; return the 95th percentile in milliseconds."""
    taken: list[float] = []

    async def send_one(line: HttpConnection) -> None:
        await asyncio.sleep(PAUSE_SECONDS)
        began = time.perf_counter()
        await line.request("GET", PATH)
        taken.append((time.perf_counter() - began) * 1000)

    await stand.run_requests(lines, REQUESTS, send_one)
    return stand.compute_percentile(taken, 0.95)


async def measure_cpu_share(api: BenchProcess) -> float:
    """Return the share of a core that a process uses without ordinary requests."""
    began, spent = time.perf_counter(), api.read_cpu_seconds()
    await asyncio.sleep(SETTLING_SECONDS)
    return (api.read_cpu_seconds() - spent) / (time.perf_counter() - began)


async def measure_alternately(
    test_stand: Stand, url: str
) -> tuple[list[float], list[float], list[float]]:
    """Measure with and without slow clients in turns, and the CPU they cost alone."""
    key = (await stand.provision_company(url)).api_key
    api = test_stand.start_api(url)
    lines = [HttpConnection(api.port, key) for _ in range(ORDINARY_CLIENTS)]
    await measure_p95(lines)  # warm-up
    quiet, crowded, alone = [], [], []
    for _ in range(ROUNDS):
        quiet.append(await measure_p95(lines))
        slow_clients = test_stand.start_part("crowd", api.port, SLOW_CLIENTS)
        await asyncio.sleep(SETTLING_SECONDS)
        crowded.append(await measure_p95(lines))
        alone.append(await measure_cpu_share(api))
        await asyncio.to_thread(slow_clients.stop)
        await asyncio.sleep(SETTLING_SECONDS)
    return quiet, crowded, alone


def measure(test_stand: Stand) -> None:
    quiet, crowded, alone = asyncio.run(
        measure_alternately(test_stand, test_stand.create_database())
    )
    floor, beside = median(quiet), median(crowded)
    test_stand.record(
        Figure(
            what=f"`GET {PATH}`, p95 with {SLOW_CLIENTS:,} slow or oversized connections",
            measured=f"{beside:.1f} ms",
            floor=f"{floor:.1f} ms without them",
            ratio=beside / floor,
            aim=stand.aim_at_most(1.5),
        )
    )
    test_stand.record(
        Figure(
            what=f"CPU of the API process for {SLOW_CLIENTS:,} such connections alone",
            measured=f"{median(alone):.0%} of a core",
        )
    )


if __name__ == "__main__":
    stand.run(measure, crowd=run_slow_clients)
