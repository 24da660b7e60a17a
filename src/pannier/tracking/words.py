"""The language of a tracking page, and its texts and times in that language."""

from datetime import datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from pannier.locales.catalogue import DEFAULT, LANGUAGES, find_language, find_reason, load_part
from pannier.locales.times import TimeFormat


def preferred(accepted: str, own: str = DEFAULT) -> str:
    """Choose the browser's preferred language that has a catalogue, or else the default."""
    wishes = sorted((_wish(part) for part in accepted.lower().split(",")), reverse=True)
    known = (tag for weight, tag in wishes if weight > 0 and tag in LANGUAGES)
    return next(known, find_language(own))


def _wish(part: str) -> tuple[float, str]:
    tag, _, weight = part.partition(";")
    try:
        return float(weight.strip().removeprefix("q=") or 1), tag.strip()[:2]
    except ValueError:
        return 0.0, ""


class Speech:
    """Texts and times in one language and one time zone."""

    def __init__(
        self, language: str, zone: ZoneInfo, now: datetime, *, named: bool = False
    ) -> None:
        self.language, self.zone, self.now = language, zone, now
        # Whether the page states the time zone, because the reader's may be another.
        self.named = named

    @cached_property
    def times(self) -> TimeFormat:
        return TimeFormat(self.language, self.zone, self.now)

    def say(self, key: str, **values: str) -> str:
        return load_part(self.language, "tracking")[key].format(**values)

    def reason(self, label: str) -> str:
        """Return a failure reason; a company's own label is not translated."""
        return find_reason(label, self.language)

    def whose(self) -> str:
        """Return a note that names the page's time zone."""
        return self.say("zone", name=self.zone.key.replace("_", " "))

    def moment(self, moment: datetime) -> str:
        """Format a day and a time that stand alone."""
        return _capitalize(self.times.moment(moment))

    def window(self, start: datetime | None, end: datetime | None) -> str:
        """Format a time window that stands alone."""
        return _capitalize(self.times.window(start, end))


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
