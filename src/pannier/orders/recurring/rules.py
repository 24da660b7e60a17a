"""Rules of dates: a bounded part of iCalendar's RRULE (RFC 5545). Pure.

A rule has days and no times. The times of day come from the template, in the company's time zone.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Final, Literal, get_args

import msgspec

Frequency = Literal["DAILY", "WEEKLY", "MONTHLY"]

MAX_INTERVAL: Final[Mapping[Frequency, int]] = {"DAILY": 365, "WEEKLY": 52, "MONTHLY": 12}
MAX_COUNT: Final = 1000
MAX_RULE_LENGTH: Final = 200
# Some rules match no day, such as the 31st of every twelfth month from February on.
SEARCHED_DAYS: Final = 8 * 366
LAST_DAY: Final = date(2100, 12, 31)
WEEKDAY_CODES: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
WEEKDAY_NAMES: Final = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip
_WEEKDAY: Final = re.compile(r"([+-]?[1-5])?(MO|TU|WE|TH|FR|SA|SU)")
_ORDINALS: Final = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last"}
_UNITS: Final[Mapping[Frequency, str]] = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month"}
_WORKDAYS: Final = ((0, 0), (0, 1), (0, 2), (0, 3), (0, 4))


class DateRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule of dates. A weekday has an ordinal within its month, or 0 for every one."""

    frequency: Frequency
    interval: int = 1
    weekdays: tuple[tuple[int, int], ...] = ()
    month_days: tuple[int, ...] = ()
    count: int | None = None
    until: date | None = None


def parse_rule(text: str) -> DateRule:
    """Parse a rule, or raise ValueError with a sentence about it."""
    parts: dict[str, str] = {}
    for part in text.strip().upper().removeprefix("RRULE:").removesuffix(";").split(";"):
        name, equals, value = part.partition("=")
        if not equals or name in parts:
            raise ValueError("must be a rule such as FREQ=WEEKLY;BYDAY=MO,TH.")
        parts[name] = value
    if unknown := sorted(parts.keys() - _PARSERS.keys()):
        raise ValueError(f"has the part {unknown[0]}. Allowed are {', '.join(_PARSERS)}.")
    if "FREQ" not in parts:
        raise ValueError("must have a FREQ: DAILY, WEEKLY or MONTHLY.")
    values = {_NAMES[name]: _PARSERS[name](value) for name, value in parts.items()}
    rule = msgspec.convert(values, DateRule)
    _check_rule(rule)
    return rule


def _parse_frequency(text: str) -> str:
    if text not in get_args(Frequency):
        raise ValueError("must have a FREQ: DAILY, WEEKLY or MONTHLY.")
    return text


def _parse_interval(text: str) -> int:
    return _parse_number("INTERVAL", text, 1, max(MAX_INTERVAL.values()))


def _parse_count(text: str) -> int:
    return _parse_number("COUNT", text, 1, MAX_COUNT)


def _parse_weekdays(text: str) -> tuple[tuple[int, int], ...]:
    weekdays = set()
    for word in text.split(","):
        match = _WEEKDAY.fullmatch(word)
        if match is None:
            raise ValueError("must have weekdays such as MO, 1MO or -1FR in BYDAY.")
        weekdays.add((int(match[1] or 0), WEEKDAY_CODES.index(match[2])))
    return tuple(sorted(weekdays))


def _parse_month_days(text: str) -> tuple[int, ...]:
    days = {_parse_number("BYMONTHDAY", word, -31, 31) for word in text.split(",")}
    if 0 in days:
        raise ValueError("must have days from 1 to 31, or from -31 to -1, in BYMONTHDAY.")
    return tuple(sorted(days))


def _parse_until(text: str) -> date:
    try:
        day = datetime.strptime(text, "%Y%m%d").date()  # noqa: DTZ007 - a day has no time zone
    except ValueError:
        raise ValueError("must have a day such as 20261231 in UNTIL.") from None
    if day > LAST_DAY:
        raise ValueError(f"must end by {LAST_DAY}.")
    return day


def _parse_number(name: str, text: str, lowest: int, highest: int) -> int:
    number = int(text) if re.fullmatch(r"-?[0-9]{1,4}", text) else None
    if number is None or not lowest <= number <= highest:
        raise ValueError(f"must have numbers from {lowest} to {highest} in {name}.")
    return number


_PARSERS: Final[Mapping[str, Callable[[str], object]]] = {
    "FREQ": _parse_frequency,
    "INTERVAL": _parse_interval,
    "BYDAY": _parse_weekdays,
    "BYMONTHDAY": _parse_month_days,
    "COUNT": _parse_count,
    "UNTIL": _parse_until,
}
_NAMES: Final[Mapping[str, str]] = {
    "FREQ": "frequency",
    "INTERVAL": "interval",
    "BYDAY": "weekdays",
    "BYMONTHDAY": "month_days",
    "COUNT": "count",
    "UNTIL": "until",
}


