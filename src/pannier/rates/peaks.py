"""Peak hours, by the local time of the rate's time zone. Pure rules.

Times are converted to local time before they are compared. So an hour that the clocks skip in
spring never comes, and one that they repeat in autumn comes twice.
"""

from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from pannier.kit.local_time import WEEKDAYS, parse_minute
from pannier.rates.models import PeakWindow, ServiceRate


def list_windows(rate: ServiceRate) -> Iterator[PeakWindow]:
    """Yield a rate's windows: the daily one, and those of its list."""
    if rate.peak_hours_start is not None and rate.peak_hours_end is not None:
        yield PeakWindow(start=rate.peak_hours_start, end=rate.peak_hours_end)
    yield from rate.peak_windows


def find_open_windows(rate: ServiceRate, moment: datetime, time_zone: str) -> list[PeakWindow]:
    """Return the windows that are open at a time. `time_zone` is the default."""
    if not rate.has_peak_hours_fee:
        return []
    local_time = moment.astimezone(load_time_zone(rate.timezone or time_zone))
    return [window for window in list_windows(rate) if is_open(window, local_time)]


def is_open(window: PeakWindow, local_time: datetime) -> bool:
    """Return whether a window is open at a local time."""
    start, end = parse_minute(window.start), parse_minute(window.end)
    now, today = local_time.hour * 60 + local_time.minute, local_time.weekday()
    if start < end:
        return start <= now < end and _applies_on_day(window, today)
    # An overnight window belongs to the day on which it began.
    return (now >= start and _applies_on_day(window, today)) or (
        now < end and _applies_on_day(window, today - 1)
    )


@lru_cache(maxsize=1024)
def load_time_zone(name: str) -> ZoneInfo:
    """Load a time zone, with a cache in front of its file."""
    return ZoneInfo(name)


def _applies_on_day(window: PeakWindow, day: int) -> bool:
    return not window.days or WEEKDAYS[day] in window.days
