"""Shards of JetStream: parcels are stored, and only then acknowledged."""

import asyncio
from typing import Final

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error
from nats.errors import TimeoutError as Nothing
from nats.js.api import ConsumerConfig

from pannier.db.claims import Claims
from pannier.devices.sources import Source
from pannier.devices.streams import jetstream
from pannier.devices.streams.jetstream import NAME, STREAM, Answer, Connection, Parcel
from pannier.devices.streams.patience import until_stored
from pannier.devices.streams.shares import AwayError, Shares
from pannier.devices.writer import Writer
from pannier.errors import Unauthenticated
from pannier.settings import Settings
from pannier.web.logs import log

SPACE: Final = 7_240_570
TOGETHER: Final = 50  # parcels per shard that are stored at once
IDLE_SECONDS: Final = 5.0
# Seconds after which JetStream redelivers an unacknowledged message.
ACKNOWLEDGE_SECONDS: Final = 5
UNREADABLE_SECONDS: Final = 60


def storing(url: str, settings: Settings, writer: Writer) -> Shares:
    """Create the consumer of JetStream, shared by all workers."""
    shards = Shards(settings, writer)
    claims = Claims(url, SPACE, settings.nats_shards)
    return Shares("device shards", claims, shards.hold, shards.close)


class Shards:
    """A consumer that stores the parcels of the shards that this worker has claimed."""

    def __init__(self, settings: Settings, writer: Writer) -> None:
        self._connection, self._writer = Connection(settings), writer

    async def hold(self, shard: int) -> None:
        """Store the parcels of a shard until the connection breaks."""
        client = await self._connection.open()
        try:
            waiting = await client.jetstream().pull_subscribe(
                jetstream.subject(shard),
                durable=f"writer-{shard}",
                stream=STREAM,
                config=ConsumerConfig(
                    ack_wait=ACKNOWLEDGE_SECONDS, max_ack_pending=TOGETHER * 10, max_deliver=-1
                ),
            )
            while True:
                try:
                    messages = await waiting.fetch(TOGETHER, timeout=IDLE_SECONDS)
                except Nothing:
                    continue
                await asyncio.gather(*(self._keep(client, message) for message in messages))
        except (Error, OSError) as away:
            raise AwayError(f"NATS: {away}") from None

    async def close(self) -> None:
        await self._connection.close()

    async def _keep(self, client: Client, message: Msg) -> None:
        try:
            parcel = jetstream.parcel(message.data)
        except msgspec.DecodeError as wrong:
            # Another release may have written it. It stays until a worker can read it.
            log.error("parcel unreadable", subject=message.subject, reason=str(wrong))
            await message.nak(delay=UNREADABLE_SECONDS)
            return
        # The credential was valid when JetStream accepted the parcel; it may have ended since.
        source = parcel.source._replace(taken_at=message.metadata.timestamp)
        answer = await until_stored(lambda: self._stored(parcel, source), "parcel")
        name = (message.headers or {}).get(NAME, "")
        await client.publish(f"{parcel.reply}.{name}", jetstream.encode(answer))
        await message.ack()

    async def _stored(self, parcel: Parcel, source: Source) -> Answer:
        try:
            outcome = await self._writer.put(source, parcel.readings, parcel.refusals, parcel.stood)
        except Unauthenticated:
            return Answer(revoked=True)
        # The bodies are stored with the rejects, and would not fit into a message.
        told = [msgspec.structs.replace(refusal, body=b"") for refusal in outcome.refusals]
        return Answer(outcome.accepted, outcome.duplicates, told)
