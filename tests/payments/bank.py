"""A Stripe of our own on the loopback: checks what it is sent, and fails when it is told to."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

import msgspec
from aiohttp import web

SECRET_KEY: Final = "sk_test_4eC39HqLyjWDarjtT1zdp7dc"
PUBLISHABLE_KEY: Final = "pk_test_TYooMQauvdEDq54NiTphI7jx"
EXPIRES: Final = 1768482000  # an hour after noon on the stage
VERSIONS: Final = {"2020-08-27", "2025-03-31.basil"}
PRIVATE: Final = "Stripe's own sentence about sk_test_4eC39HqLyjWDarjtT1zdp7dc"

Answer = tuple[int, bytes]


def told(status: int, type: str, **more: str) -> Answer:
    """Spell an error as Stripe does."""
    return status, msgspec.json.encode({"error": {"type": type, "message": PRIVATE, **more}})


@dataclass
class Asked:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    form: dict[str, str]
    method: str = "POST"


@dataclass
class Bank:
    """Keeps customers, remembers idempotency keys, and writes down who asked for what."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    accounts: set[str] = field(default_factory=set)
    # What to answer instead, by path; each answer is given once.
    failures: dict[str, list[Answer]] = field(default_factory=dict)
    remembered: dict[str, tuple[dict[str, str], Answer]] = field(default_factory=dict)
    numbers: count = field(default_factory=lambda: count(1))  # type: ignore[type-arg]  # of integers
    open: asyncio.Event = field(default_factory=asyncio.Event)
    arrived: asyncio.Condition = field(default_factory=asyncio.Condition)

    def __post_init__(self) -> None:
        self.open.set()

    def fail(self, path: str, *answers: Answer) -> None:
        """Answer so the next times, then as usual."""
        self.failures[path] = [*self.failures.get(path, []), *answers]

    async def crowd(self, size: int) -> None:
        """Wait until so many requests have come."""
        async with self.arrived:
            await self.arrived.wait_for(lambda: len(self.asked) >= size)

    def named(self, path: str) -> list[Asked]:
        """List the requests for a path."""
        return [one for one in self.asked if one.path == path]

    async def serve(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        headers = {name.lower(): value for name, value in request.headers.items()}
        one = Asked(request.path, headers, form, request.method)
        async with self.arrived:
            self.asked.append(one)
            self.arrived.notify_all()
        await self.open.wait()
        status, body = self._answer(one)
        return web.Response(status=status, body=body, headers={"Request-Id": "req_1"})

    def _answer(self, one: Asked) -> Answer:
        if one.headers.get("authorization") != f"Bearer {SECRET_KEY}":
            return told(401, "invalid_request_error")
        if self.failures.get(one.path):
            return self.failures[one.path].pop(0)
        if one.method == "DELETE":
            return self._deleted(one.path.rpartition("/")[2])
        key = one.headers["idempotency-key"]
        if key in self.remembered:
            form, answer = self.remembered[key]
            return answer if form == one.form else told(400, "idempotency_error")
        answer = self._done(one)
        self.remembered[key] = one.form, answer
        return answer

    def _deleted(self, account: str) -> Answer:
        if account not in self.accounts:
            return told(404, "invalid_request_error", code="resource_missing", param="id")
        self.accounts.remove(account)
        return 200, msgspec.json.encode({"id": account, "object": "customer", "deleted": True})

    def _done(self, one: Asked) -> Answer:
        number = next(self.numbers)
        account = one.form.get("customer", f"cus_{number}")
        if one.path == "/v1/customers":
            self.accounts.add(account)
        if account not in self.accounts:
            return told(404, "invalid_request_error", code="resource_missing", param="customer")
        made: dict[str, Any] = {}
        match one.path:
            case "/v1/customers":
                made = {"id": account, "object": "customer"}
            case "/v1/ephemeral_keys":
                if one.headers["stripe-version"] not in VERSIONS:
                    text = f"Invalid Stripe API version: {one.headers['stripe-version']}"
                    return told(400, "invalid_request_error", message=text)
                made = {"id": f"ephkey_{number}", "secret": f"ek_test_{number}", "expires": EXPIRES}
            case "/v1/setup_intents":
                name = f"seti_{number}"
                made = {"id": name, "client_secret": f"{name}_secret_{account}"}
        return 200, msgspec.json.encode(made)


@asynccontextmanager
async def opened() -> AsyncIterator[Bank]:
    """Open the bank on a free port."""
    bank = Bank()
    app = web.Application()
    app.router.add_post("/{path:.*}", bank.serve)
    app.router.add_delete("/{path:.*}", bank.serve)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    bank.url = f"http://{host}:{port}"
    try:
        yield bank
    finally:
        bank.open.set()
        await runner.cleanup()
