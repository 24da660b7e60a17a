"""Reception of items: parse them, store them, and report the outcome."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from pannier.accounts.company_settings.retention import Retention
from pannier.devices import readings
from pannier.devices.brokers.backends import IngestBackend
from pannier.devices.items import EventItem, InvalidItem
from pannier.devices.outcomes import TOO_OLD, IngestOutcome
from pannier.devices.readings import ClockBounds
from pannier.devices.sources import Source
from pannier.errors import Invalid
from pannier.settings import Settings
from pannier.web.exchange import Exchange


class ReadingRefused(Invalid):
    """Every event in the request was rejected."""

    code = "reading_refused"
    title = "No event could be stored."
    remedy = "See `rejected` for each event's reason."


async def store_items(
    exchange: Exchange, source: Source, items: Sequence[EventItem]
) -> IngestOutcome:
    """Parse and store items, and return the outcome after the commit."""
    parsed_readings, refusals = readings.parse_all(
        items if source.speaks_for_all else [_remove_device_name(item) for item in items],
        device=None,
        now=exchange.db.now,
        bounds=make_clock_bounds(exchange.edge.settings, exchange.db.now),
        key=readings.company_hash(source.company),
    )
    backend: IngestBackend = exchange.edge.services["devices"]
    return check_outcome(await backend.put(source, parsed_readings, refusals))


async def record_reject(
    exchange: Exchange, source: Source, error: InvalidItem, body: bytes
) -> IngestOutcome:
    """Store a request that cannot be parsed among the company's rejects."""
    refusal = readings.make_refusal(0, error, body)
    backend: IngestBackend = exchange.edge.services["devices"]
    return check_outcome(await backend.put(source, [], [refusal]))


def make_clock_bounds(settings: Settings, now: datetime) -> ClockBounds:
    """Return the range of times that a device's clock may report: the retention period."""
    days = max(Retention.from_settings(settings).device_days)
    return ClockBounds.from_retention(now, timedelta(days=days))


def _remove_device_name(item: EventItem) -> EventItem:
    """Remove the device's name, because a device may only report for itself."""
    return msgspec.structs.replace(item, device=None, device_id=None)


def check_outcome(outcome: IngestOutcome) -> IngestOutcome:
    """Raise ReadingRefused if nothing was stored, so that the sender notices.

    Readings that are merely too old are not an error: sending them again would not help.
    """
    invalid_items = [refusal for refusal in outcome.refusals if refusal.code != TOO_OLD]
    if not invalid_items or outcome.accepted or outcome.duplicates or outcome.pending:
        return outcome
    rejected_items = [
        {"index": refusal.index, "code": refusal.code} for refusal in outcome.refusals
    ]
    raise ReadingRefused(invalid_items[0].reason, rejected=rejected_items)
