"""Pages of the console with many orders and device events, and live updates of many open pages.

*Pages.* Every page of the side bar, and some that stand behind them, asked for again and again over
a kept connection: what one costs the server in CPU time, and how large it is, against what is
promised of each.

*Live.* So many browsers follow what happens while it happens 200 times a second. Each hears all of
it, and fetches the board again at most once a second, as a page does. Told is how long it takes
from an event's transaction to a browser, against the second after which a page looks again.

`BENCH_ORDERS` and `BENCH_EVENTS` say how many orders and device events there are.
"""

import asyncio
import os
import statistics
import time
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

import stand
from pannier.accounts.auth import SESSION_COOKIE
from pannier.console.navigation import AREAS
from pannier.events import outbox
from pannier.events.catalog import Name

# The benches that are called for their rows would choose more by themselves.
os.environ.setdefault("BENCH_ORDERS", "300" if stand.TINY else "100000")
os.environ.setdefault("BENCH_EVENTS", "2000" if stand.TINY else "1000000")

import device_pages
import lists
import orders

REPEATS: Final = stand.size("repeats", 30, tiny=2)
RATE: Final = stand.size("rate", 200, tiny=20)
SECONDS: Final = stand.size("seconds", 20, tiny=1)
PAGES: Final = stand.size("pages", 20, tiny=3)
PROMISED: Final = 0.05
LARGEST: Final = 100_000
BOARD: Final = "/console/orders"
SUBJECT: Final = "order_bench"
MORE: Final = (
    f"{BOARD}?layout=table",
    f"{BOARD}?layout=planner",
    "/console/device-events?last=7d",
    "/console/device-events?last=24h&event_type=fault_code",
)


class Told(msgspec.Struct):
    """What happened, as far as a page needs to know."""

    id: str


def browser(port: int, token: str) -> stand.Line:
    """Open a connection as a signed-in browser does."""
    return stand.Line(port, token, Cookie=f"{SESSION_COOKIE}={token}")


async def addresses(line: stand.Line, key: str, port: int) -> list[str]:
    """List what is asked for: what the side bar leads to, and an order and an event."""
    bar = [f"/console/{entry.resource}" for _, entries in AREAS for entry in entries]
    (order,) = await stand.Line(port, key).ask("GET", "/v1/orders?limit=1")
    path = "/int/v1/fleet-module/device-events"
    event = (await line.ask("GET", f"{path}?limit=1"))["data"][0]
    one = [f"{BOARD}/{order['id']}", f"/console/device-events/{event['id']}"]
    return [*bar, *MORE, *one]


async def bench_pages(here: stand.Stand, process: stand.Process, founded: Any) -> None:  # noqa: ANN401 - as founded
    line = browser(process.port, founded.operator_token)
    for address in await addresses(line, founded.api_key, process.port):
        for _ in range(2):
            body = await line.raw("GET", address)
        spent = process.cpu()
        for _ in range(REPEATS):
            await line.raw("GET", address)
        seconds = (process.cpu() - spent) / REPEATS
        here.tell(
            stand.Figure(
                what=named(address),
                measured=f"{seconds * 1e3:.1f} ms, {len(body) / 1e3:.0f} kB",
                floor=f"{PROMISED * 1e3:.0f} ms and {LARGEST / 1e3:.0f} kB promised",
                ratio=max(seconds / PROMISED, len(body) / LARGEST),
                aim=stand.at_most(1),
            )
        )


def named(address: str) -> str:
    """Call a page by its address; a record's own id is of no interest."""
    parts = address.split("/")
    return "/".join(["…" if "_" in part and "?" not in part else part for part in parts])


