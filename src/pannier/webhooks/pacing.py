"""Timing of the sender: when it looks for work, and when another claim is worth its cost."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from pannier.webhooks.lanes import Lane
from pannier.webhooks.recorder import GATHER_PAUSE_SECONDS

GATHER_SECONDS: Final = 0.05
MAX_WAIT_SECONDS: Final = 0.15
# The worker's own polling finds what is due later than this.
ALARM_HORIZON: Final = timedelta(seconds=1)


class Wakeup(asyncio.Event):
    """Wakes the sender. `has_news` is true when something may be due that has room."""

    def __init__(self) -> None:
        super().__init__()
        self.has_news = False
        self._alarm: tuple[float, asyncio.TimerHandle] | None = None

    def set(self) -> None:
        """Wake the sender because something is new or has come due."""
        self.has_news = True
        super().set()

    def set_for_free_place(self) -> None:
        """Wake the sender because an attempt has ended."""
        super().set()

    def set_at_first(self, moments: Iterable[datetime], now: datetime) -> None:
        """Wake the sender at the first of these moments that is still to come, if it is near."""
        next_moment = min((moment for moment in moments if moment > now), default=None)
        if next_moment is None or next_moment - now > ALARM_HORIZON:
            return
        loop = asyncio.get_running_loop()
        at = loop.time() + (next_moment - now).total_seconds()
        if self._alarm is not None:
            # Stored beside the handle, because uvloop's handles do not tell their time.
            alarm_at, alarm = self._alarm
            if loop.time() < alarm_at <= at:
                return
            alarm.cancel()
        self._alarm = at, loop.call_at(at, self.set)


class Pacing:
    """Delays a claim while lanes are full, so that one claim takes many deliveries.

    A claim of many costs PostgreSQL a fraction of many claims. After a claim that left lanes full,
    the next one waits until half of the deliveries in flight have ended, for up to
    `GATHER_SECONDS`. It waits for up to `max_wait` while nothing has room: nothing is new, and
    every full lane still has deliveries in flight.
    """

    def __init__(self, wakeup: Wakeup, max_wait: float) -> None:
        self._wakeup, self._max_wait = wakeup, max_wait
        self._claimed_at = 0.0
        self._full: set[Lane] = set()
        # How many more attempts have to end before the next claim.
        self._missing_attempts = 0
        self._enough = asyncio.Event()

    def start(self, full_lanes: set[Lane], missing_attempts: int) -> None:
        """Begin to wait for the next claim, now that one was made."""
        self._claimed_at = asyncio.get_running_loop().time()
        self._full, self._missing_attempts = full_lanes, missing_attempts
        self._enough.clear()

    async def wait(self) -> None:
        """Wait until the next claim is worth making."""
        await self._wait_until(self._claimed_at + GATHER_SECONDS)
        latest = self._claimed_at + self._max_wait
        while self._missing_attempts > 0 and self._is_everything_full():
            now = asyncio.get_running_loop().time()
            if now >= latest:
                return
            await self._wait_until(min(now + GATHER_PAUSE_SECONDS, latest))

    def count_ended(self) -> None:
        """Count an attempt that has ended and is recorded."""
        self._missing_attempts -= 1
        if self._missing_attempts <= 0:
            self._enough.set()
        self._wakeup.set_for_free_place()

    def note_room(self, lane: Lane) -> None:
        """Note that a delivery of this lane has ended: the next one there may have room."""
        self._wakeup.has_news |= lane not in self._full

    def _is_everything_full(self) -> bool:
        return not self._wakeup.has_news and all(lane.in_flight for lane in self._full)

    async def _wait_until(self, moment: float) -> None:
        """Wait until enough attempts have ended, but no longer than until this moment."""
        seconds = moment - asyncio.get_running_loop().time()
        if self._missing_attempts > 0 and seconds > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._enough.wait(), seconds)
