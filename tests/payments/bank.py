"""A Stripe of our own on the loopback: checks what it is sent, and fails when it is told to."""

import asyncio
import hmac
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
NOTICE_SECRET: Final = "whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH"
PRIVATE: Final = "Stripe's own sentence about sk_test_4eC39HqLyjWDarjtT1zdp7dc"

Answer = tuple[int, bytes]


def told(status: int, type: str, **more: str) -> Answer:
    """Spell an error as Stripe does."""
    return status, msgspec.json.encode({"error": {"type": type, "message": PRIVATE, **more}})


MISSING: Final = told(404, "invalid_request_error", code="resource_missing", param="session")


@dataclass
class Asked:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    form: dict[str, str]
    method: str = "POST"


def signed(body: bytes, at: int, secret: str = NOTICE_SECRET) -> dict[str, str]:
    """Sign a notice as Stripe does."""
    mark = hmac.digest(secret.encode(), f"{at}.".encode() + body, "sha256").hex()
    return {"Stripe-Signature": f"t={at},v1={mark}", "Content-Type": "application/json"}


@dataclass
class Bank:
    """Keeps customers, remembers idempotency keys, and writes down who asked for what."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    accounts: set[str] = field(default_factory=set)
    sessions: dict[str, dict[str, Any]] = field(default_factory=dict)
    refunds: dict[str, dict[str, Any]] = field(default_factory=dict)
    disputes: dict[str, dict[str, Any]] = field(default_factory=dict)
    # How a refund stands that was just made.
    refund_status: str = "succeeded"
    # How many a page of a list has.
    page: int = 100
    created: int = EXPIRES - 3600
    # What to answer instead, by path; each answer is given once.
    failures: dict[str, list[Answer]] = field(default_factory=dict)
    remembered: dict[str, tuple[dict[str, str], Answer]] = field(default_factory=dict)
    numbers: count = field(default_factory=lambda: count(1))  # type: ignore[type-arg]  # of integers
    answered: int = 0
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

    async def done(self, size: int) -> None:
        """Wait until so many requests were dealt with, whoever still waits for the answer."""
        async with self.arrived:
            await self.arrived.wait_for(lambda: self.answered >= size)

    def named(self, path: str) -> list[Asked]:
        """List the requests for a path."""
        return [one for one in self.asked if one.path == path]

    async def serve(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        form |= dict(request.query)
        headers = {name.lower(): value for name, value in request.headers.items()}
        one = Asked(request.path, headers, form, request.method)
        async with self.arrived:
            self.asked.append(one)
            self.arrived.notify_all()
        await self.open.wait()
        status, body = self._answer(one)
        async with self.arrived:
            self.answered += 1
            self.arrived.notify_all()
        return web.Response(status=status, body=body, headers={"Request-Id": "req_1"})

    def _answer(self, one: Asked) -> Answer:
        if one.headers.get("authorization") != f"Bearer {SECRET_KEY}":
            return told(401, "invalid_request_error")
        if self.failures.get(one.path):
            return self.failures[one.path].pop(0)
        if one.method == "DELETE":
            return self._deleted(one.path.rpartition("/")[2])
        if one.method == "GET":
            return self._told(one)
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

    def _told(self, one: Asked) -> Answer:
        if one.path.startswith("/v1/checkout/sessions/"):
            found = self.sessions.get(one.path.rpartition("/")[2])
            return MISSING if found is None else (200, msgspec.json.encode(found))
        if self.failures.get(one.path):
            return self.failures[one.path].pop(0)
        things = {
            "/v1/checkout/sessions": self.sessions, "/v1/refunds": self.refunds,
            "/v1/disputes": self.disputes,
        }[one.path]  # fmt: skip
        wanted = one.form.get("payment_intent")
        rows = [row for row in things.values() if wanted in {None, row["payment_intent"]}]
        rows = [row for row in rows if row["created"] >= int(one.form.get("created[gte]", 0))]
        names = [row["id"] for row in rows]
        after = one.form.get("starting_after")
        rest = rows if after is None else rows[names.index(after) + 1 :]
        listed = {"object": "list", "data": rest[: self.page], "has_more": len(rest) > self.page}
        return 200, msgspec.json.encode(listed)

    def _session(self, form: dict[str, str], number: int) -> Answer:
        made = {
            "id": f"cs_test_{number}", "object": "checkout.session", "status": "open",
            "url": f"https://checkout.stripe.example.com/{number}", "payment_status": "unpaid",
            "client_reference_id": form["client_reference_id"], "payment_intent": None,
            "metadata": {"pannier_checkout": form["metadata[pannier_checkout]"]},
            "amount_total": int(form["line_items[0][price_data][unit_amount]"]),
            "currency": form["line_items[0][price_data][currency]"],
            "expires_at": self.created + 86400, "created": self.created,
        }  # fmt: skip
        self.sessions[str(made["id"])] = made
        return 200, msgspec.json.encode(made)

    def pay(self, session: str) -> dict[str, Any]:
        """Have somebody pay on a page."""
        row = self.sessions[session]
        row |= {"status": "complete", "payment_status": "paid", "payment_intent": f"pi_{session}"}
        return self.event("checkout.session.completed", row)

    def expire(self, session: str) -> dict[str, Any]:
        """Let a page come to its end."""
        self.sessions[session]["status"] = "expired"
        return self.event("checkout.session.expired", self.sessions[session])

    def give_back(self, payment: str, amount: int, **more: Any) -> dict[str, Any]:
        """Give something back without being asked by us."""
        number = next(self.numbers)
        made = {
            "id": f"re_{number}", "object": "refund", "payment_intent": payment,
            "amount": amount, "currency": "sgd", "status": self.refund_status,
            "metadata": {}, "created": self.created, **more,
        }  # fmt: skip
        self.refunds[str(made["id"])] = made
        return self.event("refund.created", made)

    def dispute(
        self, payment: str, status: str = "needs_response", news: str = "created", **more: Any
    ) -> dict[str, Any]:
        """Tell of a payer who asks their bank for the money."""
        thing = {
            "id": f"dp_{payment}", "object": "dispute", "payment_intent": payment, "charge": "ch_1",
            "amount": 1200, "currency": "sgd", "status": status, "reason": "product_not_received",
            "evidence_details": {"due_by": self.created + 7 * 86400, "has_evidence": False},
            "balance_transactions": [], "is_charge_refundable": False, "created": self.created,
            **more,
        }  # fmt: skip
        self.disputes[str(thing["id"])] = thing
        return self.event(f"charge.dispute.{news}", thing)

    def event(self, kind: str, thing: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Write a notice of something as it stands."""
        name = f"evt_{next(self.numbers)}"
        return {"id": name, "object": "event", "type": kind, "livemode": False,
                "data": {"object": dict(thing)}, **more}  # fmt: skip

    def _moved(self, one: Asked) -> Answer | None:
        """Do what is about money, if it is."""
        if one.path == "/v1/checkout/sessions":
            return self._session(one.form, next(self.numbers))
        if one.path.endswith("/expire"):
            session = one.path.split("/")[-2]
            if session not in self.sessions:
                return MISSING
            if self.sessions[session]["status"] != "open":
                return told(400, "invalid_request_error")
            self.expire(session)
            return 200, msgspec.json.encode(self.sessions[session])
        if one.path == "/v1/refunds":
            own = {"pannier_refund": one.form["metadata[pannier_refund]"]}
            made = self.give_back(one.form["payment_intent"], int(one.form["amount"]), metadata=own)
            return 200, msgspec.json.encode(made["data"]["object"])
        return None

    def _done(self, one: Asked) -> Answer:
        moved = self._moved(one)
        if moved is not None:
            return moved
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
    app.router.add_get("/{path:.*}", bank.serve)
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
