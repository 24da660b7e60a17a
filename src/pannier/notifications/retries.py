"""When a message that was not delivered is tried again."""

from datetime import datetime, timedelta
from typing import Final

DELAYS: Final = (
    timedelta(seconds=10),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
)
MOST_ATTEMPTS: Final = len(DELAYS) + 1


def next_attempt(attempts: int, ended: datetime) -> datetime | None:
    """Tell when to try again after so many attempts; None means give up."""
    return ended + DELAYS[attempts - 1] if attempts < MOST_ATTEMPTS else None
