"""The driver statuses that allow work."""

from typing import Final

from pannier.fleet.models import DriverStatus

BARRED_STATUSES: Final[frozenset[DriverStatus]] = frozenset({"inactive", "suspended", "terminated"})


def can_work(status: DriverStatus) -> bool:
    """Return whether a driver with this status may sign in and be online."""
    return status not in BARRED_STATUSES
