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
# Deliveries due later than this are found by the worker's polling.
ALARM_HORIZON: Final = timedelta(seconds=1)


class Wakeup(asyncio.Event):
    """Wakes the sender. `has_news` is true when a due delivery may have a free slot."""

    def __init__(self) -> None:
        super().__init__()
        self.has_news = False
        self._alarm: tuple[float, asyncio.TimerHandle] | None = None

    def set(self) -> None:
        """Wake the sender because something is new or has come due."""
        self.has_news = True
        super().set()

    def set_for_ended_attempt(self) -> None:
        """Wake the sender because an attempt has ended."""
        super().set()

    def set_at_earliest(self, times: Iterable[datetime], now: datetime) -> None:
        """Wake the sender at the earliest of the given times that lies in the near future."""
        earliest_time = min((time for time in times if time > now), default=None)
        if earliest_time is None or earliest_time - now > ALARM_HORIZON:
            return
        loop = asyncio.get_running_loop()
        alarm_time = loop.time() + (earliest_time - now).total_seconds()
        if self._alarm is not None:
            # Stored beside the handle, because uvloop's handles do not expose their time.
            previous_time, alarm = self._alarm
            if loop.time() < previous_time <= alarm_time:
                return
            alarm.cancel()
        self._alarm = alarm_time, loop.call_at(alarm_time, self.set)


class Pacing:
    """Delays a claim while lanes are full, so that one claim takes many deliveries.

    One claim of many deliveries costs PostgreSQL a fraction of many claims. After a claim that left
    lanes full, the next one waits until half of the deliveries in flight have ended, for up to
    `GATHER_SECONDS`. It waits for up to `max_wait` while nothing is new and every full lane still
    has deliveries in flight.
    """

    def __init__(self, wakeup: Wakeup, max_wait: float) -> None:
        self._wakeup, self._max_wait = wakeup, max_wait
        self._claimed_at = 0.0
        self._full_lanes: set[Lane] = set()
        # The number of attempts that must end before the next claim.
        self._missing_attempts = 0
        self._enough_ended = asyncio.Event()

    def start(self, full_lanes: set[Lane], missing_attempts: int) -> None:
        """Start the wait for the next claim, after one was made."""
        self._claimed_at = asyncio.get_running_loop().time()
        self._full_lanes, self._missing_attempts = full_lanes, missing_attempts
        self._enough_ended.clear()

    async def wait(self) -> None:
        """Wait until the next claim is worth making."""
        await self._wait_for_ended_attempts(self._claimed_at + GATHER_SECONDS)
        latest_time = self._claimed_at + self._max_wait
        while self._missing_attempts > 0 and self._is_saturated():
            now = asyncio.get_running_loop().time()
            if now >= latest_time:
                return
            await self._wait_for_ended_attempts(min(now + GATHER_PAUSE_SECONDS, latest_time))

    def count_ended(self) -> None:
        """Count an attempt that has ended and is recorded."""
        self._missing_attempts -= 1
        if self._missing_attempts <= 0:
            self._enough_ended.set()
        self._wakeup.set_for_ended_attempt()

    def note_free_slot(self, lane: Lane) -> None:
        """Note that a delivery of this lane has ended, so the lane may have a free slot."""
        self._wakeup.has_news |= lane not in self._full_lanes

    def _is_saturated(self) -> bool:
        return not self._wakeup.has_news and all(lane.in_flight for lane in self._full_lanes)

    async def _wait_for_ended_attempts(self, deadline: float) -> None:
        """Wait until enough attempts have ended, at most until the deadline."""
        seconds = deadline - asyncio.get_running_loop().time()
        if self._missing_attempts > 0 and seconds > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._enough_ended.wait(), seconds)
