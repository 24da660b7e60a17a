"""When something happened, as a device tells it: late perhaps, and by a clock that may be wrong."""

from datetime import datetime
from typing import NamedTuple


class Happened(NamedTuple):
    """When something happened, and how many seconds the device's clock was beyond what can be."""

    at: datetime
    skew: int | None = None


def happened(told: datetime | None, *, earliest: datetime, now: datetime) -> Happened:
    """Choose when something happened: never in the future, nor before it could have."""
    if told is None:
        return Happened(now)
    at = max(earliest, min(told, now))
    return Happened(at, round((told - at).total_seconds()) or None)
