"""The consumers of the configured brokers. Unused client libraries are not imported."""

from collections.abc import Iterator

from pannier.db import Database
from pannier.devices.brokers import addresses
from pannier.devices.brokers.claimed_tasks import ClaimedTasks
from pannier.devices.writer import Writer
from pannier.settings import Settings


def create_consumers(
    url: str, database: Database, settings: Settings, writer: Writer
) -> Iterator[ClaimedTasks]:
    """Yield the consumers that the workers share. The database at `url` coordinates them."""
    broker = addresses.parse_mqtt_address(settings)
    if broker is not None:
        from pannier.devices.brokers import mqtt  # noqa: PLC0415 - imported only where configured

        yield mqtt.create_consumer(url, database, settings, broker, writer)
    if settings.nats_url is not None:
        from pannier.devices.brokers import shards  # noqa: PLC0415 - imported only where configured

        yield shards.create_consumer(url, settings, writer)
