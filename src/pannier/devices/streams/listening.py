"""The brokers that a worker consumes, by the settings. Unused client libraries are not imported."""

from collections.abc import Iterator

from pannier.db import Database
from pannier.devices.streams import addresses
from pannier.devices.streams.shares import Shares
from pannier.devices.writer import Writer
from pannier.settings import Settings


def streams(url: str, database: Database, settings: Settings, writer: Writer) -> Iterator[Shares]:
    """Yield the consumers that the workers share; `url` is the database that coordinates them."""
    broker = addresses.mqtt(settings)
    if broker is not None:
        from pannier.devices.streams import mqtt  # noqa: PLC0415 - imported only where configured

        yield mqtt.listening(url, database, settings, broker, writer)
    if settings.nats_url is not None:
        from pannier.devices.streams import shards  # noqa: PLC0415 - imported only where configured

        yield shards.storing(url, settings, writer)
