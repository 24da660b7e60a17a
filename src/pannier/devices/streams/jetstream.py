"""JetStream: the NATS stream in which events wait until they are stored.

The API publishes *parcels* to the subject of a device's shard. The worker that holds the shard
stores and acknowledges them. It replies with the outcome, for which the API waits briefly.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final
from zlib import crc32

import msgspec
from nats.aio.client import Client
from nats.errors import Error
from nats.js.api import DiscardPolicy, RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import NotFoundError

from pannier.devices.readings import Reading, Refusal
from pannier.devices.sources import Source
from pannier.devices.streams import addresses
from pannier.devices.streams.shares import AwayError
from pannier.settings import Settings
from pannier.web.logs import log

STREAM: Final = "PANNIER_DEVICES"
SUBJECT: Final = "pannier.devices"
# The header with which JetStream recognises duplicates, and the sender its reply.
NAME: Final = "Nats-Msg-Id"
CONNECT_SECONDS: Final = 3.0
# Seconds after a failed connection in which callers get the same error at once.
PAUSE: Final = 0.5


# Called with each new connection.
Opened = Callable[[Client], Awaitable[None]]


class Parcel(msgspec.Struct):
    """A part of a submission, and the subject for the reply."""

    source: Source
    readings: Sequence[Reading]
    refusals: Sequence[Refusal]
    stood: Sequence[int]
    reply: str


class Answer(msgspec.Struct):
    """The outcome of a parcel."""

    accepted: int = 0
    duplicates: int = 0
    refusals: list[Refusal] = []
    revoked: bool = False


encode: Final = msgspec.msgpack.Encoder().encode
parcel: Final = msgspec.msgpack.Decoder(Parcel).decode
answer: Final = msgspec.msgpack.Decoder(Answer).decode


def subject(shard: int) -> str:
    return f"{SUBJECT}.{shard}"


def shard_of(source: Source, named: str | None, shards: int) -> int:
    """Return the shard of a device, as its sender names it."""
    whose = named if source.speaks_for_all and named is not None else source.device
    return crc32(f"{source.company}/{whose}".encode()) % shards


class Connection:
    """A process's connection to NATS, reopened on demand.

    The client's own reconnection would buffer published messages and respond late. Senders should
    rather learn at once that nothing was accepted.
    """

    def __init__(self, settings: Settings, opened: Opened | None = None) -> None:
        self._settings, self._opened = settings, opened
        self._lock = asyncio.Lock()
        self._client: Client | None = None
        self._failed: tuple[float, AwayError] | None = None

    async def open(self) -> Client:
        """Return the open connection, or connect."""
        async with self._lock:
            if self._client is not None and self._client.is_connected:
                return self._client
            now = asyncio.get_running_loop().time()
            if self._failed is not None and now < self._failed[0] + PAUSE:
                raise self._failed[1]
            await self.close()
            try:
                self._client = await self._connected()
            except AwayError as away:
                log.warning("JetStream unavailable", reason=str(away))
                self._failed = now, away
                raise
            self._failed = None
            return self._client

    async def _connected(self) -> Client:
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                client = await signed_in(self._settings)
                await _prepare(client, self._settings)
                if self._opened is not None:
                    await self._opened(client)
        except (Error, OSError, TimeoutError) as away:
            raise AwayError(f"{named(self._settings)}: {away or 'no answer'}") from None
        return client

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None and not client.is_closed:
            with suppress(Exception):
                await client.close()


def named(settings: Settings) -> str:
    """Return the addresses of the servers without passwords."""
    return ", ".join(map(str, addresses.nats(settings)))


async def signed_in(settings: Settings) -> Client:
    async def unheard(_: Exception) -> None:
        """Ignore errors that the client raises as well."""

    secure = any(broker.scheme == "tls" for broker in addresses.nats(settings))
    context = addresses.tls(settings) if secure else None
    client = Client()
    try:
        await client.connect(
            servers=[url.strip() for url in (settings.nats_url or "").split(",") if url.strip()],
            name="pannier",
            allow_reconnect=False,
            max_reconnect_attempts=1,
            connect_timeout=1,
            error_cb=unheard,
            tls=context,
        )
    except BaseException:
        # A failed connect leaves its socket open.
        await client.close()
        raise
    return client


async def _prepare(client: Client, settings: Settings) -> None:
    """Create the stream unless it exists; an operator may have created it with other options."""
    stream = client.jetstream()
    with suppress(NotFoundError):
        await stream.stream_info(STREAM)
        return
    await stream.add_stream(
        StreamConfig(
            name=STREAM,
            subjects=[f"{SUBJECT}.*"],
            # Acknowledged messages are removed. A full stream rejects new ones.
            retention=RetentionPolicy.WORK_QUEUE,
            discard=DiscardPolicy.NEW,
            max_bytes=settings.nats_bytes,
            num_replicas=settings.nats_replicas,
            storage=StorageType.FILE,
            duplicate_window=120,
        )
    )
