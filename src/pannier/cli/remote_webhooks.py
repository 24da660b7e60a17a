"""Signed webhooks of a remote installation, read through its API."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from pannier.cli.forwarding import parse_url
from pannier.cli.printable import to_printable
from pannier.errors import SetupError
from pannier.kit import credential
from pannier.webhooks.live_stream import SignedWebhook, StreamSecret

if TYPE_CHECKING:
    import aiohttp

PATH: Final = "/v1/webhooks/stream"
LIVE_KEY: Final = (
    "This is the key of a live company. Use an API key of a test company, `api_test_…`."
)
WRONG_KIND: Final = "This is not an API key. Use an API key of a test company, `api_test_…`."
# Heartbeats arrive every 15 seconds. A connection that stays silent for longer is lost.
SILENCE_SECONDS: Final = 45.0
CONNECT_SECONDS: Final = 10.0
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 1.0, 30.0
# A line can be twice as long.
BUFFER_BYTES: Final = 4 * 1024 * 1024
MAX_PROBLEM_BYTES: Final = 64 * 1024
MAX_DETAIL_LENGTH: Final = 500
# Responses after which the same request can succeed later.
TRANSIENT_STATUSES: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


class RemoteError(SetupError):
    """The remote installation refuses the stream. The message says why."""


class ConnectionLostError(Exception):
    """The connection broke, or the server is busy. `pause` is the time it asks for."""

    def __init__(self, reason: str, pause: float = 0.0) -> None:
        super().__init__(reason)
        self.pause = pause


class SseMessage(NamedTuple):
    """A server-sent event."""

    id: str
    event: str
    data: bytes


class WebhookStream:
    """Reads a test company's signed webhooks, and reconnects without losing any."""

    def __init__(
        self, origin: str, key: str, events: Sequence[str], notify: Callable[[str], None]
    ) -> None:
        self.origin = parse_url("--url", origin, "https://pannier.example.com").rstrip("/")
        self._key, self._notify = _check_key(key), notify
        self._query = [("event", name) for name in events]
        self._position, self._secret = "", ""
        self._failures = 0

    async def follow(self) -> AsyncIterator[SignedWebhook]:
        """Yield webhooks forever. A webhook counts as received when the next one is asked for."""
        import aiohttp  # noqa: PLC0415 - only this needs it

        timeout = aiohttp.ClientTimeout(sock_connect=CONNECT_SECONDS, sock_read=SILENCE_SECONDS)
        async with aiohttp.ClientSession(
            timeout=timeout, read_bufsize=BUFFER_BYTES, trust_env=True
        ) as session:
            while True:
                try:
                    async for webhook in self._read_connection(session):
                        yield webhook
                    # A server that is stopping ends each connection at once.
                    await asyncio.sleep(FIRST_PAUSE_SECONDS)
                except ConnectionLostError as loss:
                    await self._wait(loss)

    async def _wait(self, loss: ConnectionLostError) -> None:
        """Wait before the next connection, longer after each failure in a row."""
        self._failures += 1
        back_off = min(FIRST_PAUSE_SECONDS * 2.0 ** min(self._failures - 1, 10), MAX_PAUSE_SECONDS)
        pause = max(back_off * random.uniform(0.5, 1), min(loss.pause, MAX_PAUSE_SECONDS))  # noqa: S311 - no secret
        self._notify(f"{loss} Reconnecting in {pause:.0f} s.")
        await asyncio.sleep(pause)

    async def _read_connection(
        self, session: "aiohttp.ClientSession"
    ) -> AsyncIterator[SignedWebhook]:
        """Read one connection until the server ends it, which it does after some minutes."""
        import aiohttp  # noqa: PLC0415 - as above

        headers = {"Authorization": f"Bearer {self._key}", "Accept": "text/event-stream"}
        if self._position:
            headers["Last-Event-ID"] = self._position
        try:
            async with session.get(
                f"{self.origin}{PATH}", params=self._query, headers=headers, allow_redirects=False
            ) as response:
                await _check_response(response)
                async for message in _read_messages(response.content):
                    self._failures = 0
                    webhook = self._handle(message)
                    if webhook is not None:
                        yield webhook
                    self._position = message.id or self._position
        except (aiohttp.ClientError, TimeoutError, OSError) as failure:
            reason = str(failure) or type(failure).__name__
            raise ConnectionLostError(f"The connection was lost: {reason}.") from None

    def _handle(self, message: SseMessage) -> SignedWebhook | None:
        """Return the webhook of a message, if it has one."""
        try:
            match message.event:
                case "beat":
                    self._show_secret(msgspec.json.decode(message.data, type=StreamSecret).secret)
                case "ended":
                    raise RemoteError("The API key was revoked, or has expired.")
                case "":
                    return msgspec.json.decode(message.data, type=SignedWebhook)
        except msgspec.MsgspecError:
            raise RemoteError(f"{self.origin} sends no webhooks that this version reads.") from None
        return None

    def _show_secret(self, secret: str) -> None:
        if secret != self._secret:
            self._secret = secret
            self._notify(f"Signing secret: {secret}")


def _check_key(text: str) -> str:
    """Return an API key; raise RemoteError if it is recognisably another credential."""
    parsed = credential.parse(text)
    if parsed is not None and parsed.kind != "api":
        raise RemoteError(WRONG_KIND)
    if parsed is not None and parsed.mode == "live":
        raise RemoteError(LIVE_KEY)
    if not text.isascii() or not text.isprintable():
        raise RemoteError(WRONG_KIND)
    return text


async def _check_response(response: "aiohttp.ClientResponse") -> None:
    """Raise RemoteError if the server refuses the stream for good."""
    is_stream = response.content_type == "text/event-stream"
    if response.status == 200 and is_stream:  # noqa: PLR2004 - the only success
        return
    detail = _read_detail(await response.content.read(MAX_PROBLEM_BYTES))
    reason = detail or f"The server responded with {response.status}."
    if response.status in TRANSIENT_STATUSES:
        raise ConnectionLostError(reason, _read_pause(response.headers))
    raise RemoteError(reason)


def _read_detail(body: bytes) -> str:
    """Return the sentence of a problem, or an empty text."""
    try:
        problem = msgspec.json.decode(body, type=dict[str, object])
    except msgspec.MsgspecError:
        return ""
    detail = problem.get("detail")
    return (
        to_printable(" ".join(detail[:MAX_DETAIL_LENGTH].split()))
        if isinstance(detail, str)
        else ""
    )


def _read_pause(headers: Mapping[str, str]) -> float:
    text = headers.get("Retry-After", "")
    return float(text) if text.isdecimal() else 0.0


async def _read_messages(content: "aiohttp.StreamReader") -> AsyncIterator[SseMessage]:
    """Parse server-sent events."""
    fields: dict[str, list[bytes]] = {}
    while line := await _read_line(content):
        text = line.rstrip(b"\r\n")
        if text:
            name, _, value = text.partition(b":")
            fields.setdefault(name.decode("utf-8", "replace"), []).append(value.removeprefix(b" "))
            continue
        if "data" in fields:
            yield SseMessage(
                _get_last(fields, "id"), _get_last(fields, "event"), b"\n".join(fields["data"])
            )
        fields = {}


async def _read_line(content: "aiohttp.StreamReader") -> bytes:
    """Read a line; return nothing at the end of the stream."""
    try:
        return await content.readline()
    except ValueError:
        raise RemoteError("The server sent a message that is too long.") from None


def _get_last(fields: Mapping[str, Sequence[bytes]], name: str) -> str:
    return fields[name][-1].decode("utf-8", "replace") if name in fields else ""
