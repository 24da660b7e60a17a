"""The HTTP client for receivers. It returns a result however a receiver behaves."""

import asyncio
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from pannier.settings import Settings
from pannier.web.certificates import load_authorities
from pannier.webhooks import dns, guard, http, local_listener, proxy, wire
from pannier.webhooks.http import HttpReply
from pannier.webhooks.models import AttemptResult, Outcome
from pannier.webhooks.pool import CONNECT_TIMEOUT_SECONDS, Pool

CA_BUNDLE_SETTING: Final = "PANNIER_WEBHOOK_CA_BUNDLE"
CHECK_TIMEOUT_SECONDS: Final = 1.0
MAX_LOGGED_HEADER_BYTES: Final = wire.MAX_BODY_BYTES
BLOCKED: Final = (
    "The host resolves to an address that webhooks may not reach. The setting "
    "PANNIER_WEBHOOK_ALLOW_NETWORKS allows other networks."
)


class _ParsedUrl(NamedTuple):
    """The parts of a receiver's URL."""

    key: tuple[str, int]
    authority: str
    target: str


@lru_cache(maxsize=4096)
def _parse_url(url: str) -> _ParsedUrl:
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname or "@" in parts.netloc:
        raise ValueError("A webhook's URL must begin with https:// and a host.")
    path = parts.path or "/"
    target = f"{path}?{parts.query}" if parts.query else path
    return _ParsedUrl((parts.hostname, parts.port or guard.HTTPS_PORT), parts.netloc, target)


class WebhookClient:
    """A client that keeps connections to receivers open between requests."""

    def __init__(self, settings: Settings, lookup: dns.Lookup | None = None) -> None:
        self._name_servers = dns.NameServers()
        self._lookup = lookup or self._name_servers
        self.allowed_networks = guard.parse_networks(settings.webhook_allow_networks)
        self._proxy = proxy.parse_proxy(settings.webhook_proxy)
        self._ca_bundle = settings.webhook_ca_bundle
        self._resolver: dns.DnsResolver | None = None
        self._pool: Pool | None = None
        self._local = _LocalPool(settings.folder)

    async def check_reachable(self, url: str) -> None:
        """Raise ValueError if a URL's host resolves to an address that webhooks may not reach.

        A name that does not resolve now is accepted, because each attempt checks again.
        """
        key = _parse_url(url).key
        if key[0] == guard.LISTENER_HOST:
            return
        try:
            async with asyncio.timeout(CHECK_TIMEOUT_SECONDS):
                await self._get_or_create_resolver().resolve(*key)
        except guard.Blocked:
            raise ValueError(BLOCKED) from None
        except (OSError, UnicodeError):
            return

    async def send(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        timeout: float,  # noqa: ASYNC109 - limits the whole exchange
        *,
        fresh: bool = False,
    ) -> AttemptResult:
        """Post the body and return the result. `fresh` opens a new connection."""
        key, authority, target = _parse_url(url)
        request = http.build_request(authority, target, headers, body)
        is_local = key[0] == guard.LISTENER_HOST
        pool = await self._local.get_pool() if is_local else self._get_or_create_pool()
        reply = await pool.post(key, request, timeout, is_fresh=fresh)
        return to_result(reply, timeout)

    async def close(self) -> None:
        """Close the connections."""
        pool, resolver, self._pool, self._resolver = self._pool, self._resolver, None, None
        if pool is not None:
            await pool.close()
        if resolver is not None:
            await resolver.close()
        await self._local.close()
        await self._name_servers.close()

    def _get_or_create_resolver(self) -> dns.DnsResolver:
        if self._resolver is None:
            self._resolver = dns.DnsResolver(self._lookup, self.allowed_networks)
        return self._resolver

    def _get_or_create_pool(self) -> Pool:
        if self._pool is None:
            context = load_authorities(CA_BUNDLE_SETTING, self._ca_bundle)
            self._pool = Pool(
                self._get_or_create_resolver(), self.allowed_networks, context, proxy=self._proxy
            )
        return self._pool


