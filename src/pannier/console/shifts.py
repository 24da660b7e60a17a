"""Shifts in the console: as form rows, and as text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

from pannier.console.field_rows import FieldRows
from pannier.console.forms import Field
from pannier.errors import FieldError as Offence
from pannier.errors import Invalid

WEEKDAYS: Final[Mapping[str, str]] = {
    "mon": "Mon", "tue": "Tue", "wed": "Wed", "thu": "Thu", "fri": "Fri", "sat": "Sat",
    "sun": "Sun",
}  # fmt: skip
BREAKS_HELP: Final = (
    "Write a break as 11:00-13:00 30: it starts between these times and lasts 30 minutes."
)
_BREAK: Final = re.compile(
    r"(\d{1,2}:\d{2})\s*[-–]\s*(\d{1,2}:\d{2})\s+(\d{1,4})(?:\s*min(?:utes)?)?"  # noqa: RUF001 - people type either dash
)
_EXCEPTION_PATH: Final = re.compile(r"shift_exceptions\[(\d+)\](?:\.shifts\[(\d+)\])?(.*)")
_HOURS: Final = (
    Field(name="start", label="From", kind="time", nullable=False),
    Field(name="end", label="To", kind="time", nullable=False),
    Field(name="breaks", label="Breaks", placeholder="11:00-13:00 30"),
)
WEEKLY: Final = FieldRows(
    name="shifts",
    label="Weekly shifts",
    noun="shift",
    help=f"A shift whose end is before its start ends on the next day. {BREAKS_HELP}",
    columns=(
        Field(name="days", label="Days", kind="choices", options=tuple(WEEKDAYS.items())),
        *_HOURS,
    ),
)
EXCEPTIONS: Final = FieldRows(
    name="shift_exceptions",
    label="Days off and other hours",
    noun="exception",
    help="Leave the hours empty for days off. Repeat the dates for several shifts a day.",
    columns=(
        Field(name="date", label="First day", kind="day", nullable=False),
        Field(name="until", label="Last day", kind="day"),
        *_HOURS,
    ),
)
LISTS: Final = (WEEKLY, EXCEPTIONS)


class ExceptionRows(NamedTuple):
    """Exceptions in the API's format, and the form rows of each exception's shifts."""

    exceptions: list[dict[str, Any]]
    rows: list[list[int]]


def to_form_error(offence: Offence, rows: ExceptionRows | None) -> Offence:
    """Convert an error's path in the request body to the path of a form field."""
    path = offence.path
    if (match := _EXCEPTION_PATH.fullmatch(path)) and rows and int(match[1]) < len(rows.rows):
        row = rows.rows[int(match[1])][int(match[2] or 0)]
        path = f"shift_exceptions[{row}]{match[3]}"
    # A shift's breaks are one field.
    return Offence(re.sub(r"\.breaks\[.*", ".breaks", path), offence.message)


def to_shift_rows(shifts: Sequence[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """Convert the API's weekly shifts to form rows."""
    return [{**shift, "breaks": format_breaks(shift["breaks"])} for shift in shifts or ()]


def to_exception_rows(exceptions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Convert the API's exceptions to form rows: one for each shift, or one for days off."""
    return [
        {**shift, "date": exception["date"], "until": exception["until"]}
        for exception in exceptions
        for shift in to_shift_rows(exception["shifts"]) or [{}]
    ]


def from_shift_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Convert form rows to the API's weekly shifts."""
    return [
        {**row, "breaks": _parse_breaks(row.get("breaks"), f"shifts[{number}].breaks")}
        for number, row in enumerate(rows)
    ]


def from_exception_rows(rows: Sequence[Mapping[str, Any]]) -> ExceptionRows:
    """Convert form rows to the API's exceptions. Rows with the same dates are one exception."""
    shifts_by_dates: dict[tuple[Any, Any], tuple[list[dict[str, Any]], list[int]]] = {}
    for number, row in enumerate(rows):
        shifts, numbers = shifts_by_dates.setdefault((row.get("date"), row.get("until")), ([], []))
        numbers.append(number)
        hours = {name: row[name] for name in ("start", "end") if row.get(name)}
        breaks = _parse_breaks(row.get("breaks"), f"shift_exceptions[{number}].breaks")
        if hours or breaks:
            shifts.append({**hours, "breaks": breaks})
    exceptions = [
        {**({"date": first_day} if first_day else {}), "until": last_day, "shifts": shifts}
        for (first_day, last_day), (shifts, _) in shifts_by_dates.items()
    ]
    return ExceptionRows(exceptions, [numbers for _, numbers in shifts_by_dates.values()])


def format_breaks(breaks: Sequence[Mapping[str, Any]]) -> str:
    """Format breaks for the form: `11:00-13:00 30`."""
    return ", ".join(
        f"{pause['earliest']}-{pause['latest']} {pause['duration'] // 60}" for pause in breaks
    )


def _parse_breaks(text: str | None, path: str) -> list[dict[str, Any]]:
    parts = [part.strip() for part in re.split(r"[,;\n]", text or "") if part.strip()]
    matches = [_BREAK.fullmatch(part) for part in parts]
    if not all(matches):
        raise Invalid(fields=[Offence(path, BREAKS_HELP)])
    return [
        {
            "earliest": pause[1].zfill(5),
            "latest": pause[2].zfill(5),
            "duration": int(pause[3]) * 60,
        }
        for pause in matches
        if pause
    ]


class HoursLine(NamedTuple):
    """A line in the description of a driver's shifts."""

    days: str
    hours: str
    breaks: str = ""


def describe_shifts(shifts: Sequence[Mapping[str, Any]] | None) -> list[HoursLine]:
    """Describe weekly shifts, the earliest day first."""
    order = list(WEEKDAYS)
    sorted_shifts = sorted(
        shifts or (), key=lambda shift: (min(map(order.index, shift["days"])), shift["start"])
    )
    return [
        HoursLine(_describe_days(shift["days"]), *_describe_hours(shift)) for shift in sorted_shifts
    ]


def describe_exceptions(
    exceptions: Sequence[Mapping[str, Any]], today: date
) -> Iterator[tuple[date, date, list[HoursLine]]]:
    """Yield the dates and hours of current and future exceptions, the earliest first."""
    for exception in sorted(exceptions, key=lambda exception: str(exception["date"])):
        first_day = date.fromisoformat(exception["date"])
        last_day = date.fromisoformat(exception["until"] or exception["date"])
        if last_day >= today:
            hours = [HoursLine("", *_describe_hours(shift)) for shift in exception["shifts"]]
            yield first_day, last_day, hours


def _describe_days(days: Sequence[str]) -> str:
    """Describe days, with ranges for three or more consecutive days: `Mon to Thu, Sat`."""
    numbers = sorted({list(WEEKDAYS).index(day) for day in days})
    names = list(WEEKDAYS.values())
    if len(numbers) == len(names):
        return "Every day"
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(
        f"{names[run[0]]} to {names[run[-1]]}" if len(run) > 2 else ", ".join(names[n] for n in run)  # noqa: PLR2004 - two days are not a range
        for run in runs
    )


def _describe_hours(shift: Mapping[str, Any]) -> tuple[str, str]:
    suffix = " (next day)" if shift["end"] <= shift["start"] else ""
    breaks = [
        f"{pause['duration'] // 60} min between {pause['earliest']} and {pause['latest']}"
        for pause in shift["breaks"]
    ]
    return f"{shift['start']} to {shift['end']}{suffix}", ", ".join(breaks)
