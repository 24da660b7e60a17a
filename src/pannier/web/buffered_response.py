"""Responses, buffered until the transaction has ended, then completed with headers and sent."""

import asyncio
import gzip
import re
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Any, Final, cast

from litestar.types import Message, Scope, Send

from pannier.errors import Problem
from pannier.web import (
    cors,
    former_names,
    idempotency,
    problems,
    rate_limit_headers,
    unknown_names,
)
from pannier.web.exchange import Exchange
from pannier.web.idempotency import Headers, StoredResponse

MIN_GZIP_BYTES: Final = 1024
# From this size, compression takes milliseconds and runs in a thread.
MIN_THREADED_GZIP_BYTES: Final = 64 * 1024
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
ZERO_WEIGHTS: Final = frozenset({b"q=0", b"q=0.0", b"q=0.00", b"q=0.000"})
NO_CONTENT: Final = 204
PARTIAL: Final = 206
# An ASGI extension of our own server: a function that writes a complete response at once. It takes
# status, headers and body. If it returns False, it has done nothing, and `send` is needed.
SINGLE_WRITE_EXTENSION: Final = "pannier.whole"
SingleWrite = Callable[[int, Headers, bytes], bool]
HSTS: Final = (b"strict-transport-security", b"max-age=31536000; includeSubDomains")


class BufferedResponse:
    """Buffers a response until its transaction has ended; then passes a stream through."""

    def __init__(
        self,
        exchange: Exchange,
        scope: Scope,
        send: Send,
        end_transaction: Callable[["BufferedResponse"], Awaitable[None]],
    ) -> None:
        self.exchange, self._send, self._end_transaction = exchange, send, end_transaction
        # Removed from the scope to avoid a reference cycle.
        extensions = scope.get("extensions")
        self._write: SingleWrite | None = (
            cast("Any", extensions).pop(SINGLE_WRITE_EXTENSION, None) if extensions else None
        )
        self.status = 500
        self.headers: Headers = []
        self.body = b""
        self.streaming = False

    async def collect(self, message: Message) -> None:
        """Buffer a message of the response. Handlers call this as their ASGI `send`."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = [(name.lower(), value) for name, value in message["headers"]]
            return
        body_message = cast("Any", message)
        if body_message.get("more_body") and not self.streaming:
            self.add_request_headers()
            await self._end_transaction(self)
            await self.exchange.end_turn()
            self.streaming = True
            await self._send(self._make_start_message(self._add_common_headers(self.headers)))
        if not self.streaming:
            self.body += body_message.get("body", b"")
        elif self.exchange.method != "HEAD" or not body_message.get("more_body"):
            await self._send(message)

    def replay(self, stored_response: StoredResponse) -> None:
        """Replace the response with the stored one of an earlier request with the same key."""
        self.status, self.body = stored_response.status, stored_response.body
        self.headers = [*stored_response.headers, idempotency.REPLAYED_HEADER]

    def add_request_headers(self) -> None:
        """Add headers about the former names that were used, and about ignored body fields."""
        if self.exchange.former_uses:
            self.headers = former_names.make_headers(self.exchange.former_uses, self.headers)
        if self.exchange.ignored:
            self.headers = [
                *self.headers,
                (b"preference-applied", b"handling=lenient"),
                (b"pannier-ignored", unknown_names.format_ignored_header(self.exchange.ignored)),
            ]

    def replace_with_problem(self, problem: Problem) -> None:
        """Replace the response with a problem."""
        self.status = problem.status
        self.body = problems.render(problem, self.exchange.id)
        self.headers = problems.render_headers(problem)

    async def send(self) -> None:
        """Send the buffered response."""
        body = self.body
        headers = [pair for pair in self.headers if pair[0] != b"content-length"]
        if len(body) >= MIN_GZIP_BYTES and self._is_compressible():
            body = await self._compress(body)
            headers += [(b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")]
        if self.status != NO_CONTENT:
            headers.append((b"content-length", b"%d" % len(body)))
        if self.exchange.method == "HEAD":
            body = b""
        headers = self._add_common_headers(headers)
        if self._write is not None and self._write(self.status, headers, body):
            return
        await self._send(self._make_start_message(headers))
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    async def _compress(self, body: bytes) -> bytes:
        """Compress a body: a public one with a cache, a large one in a thread."""
        is_public = dict(self.headers).get(b"cache-control", b"").startswith(b"public")
        compress = compress_gzip_cached if is_public else _compress_gzip
        if len(body) < MIN_THREADED_GZIP_BYTES:
            return compress(body)
        return await asyncio.to_thread(compress, body)

    def _is_compressible(self) -> bool:
        header_values = dict(self.headers)
        return (
            self.status != PARTIAL
            and _accepts_gzip(self.exchange.headers.get(b"accept-encoding", b""))
            and b"content-encoding" not in header_values
            and GZIP_TYPES.match(header_values.get(b"content-type", b"")) is not None
        )

    def _add_common_headers(self, headers: Headers) -> Headers:
        """Add the headers that every response has."""
        names = {name for name, _ in headers}
        all_headers = headers + [pair for pair in SECURITY_HEADERS if pair[0] not in names]
        all_headers.append((b"x-request-id", self.exchange.id.encode("ascii")))
        if self.exchange.rate_limits:
            all_headers += rate_limit_headers.make_headers(self.exchange)
        if self.exchange.secure:
            all_headers.append(HSTS)
        return all_headers + cors.make_response_headers(self.exchange, self.exchange.edge.origins)

    def _make_start_message(self, headers: Headers) -> Message:
        return {"type": "http.response.start", "status": self.status, "headers": headers}


def _compress_gzip(body: bytes) -> bytes:
    return gzip.compress(body, 5, mtime=0)


# Documentation and assets are the same for everybody. Without a cache, anonymous requests for a
# megabyte would be expensive.
compress_gzip_cached: Final = lru_cache(maxsize=512)(_compress_gzip)


def _accepts_gzip(accept_encoding: bytes) -> bool:
    """Tell whether an Accept-Encoding header lists gzip with a weight above zero."""
    for part in accept_encoding.lower().split(b","):
        name, _, weight = part.partition(b";")
        if name.strip() == b"gzip":
            return weight.replace(b" ", b"") not in ZERO_WEIGHTS
    return False
