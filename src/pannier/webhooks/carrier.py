"""Carries one request to a receiver, and tells what came of it; whatever the receiver does."""

import asyncio
import ssl
import time
from collections.abc import Mapping
from typing import Any, Final

import aiohttp
from yarl import URL

from pannier.settings import Settings
from pannier.webhooks import guard, reaching
from pannier.webhooks.models import Answer

CONNECT_SECONDS: Final = 3.0
VOUCH_SECONDS: Final = 1.0
KEPT: Final = 16 * 1024
BLOCKED: Final = "The address is not one that webhooks may reach."


class _Trip:
    """When what happened on one request's way."""

    __slots__ = ("asked", "began", "found", "head", "joined", "reused", "searched")

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.searched = self.found = self.asked = self.joined = self.head = 0.0
        self.reused = False

    def phases(self) -> dict[str, float]:
        """Tell the milliseconds of each phase that was reached."""
        ended = time.perf_counter()
        spans = {
            "dns": (self.searched, self.found),
            "connect": (self.found or self.asked, self.joined),
            "wait": (self.joined or self.began, self.head),
            "read": (self.head, ended),
            "total": (self.began, ended),
        }
        return {
            name: round((until - since) * 1000, 2)
            for name, (since, until) in spans.items()
            if since and until
        }


class Carrier:
    """Keeps connections to receivers open between requests."""

    def __init__(self, settings: Settings) -> None:
        self.allow = guard.networks(settings.webhook_allow_networks)
        self._ca_bundle = settings.webhook_ca_bundle
        self._kept: aiohttp.ClientSession | None = None
        self._fresh: aiohttp.ClientSession | None = None
        self._resolver: reaching.Resolver | None = None

    async def vouch(self, url: str) -> None:
        """Refuse an address whose name leads where webhooks may not go.

        A name that nobody knows at present is taken: each attempt looks again.
        """
        if self._resolver is None:
            self._resolver = reaching.Resolver(self.allow)
        host = URL(url).host or ""
        try:
            async with asyncio.timeout(VOUCH_SECONDS):
                await self._resolver.resolve(host)
        except guard.Blocked:
            raise ValueError(BLOCKED) from None
        except (OSError, TimeoutError) as failure:
            if reaching.was_blocked(failure):
                raise ValueError(BLOCKED) from None

    async def send(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        timeout: float,  # noqa: ASYNC109 - it bounds the answer's body too
        *,
        fresh: bool = False,
    ) -> Answer:
        """Post the body, and tell what came of it. `fresh` takes a connection of its own."""
        trip = _Trip()
        session = self._session(fresh=fresh)
        answer = Answer(outcome="timeout")
        try:
            async with (
                asyncio.timeout(timeout),
                session.post(
                    URL(url, encoded=True),
                    data=body,
                    headers=headers,
                    allow_redirects=False,
                    trace_request_ctx=trip,
                ) as response,
            ):
                trip.head = time.perf_counter()
                _note_head(answer, response)
                await _read(answer, response)
                judge(answer)
        except asyncio.CancelledError:
            raise
        except Exception as failure:  # noqa: BLE001 - whatever a receiver provokes is an answer
            explain(answer, failure, trip, timeout)
        answer.phases = trip.phases()
        return answer

    async def close(self) -> None:
        """Close the connections."""
        for session in (self._kept, self._fresh):
            if session is not None:
                await session.close()
        if self._resolver is not None:
            await self._resolver.close()
        self._kept = self._fresh = self._resolver = None

    def _session(self, *, fresh: bool) -> aiohttp.ClientSession:
        if fresh:
            if self._fresh is None:
                self._fresh = self._opened(keep=False)
            return self._fresh
        if self._kept is None:
            self._kept = self._opened(keep=True)
        return self._kept

    def _opened(self, *, keep: bool) -> aiohttp.ClientSession:
        context = reaching.trusting(self._ca_bundle)
        return aiohttp.ClientSession(
            connector=reaching.connector(self.allow, context, keep=keep),
            # Receivers of many companies: what one of them sets, no other must see.
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
            auto_decompress=False,
            trace_configs=[_tracing()],
        )


def _tracing() -> aiohttp.TraceConfig:
    config = aiohttp.TraceConfig()
    config.on_dns_resolvehost_start.append(_marking("searched"))
    config.on_dns_resolvehost_end.append(_marking("found"))
    config.on_connection_create_start.append(_marking("asked"))
    config.on_connection_create_end.append(_marking("joined"))
    config.on_connection_reuseconn.append(_reused)
    config.freeze()
    return config


