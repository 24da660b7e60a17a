"""One company at noon, and how its devices are heard."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from pannier.devices.readings import ClockBounds, Reading, company_hash, parse
from stage import NOON

NOW = NOON
BOUNDS = ClockBounds.from_retention(NOW, timedelta(days=90))
KEY = company_hash(UUID(int=7))
HERE = {"type": "Point", "coordinates": [103.8198, 1.3521]}


def reading(item: object, **changed: Any) -> Reading:
    """Read an event as a device of the company sends it at noon."""
    given: dict[str, Any] = {"device": None, "now": NOW, "bounds": BOUNDS, "key": KEY, **changed}
    return parse(item, **given)


def position(**changed: Any) -> dict[str, Any]:
    """Spell a position as the interface does."""
    return {
        "event_type": "position_update",
        "timestamp": "2026-01-15T11:59:00Z",
        "location": HERE,
        "data": {"speed": 42.5, "heading": 90, "altitude": 15, "accuracy": 4.2, "satellites": 9},
    } | changed
