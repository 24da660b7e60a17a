"""Webhook deliveries over TLS from a real worker to a real receiver, against the client alone.

*Rate.* An idle worker receives thousands of events for ten endpoints. It queues, leases, signs,
posts and records a delivery for each. The figure is deliveries per CPU second of the worker, then
of the worker and PostgreSQL together. The floor is Pannier's HTTP client without the worker, which
signs and posts the same bytes over open connections and records nothing. The ratio is the share of
the floor's rate. Higher is better. PostgreSQL's own cost is compared with a fixed limit.

*Client.* The same floor with aiohttp in place of Pannier's client. The ratio is the CPU of
Pannier's client, divided by aiohttp's. Decision 20 rests on it.

*Fan-out.* The same as *Rate*, for one company with fifty endpoints that each get every event.

*Isolation.* Fifty endpoints receive events at a steady rate. First all are healthy, then five are
hostile: silent, slow, endless, compressed to excess, or redirecting. The ratio is the delay of the
healthy endpoints in the second run, divided by the first (95th percentiles). Close to 1 means that
hostile endpoints do not delay others.

*Backlog.* PostgreSQL's cost of leasing from three threads with ten thousand waiting deliveries,
against three hundred. Then the time to pause and to delete an endpoint with a hundred thousand.

*Latency.* The time from a transaction's commit to the arrival at the receiver. A third process
emits the events at a steady rate.
"""

import asyncio
import gzip
import json
import socket
import ssl
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import aiohttp
import msgspec
import trustme

import stand
from pannier.db import Database
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.kit import ids
from pannier.kit.clock import SystemClock
from pannier.kit.crypto import Keyring
from pannier.provisioning import create_company
from pannier.settings import load
from pannier.webhooks import queue, sealed, service, signing, switch
from pannier.webhooks.models import Webhook
from pannier.webhooks.queue import LeasedDelivery
from pannier.webhooks.requests import build_headers
from pannier.webhooks.webhook_client import WebhookClient
from stand import BenchProcess, Figure, Stand

ROUNDS = stand.read_size("rounds", 3, tiny=1)
DELIVERIES = stand.read_size("deliveries", 10000, tiny=100)
RATES = [20] if stand.TINY else [200, 500]
LATENCY_SECONDS = stand.read_size("seconds", 8, tiny=1)
ENDPOINTS = 10
FAN_OUT = stand.read_size("fan_out", 50, tiny=5)
HEALTHY = stand.read_size("healthy", 45, tiny=3)
WARM_UP_SECONDS = stand.read_size("warming", 3, tiny=0)
HOSTILE_TIMEOUT_SECONDS = stand.read_size("timeout", 10, tiny=1)
CONNECTIONS = stand.read_size("connections", 64, tiny=8)
LONG_BACKLOG, SHORT_BACKLOG = (
    stand.read_size("long", 10_000, tiny=600),
    stand.read_size("short", 300, tiny=300),
)
QUEUED_DELIVERIES = stand.read_size("held", 100_000, tiny=1000)
LEASES = stand.read_size("takes", 200, tiny=10)
MAX_POSTGRESQL_MICROSECONDS = 150  # per delivery
IDLE_CPU_SECONDS = 0.25  # of a worker and PostgreSQL in a second without work
IDLE_SECONDS = stand.read_size("quiet", 3, tiny=1)  # without a break
MAX_SETTLING_SECONDS = stand.read_size("settling", 20, tiny=1)
ISOLATION_RATE = 8  # events per second, each for fifty endpoints
BOMB = gzip.compress(b"\0" * 2**20)


HOSTILE = {
    b"/silent": b"",
    b"/trickle": b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
    b"/endless": b"HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n" + b"." * 10**6,
    b"/bomb": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(BOMB)
    + BOMB,
    b"/elsewhere": b"HTTP/1.1 302 Found\r\nLocation: https://169.254.169.254/\r\n"
    b"Content-Length: 0\r\n\r\n",
}


# Posts a body with these headers, and returns the status.
Send = Callable[[dict[str, str], bytes], Awaitable[int | None]]


