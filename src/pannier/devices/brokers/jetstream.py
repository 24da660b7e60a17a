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

from pannier.devices.brokers import addresses
from pannier.devices.brokers.claimed_tasks import BrokerUnreachableError
from pannier.devices.readings import ItemRefusal, Reading
from pannier.devices.sources import Source
from pannier.settings import Settings
from pannier.web.logs import log

STREAM: Final = "PANNIER_DEVICES"
SUBJECT: Final = "pannier.devices"
# This header lets JetStream recognise duplicates, and senders match replies to messages.
MESSAGE_ID_HEADER: Final = "Nats-Msg-Id"
CONNECT_SECONDS: Final = 3.0
# Seconds after a failed connection in which callers get the same error at once.
FAILURE_PAUSE_SECONDS: Final = 0.5


# Called with each new connection.
OnConnect = Callable[[Client], Awaitable[None]]


class EventParcel(msgspec.Struct):
    """A part of a submission, and the subject for the reply."""

    source: Source
    readings: Sequence[Reading]
    refusals: Sequence[ItemRefusal]
    indexes: Sequence[int] = msgspec.field(name="stood")
    reply: str


class ParcelAnswer(msgspec.Struct):
    """The outcome of a parcel."""

    accepted: int = 0
    duplicates: int = 0
    refusals: list[ItemRefusal] = []
    revoked: bool = False


encode: Final = msgspec.msgpack.Encoder().encode
decode_parcel: Final = msgspec.msgpack.Decoder(EventParcel).decode
decode_answer: Final = msgspec.msgpack.Decoder(ParcelAnswer).decode


def make_subject(shard: int) -> str:
    return f"{SUBJECT}.{shard}"


def choose_shard(source: Source, device: str | None, shards: int) -> int:
    """Return the shard of the device that a sender names."""
    shard_device = device if source.speaks_for_all and device is not None else source.device
    return crc32(f"{source.company}/{shard_device}".encode()) % shards


class NatsConnection:
    """A process's connection to NATS, reopened on demand.

    The client's own reconnection would buffer published messages and respond late. Senders should
    learn at once that nothing was accepted.
    """

    def __init__(self, settings: Settings, on_connect: OnConnect | None = None) -> None:
        self._settings, self._on_connect = settings, on_connect
        self._lock = asyncio.Lock()
        self._client: Client | None = None
        self._failure: tuple[float, BrokerUnreachableError] | None = None

    async def open(self) -> Client:
        """Return the open connection, or open one."""
        async with self._lock:
            if self._client is not None and self._client.is_connected:
                return self._client
            now = asyncio.get_running_loop().time()
            if self._failure is not None and now < self._failure[0] + FAILURE_PAUSE_SECONDS:
                raise self._failure[1]
            await self.close()
            try:
                self._client = await self._connect()
            except BrokerUnreachableError as error:
                log.warning("JetStream unavailable", reason=str(error))
                self._failure = now, error
                raise
            self._failure = None
            return self._client

    async def _connect(self) -> Client:
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                client = await connect(self._settings)
                await _ensure_stream(client, self._settings)
                if self._on_connect is not None:
                    await self._on_connect(client)
        except (Error, OSError, TimeoutError) as error:
            raise BrokerUnreachableError(
                f"{describe_servers(self._settings)}: {error or 'no answer'}"
            ) from None
        return client

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None and not client.is_closed:
            with suppress(Exception):
                await client.close()


def describe_servers(settings: Settings) -> str:
    """Return the addresses of the servers without passwords."""
    return ", ".join(map(str, addresses.parse_nats_addresses(settings)))


async def connect(settings: Settings) -> Client:
    async def ignore(_: Exception) -> None:
        """Ignore errors that the client raises as well."""

    uses_tls = any(broker.scheme == "tls" for broker in addresses.parse_nats_addresses(settings))
    context = addresses.create_tls_context(settings) if uses_tls else None
    client = Client()
    try:
        await client.connect(
            servers=[url.strip() for url in (settings.nats_url or "").split(",") if url.strip()],
            name="pannier",
            allow_reconnect=False,
            max_reconnect_attempts=1,
            connect_timeout=1,
            error_cb=ignore,
            tls=context,
        )
    except BaseException:
        # A failed connect leaves its socket open.
        await client.close()
        raise
    return client


async def _ensure_stream(client: Client, settings: Settings) -> None:
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
