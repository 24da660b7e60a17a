"""Shifts in the console: as rows of a form, and in words."""

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
    """Exceptions in the API's format, and the row of the form that each shift came from."""

    exceptions: list[dict[str, Any]]
    rows: list[list[int]]


def to_field_path(offence: Offence, rows: ExceptionRows | None) -> Offence:
    """Convert the path of an error in the API's body to that of a field in the form."""
    path = offence.path
    if (part := _EXCEPTION_PATH.fullmatch(path)) and rows and int(part[1]) < len(rows.rows):
        row = rows.rows[int(part[1])][int(part[2] or 0)]
        path = f"shift_exceptions[{row}]{part[3]}"
    # A shift's breaks are one field.
    return Offence(re.sub(r"\.breaks\[.*", ".breaks", path), offence.message)


def to_shift_rows(shifts: Sequence[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """Convert weekly shifts of the API to rows of the form."""
    return [{**shift, "breaks": format_breaks(shift["breaks"])} for shift in shifts or ()]


def to_exception_rows(exceptions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Convert exceptions of the API to rows of the form: one for each shift, or for days off."""
    return [
        {**shift, "date": exception["date"], "until": exception["until"]}
        for exception in exceptions
        for shift in to_shift_rows(exception["shifts"]) or [{}]
    ]


def from_shift_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Convert rows of the form to weekly shifts of the API."""
    return [
        {**row, "breaks": _parse_breaks(row.get("breaks"), f"shifts[{number}].breaks")}
        for number, row in enumerate(rows)
    ]


def from_exception_rows(rows: Sequence[Mapping[str, Any]]) -> ExceptionRows:
    """Convert rows of the form to exceptions of the API. Rows of the same dates are one."""
    grouped: dict[tuple[Any, Any], tuple[list[dict[str, Any]], list[int]]] = {}
    for number, row in enumerate(rows):
        shifts, numbers = grouped.setdefault((row.get("date"), row.get("until")), ([], []))
        numbers.append(number)
        hours = {name: row[name] for name in ("start", "end") if row.get(name)}
        breaks = _parse_breaks(row.get("breaks"), f"shift_exceptions[{number}].breaks")
        if hours or breaks:
            shifts.append({**hours, "breaks": breaks})
    exceptions = [
        {**({"date": first} if first else {}), "until": last, "shifts": shifts}
        for (first, last), (shifts, _) in grouped.items()
    ]
    return ExceptionRows(exceptions, [numbers for _, numbers in grouped.values()])


def format_breaks(breaks: Sequence[Mapping[str, Any]]) -> str:
    """Format breaks as the form takes them: `11:00-13:00 30`."""
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
    """A line of a driver's shifts: the days, the hours and the breaks, in words."""

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
    """Yield the dates and hours of exceptions that are not over, the earliest first."""
    for exception in sorted(exceptions, key=lambda one: str(one["date"])):
        first = date.fromisoformat(exception["date"])
        last = date.fromisoformat(exception["until"] or exception["date"])
        if last >= today:
            hours = [HoursLine("", *_describe_hours(shift)) for shift in exception["shifts"]]
            yield first, last, hours


def _describe_days(days: Sequence[str]) -> str:
    """Join days, and days in a row as a range: `Mon to Thu, Sat`."""
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
        f"{names[run[0]]} to {names[run[-1]]}" if len(run) > 2 else ", ".join(names[n] for n in run)  # noqa: PLR2004 - two days are no range
        for run in runs
    )


def _describe_hours(shift: Mapping[str, Any]) -> tuple[str, str]:
    night = " (next day)" if shift["end"] <= shift["start"] else ""
    breaks = [
        f"{pause['duration'] // 60} min between {pause['earliest']} and {pause['latest']}"
        for pause in shift["breaks"]
    ]
    return f"{shift['start']} to {shift['end']}{night}", ", ".join(breaks)