class OrderData(msgspec.Struct):
    """Event data of about the same size as an order's."""

    id: str
    note: str = "x" * 700


class WebhookReceiver(asyncio.Protocol):
    """A receiver that records when each delivery arrived."""

    arrivals: dict[str, float] = {}  # noqa: RUF012 - one receiver per process

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 - asyncio's
        """Begin with an empty buffer."""
        self._transport, self._buffer = transport, b""

    def data_received(self, data: bytes) -> None:
        """Record each complete request, and respond."""
        now = time.time()
        self._buffer += data
        while True:
            head, found, rest = self._buffer.partition(b"\r\n\r\n")
            if not found:
                return
            lower = head.lower()
            length = int(lower.split(b"content-length: ")[1].split(b"\r\n")[0])
            if len(rest) < length:
                return
            body, self._buffer = rest[:length], rest[length:]
            path = head.split(b" ", 2)[1]
            if head.startswith(b"GET"):
                self._report()
            elif path in HOSTILE:
                self._be_hostile(path)
            else:
                name = body[-24:-2] + path.removeprefix(b"/hooks")
                WebhookReceiver.arrivals.setdefault(name.decode("latin-1"), now)
                self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    def _be_hostile(self, path: bytes) -> None:
        """Send a hostile response; the sender's limits have to end it."""
        self._transport.write(HOSTILE[path])
        if path == b"/trickle":
            self._trickle()

    def _trickle(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(b".")
            asyncio.get_running_loop().call_later(1, self._trickle)

    def _report(self) -> None:
        body = json.dumps(WebhookReceiver.arrivals).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        self._transport.write(head + body)
        WebhookReceiver.arrivals.clear()


async def serve_receiver(folder: str, descriptor: str) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(f"{folder}/server.pem")
    loop = asyncio.get_running_loop()
    listener = socket.socket(fileno=int(descriptor))
    server = await loop.create_server(WebhookReceiver, sock=listener, ssl=context)
    await server.serve_forever()


async def measure_posts(url: str, send: Send) -> float:
    """Sign and post the bodies; return the CPU seconds without those of connecting."""
    keys, clock = Keyring(stand.SECRET), SystemClock()
    webhook = _build_webhook(clock.now(), keys, UUID(int=1), url)
    body = msgspec.json.encode({"data": OrderData("order_1"), "id": "event_0123456789abcdef"})

    async def post_some(numbers: Iterator[int]) -> None:
        for number in numbers:
            taken = LeasedDelivery(
                uuid=UUID(int=number), company=webhook.company,
                webhook=webhook.uuid, name="order.created", sequence=1, round=0, retries=0,
                attempts=1, trigger="event", started_at=clock.now(), body=body, claim=UUID(int=0),
            )  # fmt: skip
            sent, _ = build_headers(keys, webhook, taken)
            assert await send(sent, body) == 200

    async def post(count: int) -> None:
        numbers = iter(range(count))
        await asyncio.gather(*(post_some(numbers) for _ in range(CONNECTIONS)))

    await post(4 * CONNECTIONS)
    began = time.process_time()
    await post(DELIVERIES)
    return time.process_time() - began


async def post_with_own_client(url: str, folder: str) -> float:
    """Post with Pannier's own client."""
    settings = load(
        {
            "PANNIER_WEBHOOK_ALLOW_NETWORKS": "127.0.0.0/8",
            "PANNIER_WEBHOOK_CA_BUNDLE": f"{folder}/ca.pem",
        }
    )
    client = WebhookClient(settings)

    async def send(headers: dict[str, str], body: bytes) -> int | None:
        return (await client.send(url, headers, body, 10)).status

    cpu = await measure_posts(url, send)
    await client.close()
    return cpu


async def post_with_aiohttp(url: str, folder: str) -> float:
    """Post with aiohttp, reduced to what is necessary."""
    context = ssl.create_default_context(cafile=f"{folder}/ca.pem")
    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=context, limit=0),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
    )

    async def send(headers: dict[str, str], body: bytes) -> int:
        async with session.post(url, data=body, headers=headers, allow_redirects=False) as answer:
            await answer.read()
            return answer.status

    async with session:
        return await measure_posts(url, send)


