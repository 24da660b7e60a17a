"""The outermost layer: what happens to every request before and after the handlers.

A request gets its id, passes the limits, runs in one transaction, and is answered only after that
transaction has been committed. When the database refuses it for a passing reason, it runs again:
nothing of the first run has left the house.
"""

import asyncio
import gzip
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from litestar.enums import ScopeType
from litestar.exceptions import LitestarException
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from pannier.db import Database, Db
from pannier.db.pool import RETRY_DELAYS, OutcomeUnknown, passing
from pannier.errors import BodyUnreadable, NotFound, Problem, TooLarge, TooManyRequests
from pannier.settings import Settings
from pannier.web import addresses, cors, idempotency, logs, metrics, problems
from pannier.web.depth import too_deep
from pannier.web.exchange import Exchange, current
from pannier.web.idempotency import Answered, Headers
from pannier.web.limits import Limiter, Rate

BODILESS: Final = frozenset({"GET", "HEAD"})
GZIP_FROM: Final = 1024
GZIP_TYPES: Final = re.compile(
    rb"^(application/(problem\+)?json|application/.*xml|text/|image/svg)"
)
SECURITY_HEADERS: Final[Headers] = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
]
UNWANTED: Final = frozenset({b"q=0", b"q=0.0", b"q=0.00", b"q=0.000"})
NO_CONTENT: Final = 204
CLIENT_LEFT: Final = 499  # what the log says of a request whose answer nobody waits for
HSTS: Final = (b"strict-transport-security", b"max-age=31536000; includeSubDomains")


class ClientLeftError(Exception):
    """The caller hung up in the middle of the request."""


