"""A worker that does nothing but listen to brokers, and a device that speaks MQTT."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
import paho.mqtt.client as paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from brokers import Broker
from pannier.devices.brokers import addresses, mqtt
from pannier.devices.brokers.consumers import create_consumers
from pannier.devices.brokers.session import MqttSession
from pannier.devices.writer import Writer
from pannier.settings import Settings
from pannier.worker import Job, Worker
from program import PATIENCE
from stage import House


@asynccontextmanager
async def worker(
    house: House, url: str, settings: Settings, **more: Any
) -> AsyncIterator[asyncio.Task[None]]:
    """Listen as a worker does; cancelled, it ends without a word, as if it were killed."""
    writer = Writer(house.database, settings, **more)
    heard = list(create_consumers(url, house.database, settings, writer))
    at_work = Worker(house.database, [Job(each.name, each.step, 0.05) for each in heard])
    running = asyncio.create_task(at_work.run())
    try:
        yield running
    finally:
        at_work.stop()
        with suppress(asyncio.CancelledError):
            await running
        for each in heard:
            await each.close()
        if not running.cancelled():
            await writer.close()


async def introduce(settings: Settings, number: int = 0) -> None:
    """Let the broker know a session, so that it keeps what comes before a worker is there."""
    broker = addresses.parse_mqtt_address(settings)
    assert broker is not None
    topic = mqtt.make_topic_filter(settings)
    async with MqttSession(f"pannier-{number}", broker, settings) as session:
        await session.subscribe(topic, qos=1)


async def until(look: Callable[[], Awaitable[Any]], wanted: object) -> None:
    """Look again and again until it is as wanted."""
    ends = time.monotonic() + PATIENCE
    while (found := await look()) != wanted:
        assert time.monotonic() < ends, found
        await asyncio.sleep(0.02)


def publish(
    broker: Broker, messages: Sequence[tuple[str, object]], *, token: str | None = None
) -> None:
    """Publish messages as a device does, with QoS 1; a token beside them is one of MQTT 5."""
    version = paho.MQTTv311 if token is None else paho.MQTTv5
    client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=version)
    client.username_pw_set("pannier", "secret")
    client.connect("127.0.0.1", broker.mqtt_port)
    client.loop_start()
    beside = Properties(PacketTypes.PUBLISH)
    beside.UserProperty = [("token", token or "")]
    for name, event in messages:
        payload = event if isinstance(event, bytes) else msgspec.json.encode(event)
        sent = client.publish(
            f"devices/{name}/events", payload, qos=1, properties=beside if token else None
        )
        sent.wait_for_publish(PATIENCE)
    client.disconnect()
    client.loop_stop()
