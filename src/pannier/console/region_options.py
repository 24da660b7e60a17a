"""Options of the fields for countries, languages, time zones and currencies."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Final

from pannier.kit.money import CURRENCIES
from pannier.locales.catalogue import LANGUAGES

UTC: Final = "UTC"
CURRENCY_OPTIONS: Final = tuple((code, code) for code in sorted(CURRENCIES))

LANGUAGE_NAMES: Final[Mapping[str, str]] = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
}
# The API also accepts other languages, and languages with a country.
LANGUAGE_OPTIONS: Final = tuple((language, LANGUAGE_NAMES[language]) for language in LANGUAGES)


@cache
def list_countries() -> Sequence[tuple[str, str]]:
    """List the countries by name, as the time zone database has them."""
    names = {code: name for code, name, *_ in _read_table("iso3166.tab")}
    return sorted(names.items(), key=lambda option: option[1])


@cache
def list_time_zones() -> Sequence[tuple[str, str]]:
    """List the time zones that places have, and UTC."""
    zones = sorted(name for _, _, name, *_ in _read_table("zone.tab"))
    return [(name, name.replace("_", " ")) for name in [UTC, *zones]]


def include_value(options: Sequence[tuple[str, str]], value: str) -> Sequence[tuple[str, str]]:
    """Add a saved value that is not among the options, so that the form keeps it."""
    is_listed = not value or value in dict(options)
    return options if is_listed else [(value, value), *options]


def _read_table(name: str) -> list[list[str]]:
    text = (resources.files("tzdata") / "zoneinfo" / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
