"""Customers: `me` against bare ASGI, what a login flood does to it, and what timing tells.

The floor looks the store's key up, compares its hash, does the same for the customer's token,
reads the customer and answers JSON: the same questions, asked in as few lines as possible. A flood
of password logins (argon2id at its real cost) runs beside `me` in the same process. Timing compares
known with unknown identities as distributions: 0.50 means that nobody can tell them apart.
"""

import asyncio
import hashlib
import hmac
import os
import random
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import asyncpg
import msgspec
import uvloop

import floor
from pannier.db.embedded import Server

REQUESTS = int(os.environ.get("BENCH_REQUESTS", "4000"))
PEOPLE = int(os.environ.get("BENCH_PEOPLE", "150"))
ROUNDS = 4
SECRET = "x" * 40
PASSWORD = "a long sentence of my own"  # noqa: S105 - of nobody
ME = "/storefront/v1/customers/me"


class Bench(msgspec.Struct):
    """What the servers and their callers need to know."""

    url: str
    key: str
    token: str
    phones: list[str]


async def bare(url: str) -> Any:  # noqa: ANN401 - an ASGI application
    pool = await asyncpg.create_pool(url, min_size=1, max_size=10, reset=lambda _: asyncio.sleep(0))

    def matches(secret: str, kept: bytes) -> bool:
        return hmac.compare_digest(kept, hashlib.sha256(secret.encode()).digest())

    async def app(scope: Any, _receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
        headers = dict(scope["headers"])
        _, _, name, secret = headers[b"authorization"].decode().split(" ")[1].split("_")
        _, _, token, token_secret = headers[b"customer-token"].decode().split("_")
        async with pool.acquire() as connection:
            key: Any = await connection.fetchrow(
                "select * from keys where public_id = $1", f"key_{name}"
            )
            found: Any = await connection.fetchrow(
                """select t.secret_hash, t.customer, t.store from customer_tokens t
                   join customers c on c.uuid = t.customer where t.public_id = $1""",
                f"session_{token}",
            )
            row: Any = await connection.fetchrow(
                "select * from customers where uuid = $1", found["customer"]
            )
        good = matches(secret, key["secret_hash"]) and matches(token_secret, found["secret_hash"])
        body = msgspec.json.encode(dict(row) if good else {})
        kind = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": kind})
        await send({"type": "http.response.body", "body": body})

    return app


async def whole(url: str) -> Any:  # noqa: ANN401 - an ASGI application
    from pannier.app import create
    from pannier.db import connect
    from pannier.kit.clock import SystemClock
    from pannier.kit.crypto import Keyring
    from pannier.kit.passwords import Passwords
    from pannier.settings import load
    from pannier.web import logs
    from pannier.web.limits import Limiter

    logs.configure("error")
    settings = load(
        {}, secret=SECRET, credential_rate="10000000", address_rate="10000000",
        trusted_proxies="127.0.0.1", data=tempfile.mkdtemp(),
    )  # fmt: skip
    database = await connect(url, clock=SystemClock(), keys=Keyring(SECRET))
    limits = Path(tempfile.mkdtemp()) / "limits"
    return create(settings, database, Limiter(limits), Passwords())


async def prepare(url: str) -> Bench:
    """Found a company with customers who have a password."""
    from pannier.accounts import service as accounts
    from pannier.accounts.audit import Actor
    from pannier.customers import service, sessions
    from pannier.customers.identities import of_phone
    from pannier.db import connect
    from pannier.db.migrate import migrate
    from pannier.installation import create_company
    from pannier.kit.clock import SystemClock
    from pannier.kit.crypto import Keyring
    from pannier.kit.passwords import Passwords

    await migrate(url)
    database = await connect(url, clock=SystemClock(), keys=Keyring(SECRET))
    hashed = await Passwords().hash(PASSWORD)
    phones = [f"+65910{number:05}" for number in range(PEOPLE)]
    async with database.transaction() as db:
        company = await create_company(db, "Bench", "live")
        actor = Actor.command(company.uuid)
        key = await accounts.create_key(db, actor, kind="storefront", name="B", scopes=["*"])
        store = service.Store(company.uuid, await db.value("select uuid from stores"))
        for phone in phones:
            customer = await service.take_in(
                db, store, "Ada", of_phone(phone), password_hash=hashed
            )
        origin = sessions.Origin("127.0.0.1", "bench")
        signed = await sessions.open_session(db, customer, "sms", origin)
    await database.close()
    return Bench(url, key.text, signed.text, phones)


async def me_rate(process: Any, port: int, bench: Bench, count: int) -> float:  # noqa: ANN401 - a process
    """Measure `me` requests per CPU second of the server."""
    request = (
        f"GET {ME} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {bench.key}\r\n"
        f"Customer-Token: {bench.token}\r\n\r\n"
    ).encode()
    before = floor.cpu_seconds(process.pid)
    each = count // floor.CONNECTIONS
    await asyncio.gather(*(floor.client(port, request, each) for _ in range(floor.CONNECTIONS)))
    return count / (floor.cpu_seconds(process.pid) - before)


class Caller:
    """Calls the store's doors from many places."""

    def __init__(self, http: aiohttp.ClientSession, port: int, bench: Bench) -> None:
        self._http, self._bench = http, bench
        self._address = f"http://127.0.0.1:{port}"

    async def me(self) -> float:
        """Time one `me`."""
        headers = {
            "Authorization": f"Bearer {self._bench.key}", "Customer-Token": self._bench.token,
        }  # fmt: skip
        begun = time.perf_counter()
        async with self._http.get(self._address + ME, headers=headers) as answer:
            await answer.read()
            assert answer.status == 200
        return time.perf_counter() - begun

    async def post(self, action: str, body: dict[str, str]) -> tuple[int, float]:
        """Time one call with the key alone, from an address of its own."""
        source = ".".join(str(random.randrange(1, 250)) for _ in range(4))  # noqa: S311 - an address
        headers = {"Authorization": f"Bearer {self._bench.key}", "X-Forwarded-For": source}
        begun = time.perf_counter()
        address = f"{self._address}/storefront/v1/customers/{action}"
        async with self._http.post(address, json=body, headers=headers) as answer:
            await answer.read()
        return answer.status, time.perf_counter() - begun


def percentile(values: list[float], share: float) -> float:
    """Answer a percentile in milliseconds."""
    return 1000 * sorted(values)[int(share * (len(values) - 1))]


async def flood(port: int, bench: Bench) -> None:
    """Measure `me` alone, then beside a flood of logins."""
    async with aiohttp.ClientSession() as http:
        caller = Caller(http, port, bench)
        alone = [await caller.me() for _ in range(200)]
        people = iter(bench.phones * 2)
        done: list[int] = []
        begun = time.perf_counter()

        async def logins() -> None:
            for phone in people:
                body = {"identity": phone, "password": PASSWORD}
                done.append((await caller.post("login", body))[0])

        flooding = [asyncio.create_task(logins()) for _ in range(16)]
        beside: list[float] = []
        while not all(task.done() for task in flooding):
            beside.append(await caller.me())
        seconds = time.perf_counter() - begun
    good = done.count(200)
    print(f"logins: {good / seconds:.0f} a second ({good} of {len(done)} let in)")
    for name, values in (("alone", alone), ("beside a login flood", beside)):
        shares = ", ".join(f"p{int(100 * s)} {percentile(values, s):.1f} ms" for s in (0.5, 0.95))
        print(f"me {name}: {shares} ({len(values)} requests)")


async def timing(port: int, bench: Bench) -> None:
    """Compare known with unknown identities, one after the other, in random order."""
    unknown = [f"+65811{number:05}" for number in range(len(bench.phones))]
    questions: dict[str, Callable[[str], dict[str, str]]] = {
        "login": lambda phone: {"identity": phone, "password": "not the right one"},
        "login-with-sms": lambda phone: {"phone": phone},
        "request-creation-code": lambda phone: {"phone": phone},
        "forgot-password": lambda phone: {"identity": phone},
    }
    async with aiohttp.ClientSession() as http:
        caller = Caller(http, port, bench)
        for action, body in questions.items():
            asked = [(phone, True) for phone in bench.phones] + [(one, False) for one in unknown]
            random.shuffle(asked)
            times: dict[bool, list[float]] = {True: [], False: []}
            for phone, known in asked:
                times[known].append((await caller.post(action, body(phone)))[1])
            print(
                f"{action}: known {percentile(times[True], 0.5):.2f} ms, "
                f"unknown {percentile(times[False], 0.5):.2f} ms, "
                f"told apart {told_apart(times[True], times[False]):.2f} (0.50: not at all)"
            )


def told_apart(known: list[float], unknown: list[float]) -> float:
    """Tell how often a known identity takes longer than an unknown one."""
    longer = sum(one > other for one in known for other in unknown)
    return longer / (len(known) * len(unknown))


def main() -> None:
    """Start both servers and measure."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        server = Server.open(Path(folder) / "data")
        running: dict[str, Any] = {}
        try:
            bench = asyncio.run(prepare(server.url))
            running = {kind: floor.start(kind, server.url, __file__) for kind in ("bare", "whole")}
            rates: dict[str, list[float]] = {kind: [] for kind in running}
            for turn in range(ROUNDS + 1):
                for kind, (process, port) in running.items():
                    rate = asyncio.run(me_rate(process, port, bench, REQUESTS if turn else 800))
                    rates[kind] += [rate] if turn else []
            best = {kind: max(values) for kind, values in rates.items()}
            spread = {kind: statistics.median(values) for kind, values in rates.items()}
            for kind, rate in best.items():
                print(f"me {kind}: {rate:.0f} requests per CPU second ({spread[kind]:.0f} median)")
            print(f"me ratio: {best['whole'] / best['bare']:.2f} of the floor")
            port = running["whole"][1]
            asyncio.run(flood(port, bench))
            asyncio.run(timing(port, bench))
        finally:
            for process, _ in running.values():
                process.send_signal(signal.SIGTERM)
                process.wait(10)
            server.stop()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        app = bare if sys.argv[1] == "bare" else whole
        uvloop.run(floor.serve(app(sys.argv[2]), int(sys.argv[3])))
    else:
        main()
