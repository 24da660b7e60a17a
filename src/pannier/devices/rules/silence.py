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
STALE_AFTER_INTERVALS: Final = 2
OFFLINE_AFTER_INTERVALS: Final = 6
STAGES: Final[Sequence[Status]] = ("online", "stale", "offline")


def status(last_seen: datetime | None, interval: int, now: datetime) -> Status:
    """Return the status of a device that should report every `interval` seconds."""
    if last_seen is None:
        return "never_seen"
    if now < status_start("stale", last_seen, interval):
        return "online"
    return "stale" if now < status_start("offline", last_seen, interval) else "offline"


def status_start(status: Status, last_seen: datetime, interval: int) -> datetime:
    """Return when a device with this last contact enters a status."""
    intervals = {"stale": STALE_AFTER_INTERVALS, "offline": OFFLINE_AFTER_INTERVALS}.get(status, 0)
    return last_seen + timedelta(seconds=intervals * interval)


def next_check_at(
    reported_status: Status, last_seen: datetime, interval: int, now: datetime
) -> datetime | None:
    """Return when the reported status must change, or None until the next contact."""
    current_status = status(last_seen, interval, now)
    if reported_status != current_status:
        return now
    if current_status == "online":
        return status_start("stale", last_seen, interval)
    return status_start("offline", last_seen, interval) if current_status == "stale" else None


def list_statuses_to_report(reported_status: Status, current_status: Status) -> list[Status]:
    """List the statuses to report in order: a device is stale before it is offline."""
    if reported_status == current_status:
        return []
    reported_stage, current_stage = STAGES.index(reported_status), STAGES.index(current_status)
    first_stage = reported_stage + 1 if reported_stage < current_stage else 0
    return list(STAGES[first_stage : current_stage + 1])