async def emit_events(url: str, company: str, rate: str, seconds: str) -> dict[str, float]:
    """Emit `rate` events per second; return the commit time of each."""
    database = await stand.open_database(url)
    committed: dict[str, float] = {}
    began = time.perf_counter()

    async def emit_one(number: int) -> None:
        async with database.transaction() as db:
            subject = f"order_{number}"
            event = await outbox.emit(
                db, UUID(company), Name.ORDER_CREATED, OrderData(subject), subject=subject
            )
        committed[event.public_id] = time.time()

    tasks = []
    for number in range(int(rate) * int(seconds)):
        await asyncio.sleep(max(0.0, began + number / int(rate) - time.perf_counter()))
        tasks.append(asyncio.create_task(emit_one(number)))
    await asyncio.gather(*tasks)
    await database.close()
    return committed


async def create_endpoints(
    database: Database, receiver: str, count: int, *, shared: bool, paths: Sequence[str] = ()
) -> list[UUID]:
    """Create companies with one endpoint each, or one with all; return the companies."""
    companies: list[UUID] = []
    root = receiver.removesuffix("/hooks")
    async with database.transaction() as db:
        for number in range(count):
            url = root + paths[number] if paths else receiver
            if not shared or not companies:
                companies.append((await create_company(db, f"Bench {number}", "live")).uuid)
            await db.insert("webhooks", _build_webhook(db.now, database.keys, companies[-1], url))
    return companies


def _build_webhook(now: datetime, keys: Keyring, company: UUID, url: str) -> Webhook:
    uuid = ids.new_uuid(now)
    secret = sealed.seal_secret(keys, uuid, signing.create_secret(), now)
    return Webhook(
        uuid=uuid, public_id=ids.new_public_id("webhook"), company=company, url=url,
        description=None, events=["*"], headers=None, header_names=[], secrets=[secret],
        signature_format="prefixed", ordering="first_attempt", timeout_seconds=_choose_timeout(url),
        rate_per_second=None, max_in_flight=16, state="enabled", state_reason=None,
        state_changed_at=now, created_at=now, updated_at=now,
    )  # fmt: skip


def _choose_timeout(url: str) -> int:
    """Return a short timeout for hostile endpoints only: connecting is slow on a busy machine."""
    return HOSTILE_TIMEOUT_SECONDS if f"/{url.rpartition('/')[2]}".encode() in HOSTILE else 30


async def emit_order_events(database: Database, companies: Sequence[UUID], each: int) -> None:
    for company in companies:
        async with database.transaction() as db:
            for number in range(each):
                subject = f"order_{number}"
                await outbox.emit(
                    db, company, Name.ORDER_CREATED, OrderData(subject), subject=subject
                )


async def hold_events(database: Database) -> None:
    """Move the queued events aside, so that a worker has nothing to do."""
    async with database.transaction() as db:
        await db.execute("create table held as select event from event_queue order by position")
        await db.execute("truncate event_queue")


async def release_events(database: Database) -> None:
    """Queue all held events at once."""
    async with database.transaction() as db:
        await db.execute("insert into event_queue (event) select event from held")


