"""The HTTP client for receivers. Whatever a receiver does, it returns a result."""

import asyncio
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from pannier.settings import Settings
from pannier.web.trust import load_authorities
from pannier.webhooks import dns, guard, http, listening, proxy, wire
from pannier.webhooks.http import Reply
from pannier.webhooks.models import Answer, Outcome
from pannier.webhooks.pool import CONNECT_SECONDS, Pool

SETTING: Final = "PANNIER_WEBHOOK_CA_BUNDLE"
VOUCH_SECONDS: Final = 1.0
KEPT: Final = wire.BODY_MOST
BLOCKED: Final = (
    "The host resolves to an address that webhooks may not reach. The setting "
    "PANNIER_WEBHOOK_ALLOW_NETWORKS allows other networks."
)


class _Address(NamedTuple):
    """The parts of a receiver's URL."""

    key: tuple[str, int]
    authority: str
    target: str


@lru_cache(maxsize=4096)
def _taken_apart(url: str) -> _Address:
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname or "@" in parts.netloc:
        raise ValueError("Webhooks are carried to https:// and a host.")
    path = parts.path or "/"
    target = f"{path}?{parts.query}" if parts.query else path
    return _Address((parts.hostname, parts.port or guard.HTTPS_PORT), parts.netloc, target)


class Carrier:
    """A client that keeps connections to receivers open between requests."""

    def __init__(self, settings: Settings, lookup: dns.Lookup | None = None) -> None:
        self._servers = dns.Servers()
        self._lookup = lookup or self._servers
        self.allow = guard.networks(settings.webhook_allow_networks)
        self._proxy = proxy.read(settings.webhook_proxy)
        self._ca_bundle = settings.webhook_ca_bundle
        self._resolver: dns.Resolver | None = None
        self._pool: Pool | None = None
        self._local = _Local(settings.folder)

    async def vouch(self, url: str) -> None:
        """Raise ValueError if a URL's host resolves to an address that webhooks may not reach.

        A name that does not resolve now is accepted, because each attempt checks again.
        """
        key = _taken_apart(url).key
        if key[0] == guard.LISTENER:
            return
        try:
            async with asyncio.timeout(VOUCH_SECONDS):
                await self._resolving().resolve(*key)
        except guard.Blocked:
            raise ValueError(BLOCKED) from None
        except (OSError, UnicodeError):
            return

    async def send(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        timeout: float,  # noqa: ASYNC109 - it limits the answer's body too
        *,
        fresh: bool = False,
    ) -> Answer:
        """Post the body and return the result. `fresh` opens a new connection."""
        key, authority, target = _taken_apart(url)
        request = http.request(authority, target, headers, body)
        listened = key[0] == guard.LISTENER
        pool = await self._local.connections() if listened else self._connections()
        reply = await pool.post(key, request, timeout, fresh=fresh)
        return told(reply, timeout)

    async def close(self) -> None:
        """Close the connections."""
        pool, resolver, self._pool, self._resolver = self._pool, self._resolver, None, None
        if pool is not None:
            await pool.close()
        if resolver is not None:
            await resolver.close()
        await self._local.close()
        await self._servers.close()

    def _resolving(self) -> dns.Resolver:
        if self._resolver is None:
            self._resolver = dns.Resolver(self._lookup, self.allow)
        return self._resolver

    def _connections(self) -> Pool:
        if self._pool is None:
            context = load_authorities(SETTING, self._ca_bundle)
            self._pool = Pool(self._resolving(), self.allow, context, proxy=self._proxy)
        return self._pool


class _Local:
    """The connections to `pannier listen` on this machine, separate from all others."""

    def __init__(self, data: Path) -> None:
        self._data, self._pem = data, b""
        self._open: Pool | None = None

    async def connections(self) -> Pool:
        """Return a pool that trusts only the listener's current certificate."""
        pem = listening.certificate(self._data)
        if self._open is None or pem != self._pem:
            # Set the new pool before closing the old one: other requests may come meanwhile.
            finder, older = listening.Finder(self._data), self._open
            self._open = Pool(finder, listening.ALLOWED, listening.context(pem))
            self._pem = pem
            if older is not None:
                await older.close()
        return self._open

    async def close(self) -> None:
        """Close the connections."""
        opened, self._open = self._open, None
        if opened is not None:
            await opened.close()


def told(reply: Reply, timeout: float) -> Answer:
    """Convert a reply to the result of an attempt."""
    answer = Answer(outcome="refused", phases=reply.phases(), remote_address=reply.remote)
    if reply.status is not None:
        answer.status = reply.status
        answer.retry_after = _retry_after(reply)
        answer.response_headers = _kept_headers(reply)
        answer.response_body = reply.body
        answer.response_cut = reply.cut
    if reply.failure is None:
        judge(answer)
        return answer
    answer.outcome, answer.error = _explained(reply, timeout)
    answer.stale = reply.failure == "disconnected" and reply.reused and not reply.answered
    return answer


def judge(answer: Answer) -> None:
    """Set the outcome according to the HTTP status."""
    status = answer.status or 0
    if 200 <= status < 300:  # noqa: PLR2004 - HTTP's successes
        answer.outcome = "succeeded"
        return
    answer.outcome = "refused"
    answer.error = f"The receiver answered {status}."
    if 300 <= status < 400:  # noqa: PLR2004 - HTTP's redirections
        answer.error = f"The receiver answered {status}; redirections are not followed."


def _explained(reply: Reply, timeout: float) -> tuple[Outcome, str]:
    """Return the outcome and the error message for a failed exchange."""
    match reply.failure:
        case "blocked":
            return "blocked", BLOCKED
        case "dns":
            return "dns", "The receiver's name could not be found."
        case "connect":
            return "connect", f"The receiver could not be reached: {_bounded(reply.reason)}."
        case "tls":
            return "tls", f"There is no safe connection: {_bounded(reply.reason)}."
        case "disconnected":
            return "disconnected", "The receiver hung up without an answer."
        case "malformed":
            return "malformed", reply.reason or "What the receiver answered is not HTTP."
        case _:
            return "timeout", _late(reply, timeout)


def _late(reply: Reply, timeout: float) -> str:
    if not reply.waiting:
        seconds = min(timeout, CONNECT_SECONDS) if reply.connecting else timeout
        return f"No connection could be made within {seconds:g} seconds."
    part = "an answer" if reply.status is None else "the end of the answer"
    return f"The receiver did not come to {part} within {timeout:g} seconds."


def _bounded(words: str) -> str:
    return readable(words.encode("latin-1", "replace"))[:200]


def _retry_after(reply: Reply) -> str | None:
    for name, value in reply.headers:
        if name.lower() == b"retry-after":
            return readable(value)
    return None


def _kept_headers(reply: Reply) -> list[tuple[str, str]]:
    """Return the response headers for the log, up to `MAX_LOGGED_HEADER_BYTES`."""
    kept, size = [], 0
    for name, value in reply.headers:
        size += len(name) + len(value)
        if size > KEPT:
            break
        kept.append((readable(name), readable(value.strip())))
    return kept


def readable(raw: bytes) -> str:
    """Decode a receiver's bytes. Replace NUL, which PostgreSQL cannot store in text."""
    return raw.decode("latin-1").replace("\0", "\ufffd")
