"""Formats of times for pages and messages: `today, 09:30`, `Fri 16 Jan, 09:30`."""

from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from pannier.locales.catalogue import load_part

DASH: Final = "\N{EN DASH}"


class TimeFormat:
    """Formats times in a language and a time zone. `now` decides which day is today."""

    def __init__(self, language: str, zone: ZoneInfo, now: datetime) -> None:
        self._words = {
            key.removeprefix("calendar."): text
            for key, text in load_part(language, "common").items()
            if key.startswith("calendar.")
        }
        self._zone, self._today = zone, now.astimezone(zone).date()

    def format_clock(self, moment: datetime) -> str:
        """Format a time of day."""
        return f"{moment.astimezone(self._zone):%H:%M}"

    def format_clock_in_sentence(self, moment: datetime) -> str:
        """Format a time of day for a sentence, such as "14:30 Uhr" in German."""
        return self._words["time"].format(time=self.format_clock(moment))

    def format_day(self, moment: datetime) -> str:
        """Format a day, such as "today", "tomorrow" or "Fri 16 Jan"."""
        day = moment.astimezone(self._zone).date()
        for name, days in (("today", 0), ("tomorrow", 1)):
            if day == self._today + timedelta(days=days):
                return self._words[name]
        return self._words["date"].format(
            weekday=self._words["weekdays"].split()[day.weekday()],
            day=day.day,
            month=self._words["months"].split()[day.month - 1],
        )

    def format_moment(self, moment: datetime) -> str:
        """Format a day and a time."""
        return f"{self.format_day(moment)}, {self.format_clock(moment)}"

    def format_time_with_day(self, moment: datetime) -> str:
        """Format a time. Include the day if it is not today."""
        is_today = moment.astimezone(self._zone).date() == self._today
        return self.format_clock(moment) if is_today else self.format_moment(moment)

    def format_window(self, start: datetime | None, end: datetime | None) -> str:
        """Format a time window. Return an empty text if it has neither a start nor an end."""
        if start is not None and end is not None:
            return self._format_range(start, end)
        moment, key = (end, "by") if start is None else (start, "from")
        if moment is None:
            return ""
        return (
            f"{self.format_day(moment)} {self._words[key].format(time=self.format_clock(moment))}"
        )

    def _format_range(self, start: datetime, end: datetime) -> str:
        if self.format_day(start) != self.format_day(end):
            return f"{self.format_moment(start)} {DASH} {self.format_moment(end)}"
        times = dict.fromkeys((self.format_clock(start), self.format_clock(end)))
        return f"{self.format_day(start)}, {DASH.join(times)}"
