"""Checks whether the brokers are reachable, without changing anything."""

import asyncio
from typing import Final

from aiomqtt import MqttError
from nats.errors import Error
from nats.js.errors import NotFoundError

from pannier.devices.brokers import jetstream
from pannier.devices.brokers.addresses import BrokerAddress
from pannier.devices.brokers.claimed_tasks import BrokerUnreachableError
from pannier.devices.brokers.session import MqttSession
from pannier.settings import Settings

TIMEOUT_SECONDS: Final = 5.0


async def check_mqtt(settings: Settings, broker: BrokerAddress) -> str:
    """Sign in to the MQTT broker, and report that it responds."""
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS), MqttSession(None, broker, settings):
            return f"{broker} responds."
    except (MqttError, TimeoutError) as error:
        raise BrokerUnreachableError(f"{broker}: {error or 'no answer'}") from None


async def check_nats(settings: Settings) -> str:
    """Sign in to NATS, and report how many messages are waiting."""
    client = None
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            client = await jetstream.connect(settings)
            stream_info = await client.jetstream().stream_info(jetstream.STREAM)
            return f"JetStream responds. Waiting messages: {stream_info.state.messages}."
    except NotFoundError:
        return "JetStream responds. It has not been used yet."
    except (Error, OSError, TimeoutError) as error:
        raise BrokerUnreachableError(
            f"{jetstream.describe_servers(settings)}: {error or 'no answer'}"
        ) from None
    finally:
        if client is not None:
            await client.close()
