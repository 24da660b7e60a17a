"""Lanes: each endpoint's limits of concurrency and rate."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

SECOND: Final = timedelta(seconds=1)
# The rate limit allows a burst of the deliveries of this many seconds.
SAVED: Final = 0.1
ROUNDING: Final = 1e-6


class Lane:
    """A worker's traffic to one endpoint.

    Its window grows by one with each success and halves with each failure, so that a failing
    endpoint occupies one slot instead of all.
    """

    def __init__(self, most: int, rate: int | None, now: datetime) -> None:
        self.in_flight = 0
        self.window = float(most)
        self.ailing = False
        self._most, self._rate = most, rate
        self._tokens, self._counted = 1.0, now

    def configure(self, most: int, rate: int | None) -> None:
        """Apply the endpoint's settings."""
        self._most, self._rate = most, rate
        self.window = min(self.window, float(most))

    def room(self, now: datetime) -> int:
        """Return how many more deliveries may start now."""
        free = int(self.window) - self.in_flight
        if self._rate is not None:
            free = min(free, int(self._refilled(now, self._rate) + ROUNDING))
        return max(free, 0)

    @property
    def full(self) -> bool:
        """Whether the window is used up."""
        return self.in_flight >= int(self.window)

    def ready_at(self, now: datetime) -> datetime:
        """Return the time at which the rate limit allows the next delivery."""
        if self._rate is None or (tokens := self._refilled(now, self._rate)) >= 1 - ROUNDING:
            return now
        return now + (1 - tokens) / self._rate * SECOND

    def left(self) -> None:
        """Count a delivery that starts."""
        self.in_flight += 1
        if self._rate is not None:
            self._tokens -= 1

    def returned(self, *, well: bool | None) -> None:
        """Count a delivery that has ended. None leaves the window unchanged."""
        self.in_flight -= 1
        if well is None:
            return
        self.ailing = not well
        self.window = min(self.window + 1, self._most) if well else max(self.window / 2, 1.0)

    def _refilled(self, now: datetime, rate: int) -> float:
        gained = max((now - self._counted) / SECOND, 0.0) * rate
        self._tokens = min(self._tokens + gained, max(1.0, rate * SAVED))
        self._counted = now
        return self._tokens


def share(rooms: Sequence[int], free: int) -> list[int]:
    """Share free slots among lanes, round by round, so that none starves another."""
    given = [0] * len(rooms)
    wanting = [index for index, room in enumerate(rooms) if room > 0]
    while free > 0 and wanting:
        each = max(free // len(wanting), 1)
        for index in wanting:
            part = min(each, rooms[index] - given[index], free)
            given[index] += part
            free -= part
        wanting = [index for index in wanting if given[index] < rooms[index]]
    return given
