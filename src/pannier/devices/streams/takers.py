"""Who takes device events in, by settings: the writer, or JetStream before it."""

from collections.abc import Sequence
from typing import Protocol

from pannier.db import Database
from pannier.devices.outcomes import Outcome
from pannier.devices.readings import Reading, Refusal
from pannier.devices.sources import Source
from pannier.devices.writer import Writer
from pannier.settings import Settings


class Takes(Protocol):
    """Answers for events from the moment on that it answers."""

    waiting: int

    async def put(
        self, source: Source, readings: Sequence[Reading], refusals: Sequence[Refusal] = ()
    ) -> Outcome:
        """Take what was sent, and tell what became of it."""

    async def close(self) -> None:
        """Take nothing more."""


def taking(database: Database, settings: Settings) -> Takes:
    """Choose who takes events in; NATS is not loaded where there is none."""
    if settings.nats_url is None:
        return Writer(database, settings)
    from pannier.devices.streams.front import Front  # noqa: PLC0415 - only where it is wanted

    return Front(settings)
