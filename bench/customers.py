"""Customers: `me` against bare ASGI, what a login flood does to it, and what timing tells.

The floor looks the store's key up, compares its hash, does the same for the customer's token,
reads the customer and answers JSON: the same questions, asked in as few lines as possible. A flood
of password logins (argon2id at its real cost) runs beside `me` in the same process. Timing compares
known with unknown identities as distributions: 0.50 means that nobody can tell them apart.
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
from stand import Figure, Line, Process, Stand

REQUESTS = stand.size("requests", 4000, tiny=40)
PEOPLE = stand.size("people", 150, tiny=3)
ROUNDS = stand.size("rounds", 4, tiny=1)
CONNECTIONS = 8
PASSWORD = "a long sentence of my own"  # noqa: S105 - of nobody
ME = "/storefront/v1/customers/me"


class Store(msgspec.Struct):
    """What the servers' callers need to know."""

    key: str
    token: str
    phones: list[str]


async def bare(url: str, descriptor: str) -> None:
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
                """select t.secret_hash, t.holder, t.store from tokens t
                   join customers c on c.uuid = t.holder where t.public_id = $1""",
                f"session_{token}",
            )
            row: Any = await connection.fetchrow(
                "select * from customers where uuid = $1", found["holder"]
            )
        good = matches(secret, key["secret_hash"]) and matches(token_secret, found["secret_hash"])
        await stand.answer(send, msgspec.json.encode(dict(row) if good else {}))

    await stand.serve(app, int(descriptor))


async def prepare(url: str) -> Store:
    """Found a company with customers who have a password."""
    key = (await stand.found(url)).storefront_key
    database = await stand.connected(url)
    hashed = await Passwords().hash(PASSWORD)
    phones = [f"+65910{number:05}" for number in range(PEOPLE)]
    async with database.transaction() as db:
        company, uuid = await db.fetch_value("select (company, uuid) from stores")
        store = service.StoreRef(company, uuid)
        for phone in phones:
            customer = await service.create(
                db, store, "Ada", from_phone(phone), password_hash=hashed
            )
        origin = SigninOrigin("127.0.0.1", "bench")
        signed = await sessions.open_session(db, customer, "sms", origin)
    await database.close()
    return Store(key, signed.token, phones)


async def me_rate(process: Process, store: Store, count: int) -> float:
    """Measure `me` requests per CPU second of the server."""
    lines = [Line(process.port, store.key, Customer_Token=store.token) for _ in range(CONNECTIONS)]
    before = process.cpu()
    await stand.spread(lines, count, lambda line: line.raw("GET", ME))
    return count / (process.cpu() - before)


class Caller:
    """Calls the store's doors from many places."""

    def __init__(self, http: aiohttp.ClientSession, port: int, store: Store) -> None:
        self._http, self._store = http, store
        self._address = f"http://127.0.0.1:{port}"

    async def me(self) -> float:
        """Time one `me`."""
        headers = {
            "Authorization": f"Bearer {self._store.key}", "Customer-Token": self._store.token,
        }  # fmt: skip
        begun = time.perf_counter()
        async with self._http.get(self._address + ME, headers=headers) as answer:
            await answer.read()
            assert answer.status == 200
        return time.perf_counter() - begun

    async def post(self, action: str, body: dict[str, str]) -> tuple[int, float]:
        """Time one call with the key alone, from an address of its own."""
        source = ".".join(str(random.randrange(1, 250)) for _ in range(4))  # noqa: S311 - an address
        headers = {"Authorization": f"Bearer {self._store.key}", "X-Forwarded-For": source}
        begun = time.perf_counter()
        address = f"{self._address}/storefront/v1/customers/{action}"
        async with self._http.post(address, json=body, headers=headers) as answer:
            await answer.read()
        return answer.status, time.perf_counter() - begun


async def beside_logins(here: Stand, port: int, store: Store) -> None:
    """Measure `me` alone, then beside a flood of logins."""
    async with aiohttp.ClientSession() as http:
        caller = Caller(http, port, store)
        alone = [await caller.me() for _ in range(REQUESTS // 20)]
        people = iter(store.phones * 2)
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
    here.tell(
        Figure(
            what="Password logins",
            measured=f"{good / seconds:.0f} a second ({good} of {len(done)} let in)",
        )
    )
    for share in (0.5, 0.95):
        least, most = (1e3 * stand.percentile(times, share) for times in (alone, beside))
        here.tell(
            Figure(
                what=f"`me` beside a flood of logins, p{100 * share:.0f}",
                measured=f"{most:.1f} ms",
                floor=f"{least:.1f} ms alone",
                ratio=most / least,
            )
        )


QUESTIONS: dict[str, Callable[[str], dict[str, str]]] = {
    "login": lambda phone: {"identity": phone, "password": "not the right one"},
    "login-with-sms": lambda phone: {"phone": phone},
    "request-creation-code": lambda phone: {"phone": phone},
    "forgot-password": lambda phone: {"identity": phone},
}


async def timing(here: Stand, port: int, store: Store) -> None:
    """Compare known with unknown identities, one after the other, in random order."""
    unknown = [f"+65811{number:05}" for number in range(len(store.phones))]
    async with aiohttp.ClientSession() as http:
        caller = Caller(http, port, store)
        for action, body in QUESTIONS.items():
            asked = [(phone, True) for phone in store.phones] + [(one, False) for one in unknown]
            random.shuffle(asked)
            times: dict[bool, list[float]] = {True: [], False: []}
            for phone, known in asked:
                times[known].append((await caller.post(action, body(phone)))[1])
            here.tell(
                Figure(
                    what=f"`{action}` with a known identity takes longer",
                    measured=f"{1e3 * stand.percentile(times[True], 0.5):.2f} ms",
                    floor=f"{1e3 * stand.percentile(times[False], 0.5):.2f} ms with an unknown one",
                    ratio=told_apart(times[True], times[False]),
                )
            )


def told_apart(known: list[float], unknown: list[float]) -> float:
    """Tell how often a known identity takes longer than an unknown one."""
    longer = sum(one > other for one in known for other in unknown)
    return longer / (len(known) * len(unknown))


def measure(here: Stand) -> None:
    store = asyncio.run(prepare(here.url))
    servers = {
        "bare": here.part("bare", here.url),
        "whole": here.api(here.url, trusted_proxies="127.0.0.1", log_level="error"),
    }
    rates: dict[str, list[float]] = {kind: [] for kind in servers}
    for turn in range(1 + ROUNDS):
        for kind, process in servers.items():
            rate = asyncio.run(me_rate(process, store, REQUESTS if turn else REQUESTS // 5))
            rates[kind] += [rate] if turn else []  # the first turn warms up
    least, whole = (max(several) for several in rates.values())
    here.tell(
        Figure(
            what="`me` of a customer",
            measured=f"{whole:.0f} requests per CPU second ({1e6 / whole:.0f} µs each)",
            floor=f"{least:.0f} ({1e6 / least:.0f} µs)",
            ratio=whole / least,
        )
    )
    port = servers["whole"].port
    asyncio.run(beside_logins(here, port, store))
    asyncio.run(timing(here, port, store))


if __name__ == "__main__":
    stand.run(measure, bare=bare)
