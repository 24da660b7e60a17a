"""Deliveries over TLS from a real worker to a real receiver, against our own client alone.

*Rate.* A worker that has started and come to rest finds some thousand events for ten endpoints: it
relays, takes, signs, posts and records them all. The floor is the client without the engine, in one
process: it signs and posts the same bytes to the same receiver over connections that stay open, and
writes nothing down. The figure is deliveries per CPU second of the process, once more with what
PostgreSQL spent on them, and PostgreSQL's part alone.

*Client.* The same floor with aiohttp in place of our own client: the same headers and bytes over as
many connections. Decision 20 rests on this figure.

*Fan-out.* The same with one company of fifty endpoints, of which each gets every event.

*Isolation.* Fifty endpoints at a steady pace, all of them healthy at first; then five of them are
hostile: one never answers, one trickles, one sends without end, one a bomb, one leads elsewhere.
The figure is the 95th percentile of the healthy ones, the second time against the first.

*Backlog.* What PostgreSQL spends on taking from three threads in which ten thousand deliveries
wait, against three hundred; and how long it takes to pause and to delete an endpoint for which a
hundred thousand are held.

*Latency.* From the moment a transaction has committed to the first byte at the receiver, at a
steady pace of events from a third process.
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
from pannier.webhooks.queue import TakenDelivery
from pannier.webhooks.requests import build_headers
from pannier.webhooks.webhook_client import WebhookClient
from stand import Figure, Process, Stand

ROUNDS = stand.size("rounds", 3, tiny=1)
DELIVERIES = stand.size("deliveries", 10000, tiny=100)
RATES = [20] if stand.TINY else [200, 500]
SECONDS = stand.size("seconds", 8, tiny=1)
ENDPOINTS = 10
FAN_OUT = stand.size("fan_out", 50, tiny=5)
HEALTHY = stand.size("healthy", 45, tiny=3)
WARMING = stand.size("warming", 3, tiny=0)  # seconds
TIMEOUT = stand.size("timeout", 10, tiny=1)  # seconds that a hostile endpoint may take
CONNECTIONS = stand.size("connections", 64, tiny=8)
LONG, SHORT = stand.size("long", 10_000, tiny=600), stand.size("short", 300, tiny=300)
HELD = stand.size("held", 100_000, tiny=1000)
TAKES = stand.size("takes", 200, tiny=10)
POSTGRESQL = 150  # µs a delivery that PostgreSQL may cost
IDLE = 0.25  # CPU seconds that a worker and PostgreSQL spend in a second in which little happens
QUIET = stand.size("quiet", 3, tiny=1)  # such seconds, one after the other
SETTLING = stand.size("settling", 20, tiny=1)  # seconds at most until they do
PACE = 8  # events a second, for fifty endpoints each
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


# Posts a body with these headers, and answers the status.
Send = Callable[[dict[str, str], bytes], Awaitable[int | None]]


class Data(msgspec.Struct):
    """What the events carry: about as much as an order's do."""

    id: str
    note: str = "x" * 700


