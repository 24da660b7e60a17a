"""Receiving: what a sender says, and what became of it."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from pannier.accounts.company_settings.retention import Retention
from pannier.devices import readings
from pannier.devices.items import Item, Refused
from pannier.devices.outcomes import TOO_OLD, Outcome
from pannier.devices.readings import Bounds
from pannier.devices.sources import Source
from pannier.devices.streams.takers import Takes
from pannier.errors import Invalid
from pannier.settings import Settings
from pannier.web.exchange import Exchange


class ReadingRefused(Invalid):
    """Nothing of the request could be stored; `rejected` tells why, and the rejects keep it."""

    code = "reading_refused"
    title = "Nothing of this could be stored."


async def take(exchange: Exchange, source: Source, told: Sequence[Item]) -> Outcome:
    """Store what was sent, and tell what became of it after the commit."""
    read, refusals = readings.read_all(
        told if source.speaks_for_all else [_own(item) for item in told],
        device=None,
        now=exchange.db.now,
        bounds=believed(exchange.edge.settings, exchange.db.now),
        key=readings.keyed(source.company),
    )
    devices: Takes = exchange.edge.services["devices"]
    return unless_nothing(await devices.put(source, read, refusals))


async def refuse(exchange: Exchange, source: Source, refused: Refused, body: bytes) -> Outcome:
    """Keep what could not be read at all, where the company finds it."""
    refusal = readings.refusal(0, refused, body)
    devices: Takes = exchange.edge.services["devices"]
    return unless_nothing(await devices.put(source, [], [refusal]))


def believed(settings: Settings, now: datetime) -> Bounds:
    """Tell which moments a device's clock may name: those of which anything is kept."""
    days = max(Retention.longest(settings).of_devices)
    return Bounds.around(now, timedelta(days=days))


def _own(item: Item) -> Item:
    """Let a device speak for itself only, whatever its app calls it."""
    return msgspec.structs.replace(item, device=None, device_id=None)


def unless_nothing(outcome: Outcome) -> Outcome:
    """Refuse a request of which nothing is stored, so that its sender sees that something is wrong.

    What is merely too old is not wrong, and would be no younger if it came again.
    """
    wrong = [refusal for refusal in outcome.refusals if refusal.code != TOO_OLD]
    if not wrong or outcome.accepted or outcome.duplicates or outcome.pending:
        return outcome
    rejected = [{"index": each.index, "code": each.code} for each in outcome.refusals]
    raise ReadingRefused(wrong[0].reason, rejected=rejected)
