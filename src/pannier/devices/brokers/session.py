"""An MQTT session with manual acknowledgement."""

import asyncio
from typing import Final

import aiomqtt
from paho.mqtt.client import MQTT_CLEAN_START_FIRST_ONLY
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from pannier.devices.brokers.addresses import BrokerAddress, create_tls_context
from pannier.settings import Settings

# Number of messages that the broker sends before it gets an acknowledgement.
MAX_IN_FLIGHT: Final = 500
# How long the broker keeps messages while no worker is connected.
SESSION_EXPIRY_SECONDS: Final = 7 * 24 * 3600
TIMEOUT_SECONDS: Final = 10.0


class Inbox(asyncio.Queue[aiomqtt.Message]):
    """The received messages that are not processed yet.

    The broker limits unacknowledged messages itself. Messages without acknowledgement (QoS 0) are
    unlimited, so they are dropped when there are too many, as QoS 0 permits.
    """

    def put_nowait(self, message: aiomqtt.Message) -> None:
        """Add a message, or drop it if it is QoS 0 and the queue is full."""
        if message.qos == 0 and self.qsize() >= MAX_IN_FLIGHT:
            raise asyncio.QueueFull
        super().put_nowait(message)


class MqttSession(aiomqtt.Client):
    """A session that the broker stores under a name, with all unacknowledged messages.

    A session without a name is deleted when it ends.
    """

    max_in_flight: Final = MAX_IN_FLIGHT

    def __init__(self, name: str | None, broker: BrokerAddress, settings: Settings) -> None:
        is_version_5, is_new_session = settings.mqtt_version == "5", name is None
        super().__init__(
            broker.host,
            broker.port,
            username=broker.user,
            password=broker.password,
            identifier=name,
            protocol=aiomqtt.ProtocolVersion.V5 if is_version_5 else aiomqtt.ProtocolVersion.V311,
            clean_session=None if is_version_5 else is_new_session,
            clean_start=is_new_session if is_version_5 else MQTT_CLEAN_START_FIRST_ONLY,
            properties=_make_connect_properties(0 if is_new_session else SESSION_EXPIRY_SECONDS)
            if is_version_5
            else None,
            tls_context=create_tls_context(settings) if broker.scheme == "mqtts" else None,
            queue_type=Inbox,
            timeout=TIMEOUT_SECONDS,
        )
        self._client.manual_ack_set(on=True)

    def acknowledge(self, message: aiomqtt.Message) -> None:
        """Acknowledge a message, so that the broker deletes it."""
        self._client.ack(message.mid, message.qos)


def _make_connect_properties(expiry_seconds: int) -> Properties:
    # This part of paho has no type annotations.
    properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    properties.SessionExpiryInterval = expiry_seconds
    properties.ReceiveMaximum = MAX_IN_FLIGHT
    return properties
