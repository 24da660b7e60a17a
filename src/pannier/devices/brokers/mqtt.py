"""MQTT: messages of devices are stored, and only then acknowledged.

A device publishes to `devices/<id, UUID or identifier>/events`, with its token in the message.
The sessions at the broker have fixed names. The next worker that claims a session therefore
receives the messages that the last one did not store.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Any, Final

from aiomqtt import Message, MqttError
from paho.mqtt.reasoncodes import ReasonCode

from pannier.db import Database
from pannier.db.claims import NumberClaims
from pannier.devices.brokers.addresses import BrokerAddress
from pannier.devices.brokers.claimed_tasks import BrokerUnreachableError, ClaimedTasks
from pannier.devices.brokers.mqtt_payload import parse_payload
from pannier.devices.brokers.retries import retry_until_stored
from pannier.devices.brokers.senders import SenderCache
from pannier.devices.brokers.session import MqttSession
from pannier.devices.ingest.reception import make_clock_bounds
from pannier.devices.readings import company_hash, parse_all
from pannier.devices.sources import Source
from pannier.devices.writer import MAX_EVENTS_PER_FLUSH, Writer
from pannier.errors import Forbidden, Unauthenticated
from pannier.settings import Settings
from pannier.web.logs import log

LOCK_SPACE: Final = 7_240_560
TOPIC_FILTER: Final = "devices/+/events"
REFUSED_FROM: Final = 128  # lowest reason code of a refused subscription


def create_consumer(
    url: str, database: Database, settings: Settings, broker: BrokerAddress, writer: Writer
) -> ClaimedTasks:
    """Create the consumer of a broker, shared by all workers."""
    consumer = MqttConsumer(database, settings, broker, writer)
    return ClaimedTasks("mqtt", NumberClaims(url, LOCK_SPACE, settings.mqtt_sessions), consumer.run)


def make_topic_filter(settings: Settings) -> str:
    """Build the topic filter, as a shared subscription if there are several sessions."""
    return TOPIC_FILTER if settings.mqtt_sessions == 1 else f"$share/pannier/{TOPIC_FILTER}"


class MqttConsumer:
    """A consumer that stores the messages of a broker."""

    def __init__(
        self, database: Database, settings: Settings, broker: BrokerAddress, writer: Writer
    ) -> None:
        self._database, self._settings = database, settings
        self._broker, self._writer = broker, writer
        self._senders = SenderCache(database, trust_topic=settings.mqtt_trust_broker)

    async def run(self, session_number: int) -> None:
        topic = make_topic_filter(self._settings)
        try:
            async with MqttSession(
                f"pannier-{session_number}", self._broker, self._settings
            ) as session:
                reason_codes = await session.subscribe(topic, qos=1)
                if any(_is_refused(code) for code in reason_codes):
                    raise BrokerUnreachableError(
                        f"{self._broker} rejected the subscription to {topic}."
                    )
                await self._consume_messages(session)
        except MqttError as error:
            raise BrokerUnreachableError(f"{self._broker}: {error}") from None

    async def _consume_messages(self, session: MqttSession) -> None:
        """Store messages concurrently, and acknowledge them in order, as MQTT requires.

        The number of messages in progress is bounded. The broker limits those that need an
        acknowledgement; others are dropped.
        """
        queue: deque[tuple[Message, asyncio.Task[None]]] = deque()
        slots = asyncio.Semaphore(session.max_in_flight)

        def acknowledge_stored(_: asyncio.Task[None]) -> None:
            slots.release()
            while queue and _has_succeeded(queue[0][1]):
                session.acknowledge(queue.popleft()[0])

        try:
            async for message in session.messages:
                await slots.acquire()
                task = asyncio.create_task(self._store_with_retries(message))
                queue.append((message, task))
                task.add_done_callback(acknowledge_stored)
        finally:
            for _, task in queue:
                task.cancel()

    async def _store_with_retries(self, message: Message) -> None:
        await retry_until_stored(lambda: self._store_message(message), str(message.topic))

    async def _store_message(self, message: Message) -> None:
        """Store the events of a message on behalf of its sender."""
        device_name = str(message.topic).split("/")[1]
        payload = parse_payload(bytes(message.payload))
        try:
            source = await self._senders.authenticate(
                device_name, read_user_property_token(message) or payload.token
            )
            for start in range(0, len(payload.events), MAX_EVENTS_PER_FLUSH):
                await self._store_events(
                    source, device_name, payload.events[start : start + MAX_EVENTS_PER_FLUSH]
                )
        except (Unauthenticated, Forbidden) as error:
            # The sender is unknown, so there is no company to keep the reject for.
            log.warning("MQTT message rejected", topic=str(message.topic), reason=error.detail)

    async def _store_events(self, source: Source, device: str, events: Sequence[Any]) -> None:
        now = self._database.clock.now()
        readings, refusals = parse_all(
            events,
            device=None,
            now=now,
            bounds=make_clock_bounds(self._settings, now),
            key=company_hash(source.company),
        )
        for reading in readings:
            reading.device = reading.device or device
        for refusal in refusals:
            refusal.device = refusal.device or device
        await self._writer.put(source, readings, refusals)


def read_user_property_token(message: Message) -> str | None:
    """Return the token in the user properties of an MQTT 5 message."""
    pairs = getattr(message.properties, "UserProperty", ())
    return next((value for name, value in pairs if name == "token"), None)


def _is_refused(code: int | ReasonCode) -> bool:
    return (code if isinstance(code, int) else code.value) >= REFUSED_FROM


def _has_succeeded(task: asyncio.Task[None]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None
