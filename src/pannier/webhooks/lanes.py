"""Lanes: each endpoint's limits of concurrency and rate."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

SECOND: Final = timedelta(seconds=1)
# The rate limit allows a burst of as many deliveries as this time allows.
BURST_SECONDS: Final = 0.1
ROUNDING: Final = 1e-6


class Lane:
    """A worker's traffic to one endpoint.

    Its window grows by one with each success and halves with each failure, so that a failing
    endpoint occupies one slot instead of all.
    """

    def __init__(self, max_in_flight: int, rate_per_second: int | None, now: datetime) -> None:
        self.in_flight = 0
        self.window = float(max_in_flight)
        self.is_failing = False
        self._max_in_flight, self._rate_per_second = max_in_flight, rate_per_second
        self._tokens, self._refilled_at = 1.0, now

    def configure(self, max_in_flight: int, rate_per_second: int | None) -> None:
        """Apply the endpoint's settings."""
        self._max_in_flight, self._rate_per_second = max_in_flight, rate_per_second
        self.window = min(self.window, float(max_in_flight))

    def count_free_slots(self, now: datetime) -> int:
        """Return how many more deliveries may start now."""
        free_slots = int(self.window) - self.in_flight
        if self._rate_per_second is not None:
            free_slots = min(
                free_slots, int(self._refill_tokens(now, self._rate_per_second) + ROUNDING)
            )
        return max(free_slots, 0)

    @property
    def is_full(self) -> bool:
        """Whether the window is used up."""
        return self.in_flight >= int(self.window)

    def find_ready_time(self, now: datetime) -> datetime:
        """Return the time at which the rate limit allows the next delivery."""
        if (
            self._rate_per_second is None
            or (tokens := self._refill_tokens(now, self._rate_per_second)) >= 1 - ROUNDING
        ):
            return now
        return now + (1 - tokens) / self._rate_per_second * SECOND

    def count_started(self) -> None:
        """Count a delivery that starts."""
        self.in_flight += 1
        if self._rate_per_second is not None:
            self._tokens -= 1

    def count_ended(self, *, succeeded: bool | None) -> None:
        """Count a delivery that has ended. If `succeeded` is None, the window stays unchanged."""
        self.in_flight -= 1
        if succeeded is None:
            return
        self.is_failing = not succeeded
        self.window = (
            min(self.window + 1, self._max_in_flight) if succeeded else max(self.window / 2, 1.0)
        )

    def _refill_tokens(self, now: datetime, rate: int) -> float:
        new_tokens = max((now - self._refilled_at) / SECOND, 0.0) * rate
        self._tokens = min(self._tokens + new_tokens, max(1.0, rate * BURST_SECONDS))
        self._refilled_at = now
        return self._tokens


def share_slots(wanted_slots: Sequence[int], free_slots: int) -> list[int]:
    """Share free slots among lanes, round by round, so that none starves another."""
    shares = [0] * len(wanted_slots)
    open_lanes = [index for index, slots in enumerate(wanted_slots) if slots > 0]
    while free_slots > 0 and open_lanes:
        equal_share = max(free_slots // len(open_lanes), 1)
        for index in open_lanes:
            extra_slots = min(equal_share, wanted_slots[index] - shares[index], free_slots)
            shares[index] += extra_slots
            free_slots -= extra_slots
        open_lanes = [index for index in open_lanes if shares[index] < wanted_slots[index]]
    return shares