def _marking(name: str) -> Any:  # noqa: ANN401 - aiohttp's signature
    async def mark(_: object, context: Any, __: object) -> None:  # noqa: ANN401 - aiohttp's own
        setattr(context.trace_request_ctx, name, time.perf_counter())

    return mark


async def _reused(_: object, context: Any, __: object) -> None:  # noqa: ANN401 - aiohttp's own
    context.trace_request_ctx.reused = True


def _note_head(answer: Answer, response: aiohttp.ClientResponse) -> None:
    answer.status = response.status
    answer.retry_after = response.headers.get("Retry-After")
    answer.response_headers = _kept_headers(response)
    connection = response.connection
    peer = (
        connection.transport.get_extra_info("peername")
        if connection is not None and connection.transport
        else None
    )
    answer.remote_address = peer[0] if peer else None


def _kept_headers(response: aiohttp.ClientResponse) -> list[tuple[str, str]]:
    """Keep the head for the log, so much of it as a body."""
    kept, size = [], 0
    for name, value in response.raw_headers:
        size += len(name) + len(value)
        if size > KEPT:
            break
        kept.append((readable(name), readable(value)))
    return kept


def readable(raw: bytes) -> str:
    """Spell what a receiver sent; PostgreSQL's texts have no room for a NUL."""
    return raw.decode("latin-1").replace("\0", "\ufffd")


async def _read(answer: Answer, response: aiohttp.ClientResponse) -> None:
    """Read the beginning of the body; what goes on beyond it is cut off, with the connection."""
    chunks, size = [], 0
    try:
        while size <= KEPT and (chunk := await response.content.read(KEPT + 1 - size)):
            chunks.append(chunk)
            size += len(chunk)
    except aiohttp.ClientError:
        answer.response_cut = True  # it has answered, if not to the end
    answer.response_body = b"".join(chunks)[:KEPT]
    if size > KEPT:
        answer.response_cut = True
        response.close()


def judge(answer: Answer) -> None:
    """Decide by the status whether the receiver took the delivery."""
    status = answer.status or 0
    if 200 <= status < 300:  # noqa: PLR2004 - HTTP's successes
        answer.outcome = "succeeded"
        return
    answer.outcome = "refused"
    answer.error = f"The receiver answered {status}."
    if 300 <= status < 400:  # noqa: PLR2004 - HTTP's redirections
        answer.error = f"The receiver answered {status}; redirections are not followed."


def explain(answer: Answer, failure: Exception, trip: _Trip, timeout: float) -> None:
    """Say in words why there is no answer."""
    if reaching.was_blocked(failure):
        answer.outcome, answer.error, answer.remote_address = "blocked", BLOCKED, None
    elif isinstance(failure, aiohttp.ConnectionTimeoutError):
        answer.outcome = "timeout"
        answer.error = f"No connection could be made within {CONNECT_SECONDS:g} seconds."
    elif isinstance(failure, TimeoutError):
        part = "the end of the answer" if answer.status else "an answer"
        answer.outcome = "timeout"
        answer.error = f"The receiver did not come to {part} within {timeout:g} seconds."
    elif isinstance(failure, aiohttp.ClientConnectorDNSError):
        answer.outcome, answer.error = "dns", "The receiver's name could not be found."
    elif isinstance(failure, (aiohttp.ClientSSLError, ssl.SSLError)):
        answer.outcome, answer.error = "tls", f"There is no safe connection: {_reason(failure)}."
    elif isinstance(failure, aiohttp.ClientConnectorError):
        answer.outcome = "connect"
        answer.error = f"The receiver could not be reached: {_reason(failure)}."
    elif isinstance(failure, (aiohttp.ServerDisconnectedError, OSError)):
        answer.outcome, answer.error = "disconnected", "The receiver hung up without an answer."
        answer.stale = trip.reused and answer.status is None
    else:
        answer.outcome = "malformed"
        answer.error = "What the receiver answered is not HTTP."


def _reason(failure: Exception) -> str:
    """Find the words of the failure underneath, without addresses."""
    under = getattr(failure, "os_error", None) or getattr(failure, "certificate_error", None)
    words = getattr(under, "verify_message", None) or getattr(under, "strerror", None)
    return readable(str(words or type(under or failure).__name__).encode("utf-8", "replace"))[:200]
