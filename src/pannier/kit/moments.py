"""Times that devices report, perhaps late and by a wrong clock."""

from datetime import datetime
from typing import NamedTuple


class Happened(NamedTuple):
    """The accepted time, and by how many seconds the reported one was out of range."""

    at: datetime
    skew: int | None = None


def happened(told: datetime | None, *, earliest: datetime, now: datetime) -> Happened:
    """Limit a reported time to between `earliest` and `now`. Without one, return `now`."""
    if told is None:
        return Happened(now)
    at = max(earliest, min(told, now))
    return Happened(at, round((told - at).total_seconds()) or None)
