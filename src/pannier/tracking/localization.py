"""The language of a tracking page, and its texts and times in that language."""

from datetime import datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from pannier.locales.catalogue import (
    DEFAULT,
    LANGUAGES,
    find_language,
    load_part,
    translate_activity,
    translate_reason,
)
from pannier.locales.times import TimeFormat


def choose_language(accept_language: str, default: str = DEFAULT) -> str:
    """Choose the browser's preferred language that has a catalogue, or else the default."""
    preferences = sorted(
        (_parse_preference(preference) for preference in accept_language.lower().split(",")),
        reverse=True,
    )
    supported_tags = (tag for weight, tag in preferences if weight > 0 and tag in LANGUAGES)
    return next(supported_tags, find_language(default))


def _parse_preference(preference: str) -> tuple[float, str]:
    tag, _, weight = preference.partition(";")
    try:
        return float(weight.strip().removeprefix("q=") or 1), tag.strip()[:2]
    except ValueError:
        return 0.0, ""


class Localizer:
    """Texts and times in one language and one time zone."""

    def __init__(
        self, language: str, zone: ZoneInfo, now: datetime, *, shows_zone: bool = False
    ) -> None:
        self.language, self.zone, self.now = language, zone, now
        # Whether the page shows the time zone, because the reader may be in a different one.
        self.shows_zone = shows_zone

    @cached_property
    def times(self) -> TimeFormat:
        return TimeFormat(self.language, self.zone, self.now)

    def translate(self, key: str, **values: str) -> str:
        return load_part(self.language, "tracking")[key].format(**values)

    def translate_activity(self, label: str) -> str:
        """Translate a default activity. A company's own are unchanged."""
        return translate_activity(label, self.language)

    def translate_failure_reason(self, label: str) -> str:
        """Translate a failure reason. A company's custom label stays unchanged."""
        return translate_reason(label, self.language)

    def format_zone_note(self) -> str:
        """Return a note that names the page's time zone."""
        return self.translate("zone", name=self.zone.key.replace("_", " "))

    def format_moment(self, moment: datetime) -> str:
        """Format a day and a time, starting with a capital letter."""
        return _capitalize(self.times.format_moment(moment))

    def format_window(self, start: datetime | None, end: datetime | None) -> str:
        """Format a time window, starting with a capital letter."""
        return _capitalize(self.times.format_window(start, end))


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]


def clean_text(text: str, length: int) -> str:
    """Trim what a recipient wrote, and replace what does not print, such as line breaks."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split())[:length].rstrip()
