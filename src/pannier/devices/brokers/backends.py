"""The ingest backend that the settings choose: the writer or JetStream."""

from collections.abc import Sequence
from typing import Protocol

from pannier.db import Database
from pannier.devices.outcomes import IngestOutcome
from pannier.devices.readings import ItemRefusal, Reading
from pannier.devices.sources import Source
from pannier.devices.writer import Writer
from pannier.settings import Settings


class IngestBackend(Protocol):
    """A backend that is responsible for events once it has responded."""

    waiting_events: int

    async def put(
        self, source: Source, readings: Sequence[Reading], refusals: Sequence[ItemRefusal] = ()
    ) -> IngestOutcome:
        """Store or queue readings, and return the outcome."""

    async def close(self) -> None:
        """Stop accepting readings."""


def make_ingest_backend(database: Database, settings: Settings) -> IngestBackend:
    """Create the backend. The NATS client is imported only where it is configured."""
    if settings.nats_url is None:
        return Writer(database, settings)
    from pannier.devices.brokers.jetstream_backend import JetStreamBackend  # noqa: PLC0415 - imported only where configured

    return JetStreamBackend(settings)
