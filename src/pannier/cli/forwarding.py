"""Forwarding of webhooks to a receiver, such as one that is being developed on a laptop."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import click
import msgspec

from pannier.cli.printable import to_printable
from pannier.cli.tables import style
from pannier.errors import SetupError
from pannier.kit.clock import SystemClock

if TYPE_CHECKING:
    import aiohttp

# As long as the receiver of an endpoint has.
TIMEOUT_SECONDS: Final = 10.0
MAX_RETRY_PAUSE_SECONDS: Final = 30.0
MAX_DRAINED_BYTES: Final = 64 * 1024
ATTEMPT_HEADER: Final = "X-Service-Attempt"
# Headers of one connection, which the next one sets itself.
CONNECTION_HEADERS: Final = frozenset(
    {"host", "connection", "content-length", "transfer-encoding", "keep-alive", "te", "upgrade"}
)
SUCCESS: Final = range(200, 300)


class ForwardedAttempt(msgspec.Struct):
    """The result of one attempt to forward a webhook, as it is printed."""

    at: datetime
    event: str
    id: str
    attempt: int
    status: int | None
    error: str | None
    milliseconds: int

    @property
    def is_accepted(self) -> bool:
        """Whether the receiver responded with 2xx."""
        return self.status in SUCCESS

    def to_line(self) -> str:
        """Return one line for a terminal."""
        result = style(
            f"failed: {self.error}" if self.status is None else str(self.status),
            colour="green" if self.is_accepted else "red",
        )
        summary = f"{self.id}  attempt {self.attempt}  {self.milliseconds} ms"
        return (
            f"{self.at.astimezone():%H:%M:%S}  {to_printable(self.event)}  {result}  "
            f"{to_printable(summary)}"
        )


def print_attempt(attempt: ForwardedAttempt, *, as_json: bool) -> None:
    """Print an attempt as one line."""
    click.echo(msgspec.json.encode(attempt) if as_json else attempt.to_line())


def parse_target(text: str) -> str:
    """Return the URL of a receiver, or raise SetupError."""
    return parse_url("--forward-to", text, "http://localhost:3000/hook")


def parse_url(option: str, text: str, example: str) -> str:
    """Return an HTTP or HTTPS URL, or raise SetupError."""
    try:
        parts = urlsplit(text)
        is_valid = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        is_valid = False
    if not is_valid:
        raise SetupError(f"{option} needs an http or https URL, such as {example}.")
    return text


class Forwarder:
    """Sends webhooks to a receiver, one after the other, with their headers and bytes.

    An attempt that fails is repeated only if `retries` asks for it.
    """

    def __init__(self, target: str, *, retries: int = 0, verifies: bool = True) -> None:
        self.target, self._retries, self._verifies = target, retries, verifies
        self._session: aiohttp.ClientSession | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Forwarder"]:
        """Keep connections to the receiver open within the context."""
        import aiohttp  # noqa: PLC0415 - only forwarding needs it

        async with aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=TIMEOUT_SECONDS),
            skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
        ) as self._session:
            yield self

    async def forward(
        self, headers: Mapping[str, str], body: bytes
    ) -> AsyncIterator[ForwardedAttempt]:
        """Send a webhook until the receiver accepts it; yield the result of each attempt."""
        first_attempt = _get_attempt(headers)
        sent_headers = {
            name: headers[name] for name in headers if name.lower() not in CONNECTION_HEADERS
        }
        for retry in range(self._retries + 1):
            if retry:
                await asyncio.sleep(min(2.0 ** (retry - 1), MAX_RETRY_PAUSE_SECONDS))
            number = first_attempt + retry
            attempt = await self._send({**sent_headers, ATTEMPT_HEADER: str(number)}, body, number)
            yield attempt
            if attempt.is_accepted:
                return

    async def _send(self, headers: Mapping[str, str], body: bytes, number: int) -> ForwardedAttempt:
        import aiohttp  # noqa: PLC0415 - as above

        if self._session is None:
            raise RuntimeError("The forwarder is not open.")
        at, began, status, error = SystemClock().now(), time.monotonic(), None, None
        try:
            async with self._session.post(
                self.target,
                data=body,
                headers=headers,
                allow_redirects=False,
                ssl=self._verifies,
            ) as response:
                status = response.status
                await response.content.read(MAX_DRAINED_BYTES)
        except TimeoutError:
            error = f"no response within {TIMEOUT_SECONDS:.0f} s"
        except (aiohttp.ClientError, OSError) as failure:
            error = str(failure) or type(failure).__name__
        return ForwardedAttempt(
            at=at,
            event=headers.get("X-Service-Event", ""),
            id=headers.get("webhook-id", ""),
            attempt=number,
            status=None if error else status,
            error=error,
            milliseconds=round((time.monotonic() - began) * 1000),
        )


def _get_attempt(headers: Mapping[str, str]) -> int:
    text = headers.get(ATTEMPT_HEADER, "1")
    return int(text) if text.isdecimal() else 1
