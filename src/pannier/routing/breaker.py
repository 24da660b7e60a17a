"""A circuit breaker for external services."""

from datetime import timedelta
from typing import Final

from pannier.kit.clock import Clock

FAILURES: Final = 5
PAUSE: Final = timedelta(seconds=30)


class Breaker:
    """A circuit that opens after several failures in a row and allows one call per pause."""

    def __init__(self, clock: Clock) -> None:
        self._clock, self._failed, self._until = clock, 0, clock.now()

    @property
    def resting(self) -> bool:
        """Whether the circuit is open and no call is allowed now."""
        return self._failed >= FAILURES and self._clock.now() < self._until

    def lets_through(self) -> bool:
        """Return whether to call. While the circuit is open, one call per pause is a probe."""
        if self.resting:
            return False
        if self._failed >= FAILURES:
            self._until = self._clock.now() + PAUSE
        return True

    def worked(self) -> None:
        self._failed = 0

    def failed(self) -> None:
        self._failed += 1
        self._until = self._clock.now() + PAUSE
