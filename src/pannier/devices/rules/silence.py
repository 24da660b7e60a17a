"""Silence: what a device is when nothing was heard of it for so long.

What a device *is* follows from when it was last heard of, and is shown so. What was *told* of it
stands in its row: a step tells what has changed since, once. A reading therefore leaves what was
told as it is, and only says when to look again (`look_again`).
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from pannier.devices.models import Status

# So many of its intervals after its last reading a device is stale, and offline.
STALE_AFTER: Final = 2
OFFLINE_AFTER: Final = 6
STAGES: Final[Sequence[Status]] = ("online", "stale", "offline")


def status(last_seen: datetime | None, interval: int, now: datetime) -> Status:
    """Tell what a device is that is to report every so many seconds."""
    if last_seen is None:
        return "never_seen"
    if now < became("stale", last_seen, interval):
        return "online"
    return "stale" if now < became("offline", last_seen, interval) else "offline"


def became(status: Status, last_seen: datetime, interval: int) -> datetime:
    """Tell when a device that was last heard of then becomes something."""
    intervals = {"stale": STALE_AFTER, "offline": OFFLINE_AFTER}.get(status, 0)
    return last_seen + timedelta(seconds=intervals * interval)


def look_again(told: Status, last_seen: datetime, interval: int, now: datetime) -> datetime | None:
    """Tell when there is something else to tell; None when only a reading can change it."""
    present = status(last_seen, interval, now)
    if told != present:
        return now
    if present == "online":
        return became("stale", last_seen, interval)
    return became("offline", last_seen, interval) if present == "stale" else None


def told_next(told: Status, present: Status) -> list[Status]:
    """List what there is to tell: nobody goes offline without being stale before."""
    if told == present:
        return []
    place, wanted = STAGES.index(told), STAGES.index(present)
    return list(STAGES[place + 1 if place < wanted else 0 : wanted + 1])
