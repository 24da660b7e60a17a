"""What a worker listens to, by the installation's settings; what it does not need is not loaded."""

from collections.abc import Iterator

from pannier.db import Database
from pannier.devices.streams import addresses
from pannier.devices.streams.shares import Shares
from pannier.devices.writer import Writer
from pannier.settings import Settings


def streams(url: str, database: Database, settings: Settings, writer: Writer) -> Iterator[Shares]:
    """List the brokers that the workers share; `url` is where they agree who has what."""
    broker = addresses.mqtt(settings)
    if broker is not None:
        from pannier.devices.streams import mqtt  # noqa: PLC0415 - only where it is wanted

        yield mqtt.listening(url, database, settings, broker, writer)
    if settings.nats_url is not None:
        from pannier.devices.streams import shards  # noqa: PLC0415 - only where it is wanted

        yield shards.storing(url, settings, writer)
