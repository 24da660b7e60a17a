"""The database's time, as one process knows it.

Many machines share one database, so its clock decides. SQL asks `pannier_now()` whenever something
is leased, expires or is deleted. A process writes its machine's time into records, corrected when
it differs from the database's time.
"""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final
from weakref import WeakKeyDictionary

from pannier.db.connection_pool import Connection
from pannier.errors import Unavailable
from pannier.kit.clock import Clock, ManualClock

MEASURE_INTERVAL_SECONDS: Final = 10.0
# Smaller differences are not corrected, so that processes on one machine agree exactly.
MAX_TOLERATED_SKEW: Final = timedelta(seconds=1)
# Above the first, a difference is reported. Above the second, a process neither leases work nor
# deletes expired data.
REPORTED_SKEW: Final = timedelta(seconds=5)
UNSAFE_SKEW: Final = timedelta(seconds=60)

# The time to which each connection was last shifted.
_SHIFTED_TIMES: Final[WeakKeyDictionary[Connection, datetime]] = WeakKeyDictionary()

SkewReporter = Callable[[timedelta], None]


class ClockWrong(Unavailable):
    """The clock is too far off for the server to lease work, delete data or date invoices."""

    code = "clock_wrong"
    title = "This server's clock is wrong."
    remedy = "Correct the clock, then try again."


class DatabaseClock:
    """A process's clock, corrected by the database's clock."""

    def __init__(self, machine: Clock, report: SkewReporter | None = None) -> None:
        self._machine_clock, self._report = machine, report
        # How far the machine is ahead of the database; negative when it is behind.
        self.skew = timedelta()
        self._measured_at: float | None = None
        self._set_correction(timedelta())

    def now(self) -> datetime:
        return self._corrected_time + self._measure_time_since_set()

    def is_safe(self) -> bool:
        """Return whether this machine may lease work and delete expired data."""
        return abs(self.skew) <= UNSAFE_SKEW

    async def sync(self, connection: Connection) -> None:
        """Measure the skew if the last measurement is old or the machine's clock has jumped."""
        if self._is_stale():
            await self.measure(connection)

    async def measure(self, connection: Connection) -> None:
        """Measure the skew now, and correct this clock if necessary."""
        # Several calls may measure at once, so each keeps its own start.
        started_at = self._measured_at = time.monotonic()
        machine_time = self._machine_clock.now()
        database_time: datetime = await connection.fetchval("select pannier_now()")
        # The database read its clock during the round trip, so half of that is uncertain.
        latency = timedelta(seconds=time.monotonic() - started_at) / 2
        difference = machine_time + latency - database_time
        certain_skew = max(abs(difference) - latency, timedelta())
        self.skew = certain_skew if difference > timedelta() else -certain_skew
        self._set_correction(difference if certain_skew > MAX_TOLERATED_SKEW else timedelta())
        if self._report is not None:
            self._report(self.skew)

    def _set_correction(self, correction: timedelta) -> None:
        self._set_at, self._machine_set_at = time.monotonic(), self._machine_clock.now()
        self._corrected_time = self._machine_set_at - correction

    def _measure_time_since_set(self) -> timedelta:
        return timedelta(seconds=time.monotonic() - self._set_at)

    def _is_stale(self) -> bool:
        if (
            self._measured_at is None
            or time.monotonic() - self._measured_at > MEASURE_INTERVAL_SECONDS
        ):
            return True
        return (
            abs(self._machine_clock.now() - self._machine_set_at - self._measure_time_since_set())
            > MAX_TOLERATED_SKEW
        )


class ShiftedClock(DatabaseClock):
    """A test's clock. It shifts the database's time too."""

    def now(self) -> datetime:
        """Return the time that the test has set."""
        return self._machine_clock.now()

    async def measure(self, connection: Connection) -> None:
        """Set the database's time to the test's."""
        await self.sync(connection)

    async def sync(self, connection: Connection) -> None:
        """Set the database's time for this connection."""
        now = self._machine_clock.now()
        if _SHIFTED_TIMES.get(connection) != now:
            await connection.execute("select set_config('pannier.now', $1, false)", now.isoformat())
            _SHIFTED_TIMES[connection] = now


def to_database_clock(clock: Clock) -> DatabaseClock:
    """Return a clock that is synchronised with the database."""
    if isinstance(clock, DatabaseClock):
        return clock
    return ShiftedClock(clock) if isinstance(clock, ManualClock) else DatabaseClock(clock)