class Reader:
    """A browser that follows, and looks at its page again when something was told."""

    def __init__(self, port: int, token: str) -> None:
        self._port, self._token = port, token
        self.delays: list[float] = []
        self.looks = 0
        self.ready, self.done = asyncio.Event(), asyncio.Event()
        self._news = asyncio.Event()

    async def follow(self) -> None:
        """Hear what happens, and note how long ago that was."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        cookie = f"Cookie: {SESSION_COOKIE}={self._token}"
        writer.write(f"GET /console/live HTTP/1.1\r\nHost: bench\r\n{cookie}\r\n\r\n".encode())
        while line := await reader.readline():
            if line.startswith(b"event: beat"):
                self.ready.set()
            elif line.startswith(b"data: {") and SUBJECT.encode() in line:
                told = msgspec.json.decode(line.removeprefix(b"data: "))
                happened = datetime.fromisoformat(told["created_at"])
                self.delays.append((datetime.now(UTC) - happened).total_seconds())
                self._news.set()
                if len(self.delays) >= RATE * SECONDS:
                    self.done.set()

    async def look(self) -> None:
        """Fetch the page again, at most once a second."""
        line = browser(self._port, self._token)
        while True:
            await self._news.wait()
            self._news.clear()
            await line.raw("GET", BOARD)
            self.looks += 1
            await asyncio.sleep(1)


async def happen(url: str, company: Any) -> None:  # noqa: ANN401 - a UUID
    """Let so much happen a second, each in a transaction of its own."""
    database = await stand.connected(url)
    began = time.perf_counter()
    for number in range(RATE * SECONDS):
        async with database.transaction() as db:
            subject = f"{SUBJECT}{number:08}"
            await outbox.emit(db, company, Name.ORDER_UPDATED, Told(subject), subject=subject)
        await asyncio.sleep(max(0.0, began + (number + 1) / RATE - time.perf_counter()))
    await database.close()


async def bench_live(here: stand.Stand, process: stand.Process, founded: Any) -> None:  # noqa: ANN401 - as founded
    database = await stand.connected(here.url)
    company = await lists.company_of(database)
    tokens = await sessions(process.port, founded)
    readers = [Reader(process.port, tokens[number % len(tokens)]) for number in range(PAGES)]
    tasks = [asyncio.create_task(work()) for one in readers for work in (one.follow, one.look)]
    async with asyncio.timeout(stand.PATIENCE):
        await asyncio.gather(*(one.ready.wait() for one in readers))
    spent, began = process.cpu(), time.perf_counter()
    await happen(here.url, company)
    async with asyncio.timeout(stand.PATIENCE):
        await asyncio.gather(*(one.done.wait() for one in readers))
    seconds, spent = time.perf_counter() - began, process.cpu() - spent
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await database.close()
    delays = [delay for one in readers for delay in one.delays]
    looks = sum(one.looks for one in readers)
    late = stand.percentile(delays, 0.95)
    here.tell(
        stand.Figure(
            what=f"{RATE} events a second, {PAGES} open pages: until a page hears",
            measured=f"{statistics.median(delays):.2f} s, 95 % within {late:.2f} s; "
            f"{len(delays):,} told, none lost; {looks / seconds:.1f} pages fetched a second, "
            f"{spent / seconds:.2f} s of CPU a second",
            floor="1 s, after which a page looks again",
            ratio=late,
            aim=stand.at_most(1),
        )
    )


async def sessions(port: int, founded: Any) -> list[str]:  # noqa: ANN401 - as founded
    """Sign several operators in: nobody has more than ten streams in a process."""
    line = stand.Line(port, founded.operator_token)
    tokens = [founded.operator_token]
    for number in range(PAGES // 10 + 1):
        given = {"email": f"{number}@bench.example.com", "password": "correct horse battery"}
        operator = {**given, "name": "Bench", "role": "viewer"}
        await line.ask("POST", "/int/v1/operators", operator)
        signed_in = await line.ask("POST", "/int/v1/login", given)
        tokens.append(signed_in["token"])
    return tokens


def measure(here: stand.Stand) -> None:
    founded = asyncio.run(stand.found(here.url))
    process = here.api(here.url)
    line = orders.Line(process.port, founded.api_key)

    async def fill() -> None:
        await orders.cycle(line, await orders.cast_of(line))
        await lists.make_orders(here.url)

    began = time.perf_counter()
    asyncio.run(fill())
    asyncio.run(device_pages.fill(here.url))
    print(f"Filled in {time.perf_counter() - began:.0f} s", flush=True)
    worker = here.worker(here.url)
    asyncio.run(bench_pages(here, process, founded))
    asyncio.run(bench_live(here, process, founded))
    worker.stop()


if __name__ == "__main__":
    stand.run(measure)