def _check_rule(rule: DateRule) -> None:
    """Reject parts that contradict each other."""
    highest = MAX_INTERVAL[rule.frequency]
    if rule.interval > highest:
        raise ValueError(f"must have an INTERVAL of at most {highest} with {rule.frequency}.")
    if rule.count is not None and rule.until is not None:
        raise ValueError("must have COUNT or UNTIL, not both.")
    if rule.frequency == "WEEKLY" and rule.month_days:
        raise ValueError("must not have BYMONTHDAY with WEEKLY.")
    if len({ordinal == 0 for ordinal, _ in rule.weekdays}) > 1:
        # Readers disagree whether a day must match both kinds.
        raise ValueError("must have BYDAY with numbers for all weekdays, or for none.")
    if rule.frequency != "MONTHLY" and any(ordinal for ordinal, _ in rule.weekdays):
        raise ValueError("must have BYDAY without numbers, except with MONTHLY.")


def format_rule(rule: DateRule) -> str:
    """Return a rule in the format of RFC 5545."""
    weekdays = (f"{ordinal or ''}{WEEKDAY_CODES[day]}" for ordinal, day in rule.weekdays)
    parts = {
        "FREQ": rule.frequency,
        "INTERVAL": "" if rule.interval == 1 else str(rule.interval),
        "BYDAY": ",".join(weekdays),
        "BYMONTHDAY": ",".join(map(str, rule.month_days)),
        "COUNT": "" if rule.count is None else str(rule.count),
        "UNTIL": "" if rule.until is None else f"{rule.until:%Y%m%d}",
    }
    return ";".join(f"{name}={value}" for name, value in parts.items() if value)


def iterate_days(rule: DateRule, starts_on: date, earliest: date) -> Iterator[date]:
    """Yield the days of a rule, from the earliest on and within the searched days.

    Each day is tested, so that the search ends even for a rule that matches no day.
    """
    earliest = max(earliest, starts_on)
    last_day = min(rule.until or LAST_DAY, LAST_DAY)
    if (last_day - earliest).days > SEARCHED_DAYS:
        last_day = earliest + timedelta(days=SEARCHED_DAYS)
    # A count begins at the start.
    first_day = earliest if rule.count is None else starts_on
    complete_rule = _add_defaults(rule, starts_on)
    days = (
        day
        for day in map(date.fromordinal, range(first_day.toordinal(), last_day.toordinal() + 1))
        if _is_in_interval(rule, starts_on, day) and _matches(complete_rule, day)
    )
    return (day for day in islice(days, rule.count) if day >= earliest)


def _add_defaults(rule: DateRule, starts_on: date) -> DateRule:
    """Return a rule that takes its weekday or day of the month from its start if it has none."""
    if rule.weekdays or rule.month_days:
        return rule
    if rule.frequency == "WEEKLY":
        return msgspec.structs.replace(rule, weekdays=((0, starts_on.weekday()),))
    if rule.frequency == "MONTHLY":
        return msgspec.structs.replace(rule, month_days=(starts_on.day,))
    return rule


def _is_in_interval(rule: DateRule, starts_on: date, day: date) -> bool:
    """Tell whether a day is in one of the days, weeks or months that the interval leaves."""
    if rule.interval == 1:
        return True
    if rule.frequency == "DAILY":
        distance = (day - starts_on).days
    elif rule.frequency == "WEEKLY":
        distance = ((day - starts_on).days + starts_on.weekday()) // 7
    else:
        distance = (day.year - starts_on.year) * 12 + day.month - starts_on.month
    return distance % rule.interval == 0


def _matches(rule: DateRule, day: date) -> bool:
    """Tell whether the weekdays and the days of the month match a day. None match all."""
    days_to_end = monthrange(day.year, day.month)[1] - day.day
    ordinals = {0, (day.day - 1) // 7 + 1, -(days_to_end // 7 + 1)}
    if rule.weekdays and not any(
        weekday == day.weekday() and ordinal in ordinals for ordinal, weekday in rule.weekdays
    ):
        return False
    return not rule.month_days or not {day.day, -days_to_end - 1}.isdisjoint(rule.month_days)


def list_days(rule: DateRule, starts_on: date, earliest: date, limit: int) -> list[date]:
    """List the first days of a rule, from the earliest on."""
    return list(islice(iterate_days(rule, starts_on, earliest), limit))


def describe_rule(rule: DateRule) -> str:
    """Describe a rule in words: "Every 2 weeks on Monday, Thursday, until 31 Dec 2026"."""
    return f"{_describe_days(rule)}{_describe_end(rule)}"


def _describe_days(rule: DateRule) -> str:
    if rule.interval == 1 and rule.frequency != "MONTHLY" and rule.weekdays == _WORKDAYS:
        return "Every weekday"
    unit = _UNITS[rule.frequency]
    period = f"Every {unit}" if rule.interval == 1 else f"Every {rule.interval} {unit}s"
    days = [*map(_describe_weekday, rule.weekdays), *map(_describe_month_day, rule.month_days)]
    return f"{period} on {', '.join(days)}" if days else period


def _describe_end(rule: DateRule) -> str:
    if rule.count is not None:
        return ", once" if rule.count == 1 else f", {rule.count} times"
    return "" if rule.until is None else f", until {rule.until.day} {rule.until:%b %Y}"


def _describe_weekday(weekday: tuple[int, int]) -> str:
    ordinal, day = weekday
    if ordinal == 0:
        return WEEKDAY_NAMES[day]
    place = _ORDINALS.get(ordinal) or f"{_ORDINALS[-ordinal]} last"
    return f"the {place} {WEEKDAY_NAMES[day]}"


def _describe_month_day(day: int) -> str:
    if day > 0:
        return f"day {day}"
    return "the last day" if day == -1 else f"{-day} days from the end"
