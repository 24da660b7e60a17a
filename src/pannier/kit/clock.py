"""The one source of the present moment, so that hours can pass in a test."""

from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Tells the present moment."""

    def now(self) -> datetime:
        """Answer the present moment in UTC."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Answer the machine's present moment."""
        return datetime.now(UTC)


class ManualClock:
    """A clock that moves only when told."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        """Answer the moment the clock was moved to."""
        return self._now

    def advance(self, **by: float) -> datetime:
        """Let time pass: `advance(hours=8)`."""
        self._now += timedelta(**by)
        return self._now
