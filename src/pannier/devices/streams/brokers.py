"""Checks whether the brokers are reachable, without changing anything."""

import asyncio
from typing import Final

from aiomqtt import MqttError
from nats.errors import Error
from nats.js.errors import NotFoundError

from pannier.devices.streams import jetstream
from pannier.devices.streams.addresses import Broker
from pannier.devices.streams.session import Session
from pannier.devices.streams.shares import AwayError
from pannier.settings import Settings

SECONDS: Final = 5.0


async def mqtt(settings: Settings, broker: Broker) -> str:
    """Sign in to the MQTT broker, and report that it responds."""
    try:
        async with asyncio.timeout(SECONDS), Session(None, broker, settings):
            return f"{broker} answers."
    except (MqttError, TimeoutError) as away:
        raise AwayError(f"{broker}: {away or 'no answer'}") from None


async def nats(settings: Settings) -> str:
    """Sign in to NATS, and report how many messages are waiting."""
    client = None
    try:
        async with asyncio.timeout(SECONDS):
            client = await jetstream.signed_in(settings)
            found = await client.jetstream().stream_info(jetstream.STREAM)
            return f"JetStream answers; {found.state.messages} parcels wait to be stored."
    except NotFoundError:
        return "JetStream answers; it was not used yet."
    except (Error, OSError, TimeoutError) as away:
        raise AwayError(f"{jetstream.named(settings)}: {away or 'no answer'}") from None
    finally:
        if client is not None:
            await client.close()
