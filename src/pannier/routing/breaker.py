"""A circuit breaker for external services."""

from datetime import timedelta
from typing import Final

from pannier.kit.clock import Clock

MAX_FAILURES: Final = 5
OPEN_PERIOD: Final = timedelta(seconds=30)


class CircuitBreaker:
    """A circuit that opens after several failures in a row and allows one call per pause."""

    def __init__(self, clock: Clock, open_period: timedelta = OPEN_PERIOD) -> None:
        self._clock, self._failures, self._open_until = clock, 0, clock.now()
        self._open_period = open_period

    @property
    def is_open(self) -> bool:
        """Whether the circuit is open and no call is allowed now."""
        return self._failures >= MAX_FAILURES and self._clock.now() < self._open_until

    def claim_call(self) -> bool:
        """Return whether a call is allowed. While the circuit is open, one per pause is a probe."""
        if self.is_open:
            return False
        if self._failures >= MAX_FAILURES:
            self._open_until = self._clock.now() + self._open_period
        return True

    def record_success(self) -> None:
        self._failures = 0

    def record_failure(self) -> None:
        self._failures += 1
        self._open_until = self._clock.now() + self._open_period
