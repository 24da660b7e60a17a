"""The retry schedule of messages."""

from datetime import timedelta
from typing import Final

from pannier.jobs.leases import delay

DELAYS: Final = (
    timedelta(seconds=10),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
)
MAX_ATTEMPTS: Final = len(DELAYS) + 1


def find_next_delay(attempts: int) -> timedelta | None:
    """Return the delay after the given number of attempts, or None to give up."""
    return delay(DELAYS, attempts)