class Sink(asyncio.Protocol):
    """A receiver that does nothing but note when each delivery came."""

    arrivals: dict[str, float] = {}  # noqa: RUF012 - one receiver a process

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 - asyncio's
        """Begin with nothing read."""
        self._transport, self._buffer = transport, b""

    def data_received(self, data: bytes) -> None:
        """Note each whole request, and answer it."""
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
                Sink.arrivals.setdefault(name.decode("latin-1"), now)
                self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    def _be_hostile(self, path: bytes) -> None:
        """Answer as nobody should; what never ends is left to end by the sender's own limits."""
        self._transport.write(HOSTILE[path])
        if path == b"/trickle":
            self._trickle()

    def _trickle(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(b".")
            asyncio.get_running_loop().call_later(1, self._trickle)

    def _report(self) -> None:
        body = json.dumps(Sink.arrivals).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        self._transport.write(head + body)
        Sink.arrivals.clear()


async def sink(folder: str, descriptor: str) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(f"{folder}/server.pem")
    loop = asyncio.get_running_loop()
    listener = socket.socket(fileno=int(descriptor))
    server = await loop.create_server(Sink, sock=listener, ssl=context)
    await server.serve_forever()


async def measure_posts(url: str, send: Send) -> float:
    """Sign and post so many bodies; return the CPU seconds, without those of connecting."""
    keys, clock = Keyring(stand.SECRET), SystemClock()
    webhook = _webhook(clock.now(), keys, UUID(int=1), url)
    body = msgspec.json.encode({"data": Data("order_1"), "id": "event_0123456789abcdef"})

    async def post_some(numbers: Iterator[int]) -> None:
        for number in numbers:
            taken = TakenDelivery(
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


async def own(url: str, folder: str) -> float:
    """Post with Pannier's own client."""
    settings = load(
        {
            "PANNIER_WEBHOOK_ALLOW_NETWORKS": "127.0.0.0/8",
            "PANNIER_WEBHOOK_CA_BUNDLE": f"{folder}/ca.pem",
        }
    )
    carrier = WebhookClient(settings)

    async def send(headers: dict[str, str], body: bytes) -> int | None:
        return (await carrier.send(url, headers, body, 10)).status

    cpu = await measure_posts(url, send)
    await carrier.close()
    return cpu


async def other(url: str, folder: str) -> float:
    """Post with aiohttp, without anything that it can do without."""
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


async def emit(url: str, company: str, rate: str, seconds: str) -> dict[str, float]:
    """Let something happen so many times a second, and answer when each was committed."""
    database = await stand.connected(url)
    committed: dict[str, float] = {}
    began = time.perf_counter()

    async def one(number: int) -> None:
        async with database.transaction() as db:
            subject = f"order_{number}"
            event = await outbox.emit(
                db, UUID(company), Name.ORDER_CREATED, Data(subject), subject=subject
            )
        committed[event.public_id] = time.time()

    tasks = []
    for number in range(int(rate) * int(seconds)):
        await asyncio.sleep(max(0.0, began + number / int(rate) - time.perf_counter()))
        tasks.append(asyncio.create_task(one(number)))
    await asyncio.gather(*tasks)
    await database.close()
    return committed


async def endpoints(
    database: Database, receiver: str, count: int, *, shared: bool, paths: Sequence[str] = ()
) -> list[UUID]:
    """Found companies with an endpoint each, or one with all of them; answer the companies."""
    companies: list[UUID] = []
    root = receiver.removesuffix("/hooks")
    async with database.transaction() as db:
        for number in range(count):
            url = root + paths[number] if paths else receiver
            if not shared or not companies:
                companies.append((await create_company(db, f"Bench {number}", "live")).uuid)
            await db.insert("webhooks", _webhook(db.now, database.keys, companies[-1], url))
    return companies


def _webhook(now: datetime, keys: Keyring, company: UUID, url: str) -> Webhook:
    uuid = ids.new_uuid(now)
    secret = sealed.seal_secret(keys, uuid, signing.new_secret(), now)
    return Webhook(
        uuid=uuid, public_id=ids.new_public_id("webhook"), company=company, url=url,
        description=None, events=["*"], headers=None, header_names=[], secrets=[secret],
        signature_format="prefixed", ordering="first_attempt", timeout_seconds=_patience(url),
        rate_per_second=None, max_in_flight=16, state="enabled", state_reason=None,
        state_changed_at=now, created_at=now, updated_at=now,
    )  # fmt: skip


def _patience(url: str) -> int:
    """Cut short only who never answers: on a busy machine others need their time to connect."""
    return TIMEOUT if f"/{url.rpartition('/')[2]}".encode() in HOSTILE else 30


async def prepare_events(database: Database, companies: Sequence[UUID], each: int) -> None:
    for company in companies:
        async with database.transaction() as db:
            for number in range(each):
                subject = f"order_{number}"
                await outbox.emit(db, company, Name.ORDER_CREATED, Data(subject), subject=subject)


async def hold(database: Database) -> None:
    """Put aside what is to be told, so that a worker finds nothing to do."""
    async with database.transaction() as db:
        await db.execute("create table held as select event from event_queue order by position")
        await db.execute("truncate event_queue")


async def release(database: Database) -> None:
    """Have the worker find everything at once, the next time it looks."""
    async with database.transaction() as db:
        await db.execute("insert into event_queue (event) select event from held")


class Bench:
    """A receiver, and what is measured on it."""

    def __init__(self, here: Stand) -> None:
        self._here, self._folder = here, str(here.folder)
        authority = trustme.CA()
        authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(
            f"{self._folder}/server.pem"
        )
        authority.cert_pem.write_to_path(f"{self._folder}/ca.pem")
        self.receiver = f"https://127.0.0.1:{here.part('sink', self._folder).port}/hooks"

    def worker(self, url: str) -> Process:
        """Start the real worker on a database."""
        return self._here.worker(
            url,
            webhook_allow_networks="127.0.0.0/8",
            webhook_ca_bundle=f"{self._folder}/ca.pem",
        )

    def client_rate(self, part: str) -> float:
        """Measure a client alone: posts per CPU second."""
        cpu: float = self._here.result(part, self.receiver, self._folder)
        self.arrivals()
        return DELIVERIES / cpu

    def arrivals(self) -> dict[str, float]:
        """Ask the receiver what came since it was last asked, and when."""
        return asyncio.run(self._arrivals())

    async def _arrivals(self) -> dict[str, float]:
        context = ssl.create_default_context(cafile=f"{self._folder}/ca.pem")
        async with (
            aiohttp.ClientSession() as session,
            session.get(self.receiver, ssl=context, headers={"Content-Length": "0"}) as answer,
        ):
            found: dict[str, float] = json.loads(await answer.read())
            return found

    def whole_rate(self, count: int, *, shared: bool) -> tuple[float, float, float]:
        """Answer deliveries per second, per CPU second of the worker, and with PostgreSQL's."""
        url = self._here.database()

        async def prepare() -> None:
            database = await stand.connected(url)
            companies = await endpoints(database, self.receiver, count, shared=shared)
            each = DELIVERIES // count
            await prepare_events(database, companies, each)
            await hold(database)
            await database.close()

        asyncio.run(prepare())
        worker = self.worker(url)
        try:
            self._settle(url, worker)
            wall, cpu, server_cpu = asyncio.run(self._drain(url, worker))
        finally:
            worker.stop()
        self.arrivals()
        return DELIVERIES / wall, DELIVERIES / cpu, DELIVERIES / (cpu + server_cpu)

    def _settle(self, url: str, worker: Process) -> None:
        """Wait until the worker has done what it does once: connections, partitions, caches."""
        asyncio.run(self._alive(url))
        spent, quiet = 0.0, 0
        for _ in range(SETTLING):
            time.sleep(1)
            before, spent = spent, worker.cpu() + stand.database_cpu(url)
            # On a busy machine it may be quiet for a second in the middle of it.
            quiet = quiet + 1 if spent - before < IDLE else 0
            if quiet == QUIET:
                return

    async def _alive(self, url: str) -> None:
        """Wait for the worker's first sign of life."""
        database = await stand.connected(url)
        async with asyncio.timeout(stand.PATIENCE), database.reading() as db:
            while not await db.fetch_value("select exists (select from heartbeats)"):  # noqa: ASYNC110 - for another process
                await asyncio.sleep(0.1)
        await database.close()

    async def _drain(self, url: str, worker: Process) -> tuple[float, float, float]:
        """Wait until everything is delivered; the time counts from the first attempt."""
        database = await stand.connected(url)
        first = "select min(started_at) from webhook_attempts"
        last = "select max(finished_at) from webhook_attempts"
        # Asked often, so what it costs is no part of what deliveries do.
        left = "select exists (select from event_queue) or exists (select from webhook_queue)"
        done = "select count(*) from webhook_attempts where outcome = 'succeeded'"
        await release(database)
        async with database.reading() as db:
            ours = await db.fetch_value("select pg_backend_pid()")
            asking, cpu, server_cpu = stand.cpu_seconds(ours), worker.cpu(), stand.database_cpu(url)
            while await db.fetch_value(left):  # noqa: ASYNC110 - see above
                await asyncio.sleep(0.1)
            asking = stand.cpu_seconds(ours) - asking
            spent = worker.cpu() - cpu, stand.database_cpu(url) - server_cpu - asking
            wall = (await db.fetch_value(last) - await db.fetch_value(first)).total_seconds()
            assert await db.fetch_value(done) == DELIVERIES
        await database.close()
        return wall, *spent

    def latency(self, rate: int, paths: Sequence[str] = ("/hooks",)) -> list[float]:
        """Measure milliseconds from commit to arrival at a steady pace, at paths that answer."""
        url = self._here.database()

        async def prepare() -> UUID:
            database = await stand.connected(url)
            companies = await endpoints(
                database, self.receiver, len(paths), shared=True, paths=paths
            )
            await database.close()
            return companies[0]

        company = asyncio.run(prepare())
        worker = self.worker(url)
        try:
            # Until the worker has settled down and its first connection stands.
            if WARMING:
                self._here.result("emit", url, company, 20, WARMING)
                self.arrivals()
            committed = self._here.result("emit", url, company, rate, SECONDS)
            seen: dict[str, float] = {}
            wanted = len(committed) * sum(path.encode() not in HOSTILE for path in paths)
            while sum(name[:22] in committed for name in seen) < wanted:
                time.sleep(0.3)
                seen |= self.arrivals()
        finally:
            worker.stop()
        # An arrival may come before the emitter has heard of its own commit.
        return sorted(
            max(0.0, (at - committed[name[:22]]) * 1000)
            for name, at in seen.items()
            if name[:22] in committed
        )


async def fill(database: Database, count: int, threads: int, state: str) -> Webhook:
    """Make an endpoint for which so many deliveries wait."""
    async with database.transaction() as db:
        company = (await create_company(db, "Backlog", "live")).uuid
        webhook = _webhook(db.now, database.keys, company, "https://127.0.0.1:9/hooks")
        webhook.state = state  # type: ignore[assignment]  # one of the three
        await db.insert("webhooks", webhook)
        await db.execute(
            """with told as (
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


async def taking(url: str, count: int) -> float:
    """Measure the microseconds PostgreSQL spends on one claim while so many wait."""
    database = await stand.connected(url)
    webhook = await fill(database, count, 3, "enabled")
    work = [queue.LaneQuota(webhook.uuid, 16, 10)]
    spent = 0.0
    for number in range(-TAKES // 5, TAKES):
        before = stand.database_cpu(url)
        async with database.transaction() as db:
            await db.set_savepoint()
            assert len(await queue.lease(db, work, sender=1)) == 3
            # So that the next one finds the same.
            await db.roll_back_to_savepoint()
        spent += stand.database_cpu(url) - before if number >= 0 else 0.0
    await database.close()
    return spent / TAKES * 1e6


async def switching(url: str) -> tuple[float, float]:
    """Measure the milliseconds of pausing and of deleting an endpoint with much that waits."""
    database = await stand.connected(url)
    webhook = await fill(database, HELD, 1000, "enabled")
    began = time.perf_counter()
    async with database.transaction() as db:
        paused = await switch.switch(db, webhook, "paused", "operator", {})
    between = time.perf_counter()
    async with database.transaction() as db:
        await service.delete(db, paused)
    ended = time.perf_counter()
    await database.close()
    return (between - began) * 1000, (ended - between) * 1000


def backlog(here: Stand) -> None:
    short, long = (asyncio.run(taking(here.database(), count)) for count in (SHORT, LONG))
    here.tell(
        Figure(
            what=f"A claim while {LONG:,} wait in three threads",
            measured=f"{long:.0f} µs of PostgreSQL",
            floor=f"{short:.0f} µs with {SHORT}",
            ratio=long / short,
            aim=stand.at_most(1.2),
        )
    )
    pause, delete = asyncio.run(switching(here.database()))
    here.tell(
        Figure(
            what=f"Pausing, and deleting, an endpoint for which {HELD:,} wait",
            measured=f"{pause:.1f} ms, {delete:.1f} ms",
        )
    )


def measure(here: Stand) -> None:
    bench = Bench(here)
    # By turns, because other work on the machine slows down whoever runs at that moment.
    pairs = [(bench.client_rate("own"), bench.client_rate("other")) for _ in range(ROUNDS)]
    own_rate, other_rate = (statistics.median(rates) for rates in zip(*pairs, strict=True))
    here.tell(
        Figure(
            what="Client, a signed POST over a connection that is open",
            measured=f"{1e6 / own_rate:.0f} µs of CPU",
            floor=f"{1e6 / other_rate:.0f} µs with aiohttp",
            ratio=other_rate / own_rate,
            aim=stand.at_most(0.9),
        )
    )
    floor = f"{own_rate:.0f} of our own client alone"
    for name, count, shared in (("Rate", ENDPOINTS, False), ("Fan-out", FAN_OUT, True)):
        wall, cpu, whole = bench.whole_rate(count, shared=shared)
        here.tell(
            Figure(
                what=f"{name}, {count} endpoints, the worker alone",
                measured=f"{cpu:.0f} deliveries per CPU second ({1e6 / cpu:.0f} µs each), "
                f"{wall:.0f} a second",
                floor=floor,
                ratio=cpu / own_rate,
            )
        )
        here.tell(
            Figure(
                what=f"{name}, {count} endpoints, with PostgreSQL",
                measured=f"{whole:.0f} deliveries per CPU second",
                floor=floor,
                ratio=whole / own_rate,
            )
        )
        server = 1e6 / whole - 1e6 / cpu
        here.tell(
            Figure(
                what=f"{name}, {count} endpoints, PostgreSQL alone",
                measured=f"{server:.0f} µs each",
                floor=f"{POSTGRESQL} µs",
                ratio=server / POSTGRESQL,
                aim=stand.at_most(1),
            )
        )
    backlog(here)
    isolation(here, bench)
    for rate in RATES:
        times = bench.latency(rate)
        parts = [stand.percentile(times, share) for share in (0.5, 0.95, 0.99)]
        here.tell(
            Figure(
                what=f"Commit to arrival at {rate} events a second",
                measured=f"p50 {parts[0]:.1f} ms, p95 {parts[1]:.1f} ms, p99 {parts[2]:.1f} ms",
            )
        )


def isolation(here: Stand, bench: Bench) -> None:
    paths = [f"/hooks/{number}" for number in range(HEALTHY + len(HOSTILE))]
    before = bench.latency(PACE, paths)
    after = bench.latency(PACE, [*paths[:HEALTHY], *(path.decode() for path in HOSTILE)])
    first, second = (stand.percentile(times, 0.95) for times in (before, after))
    here.tell(
        Figure(
            what=f"Isolation: {HEALTHY} endpoints beside five hostile ones, {PACE} events a second",
            measured=f"p95 {second:.1f} ms",
            floor=f"{first:.1f} ms when all are well",
            ratio=second / first,
            aim=stand.at_most(2),
        )
    )


if __name__ == "__main__":
    stand.run(measure, sink=sink, own=own, other=other, emit=emit)
