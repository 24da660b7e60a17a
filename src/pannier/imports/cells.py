"""Parsing of cells: numbers, times and lists as people write them. Pure rules."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from pannier.imports.models import DateOrder
from pannier.imports.targets import CellKind, ImportField
from pannier.kit import decimals, local_time, money

TRUE_TEXTS: Final = frozenset(
    {"true", "yes", "y", "1", "x", "ja", "j", "wahr", "oui", "vrai", "si", "sí", "verdadero"}
)
FALSE_TEXTS: Final = frozenset({"false", "no", "n", "0", "nein", "falsch", "non", "faux", "falso"})
MAX_LIST_LENGTH: Final = 50
_ISO: Final = re.compile(
    r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?:[T ]+(?P<time>.+))?"
)
_LOCAL: Final = re.compile(
    r"(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})(?P=mark)(?P<year>\d{4}|\d{2})"
    r"(?:,?[T ]+(?P<time>.+))?"
)
_TIME: Final = re.compile(
    r"(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d+)?)?"
    r"\s*(?P<half>[ap]\.?m\.?)?",
    re.IGNORECASE,
)
CENTURY: Final = 2000
MONTHS: Final = 12


class CellContext(msgspec.Struct, frozen=True):
    """The conventions of a company, and of a file."""

    zone: ZoneInfo
    locale: str
    currency: str | None = None
    date_order: DateOrder | None = None


def parse_number(text: str, context: CellContext) -> float:
    """Parse a number with a decimal comma or point."""
    return float(decimals.parse(text, context.locale))


def parse_whole(text: str, context: CellContext) -> int:
    """Parse a whole number."""
    number = decimals.parse(text, context.locale)
    if number != number.to_integral_value() or abs(number) > money.MAX_AMOUNT:
        raise ValueError(f"“{text}” is not a whole number.")
    return int(number)


def parse_amount(text: str, currency: str, locale: str) -> int:
    """Parse an amount such as 12.50 into minor units."""
    amount = decimals.parse(text, locale)
    minor = amount.scaleb(money.exponent(currency))
    if minor != minor.to_integral_value():
        raise ValueError(f"“{text}” has more decimals than {currency} has.")
    if abs(minor) > money.MAX_AMOUNT:
        raise ValueError("The amount is too large.")
    return int(minor)


def parse_yes_no(text: str, _: CellContext) -> bool:
    """Parse yes or no."""
    lowered = text.casefold()
    if lowered in TRUE_TEXTS:
        return True
    if lowered in FALSE_TEXTS:
        return False
    raise ValueError(f"“{text}” is neither yes nor no.")


def parse_list(text: str, _: CellContext) -> list[str]:
    """Split a list at commas, semicolons and bars."""
    parts = [part.strip() for part in re.split(r"[,;|]", text)]
    return [part for part in parts if part][:MAX_LIST_LENGTH]


def parse_day(text: str, context: CellContext) -> str:
    """Parse a date into ISO 8601. A time after it is ignored."""
    return _parse_date(text, context)[0].isoformat()


def parse_moment(text: str, context: CellContext) -> str:
    """Parse a time into RFC 3339. Without an offset, it is in the company's time zone."""
    with suppress(ValueError):
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            return moment.isoformat()
    day, time_text = _parse_date(text, context)
    minute, seconds = _parse_time(time_text) if time_text else (0, 0)
    return (local_time.to_utc(day, minute, context.zone) + timedelta(seconds=seconds)).isoformat()


def _parse_date(text: str, context: CellContext) -> tuple[date, str | None]:
    """Split a text into its date and the time after it."""
    if match := _ISO.fullmatch(text):
        numbers = (int(match["year"]), int(match["month"]), int(match["day"]))
    elif match := _LOCAL.fullmatch(text):
        day, month = int(match["first"]), int(match["second"])
        if _is_month_first(text, day, month, match["mark"], context):
            day, month = month, day
        year = int(match["year"])
        numbers = (year if len(match["year"]) > 2 else CENTURY + year, month, day)  # noqa: PLR2004 - two digits
    else:
        raise ValueError(f"“{text}” is not a date. Enter it as 2026-01-31.")
    try:
        return date(*numbers), match["time"]
    except ValueError:
        raise ValueError(f"“{text}” is not a date. Enter it as 2026-01-31.") from None


def _is_month_first(
    text: str, first: int, second: int, separator: str, context: CellContext
) -> bool:
    """Tell whether a date begins with the month. It is asked for, never guessed."""
    # A date with points always begins with the day.
    if separator == "." or first == second:
        return False
    if context.date_order is not None:
        return context.date_order == "month_first"
    if max(first, second) > MONTHS:
        return second > MONTHS
    raise ValueError(
        f"“{text}” can be read in two ways. Choose whether dates begin with the day or the month."
    )


def _parse_time(text: str) -> tuple[int, int]:
    """Parse a time of day into minutes and seconds."""
    match = _TIME.fullmatch(text.strip())
    if match is not None:
        hour, minute, half = int(match["hour"]), int(match["minute"]), match["half"]
        if half and 1 <= hour <= 12:  # noqa: PLR2004 - on a clock
            hour = hour % 12 + (12 if half.lower().startswith("p") else 0)
        if hour < 24 and minute < 60:  # noqa: PLR2004 - of a day, of an hour
            return hour * 60 + minute, int(match["second"] or 0)
    raise ValueError(f"“{text}” is not a time of day. Enter it as 14:30.")


_PARSERS: Final[Mapping[CellKind, Callable[[str, CellContext], Any]]] = {
    "number": parse_number,
    "whole": parse_whole,
    "yes_no": parse_yes_no,
    "moment": parse_moment,
    "day": parse_day,
    "list": parse_list,
}


def parse_cell(
    field: ImportField, text: str, context: CellContext, currency: str | None = None
) -> Any:  # noqa: ANN401 - a value of the API
    """Parse a cell into a value of the API, or raise ValueError with a sentence."""
    if field.kind == "money":
        if currency is None:
            raise ValueError("Set the company's currency, or add a column with the currency.")
        return parse_amount(text, currency, context.locale)
    parse = _PARSERS.get(field.kind)
    return text if parse is None else parse(text, context)