class DeliveryBench:
    """A receiver, and the measurements with it."""

    def __init__(self, test_stand: Stand) -> None:
        self._test_stand, self._folder = test_stand, str(test_stand.folder)
        authority = trustme.CA()
        authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(
            f"{self._folder}/server.pem"
        )
        authority.cert_pem.write_to_path(f"{self._folder}/ca.pem")
        self.receiver = (
            f"https://127.0.0.1:{test_stand.start_part('sink', self._folder).port}/hooks"
        )

    def start_worker(self, url: str) -> BenchProcess:
        """Start a real worker on a database."""
        return self._test_stand.start_worker(
            url,
            webhook_allow_networks="127.0.0.0/8",
            webhook_ca_bundle=f"{self._folder}/ca.pem",
        )

    def measure_client_rate(self, part: str) -> float:
        """Return the posts per CPU second of a client alone."""
        cpu: float = self._test_stand.run_part(part, self.receiver, self._folder)
        self.fetch_arrivals()
        return DELIVERIES / cpu

    def fetch_arrivals(self) -> dict[str, float]:
        """Fetch the arrival times since the last call."""
        return asyncio.run(self._fetch_arrivals())

    async def _fetch_arrivals(self) -> dict[str, float]:
        context = ssl.create_default_context(cafile=f"{self._folder}/ca.pem")
        async with (
            aiohttp.ClientSession() as session,
            session.get(self.receiver, ssl=context, headers={"Content-Length": "0"}) as answer,
        ):
            found: dict[str, float] = json.loads(await answer.read())
            return found

    def measure_worker_rate(self, count: int, *, shared: bool) -> tuple[float, float, float]:
        """Return deliveries per second, per CPU second of the worker, and with PostgreSQL's."""
        url = self._test_stand.create_database()

        async def prepare() -> None:
            database = await stand.open_database(url)
            companies = await create_endpoints(database, self.receiver, count, shared=shared)
            each = DELIVERIES // count
            await emit_order_events(database, companies, each)
            await hold_events(database)
            await database.close()

        asyncio.run(prepare())
        worker = self.start_worker(url)
        try:
            self._wait_until_idle(url, worker)
            wall, cpu, server_cpu = asyncio.run(self._drain(url, worker))
        finally:
            worker.stop()
        self.fetch_arrivals()
        return DELIVERIES / wall, DELIVERIES / cpu, DELIVERIES / (cpu + server_cpu)

    def _wait_until_idle(self, url: str, worker: BenchProcess) -> None:
        """Wait until the worker has opened connections, created partitions and filled caches."""
        asyncio.run(self._wait_for_worker(url))
        spent, quiet = 0.0, 0
        for _ in range(MAX_SETTLING_SECONDS):
            time.sleep(1)
            before, spent = spent, worker.read_cpu_seconds() + stand.read_database_cpu_seconds(url)
            # On a busy machine the worker may pause for a second before it is done.
            quiet = quiet + 1 if spent - before < IDLE_CPU_SECONDS else 0
            if quiet == IDLE_SECONDS:
                return

    async def _wait_for_worker(self, url: str) -> None:
        """Wait for the worker's first heartbeat."""
        database = await stand.open_database(url)
        async with asyncio.timeout(stand.TIMEOUT_SECONDS), database.reading() as db:
            while not await db.fetch_value("select exists (select from heartbeats)"):  # noqa: ASYNC110 - waits for another process
                await asyncio.sleep(0.1)
        await database.close()

    async def _drain(self, url: str, worker: BenchProcess) -> tuple[float, float, float]:
        """Wait until everything is delivered; time counts from the first attempt."""
        database = await stand.open_database(url)
        first = "select min(started_at) from webhook_attempts"
        last = "select max(finished_at) from webhook_attempts"
        # This query runs often, so its own cost is subtracted.
        left = "select exists (select from event_queue) or exists (select from webhook_queue)"
        done = "select count(*) from webhook_attempts where outcome = 'succeeded'"
        await release_events(database)
        async with database.reading() as db:
            ours = await db.fetch_value("select pg_backend_pid()")
            asking, cpu, server_cpu = (
                stand.read_cpu_seconds(ours),
                worker.read_cpu_seconds(),
                stand.read_database_cpu_seconds(url),
            )
            while await db.fetch_value(left):  # noqa: ASYNC110 - see above
                await asyncio.sleep(0.1)
            asking = stand.read_cpu_seconds(ours) - asking
            spent = (
                worker.read_cpu_seconds() - cpu,
                stand.read_database_cpu_seconds(url) - server_cpu - asking,
            )
            wall = (await db.fetch_value(last) - await db.fetch_value(first)).total_seconds()
            assert await db.fetch_value(done) == DELIVERIES
        await database.close()
        return wall, *spent

    def measure_latency(self, rate: int, paths: Sequence[str] = ("/hooks",)) -> list[float]:
        """Return the milliseconds from commit to arrival at healthy paths."""
        url = self._test_stand.create_database()

        async def prepare() -> UUID:
            database = await stand.open_database(url)
            companies = await create_endpoints(
                database, self.receiver, len(paths), shared=True, paths=paths
            )
            await database.close()
            return companies[0]

        company = asyncio.run(prepare())
        worker = self.start_worker(url)
        try:
            # Warm up the worker and its first connection.
            if WARM_UP_SECONDS:
                self._test_stand.run_part("emit", url, company, 20, WARM_UP_SECONDS)
                self.fetch_arrivals()
            committed = self._test_stand.run_part("emit", url, company, rate, LATENCY_SECONDS)
            seen: dict[str, float] = {}
            wanted = len(committed) * sum(path.encode() not in HOSTILE for path in paths)
            while sum(name[:22] in committed for name in seen) < wanted:
                time.sleep(0.3)
                seen |= self.fetch_arrivals()
        finally:
            worker.stop()
        # A delivery may arrive before the emitter knows of its own commit.
        return sorted(
            max(0.0, (at - committed[name[:22]]) * 1000)
            for name, at in seen.items()
            if name[:22] in committed
        )


