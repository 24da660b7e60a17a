"""An answer on its way out: held back until its transaction has ended, then dressed and sent."""

import asyncio
import gzip
import re
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Any, Final, cast

from litestar.types import Message, Scope, Send

from pannier.errors import Problem
from pannier.web import cors, idempotency, problems, unknown
from pannier.web.exchange import Exchange
from pannier.web.idempotency import Answered, Headers

GZIP_FROM: Final = 1024
# From here on compressing takes milliseconds, so it happens in a thread.
GZIP_ASIDE_FROM: Final = 64 * 1024
GZIP_TYPES: Final = re.compile(
    rb"^(application/((problem|manifest)\+)?json|application/(.*xml|wasm)|text/|image/svg)"
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
PARTIAL: Final = 206
# What the house's own server offers beside ASGI's `send`: to write an answer that is whole at once.
# It takes status, headers and body; False says that it cannot, and has done nothing.
WHOLE: Final = "pannier.whole"
Write = Callable[[int, Headers, bytes], bool]
HSTS: Final = (b"strict-transport-security", b"max-age=31536000; includeSubDomains")


class Reply:
    """Holds an answer back until its transaction has ended; lets a stream through after it."""

    def __init__(
        self,
        exchange: Exchange,
        scope: Scope,
        send: Send,
        conclude: Callable[["Reply"], Awaitable[None]],
    ) -> None:
        self.exchange, self._send, self._conclude = exchange, send, conclude
        # Taken out: otherwise what a request is made of would hold itself.
        offered = scope.get("extensions")
        self._write: Write | None = cast("Any", offered).pop(WHOLE, None) if offered else None
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
            await self._conclude(self)
            self.streaming = True
            await self._send(self._start(self._dressed(self.headers)))
        if not self.streaming:
            self.body += part.get("body", b"")
        elif self.exchange.method != "HEAD" or not part.get("more_body"):
            await self._send(message)

    def repeat(self, answer: Answered) -> None:
        """Put the answer that a keyed request had before in place of this one."""
        self.status, self.body = answer.status, answer.body
        self.headers = [*answer.headers, idempotency.REPLAYED]

    def tell_ignored(self) -> None:
        """Name the body fields that were ignored, as the caller asked (RFC 7240)."""
        self.headers = [
            *self.headers,
            (b"preference-applied", b"handling=lenient"),
            (b"pannier-ignored", unknown.ignored_header(self.exchange.ignored)),
        ]

    def refuse(self, problem: Problem) -> None:
        """Put a problem in place of the answer."""
        self.status = problem.status
        self.body = problems.render(problem, self.exchange.id)
        self.headers = problems.render_headers(problem)

    async def send(self) -> None:
        """Let the answer out."""
        body = self.body
        headers = [pair for pair in self.headers if pair[0] != b"content-length"]
        if len(body) >= GZIP_FROM and self._compressible():
            body = await self._compress(body)
            headers += [(b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")]
        if self.status != NO_CONTENT:
            headers.append((b"content-length", b"%d" % len(body)))
        if self.exchange.method == "HEAD":
            body = b""
        headers = self._dressed(headers)
        if self._write is not None and self._write(self.status, headers, body):
            return
        await self._send(self._start(headers))
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    async def _compress(self, body: bytes) -> bytes:
        """Compress a body: public ones once, large ones beside the event loop."""
        public = dict(self.headers).get(b"cache-control", b"").startswith(b"public")
        compress = zipped_once if public else _zipped
        if len(body) < GZIP_ASIDE_FROM:
            return compress(body)
        return await asyncio.to_thread(compress, body)

    def _compressible(self) -> bool:
        names = dict(self.headers)
        return (
            self.status != PARTIAL
            and _takes_gzip(self.exchange.headers.get(b"accept-encoding", b""))
            and b"content-encoding" not in names
            and GZIP_TYPES.match(names.get(b"content-type", b"")) is not None
        )

    def _dressed(self, headers: Headers) -> Headers:
        """Add what every answer has."""
        names = dict(headers)
        dressed = headers + [pair for pair in SECURITY_HEADERS if pair[0] not in names]
        dressed.append((b"x-request-id", self.exchange.id.encode("ascii")))
        if self.exchange.secure:
            dressed.append(HSTS)
        return dressed + cors.headers(self.exchange, self.exchange.edge.origins)

    def _start(self, headers: Headers) -> Message:
        return {"type": "http.response.start", "status": self.status, "headers": headers}


def _zipped(body: bytes) -> bytes:
    return gzip.compress(body, 5, mtime=0)


# Documentation and assets are the same for everybody, and a megabyte costs a stranger nothing to
# ask for.
zipped_once: Final = lru_cache(maxsize=512)(_zipped)


def _takes_gzip(accepted: bytes) -> bool:
    """Tell whether an Accept-Encoding names gzip, and does not name it to refuse it."""
    for part in accepted.lower().split(b","):
        name, _, weight = part.partition(b";")
        if name.strip() == b"gzip":
            return weight.replace(b" ", b"") not in UNWANTED
    return False