class _LocalPool:
    """The connections to `pannier listen` on this machine, separate from all others."""

    def __init__(self, data_folder: Path) -> None:
        self._data_folder, self._pem = data_folder, b""
        self._pool: Pool | None = None

    async def get_pool(self) -> Pool:
        """Return a pool that trusts only the listener's current certificate."""
        pem = local_listener.load_certificate(self._data_folder)
        if self._pool is None or pem != self._pem:
            # Set the new pool before closing the old one: other requests may arrive meanwhile.
            resolver, old_pool = local_listener.ListenerResolver(self._data_folder), self._pool
            self._pool = Pool(
                resolver, local_listener.ALLOWED_NETWORKS, local_listener.make_client_context(pem)
            )
            self._pem = pem
            if old_pool is not None:
                await old_pool.close()
        return self._pool

    async def close(self) -> None:
        """Close the connections."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()


def to_result(reply: HttpReply, timeout: float) -> AttemptResult:
    """Convert a reply to the result of an attempt."""
    result = AttemptResult(
        outcome="refused", phases=reply.measure_phases(), remote_address=reply.remote
    )
    if reply.status is not None:
        result.status = reply.status
        result.retry_after = _find_retry_after(reply)
        result.response_headers = _list_logged_headers(reply)
        result.response_body = reply.body
        result.response_cut = reply.is_cut
    if reply.failure is None:
        set_outcome(result)
        return result
    result.outcome, result.error = _classify_failure(reply, timeout)
    result.stale = reply.failure == "disconnected" and reply.reused and not reply.answered
    return result


def set_outcome(result: AttemptResult) -> None:
    """Set the outcome according to the HTTP status."""
    status = result.status or 0
    if 200 <= status < 300:  # noqa: PLR2004 - HTTP's successes
        result.outcome = "succeeded"
        return
    result.outcome = "refused"
    result.error = f"The receiver responded with {status}."
    if 300 <= status < 400:  # noqa: PLR2004 - HTTP's redirections
        result.error = f"The receiver responded with {status}; redirects are not followed."


def _classify_failure(reply: HttpReply, timeout: float) -> tuple[Outcome, str]:
    """Return the outcome and the error message for a failed exchange."""
    match reply.failure:
        case "blocked":
            return "blocked", BLOCKED
        case "dns":
            return "dns", "The receiver's name could not be resolved."
        case "connect":
            return (
                "connect",
                f"The receiver could not be reached: {_shorten_message(reply.reason)}.",
            )
        case "tls":
            return "tls", f"The TLS connection failed: {_shorten_message(reply.reason)}."
        case "disconnected":
            return "disconnected", "The receiver closed the connection without a response."
        case "malformed":
            return "malformed", reply.reason or "The receiver's response is not valid HTTP."
        case _:
            return "timeout", _describe_timeout(reply, timeout)


def _describe_timeout(reply: HttpReply, timeout: float) -> str:
    if not reply.wait_began_at:
        seconds = min(timeout, CONNECT_TIMEOUT_SECONDS) if reply.connect_began_at else timeout
        return f"No connection within {seconds:g} seconds."
    missing_part = "a response" if reply.status is None else "the complete response"
    return f"The receiver did not send {missing_part} within {timeout:g} seconds."


def _shorten_message(message: str) -> str:
    return decode_text(message.encode("latin-1", "replace"))[:200]


def _find_retry_after(reply: HttpReply) -> str | None:
    for name, value in reply.headers:
        if name.lower() == b"retry-after":
            return decode_text(value)
    return None


def _list_logged_headers(reply: HttpReply) -> list[tuple[str, str]]:
    """Return the response headers for the log, up to `MAX_LOGGED_HEADER_BYTES`."""
    logged_headers, size = [], 0
    for name, value in reply.headers:
        size += len(name) + len(value)
        if size > MAX_LOGGED_HEADER_BYTES:
            break
        logged_headers.append((decode_text(name), decode_text(value.strip())))
    return logged_headers


def decode_text(raw: bytes) -> str:
    """Decode a receiver's bytes. Replace NUL, which PostgreSQL cannot store in text."""
    return raw.decode("latin-1").replace("\0", "\ufffd")