async def create_backlog(database: Database, count: int, threads: int, state: str) -> Webhook:
    """Create an endpoint with `count` waiting deliveries."""
    async with database.transaction() as db:
        company = (await create_company(db, "Backlog", "live")).uuid
        webhook = _build_webhook(db.now, database.keys, company, "https://127.0.0.1:9/hooks")
        webhook.state = state  # type: ignore[assignment]  # one of its three values
        await db.insert("webhooks", webhook)
        await db.execute(
            """with event_row as (
                   insert into events (uuid, public_id, company, name, subject, thread, created_at,
                                       body)
                   values (:event, 'event_backlog', :company, 'order.updated', '', '', :now, '{}')),
               logged as (
                   insert into webhook_deliveries
                       (uuid, company, webhook, event, name, subject, thread, sequence,
                        created_at)
                   select gen_random_uuid(), :company, :webhook, :event,
                          'order.updated', thread, thread, n, :now
                   from (select n, 'order_' || n % :threads as thread
                         from generate_series(1, :count) n) rows
                   returning uuid, thread, sequence)
               insert into webhook_queue
                   (delivery, company, webhook, event, thread, sequence, due_at, ready)
               select uuid, :company, :webhook, :event, thread, sequence, :now,
                      sequence <= :threads
               from logged""",
            event=db.new_uuid(),
            now=db.now,
            company=company,
            webhook=webhook.uuid,
            count=count,
            threads=threads,
        )
    return webhook


