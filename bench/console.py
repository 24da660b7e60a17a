"""Console pages with many orders and device events, and live updates of many open pages.

*Pages.* The bench requests every page of the sidebar, and some detail pages, repeatedly over an
open connection. The figures are the server's CPU time per request and the size of the page. The
floor is a fixed limit for both. The ratio is the larger of the two shares: below 1, the page is
within both limits.

*Live updates.* Browsers keep a page open while 200 events per second occur. Each browser receives
every event, and reloads the board at most once per second. The figure is the time from an event's
transaction to the browser. The floor is the second after which a page reloads anyway. A ratio
below 1 means that updates arrive within that second.

`BENCH_ORDERS` and `BENCH_EVENTS` set the number of orders and device events.
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
from pannier.console.navigation import ENTRIES
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.provisioning import CompanyCredentials

# The imported benches insert the rows; by default they would insert more.
os.environ.setdefault("BENCH_ORDERS", "300" if stand.TINY else "100000")
os.environ.setdefault("BENCH_EVENTS", "2000" if stand.TINY else "1000000")

import device_pages
import lists
import orders

REPEATS: Final = stand.read_size("repeats", 30, tiny=2)
EVENTS_PER_SECOND: Final = stand.read_size("rate", 200, tiny=20)
LIVE_SECONDS: Final = stand.read_size("seconds", 20, tiny=1)
OPEN_PAGES: Final = stand.read_size("pages", 20, tiny=3)
MAX_PAGE_CPU_SECONDS: Final = 0.05
MAX_PAGE_BYTES: Final = 100_000
BOARD: Final = "/console/orders"
SUBJECT: Final = "order_bench"
REPORT: Final = "reports/volume"
EXTRA_ADDRESSES: Final = (
    f"{BOARD}?layout=table",
    f"{BOARD}?layout=planner",
    "/console/device-events?last=7d",
    "/console/device-events?last=24h&event_type=fault_code",
)


class OrderChange(msgspec.Struct):
    """The event data that a page reads."""

    id: str


def open_browser(port: int, token: str) -> stand.HttpConnection:
    """Open a connection with the cookie of a signed-in browser."""
    return stand.HttpConnection(port, token, Cookie=f"{SESSION_COOKIE}={token}")


async def list_addresses(line: stand.HttpConnection, key: str, port: int) -> list[str]:
    """List the pages of the sidebar, one order and one device event."""
    # Reports redirect to the first one.
    pages = [REPORT if entry.resource == "reports" else entry.resource for entry in ENTRIES]
    bar = [f"/console/{page}" for page in pages]
    (order,) = await stand.HttpConnection(port, key).request_json("GET", "/v1/orders?limit=1")
    path = "/int/v1/fleet-module/device-events"
    event = (await line.request_json("GET", f"{path}?limit=1"))["data"][0]
    one = [f"{BOARD}/{order['id']}", f"/console/device-events/{event['id']}"]
    return [*bar, *EXTRA_ADDRESSES, *one]


async def measure_pages(
    test_stand: stand.Stand, process: stand.BenchProcess, credentials: CompanyCredentials
) -> None:
    line = open_browser(process.port, credentials.operator_token)
    for address in await list_addresses(line, credentials.api_key, process.port):
        for _ in range(2):
            body = await line.request("GET", address)
        spent = process.read_cpu_seconds()
        for _ in range(REPEATS):
            await line.request("GET", address)
        seconds = (process.read_cpu_seconds() - spent) / REPEATS
        test_stand.record(
            stand.Figure(
                what=mask_ids(address),
                measured=f"{seconds * 1e3:.1f} ms, {len(body) / 1e3:.0f} kB",
                floor=f"limit {MAX_PAGE_CPU_SECONDS * 1e3:.0f} ms "
                f"and {MAX_PAGE_BYTES / 1e3:.0f} kB",
                ratio=max(seconds / MAX_PAGE_CPU_SECONDS, len(body) / MAX_PAGE_BYTES),
                aim=stand.aim_at_most(1),
            )
        )


def mask_ids(address: str) -> str:
    """Replace the IDs in a page's address."""
    parts = address.split("/")
    return "/".join(["…" if "_" in part and "?" not in part else part for part in parts])


