"""Storefront customers: the cost of a request, the effect of many logins, and login timing.

*Requests.* The figure is `me` requests per CPU second of the server. The floor is a bare ASGI
application with asyncpg. It looks up the store's key and the customer's token, compares both
hashes, reads the customer and returns JSON. The ratio is the share of the floor's rate that Pannier
reaches. Higher is better.

*Logins.* Many password logins, with argon2id at its production cost, run in the same process as
`me`. The ratio is the duration of `me` during the logins, divided by its duration without them.
Close to 1 means that logins do not slow other requests down.

*Timing.* The bench calls sign-in operations with known and unknown identities in random order. The
ratio is how often a known identity takes longer. At 0.50, timing does not reveal which identities
exist.
"""

import asyncio
import hashlib
import hmac
import random
import time
from collections.abc import Callable
from typing import Any

import aiohttp
import asyncpg
import msgspec

import stand
from pannier.accounts.tokens.device_proofs import SigninOrigin
from pannier.customers import service, sessions
from pannier.customers.identities import from_phone
from pannier.kit.passwords import Passwords
from stand import BenchProcess, Figure, HttpConnection, Stand

REQUESTS = stand.read_size("requests", 4000, tiny=40)
CUSTOMERS = stand.read_size("people", 150, tiny=3)
ROUNDS = stand.read_size("rounds", 4, tiny=1)
CONNECTIONS = 8
PASSWORD = "a long sentence of my own"  # noqa: S105 - a made-up password
ME = "/storefront/v1/customers/me"


class StoreAccess(msgspec.Struct):
    """What callers of the store need."""

    key: str
    token: str
    phones: list[str]


async def serve_bare(url: str, descriptor: str) -> None:
    pool = await asyncpg.create_pool(url, min_size=1, max_size=10, reset=lambda _: asyncio.sleep(0))

    def is_match(secret: str, kept: bytes) -> bool:
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
                """select t.secret_hash, t.holder, t.store from tokens t
                   join customers c on c.uuid = t.holder where t.public_id = $1""",
                f"session_{token}",
            )
            row: Any = await connection.fetchrow(
                "select * from customers where uuid = $1", found["holder"]
            )
        good = is_match(secret, key["secret_hash"]) and is_match(token_secret, found["secret_hash"])
        await stand.send_json(send, msgspec.json.encode(dict(row) if good else {}))

    await stand.serve(app, int(descriptor))


async def create_store(url: str) -> StoreAccess:
    """Create a company with customers who have passwords."""
    key = (await stand.provision_company(url)).storefront_key
    database = await stand.open_database(url)
    hashed = await Passwords().hash(PASSWORD)
    phones = [f"+65910{number:05}" for number in range(CUSTOMERS)]
    async with database.transaction() as db:
        company, uuid = await db.fetch_value("select (company, uuid) from stores")
        store = service.StoreRef(company, uuid)
        for phone in phones:
            customer = await service.create_customer(
                db, store, "Ada", from_phone(phone), password_hash=hashed
            )
        origin = SigninOrigin("127.0.0.1", "bench")
        signed = await sessions.open_session(db, customer, "sms", origin)
    await database.close()
    return StoreAccess(key, signed.token, phones)


async def measure_me_rate(process: BenchProcess, store: StoreAccess, count: int) -> float:
    """Return `me` requests per CPU second of the server."""
    lines = [
        HttpConnection(process.port, store.key, Customer_Token=store.token)
        for _ in range(CONNECTIONS)
    ]
    before = process.read_cpu_seconds()
    await stand.run_requests(lines, count, lambda line: line.request("GET", ME))
    return count / (process.read_cpu_seconds() - before)


class StoreCaller:
    """Calls the storefront interface from many addresses."""

    def __init__(self, http: aiohttp.ClientSession, port: int, store: StoreAccess) -> None:
        self._http, self._store = http, store
        self._address = f"http://127.0.0.1:{port}"

    async def time_me(self) -> float:
        """Return the duration of one `me` request."""
        headers = {
            "Authorization": f"Bearer {self._store.key}", "Customer-Token": self._store.token,
        }  # fmt: skip
        began = time.perf_counter()
        async with self._http.get(self._address + ME, headers=headers) as answer:
            await answer.read()
            assert answer.status == 200
        return time.perf_counter() - began

    async def time_post(self, action: str, body: dict[str, str]) -> tuple[int, float]:
        """Call an operation from a random address; return the status and the duration."""
        source = ".".join(str(random.randrange(1, 250)) for _ in range(4))  # noqa: S311 - an address
        headers = {"Authorization": f"Bearer {self._store.key}", "X-Forwarded-For": source}
        began = time.perf_counter()
        address = f"{self._address}/storefront/v1/customers/{action}"
        async with self._http.post(address, json=body, headers=headers) as answer:
            await answer.read()
        return answer.status, time.perf_counter() - began


