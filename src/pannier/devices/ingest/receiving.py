"""Reception of items: parse them, store them, and report the outcome."""

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
    """No event of the request could be stored. `rejected` lists the reasons."""

    code = "reading_refused"
    title = "No event could be stored."
    remedy = "See `rejected` for the reason of each."


async def take(exchange: Exchange, source: Source, told: Sequence[Item]) -> Outcome:
    """Parse and store items, and return the outcome after the commit."""
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
    """Keep a request that could not be parsed at all among the company's rejects."""
    refusal = readings.refusal(0, refused, body)
    devices: Takes = exchange.edge.services["devices"]
    return unless_nothing(await devices.put(source, [], [refusal]))


def believed(settings: Settings, now: datetime) -> Bounds:
    """Return the range of times that a device's clock may report: the retention period."""
    days = max(Retention.longest(settings).of_devices)
    return Bounds.around(now, timedelta(days=days))


def _own(item: Item) -> Item:
    """Remove the device's name, because a device may only report for itself."""
    return msgspec.structs.replace(item, device=None, device_id=None)


def unless_nothing(outcome: Outcome) -> Outcome:
    """Raise ReadingRefused if nothing was stored, so that the sender notices.

    Readings that are merely too old are no error: sending them again would not help.
    """
    wrong = [refusal for refusal in outcome.refusals if refusal.code != TOO_OLD]
    if not wrong or outcome.accepted or outcome.duplicates or outcome.pending:
        return outcome
    rejected = [{"index": each.index, "code": each.code} for each in outcome.refusals]
    raise ReadingRefused(wrong[0].reason, rejected=rejected)
