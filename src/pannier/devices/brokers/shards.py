"""Shards of JetStream: parcels are stored, and only then acknowledged."""

import asyncio
from typing import Final

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error
from nats.errors import TimeoutError as Nothing
from nats.js.api import ConsumerConfig

from pannier.db.claims import NumberClaims
from pannier.devices.brokers import jetstream
from pannier.devices.brokers.claimed_tasks import BrokerUnreachableError, ClaimedTasks
from pannier.devices.brokers.jetstream import (
    MESSAGE_ID_HEADER,
    STREAM,
    EventParcel,
    NatsConnection,
    ParcelAnswer,
)
from pannier.devices.brokers.retries import retry_until_stored
from pannier.devices.sources import Source
from pannier.devices.writer import Writer
from pannier.errors import Unauthenticated
from pannier.settings import Settings
from pannier.web.logs import log

LOCK_SPACE: Final = 7_240_570
PARCELS_PER_FETCH: Final = 50  # parcels per shard that are stored at once
IDLE_SECONDS: Final = 5.0
# Seconds after which JetStream redelivers an unacknowledged message.
ACKNOWLEDGE_SECONDS: Final = 5
UNREADABLE_DELAY_SECONDS: Final = 60


def create_consumer(url: str, settings: Settings, writer: Writer) -> ClaimedTasks:
    """Create the consumer of JetStream, shared by all workers."""
    consumer = ShardConsumer(settings, writer)
    claims = NumberClaims(url, LOCK_SPACE, settings.nats_shards)
    return ClaimedTasks("device shards", claims, consumer.run, consumer.close)


class ShardConsumer:
    """A consumer that stores the parcels of the shards that this worker has claimed."""

    def __init__(self, settings: Settings, writer: Writer) -> None:
        self._connection, self._writer = NatsConnection(settings), writer

    async def run(self, shard: int) -> None:
        """Store the parcels of a shard until the connection breaks."""
        client = await self._connection.open()
        try:
            subscription = await client.jetstream().pull_subscribe(
                jetstream.make_subject(shard),
                durable=f"writer-{shard}",
                stream=STREAM,
                config=ConsumerConfig(
                    ack_wait=ACKNOWLEDGE_SECONDS,
                    max_ack_pending=PARCELS_PER_FETCH * 10,
                    max_deliver=-1,
                ),
            )
            while True:
                try:
                    messages = await subscription.fetch(PARCELS_PER_FETCH, timeout=IDLE_SECONDS)
                except Nothing:
                    continue
                await asyncio.gather(
                    *(self._store_and_acknowledge(client, message) for message in messages)
                )
        except (Error, OSError) as error:
            raise BrokerUnreachableError(f"NATS: {error}") from None

    async def close(self) -> None:
        await self._connection.close()

    async def _store_and_acknowledge(self, client: Client, message: Msg) -> None:
        try:
            parcel = jetstream.decode_parcel(message.data)
        except msgspec.DecodeError as error:
            # Another release may have written it. It stays until a worker can read it.
            log.error("parcel unreadable", subject=message.subject, reason=str(error))
            await message.nak(delay=UNREADABLE_DELAY_SECONDS)
            return
        # The credential was valid when JetStream accepted the parcel; it may have ended since.
        source = parcel.source._replace(taken_at=message.metadata.timestamp)
        parcel_answer = await retry_until_stored(
            lambda: self._store_parcel(parcel, source), "parcel"
        )
        message_id = (message.headers or {}).get(MESSAGE_ID_HEADER, "")
        await client.publish(f"{parcel.reply}.{message_id}", jetstream.encode(parcel_answer))
        await message.ack()

    async def _store_parcel(self, parcel: EventParcel, source: Source) -> ParcelAnswer:
        try:
            outcome = await self._writer.put(
                source, parcel.readings, parcel.refusals, parcel.indexes
            )
        except Unauthenticated:
            return ParcelAnswer(revoked=True)
        # The bodies are stored with the rejects, and would not fit into a message.
        refusals = [msgspec.structs.replace(refusal, body=b"") for refusal in outcome.refusals]
        return ParcelAnswer(outcome.accepted, outcome.duplicates, refusals)
