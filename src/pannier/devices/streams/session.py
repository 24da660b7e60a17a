"""A session with an MQTT broker in which we say ourselves when a message is ours to keep."""

import asyncio
from typing import Final

import aiomqtt
from paho.mqtt.client import MQTT_CLEAN_START_FIRST_ONLY
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from pannier.devices.streams.addresses import Broker, tls
from pannier.settings import Settings

# What a broker may have given us and not been told to forget.
IN_FLIGHT: Final = 500
# How long the broker keeps what comes while no worker is there.
KEPT_SECONDS: Final = 7 * 24 * 3600
TIMEOUT: Final = 10.0


class Inbox(asyncio.Queue[aiomqtt.Message]):
    """What came and was not looked at yet.

    Of messages to be acknowledged the broker sends only so many. Those sent without wanting an
    answer (QoS 0) have no end, and are dropped when there are too many, as their senders accept.
    """

    def put_nowait(self, message: aiomqtt.Message) -> None:
        """Take a message in."""
        if message.qos == 0 and self.qsize() >= IN_FLIGHT:
            raise asyncio.QueueFull
        super().put_nowait(message)


class Session(aiomqtt.Client):
    """One that the broker remembers by its name, with everything that was not acknowledged.

    Without a name it is forgotten when it ends.
    """

    most: Final = IN_FLIGHT

    def __init__(self, name: str | None, broker: Broker, settings: Settings) -> None:
        newest, fresh = settings.mqtt_version == "5", name is None
        super().__init__(
            broker.host,
            broker.port,
            username=broker.user,
            password=broker.password,
            identifier=name,
            protocol=aiomqtt.ProtocolVersion.V5 if newest else aiomqtt.ProtocolVersion.V311,
            clean_session=None if newest else fresh,
            clean_start=fresh if newest else MQTT_CLEAN_START_FIRST_ONLY,
            properties=_wishes(0 if fresh else KEPT_SECONDS) if newest else None,
            tls_context=tls(settings) if broker.scheme == "mqtts" else None,
            queue_type=Inbox,
            timeout=TIMEOUT,
        )
        self._client.manual_ack_set(on=True)

    def acknowledge(self, message: aiomqtt.Message) -> None:
        """Let the broker forget a message."""
        self._client.ack(message.mid, message.qos)


def _wishes(kept: int) -> Properties:
    # Some of paho has no types.
    wishes = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    wishes.SessionExpiryInterval = kept
    wishes.ReceiveMaximum = IN_FLIGHT
    return wishes