async def measure_lease(url: str, count: int) -> float:
    """Return PostgreSQL's microseconds for one lease with `count` waiting deliveries."""
    database = await stand.open_database(url)
    webhook = await create_backlog(database, count, 3, "enabled")
    work = [queue.LaneQuota(webhook.uuid, 16, 10)]
    spent = 0.0
    for number in range(-LEASES // 5, LEASES):
        before = stand.read_database_cpu_seconds(url)
        async with database.transaction() as db:
            await db.set_savepoint()
            assert len(await queue.lease_deliveries(db, work, sender=1)) == 3
            # Leave the same rows for the next lease.
            await db.roll_back_to_savepoint()
        spent += stand.read_database_cpu_seconds(url) - before if number >= 0 else 0.0
    await database.close()
    return spent / LEASES * 1e6


async def measure_pause_and_delete(url: str) -> tuple[float, float]:
    """Return the milliseconds to pause and to delete an endpoint with a backlog."""
    database = await stand.open_database(url)
    webhook = await create_backlog(database, QUEUED_DELIVERIES, 1000, "enabled")
    began = time.perf_counter()
    async with database.transaction() as db:
        paused = await switch.switch_state(db, webhook, "paused", "operator", {})
    between = time.perf_counter()
    async with database.transaction() as db:
        await service.delete_webhook(db, paused)
    ended = time.perf_counter()
    await database.close()
    return (between - began) * 1000, (ended - between) * 1000


def measure_backlog(test_stand: Stand) -> None:
    short, long = (
        asyncio.run(measure_lease(test_stand.create_database(), count))
        for count in (SHORT_BACKLOG, LONG_BACKLOG)
    )
    test_stand.record(
        Figure(
            what=f"Leasing while {LONG_BACKLOG:,} deliveries wait in three threads",
            measured=f"{long:.0f} µs of PostgreSQL",
            floor=f"{short:.0f} µs with {SHORT_BACKLOG}",
            ratio=long / short,
            aim=stand.aim_at_most(1.2),
        )
    )
    pause, delete = asyncio.run(measure_pause_and_delete(test_stand.create_database()))
    test_stand.record(
        Figure(
            what=f"Pausing and deleting an endpoint with {QUEUED_DELIVERIES:,} waiting deliveries",
            measured=f"{pause:.1f} ms, {delete:.1f} ms",
        )
    )


def measure(test_stand: Stand) -> None:
    bench = DeliveryBench(test_stand)
    # In turns, because other load on the machine affects the client that runs at that moment.
    pairs = [
        (bench.measure_client_rate("own"), bench.measure_client_rate("other"))
        for _ in range(ROUNDS)
    ]
    own_rate, other_rate = (statistics.median(rates) for rates in zip(*pairs, strict=True))
    test_stand.record(
        Figure(
            what="Client: a signed POST over an open connection",
            measured=f"{1e6 / own_rate:.0f} µs of CPU",
            floor=f"{1e6 / other_rate:.0f} µs with aiohttp",
            ratio=other_rate / own_rate,
            aim=stand.aim_at_most(0.9),
        )
    )
    floor = f"{own_rate:.0f} for the client alone"
    for name, count, shared in (("Rate", ENDPOINTS, False), ("Fan-out", FAN_OUT, True)):
        wall, cpu, whole = bench.measure_worker_rate(count, shared=shared)
        test_stand.record(
            Figure(
                what=f"{name}, {count} endpoints, worker only",
                measured=f"{cpu:.0f} deliveries per CPU second ({1e6 / cpu:.0f} µs each), "
                f"{wall:.0f} per second",
                floor=floor,
                ratio=cpu / own_rate,
            )
        )
        test_stand.record(
            Figure(
                what=f"{name}, {count} endpoints, worker and PostgreSQL",
                measured=f"{whole:.0f} deliveries per CPU second",
                floor=floor,
                ratio=whole / own_rate,
            )
        )
        server = 1e6 / whole - 1e6 / cpu
        test_stand.record(
            Figure(
                what=f"{name}, {count} endpoints, PostgreSQL only",
                measured=f"{server:.0f} µs each",
                floor=f"limit {MAX_POSTGRESQL_MICROSECONDS} µs",
                ratio=server / MAX_POSTGRESQL_MICROSECONDS,
                aim=stand.aim_at_most(1),
            )
        )
    measure_backlog(test_stand)
    measure_isolation(test_stand, bench)
    for rate in RATES:
        times = bench.measure_latency(rate)
        parts = [stand.compute_percentile(times, share) for share in (0.5, 0.95, 0.99)]
        test_stand.record(
            Figure(
                what=f"Commit to arrival at {rate} events per second",
                measured=f"p50 {parts[0]:.1f} ms, p95 {parts[1]:.1f} ms, p99 {parts[2]:.1f} ms",
            )
        )


def measure_isolation(test_stand: Stand, bench: DeliveryBench) -> None:
    paths = [f"/hooks/{number}" for number in range(HEALTHY + len(HOSTILE))]
    before = bench.measure_latency(ISOLATION_RATE, paths)
    after = bench.measure_latency(
        ISOLATION_RATE, [*paths[:HEALTHY], *(path.decode() for path in HOSTILE)]
    )
    first, second = (stand.compute_percentile(times, 0.95) for times in (before, after))
    test_stand.record(
        Figure(
            what=f"Isolation: {HEALTHY} healthy endpoints beside five hostile ones, "
            f"{ISOLATION_RATE} events per second",
            measured=f"p95 {second:.1f} ms",
            floor=f"{first:.1f} ms with only healthy ones",
            ratio=second / first,
            aim=stand.aim_at_most(2),
        )
    )


if __name__ == "__main__":
    stand.run(
        measure,
        sink=serve_receiver,
        own=post_with_own_client,
        other=post_with_aiohttp,
        emit=emit_events,
    )
