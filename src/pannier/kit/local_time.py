"""Times of day in a time zone, even on days when the clocks change."""

from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Final, Literal
from zoneinfo import ZoneInfo

Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEKDAYS: Final[tuple[Weekday, ...]] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MINUTES_A_DAY: Final = 24 * 60


def parse_minute(text: str) -> int:
    """Parse a time of day such as 17:30 into minutes since midnight, or raise ValueError."""
    hours, minutes = _parse_clock(text)
    return hours * 60 + minutes


@lru_cache(maxsize=MINUTES_A_DAY)
def _parse_clock(text: str) -> tuple[int, int]:
    hours, colon, minutes = text.partition(":")
    if colon and len(hours) == len(minutes) == 2 and (hours + minutes).isdecimal():  # noqa: PLR2004 - two digits each
        hour, minute = int(hours), int(minutes)
        if hour < 24 and minute < 60:  # noqa: PLR2004 - of a day, of an hour
            return hour, minute
    raise ValueError("must be a time of day such as 17:30.")


def to_utc(day: date, minute: int, zone: ZoneInfo) -> datetime:
    """Convert a local time to UTC: some minutes after a day's midnight, by the clock.

    A time that the clocks skip in spring becomes the moment of the change. A time that they repeat
    in autumn becomes its first occurrence. So a later time of day is never earlier in UTC.
    """
    local_time = datetime.combine(day, time()) + timedelta(minutes=minute)
    first, second = (local_time.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    return first if first <= second else _find_clock_change(second, first, zone)


def _find_clock_change(start: datetime, end: datetime, zone: ZoneInfo) -> datetime:
    """Find the second between two moments at which the zone's offset changes."""
    offset = start.astimezone(zone).utcoffset()
    while (gap := int((end - start).total_seconds())) > 1:
        middle = start + timedelta(seconds=gap // 2)
        if middle.astimezone(zone).utcoffset() == offset:
            start = middle
        else:
            end = middle
    return end