class Reply:
    """Holds an answer back until its transaction has ended; lets a stream through after it."""

    def __init__(self, edge: "Edge", exchange: Exchange, send: Send) -> None:
        self.edge, self.exchange, self._send = edge, exchange, send
        self.status = 500
        self.headers: Headers = []
        self.body = b""
        self.streaming = False

    async def take(self, message: Message) -> None:
        """Receive what the handlers send."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = [(name.lower(), value) for name, value in message["headers"]]
            return
        part = cast("Any", message)
        if part.get("more_body") and not self.streaming:
            await self.edge.settle(self)
            self.streaming = True
            await self._send(self._start(self.headers))
        if not self.streaming:
            self.body += part.get("body", b"")
        elif self.exchange.method != "HEAD" or not part.get("more_body"):
            await self._send(message)

    def repeat(self, answer: Answered) -> None:
        """Put the answer that a keyed request had before in place of this one."""
        self.status, self.body = answer.status, answer.body
        self.headers = [*answer.headers, idempotency.REPLAYED]

    def refuse(self, problem: Problem) -> None:
        """Put a problem in place of the answer."""
        self.status = problem.status
        self.body = problems.render(problem, self.exchange.id)
        self.headers = [
            (b"content-type", problems.MEDIA_TYPE.encode()),
            *((name.lower().encode(), value.encode()) for name, value in problem.headers.items()),
        ]

    async def send(self) -> None:
        """Let the answer out."""
        body = self.body
        headers = [pair for pair in self.headers if pair[0] != b"content-length"]
        if len(body) >= GZIP_FROM and self._compressible():
            body = gzip.compress(body, 5, mtime=0)
            headers += [(b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")]
        if self.status != NO_CONTENT:
            headers.append((b"content-length", b"%d" % len(body)))
        if self.exchange.method == "HEAD":
            body = b""
        await self._send(self._start(headers))
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    def _compressible(self) -> bool:
        names = dict(self.headers)
        return (
            _takes_gzip(self.exchange.headers.get(b"accept-encoding", b""))
            and b"content-encoding" not in names
            and GZIP_TYPES.match(names.get(b"content-type", b"")) is not None
        )

    def _start(self, headers: Headers) -> Message:
        names = dict(headers)
        added = [pair for pair in SECURITY_HEADERS if pair[0] not in names]
        added.append((b"x-request-id", self.exchange.id.encode()))
        if self.exchange.secure:
            added.append(HSTS)
        added += cors.headers(self.exchange, self.edge.origins)
        return {
            "type": "http.response.start", "status": self.status, "headers": [*headers, *added],
        }  # fmt: skip


class Edge:
    """Wraps the application."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        database: Database,
        settings: Settings,
        limiter: Limiter,
        services: Mapping[str, object],
        uploads: Sequence[re.Pattern[str]] = (),
    ) -> None:
        self.app, self.database, self.settings, self.limiter = app, database, settings, limiter
        self.services: Mapping[str, Any] = services
        self.uploads = uploads
        self.proxies = addresses.networks(settings.trusted_proxies)
        self.origins = cors.origins(settings.storefront_origins)
        self.address_rate = Rate(settings.address_rate, 60.0)
        self.credential_rate = Rate(settings.credential_rate, 60.0)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != ScopeType.HTTP:
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        exchange = Exchange(scope, self)
        reply = Reply(self, exchange, send)
        try:
            await self._answer(exchange, scope, receive, reply)
        except ClientLeftError:
            reply.status = CLIENT_LEFT
        finally:
            self._record(exchange, reply.status, time.perf_counter() - began)

    async def _answer(
        self, exchange: Exchange, scope: Scope, receive: Receive, reply: Reply
    ) -> None:
        try:
            await self._admit(exchange, scope, receive)
        except Problem as problem:
            reply.refuse(problem)
        else:
            if not cors.preflight(exchange, reply):
                await self._run(exchange, scope, receive, reply)
        if not reply.streaming:
            await reply.send()

    async def _admit(self, exchange: Exchange, scope: Scope, receive: Receive) -> None:
        """Find out who calls, turn away who calls too often, read the body."""
        addresses.resolve(exchange, scope, self.proxies)
        self.limit(f"address:{exchange.address}", self.address_rate, exchange)
        if "\0" in exchange.path:
            raise NotFound
        if exchange.method not in BODILESS:
            exchange.body = await self._body(exchange, receive)

    def limit(self, who: str, rate: Rate, exchange: Exchange) -> None:
        """Count a request against a limit; refuse it when there are too many."""
        wait = self.limiter.hit(who, rate, exchange.moment)
        if wait:
            raise TooManyRequests(wait)

    async def _body(self, exchange: Exchange, receive: Receive) -> bytes:
        limit = self._body_limit(exchange.path)
        announced = exchange.headers.get(b"content-length", b"0")
        if announced.isdigit() and int(announced[:20]) > limit:
            raise TooLarge(f"The body is too large: this path takes {limit:,} bytes.")
        chunks: list[bytes] = []
        size, more = 0, True
        while more:
            message = cast("Any", await receive())
            if message["type"] == "http.disconnect":
                raise ClientLeftError
            chunks.append(message.get("body", b""))
            size += len(chunks[-1])
            if size > limit:
                raise TooLarge(f"The body is too large: this path takes {limit:,} bytes.")
            more = message.get("more_body", False)
        body = chunks[0] if len(chunks) == 1 else b"".join(chunks)
        if body and exchange.is_json:
            self._check_depth(body)
        return body

    def _body_limit(self, path: str) -> int:
        upload = any(pattern.match(path) for pattern in self.uploads)
        return self.settings.upload_limit if upload else self.settings.body_limit

    def _check_depth(self, body: bytes) -> None:
        if too_deep(body, self.settings.depth_limit):
            raise BodyUnreadable(
                f"The body is nested too deeply: {self.settings.depth_limit} levels at the most."
            )

    async def _run(self, exchange: Exchange, scope: Scope, receive: Receive, reply: Reply) -> None:
        """Run the handlers, again when the database asks for it, and end the transaction."""
        current.set(exchange)
        # A HEAD is a GET whose body stays here.
        method = "GET" if exchange.method == "HEAD" else exchange.method
        for delay in (*RETRY_DELAYS, None):
            inner = cast("Scope", {**scope, "method": method, "state": {}})
            exchange.failure, exchange.pending, exchange.replay = None, None, None
            reply.body = b""
            ran = await self._ran(exchange, inner, _again(exchange.body, receive), reply)
            exchange.route = str(cast("Any", inner).get("path_template", ""))
            if ran or delay is None:
                return
            await asyncio.sleep(delay)
            exchange.db = Db(self.database, writes=exchange.db.writes)

    async def _ran(self, exchange: Exchange, scope: Scope, receive: Receive, reply: Reply) -> bool:
        """Run the handlers once; False when the same request may and should run again."""
        try:
            await self.app(scope, receive, reply.take)
            if passing(exchange.failure):
                return False
            if exchange.replay is not None:
                reply.repeat(exchange.replay)
            if not reply.streaming:
                await self.settle(reply)
        except Exception as raised:  # noqa: BLE001 - whatever it is, the caller gets a problem
            return self._failed(reply, raised)
        finally:
            await self.database.settle(exchange.db, None)
        return True

    def _failed(self, reply: Reply, raised: Exception) -> bool:
        """Answer what was raised while sending or saving; False when it should run again."""
        if reply.streaming:
            # Half an answer has left; only a broken connection can tell that it is half.
            raise raised
        # Litestar wraps what is raised while an answer is being sent.
        cause = raised.__cause__ if isinstance(raised, LitestarException) else None
        failure = cause or raised
        reply.refuse(problems.told(reply.exchange, failure))
        if isinstance(failure, OutcomeUnknown):
            # With an idempotency key a second run finds out what became of the first.
            return reply.exchange.pending is None
        return not passing(failure)

    async def settle(self, reply: Reply) -> None:
        """End the transaction as the answer demands; only then may a byte leave."""
        exchange, db = reply.exchange, reply.exchange.db
        failure, pending = exchange.failure, exchange.pending
        if pending is None and failure is None:
            await self.database.commit(db)
        elif pending is None or not idempotency.concerns(failure, reply.status):
            await self.database.settle(db, failure)
        else:
            answer = Answered(reply.status, reply.headers, reply.body)
            await idempotency.conclude(db, pending, answer, failure)
            await self.database.commit(db)

    def _record(self, exchange: Exchange, status: int, seconds: float) -> None:
        metrics.observe(exchange.method, exchange.route, status, seconds)
        logs.access(
            {
                "event": "request",
                "level": "info",
                "timestamp": exchange.db.now,
                "request_id": exchange.id,
                "method": exchange.method,
                "path": exchange.path,
                "status": status,
                "milliseconds": round(seconds * 1000, 2),
                "address": exchange.address,
            }
        )


def _takes_gzip(accepted: bytes) -> bool:
    """Tell whether an Accept-Encoding names gzip, and does not name it to refuse it."""
    for part in accepted.lower().split(b","):
        name, _, weight = part.partition(b";")
        if name.strip() == b"gzip":
            return weight.replace(b" ", b"") not in UNWANTED
    return False


def _again(body: bytes, receive: Receive) -> Receive:
    """Hand the body out once per run; after it, only the caller's leaving is news."""
    messages: Iterable[Any] = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def take() -> Any:  # noqa: ANN401 - an ASGI message
        for message in messages:
            return message
        return await receive()

    return take
