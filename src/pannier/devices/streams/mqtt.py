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
from pannier.db.claims import Claims
from pannier.devices.ingest.receiving import believed
from pannier.devices.readings import keyed, read_all
from pannier.devices.sources import Source
from pannier.devices.streams.addresses import Broker
from pannier.devices.streams.letters import opened
from pannier.devices.streams.patience import until_stored
from pannier.devices.streams.senders import Senders
from pannier.devices.streams.session import Session
from pannier.devices.streams.shares import AwayError, Shares
from pannier.devices.writer import MOST_TOGETHER, Writer
from pannier.errors import Forbidden, Unauthenticated
from pannier.settings import Settings
from pannier.web.logs import log

SPACE: Final = 7_240_560
TOPIC: Final = "devices/+/events"
REFUSED: Final = 128  # lowest reason code of a refused subscription


def listening(
    url: str, database: Database, settings: Settings, broker: Broker, writer: Writer
) -> Shares:
    """Create the consumer of a broker, shared by all workers."""
    listener = Listener(database, settings, broker, writer)
    return Shares("mqtt", Claims(url, SPACE, settings.mqtt_sessions), listener.hold)


def topic(settings: Settings) -> str:
    """Return the topic filter, as a shared subscription if there are several sessions."""
    return TOPIC if settings.mqtt_sessions == 1 else f"$share/pannier/{TOPIC}"


class Listener:
    """A consumer that stores the messages of a broker."""

    def __init__(
        self, database: Database, settings: Settings, broker: Broker, writer: Writer
    ) -> None:
        self._database, self._settings = database, settings
        self._broker, self._writer = broker, writer
        self._senders = Senders(database, trusting=settings.mqtt_trust_broker)

    async def hold(self, number: int) -> None:
        wanted = topic(self._settings)
        try:
            async with Session(f"pannier-{number}", self._broker, self._settings) as session:
                granted = await session.subscribe(wanted, qos=1)
                if any(_refused(code) for code in granted):
                    raise AwayError(f"{self._broker} rejected the subscription to {wanted}.")
                await self._listen(session)
        except MqttError as away:
            raise AwayError(f"{self._broker}: {away}") from None

    async def _listen(self, session: Session) -> None:
        """Store messages concurrently, and acknowledge them in their order, as MQTT requires.

        The number of messages in progress is bounded. The broker limits those that need an
        acknowledgement; others are dropped.
        """
        line: deque[tuple[Message, asyncio.Task[None]]] = deque()
        places = asyncio.Semaphore(session.most)

        def stored(_: asyncio.Task[None]) -> None:
            places.release()
            while line and _succeeded(line[0][1]):
                session.acknowledge(line.popleft()[0])

        try:
            async for message in session.messages:
                await places.acquire()
                task = asyncio.create_task(self._keep(message))
                line.append((message, task))
                task.add_done_callback(stored)
        finally:
            for _, task in line:
                task.cancel()

    async def _keep(self, message: Message) -> None:
        await until_stored(lambda: self._store(message), str(message.topic))

    async def _store(self, message: Message) -> None:
        """Store the events of a message on behalf of its sender."""
        named = str(message.topic).split("/")[1]
        letter = opened(bytes(message.payload))
        try:
            source = await self._senders.find(named, token_beside(message) or letter.token)
            for first in range(0, len(letter.told), MOST_TOGETHER):
                await self._put(source, named, letter.told[first : first + MOST_TOGETHER])
        except (Unauthenticated, Forbidden) as refused:
            # The sender is unknown, so there is no company to keep the reject for.
            log.warning("MQTT message rejected", topic=str(message.topic), reason=refused.detail)

    async def _put(self, source: Source, named: str, told: Sequence[Any]) -> None:
        now = self._database.clock.now()
        found, refusals = read_all(
            told,
            device=None,
            now=now,
            bounds=believed(self._settings, now),
            key=keyed(source.company),
        )
        for reading in found:
            reading.device = reading.device or named
        for refusal in refusals:
            refusal.device = refusal.device or named
        await self._writer.put(source, found, refusals)


def token_beside(message: Message) -> str | None:
    """Return the token in the user properties of an MQTT 5 message."""
    pairs = getattr(message.properties, "UserProperty", ())
    return next((value for name, value in pairs if name == "token"), None)


def _refused(code: int | ReasonCode) -> bool:
    return (code if isinstance(code, int) else code.value) >= REFUSED


def _succeeded(task: asyncio.Task[None]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None
