"""Status rules for devices without contact.

The current status follows from the last contact and is computed when it is read. The reported
status is stored, and a worker's step reports each change once. A reading therefore only sets the
time of the next check.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from pannier.devices.models import Status

# Number of reporting intervals without contact until a device is stale, and offline.
STALE_AFTER: Final = 2
OFFLINE_AFTER: Final = 6
STAGES: Final[Sequence[Status]] = ("online", "stale", "offline")


def status(last_seen: datetime | None, interval: int, now: datetime) -> Status:
    """Return the status of a device that should report every `interval` seconds."""
    if last_seen is None:
        return "never_seen"
    if now < became("stale", last_seen, interval):
        return "online"
    return "stale" if now < became("offline", last_seen, interval) else "offline"


def became(status: Status, last_seen: datetime, interval: int) -> datetime:
    """Return when a device with this last contact enters a status."""
    intervals = {"stale": STALE_AFTER, "offline": OFFLINE_AFTER}.get(status, 0)
    return last_seen + timedelta(seconds=intervals * interval)


def look_again(told: Status, last_seen: datetime, interval: int, now: datetime) -> datetime | None:
    """Return when the reported status must change, or None until the next contact."""
    present = status(last_seen, interval, now)
    if told != present:
        return now
    if present == "online":
        return became("stale", last_seen, interval)
    return became("offline", last_seen, interval) if present == "stale" else None


def told_next(told: Status, present: Status) -> list[Status]:
    """List the statuses to report in order: a device is stale before it is offline."""
    if told == present:
        return []
    place, wanted = STAGES.index(told), STAGES.index(present)
    return list(STAGES[place + 1 if place < wanted else 0 : wanted + 1])
