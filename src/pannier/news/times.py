"""Windows and moments in words, by the clock on the wall of whoever reads them."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from pannier.news.words import CALENDARS, Calendar


def window(
    start: datetime | None, end: datetime | None, now: datetime, zone: ZoneInfo, language: str
) -> str:
    """Spell when something should come: nothing, when nobody said, or when it is over."""
    calendar = _calendar(language)
    known = [moment.astimezone(zone) for moment in (start, end) if moment is not None]
    last = end or start
    if last is None or last < now:
        return ""
    days = dict.fromkeys(moment.date() for moment in known)
    if len(days) == 1:
        clocks = dict.fromkeys(clock(moment, zone, language) for moment in known)
        return f"{_day(known[0], now.astimezone(zone), calendar)} {'-'.join(clocks)}"
    return " - ".join(
        f"{_day(moment, now.astimezone(zone), calendar)} {clock(moment, zone, language)}"
        for moment in known
    )


def clock(moment: datetime, zone: ZoneInfo, language: str) -> str:
    """Spell a time of day."""
    return moment.astimezone(zone).strftime(_calendar(language).clock)


def _day(moment: datetime, now: datetime, calendar: Calendar) -> str:
    if moment.date() == now.date():
        return calendar.today
    return calendar.date.format(
        day=calendar.days[moment.weekday()],
        number=moment.day,
        month=calendar.months[moment.month - 1],
    )


def _calendar(language: str) -> Calendar:
    return CALENDARS.get(language.split("-", 1)[0], CALENDARS["en"])


def soon(now: datetime) -> tuple[datetime, datetime]:
    """Think of a window: two hours from the next full hour on."""
    hour = now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return hour, hour + timedelta(hours=2)
