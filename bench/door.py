"""The door: what ordinary callers notice of a crowd that is slow, oversized or endless.

Eight callers read their company at a steady pace. Beside them a thousand connections, from twenty
other addresses, do what a server must not mind: heads that come a byte a second, bodies that never
come, connections that say nothing, and heads of a megabyte. Who is refused comes back five seconds
later. Quiet and crowded times alternate; the floor is the quiet one.
"""

import asyncio
import os
import time
from contextlib import suppress
from itertools import cycle
from statistics import median
from typing import Final

import stand
from stand import Figure, Line, Process, Stand

CROWD = stand.size("crowd", 1000, tiny=20)
ROUNDS = stand.size("rounds", 5, tiny=1)
REQUESTS = stand.size("requests", 4000, tiny=40)
CALLERS: Final = 8
BACK: Final = 5.0  # seconds until somebody who was refused comes back
PAUSE: Final = 0.01  # seconds between two requests of a caller
SETTLING: Final = BACK if not stand.TINY else 0.2
PATH: Final = "/v1/organizations/current"
HEAD: Final = b"POST /v1/orders HTTP/1.1\r\nHost: bench\r\n"
MEGABYTE: Final = 1024 * 1024
# What somebody sends at once, and then each second.
HABITS: Final = (
    (HEAD + b"X: ", b"x"),
    (HEAD + b"Content-Length: 1000000\r\n\r\n", b"x"),
    (b"", b""),
    (HEAD + b"X: " + b"x" * MEGABYTE, b""),
)


async def crowd(port: str, size: str, _descriptor: str) -> None:
    """Be a nuisance until somebody ends it; in earnest, on other machines' time."""
    os.nice(5)
    habits = cycle(HABITS)
    await asyncio.gather(*(_bother(int(port), next(habits), n) for n in range(int(size))))


async def _bother(port: int, habit: tuple[bytes, bytes], number: int) -> None:
    at_once, then = habit
    address = (f"127.0.0.{2 + number % 20}", 0)
    await asyncio.sleep(number % 100 / 100 * BACK)
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
        await asyncio.sleep(BACK)


async def ask(lines: list[Line]) -> float:
    """Read at a steady pace, and answer the 95th percentile in milliseconds."""
    taken: list[float] = []

    async def once(line: Line) -> None:
        await asyncio.sleep(PAUSE)
        began = time.perf_counter()
        await line.raw("GET", PATH)
        taken.append((time.perf_counter() - began) * 1000)

    await stand.spread(lines, REQUESTS, once)
    return stand.percentile(taken, 0.95)


async def taken(api: Process) -> float:
    """Answer which share of a core a process takes for a while in which nobody asks."""
    began, spent = time.perf_counter(), api.cpu()
    await asyncio.sleep(SETTLING)
    return (api.cpu() - spent) / (time.perf_counter() - began)


async def alternate(bench: Stand, url: str) -> tuple[list[float], list[float], list[float]]:
    """Measure quiet and crowded times in turn, and what the crowd alone costs."""
    key = (await stand.found(url)).api_key
    api = bench.api(url)
    lines = [Line(api.port, key) for _ in range(CALLERS)]
    await ask(lines)  # warm
    quiet, crowded, alone = [], [], []
    for _ in range(ROUNDS):
        quiet.append(await ask(lines))
        nuisance = bench.part("crowd", api.port, CROWD)
        await asyncio.sleep(SETTLING)
        crowded.append(await ask(lines))
        alone.append(await taken(api))
        await asyncio.to_thread(nuisance.stop)
        await asyncio.sleep(SETTLING)
    return quiet, crowded, alone


def measure(bench: Stand) -> None:
    quiet, crowded, alone = asyncio.run(alternate(bench, bench.database()))
    floor, beside = median(quiet), median(crowded)
    bench.tell(
        Figure(
            what=f"`GET {PATH}`, p95 beside {CROWD:,} slow or oversized connections",
            measured=f"{beside:.1f} ms",
            floor=f"{floor:.1f} ms without them",
            ratio=beside / floor,
            aim=stand.at_most(1.5),
        )
    )
    bench.tell(
        Figure(
            what=f"CPU of the API process for {CROWD:,} such connections alone",
            measured=f"{median(alone):.0%} of a core",
        )
    )


if __name__ == "__main__":
    stand.run(measure, crowd=crowd)
