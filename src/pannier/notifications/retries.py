"""When a message that was not delivered is tried again."""

from datetime import timedelta
from typing import Final

from pannier.jobs.leases import delay

DELAYS: Final = (
    timedelta(seconds=10),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
)
MOST_ATTEMPTS: Final = len(DELAYS) + 1


def next_wait(attempts: int) -> timedelta | None:
    """Return how long to wait after so many attempts, or None to give up."""
    return delay(DELAYS, attempts)
