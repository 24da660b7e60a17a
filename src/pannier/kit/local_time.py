"""Times of day in a time zone, also on days on which the clocks change."""

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
        hour, past = int(hours), int(minutes)
        if hour < 24 and past < 60:  # noqa: PLR2004 - of a day, of an hour
            return hour, past
    raise ValueError("must be a time of day such as 17:30.")


def to_utc(day: date, minute: int, zone: ZoneInfo) -> datetime:
    """Convert a local time to UTC: some minutes after a day's midnight, by the clock.

    A time that the clocks skip in spring is the moment at which they skip it. Of a time that they
    repeat in autumn, it is the first one. So a later time of day is never earlier in UTC.
    """
    wall = datetime.combine(day, time()) + timedelta(minutes=minute)
    first, second = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    return first if first <= second else _find_clock_change(second, first, zone)


def _find_clock_change(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """Find the second between two moments at which the zone's offset changes."""
    offset = before.astimezone(zone).utcoffset()
    while (gap := int((after - before).total_seconds())) > 1:
        middle = before + timedelta(seconds=gap // 2)
        if middle.astimezone(zone).utcoffset() == offset:
            before = middle
        else:
            after = middle
    return after