async def measure_beside_logins(test_stand: Stand, port: int, store: StoreAccess) -> None:
    """Measure `me` alone, then during many logins."""
    async with aiohttp.ClientSession() as http:
        caller = StoreCaller(http, port, store)
        alone = [await caller.time_me() for _ in range(REQUESTS // 20)]
        people = iter(store.phones * 2)
        done: list[int] = []
        began = time.perf_counter()

        async def log_in_customers() -> None:
            for phone in people:
                body = {"identity": phone, "password": PASSWORD}
                done.append((await caller.time_post("login", body))[0])

        flooding = [asyncio.create_task(log_in_customers()) for _ in range(16)]
        beside: list[float] = []
        while not all(task.done() for task in flooding):
            beside.append(await caller.time_me())
        seconds = time.perf_counter() - began
    good = done.count(200)
    test_stand.record(
        Figure(
            what="Password logins",
            measured=f"{good / seconds:.0f} per second ({good} of {len(done)} succeeded)",
        )
    )
    for share in (0.5, 0.95):
        least, most = (1e3 * stand.compute_percentile(times, share) for times in (alone, beside))
        test_stand.record(
            Figure(
                what=f"`me` during many logins, p{100 * share:.0f}",
                measured=f"{most:.1f} ms",
                floor=f"{least:.1f} ms alone",
                ratio=most / least,
            )
        )


TIMED_ACTIONS: dict[str, Callable[[str], dict[str, str]]] = {
    "login": lambda phone: {"identity": phone, "password": "not the right one"},
    "login-with-sms": lambda phone: {"phone": phone},
    "request-creation-code": lambda phone: {"phone": phone},
    "forgot-password": lambda phone: {"identity": phone},
}


async def measure_timing(test_stand: Stand, port: int, store: StoreAccess) -> None:
    """Compare known with unknown identities, one request at a time."""
    unknown = [f"+65811{number:05}" for number in range(len(store.phones))]
    async with aiohttp.ClientSession() as http:
        caller = StoreCaller(http, port, store)
        for action, body in TIMED_ACTIONS.items():
            asked = [(phone, True) for phone in store.phones] + [(one, False) for one in unknown]
            random.shuffle(asked)
            times: dict[bool, list[float]] = {True: [], False: []}
            for phone, known in asked:
                times[known].append((await caller.time_post(action, body(phone)))[1])
            test_stand.record(
                Figure(
                    what=f"`{action}` with a known identity",
                    measured=f"{1e3 * stand.compute_percentile(times[True], 0.5):.2f} ms",
                    floor=f"{1e3 * stand.compute_percentile(times[False], 0.5):.2f} ms "
                    "with an unknown identity",
                    ratio=compute_longer_share(times[True], times[False]),
                )
            )


def compute_longer_share(known: list[float], unknown: list[float]) -> float:
    """Return how often a known identity takes longer than an unknown one."""
    longer = sum(one > other for one in known for other in unknown)
    return longer / (len(known) * len(unknown))


def measure(test_stand: Stand) -> None:
    store = asyncio.run(create_store(test_stand.url))
    servers = {
        "bare": test_stand.start_part("bare", test_stand.url),
        "whole": test_stand.start_api(
            test_stand.url, trusted_proxies="127.0.0.1", log_level="error"
        ),
    }
    rates: dict[str, list[float]] = {kind: [] for kind in servers}
    for turn in range(1 + ROUNDS):
        for kind, process in servers.items():
            rate = asyncio.run(measure_me_rate(process, store, REQUESTS if turn else REQUESTS // 5))
            rates[kind] += [rate] if turn else []  # the first turn is a warm-up
    least, whole = (max(several) for several in rates.values())
    test_stand.record(
        Figure(
            what="`me` of a customer",
            measured=f"{whole:.0f} requests per CPU second ({1e6 / whole:.0f} µs each)",
            floor=f"{least:.0f} ({1e6 / least:.0f} µs)",
            ratio=whole / least,
        )
    )
    port = servers["whole"].port
    asyncio.run(measure_beside_logins(test_stand, port, store))
    asyncio.run(measure_timing(test_stand, port, store))


if __name__ == "__main__":
    stand.run(measure, bare=serve_bare)
