"""Times reported by devices, which may be late or have a wrong clock."""

from datetime import datetime
from typing import NamedTuple


class DeviceTime(NamedTuple):
    """The accepted time, and the seconds by which the reported one was out of range."""

    time: datetime
    skew: int | None = None


def limit_to_range(
    reported_at: datetime | None, *, earliest: datetime, now: datetime
) -> DeviceTime:
    """Limit a reported time to between `earliest` and `now`. If it is None, return `now`."""
    if reported_at is None:
        return DeviceTime(now)
    time = max(earliest, min(reported_at, now))
    return DeviceTime(time, round((reported_at - time).total_seconds()) or None)
