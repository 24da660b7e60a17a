"""Reports how far this machine's clock is from the database's: to the log, and to Prometheus."""

import time
from datetime import timedelta
from typing import Final

from pannier.db.clock import REPORTED_SKEW
from pannier.web.logs import log
from pannier.web.metrics import make_gauge

REMINDER_SECONDS: Final = 60.0

_skew = make_gauge(
    "pannier_clock_skew_seconds",
    "Seconds by which this machine's clock is ahead of the database's.",
)


class SkewReport:
    """Logs a wrong clock when it is detected, once a minute, and when it agrees again."""

    def __init__(self) -> None:
        self._logged_at: float | None = None

    def __call__(self, skew: timedelta) -> None:
        """Report a measured difference."""
        seconds = round(skew.total_seconds(), 1)
        _skew.set(seconds)
        if abs(skew) <= REPORTED_SKEW:
            if self._logged_at is not None:
                log.info("clock agrees with the database's again")
            self._logged_at = None
            return
        now = time.monotonic()
        if self._logged_at is None or now - self._logged_at >= REMINDER_SECONDS:
            self._logged_at = now
            log.warning("clock differs from the database's", seconds_ahead=seconds)
