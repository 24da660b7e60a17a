"""A breaker: who keeps failing is left in peace for a while."""

from datetime import timedelta
from typing import Final

from pannier.kit.clock import Clock

FAILURES: Final = 5
PAUSE: Final = timedelta(seconds=30)


class Breaker:
    """Lets calls through until several in a row have failed, and then one in each pause."""

    def __init__(self, clock: Clock) -> None:
        self._clock, self._failed, self._until = clock, 0, clock.now()

    @property
    def resting(self) -> bool:
        """Whether nobody is to call now."""
        return self._failed >= FAILURES and self._clock.now() < self._until

    def lets_through(self) -> bool:
        """Tell whether to call; while it is open, one call a pause finds out how things are."""
        if self.resting:
            return False
        if self._failed >= FAILURES:
            self._until = self._clock.now() + PAUSE
        return True

    def worked(self) -> None:
        """Hear that a call was answered."""
        self._failed = 0

    def failed(self) -> None:
        """Hear that a call was not."""
        self._failed += 1
        self._until = self._clock.now() + PAUSE