class LivePage:
    """A browser with an open page that reloads after updates."""

    def __init__(self, port: int, token: str) -> None:
        self._port, self._token = port, token
        self.delays: list[float] = []
        self.refreshes = 0
        self.ready, self.done = asyncio.Event(), asyncio.Event()
        self._changed = asyncio.Event()

    async def follow(self) -> None:
        """Receive updates, and record how old each one is."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        cookie = f"Cookie: {SESSION_COOKIE}={self._token}"
        writer.write(f"GET /console/live HTTP/1.1\r\nHost: bench\r\n{cookie}\r\n\r\n".encode())
        while line := await reader.readline():
            if line.startswith(b"event: beat"):
                self.ready.set()
            elif line.startswith(b"data: {") and SUBJECT.encode() in line:
                event = msgspec.json.decode(line.removeprefix(b"data: "))
                happened = datetime.fromisoformat(event["created_at"])
                self.delays.append((datetime.now(UTC) - happened).total_seconds())
                self._changed.set()
                if len(self.delays) >= EVENTS_PER_SECOND * LIVE_SECONDS:
                    self.done.set()

    async def refresh(self) -> None:
        """Reload the page after updates, at most once per second."""
        line = open_browser(self._port, self._token)
        while True:
            await self._changed.wait()
            self._changed.clear()
            await line.request("GET", BOARD)
            self.refreshes += 1
            await asyncio.sleep(1)


async def emit_events(url: str, company: Any) -> None:  # noqa: ANN401 - a UUID
    """Emit events at a steady rate, each in its own transaction."""
    database = await stand.open_database(url)
    began = time.perf_counter()
    for number in range(EVENTS_PER_SECOND * LIVE_SECONDS):
        async with database.transaction() as db:
            subject = f"{SUBJECT}{number:08}"
            await outbox.emit(
                db, company, Name.ORDER_UPDATED, OrderChange(subject), subject=subject
            )
        await asyncio.sleep(
            max(0.0, began + (number + 1) / EVENTS_PER_SECOND - time.perf_counter())
        )
    await database.close()


async def measure_live(
    test_stand: stand.Stand, process: stand.BenchProcess, credentials: CompanyCredentials
) -> None:
    database = await stand.open_database(test_stand.url)
    company = await lists.load_company_id(database)
    tokens = await sign_operators_in(process.port, credentials)
    pages = [LivePage(process.port, tokens[number % len(tokens)]) for number in range(OPEN_PAGES)]
    tasks = [asyncio.create_task(work()) for one in pages for work in (one.follow, one.refresh)]
    async with asyncio.timeout(stand.TIMEOUT_SECONDS):
        await asyncio.gather(*(one.ready.wait() for one in pages))
    spent, began = process.read_cpu_seconds(), time.perf_counter()
    await emit_events(test_stand.url, company)
    async with asyncio.timeout(stand.TIMEOUT_SECONDS):
        await asyncio.gather(*(one.done.wait() for one in pages))
    seconds, spent = time.perf_counter() - began, process.read_cpu_seconds() - spent
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await database.close()
    delays = [delay for one in pages for delay in one.delays]
    refreshes = sum(one.refreshes for one in pages)
    late = stand.compute_percentile(delays, 0.95)
    test_stand.record(
        stand.Figure(
            what=f"Live update delay, {EVENTS_PER_SECOND} events per second, "
            f"{OPEN_PAGES} open pages",
            measured=f"median {statistics.median(delays):.2f} s, p95 {late:.2f} s; "
            f"{len(delays):,} updates, none lost; {refreshes / seconds:.1f} page loads and "
            f"{spent / seconds:.2f} s of CPU per second",
            floor="1 s, the reload interval of a page",
            ratio=late,
            aim=stand.aim_at_most(1),
        )
    )


async def sign_operators_in(port: int, credentials: CompanyCredentials) -> list[str]:
    """Sign several operators in: each may have ten streams per process."""
    line = stand.HttpConnection(port, credentials.operator_token)
    tokens = [credentials.operator_token]
    for number in range(OPEN_PAGES // 10 + 1):
        given = {"email": f"{number}@bench.example.com", "password": "correct horse battery"}
        operator = {**given, "name": "Bench", "role": "viewer"}
        await line.request_json("POST", "/int/v1/operators", operator)
        signed_in = await line.request_json("POST", "/int/v1/login", given)
        tokens.append(signed_in["token"])
    return tokens


def measure(test_stand: stand.Stand) -> None:
    credentials = asyncio.run(stand.provision_company(test_stand.url))
    process = test_stand.start_api(test_stand.url)
    line = orders.ApiConnection(process.port, credentials.api_key)

    async def insert_orders() -> None:
        await orders.run_cycle(line, await orders.create_cycle_records(line))
        await lists.insert_orders(test_stand.url)

    began = time.perf_counter()
    asyncio.run(insert_orders())
    asyncio.run(device_pages.insert_events(test_stand.url))
    print(f"Inserted rows in {time.perf_counter() - began:.0f} s", flush=True)
    worker = test_stand.start_worker(test_stand.url)
    asyncio.run(measure_pages(test_stand, process, credentials))
    asyncio.run(measure_live(test_stand, process, credentials))
    worker.stop()


if __name__ == "__main__":
    stand.run(measure)
