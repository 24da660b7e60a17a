"""The working hours of drivers, in the company's time zone. Pure rules."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from pannier.errors import FieldError
from pannier.fleet.models import Break, Shift, ShiftException, ShiftHours
from pannier.kit.local_time import MINUTES_A_DAY, WEEKDAYS, parse_minute, to_utc

# Days over which `is_working` looks for a shift.
MAX_SEARCH_DAYS: Final = 31
MINUTES_A_WEEK: Final = 7 * MINUTES_A_DAY
_DAY: Final = timedelta(days=1)


class BreakWindow(NamedTuple):
    """A break: it starts between `earliest` and `latest`, and ends within the working interval."""

    earliest: datetime
    latest: datetime
    duration: timedelta


class WorkingInterval(NamedTuple):
    """A shift in UTC. The start is inclusive, the end exclusive."""

    start: datetime
    end: datetime
    breaks: tuple[BreakWindow, ...] = ()


def list_working_intervals(
    shifts: Sequence[Shift] | None,
    exceptions: Sequence[ShiftException],
    day: date,
    zone: ZoneInfo,
) -> list[WorkingInterval]:
    """List the shifts that begin on a day of the company, earliest first.

    A night shift belongs to the day on which it begins. A driver without shifts works all day.
    """
    hours = list_hours(shifts, exceptions, day)
    if hours is None:
        return [WorkingInterval(to_utc(day, 0, zone), to_utc(day, MINUTES_A_DAY, zone))]
    intervals = (_to_interval(shift, day, zone) for shift in hours)
    # A change of the clocks can skip a whole shift.
    return sorted(interval for interval in intervals if interval.start < interval.end)


def list_hours(
    shifts: Sequence[Shift] | None, exceptions: Sequence[ShiftException], day: date
) -> Sequence[ShiftHours] | None:
    """List the shifts that begin on a day. None means at any time."""
    for exception in exceptions:
        if exception.date <= day <= (exception.until or exception.date):
            return exception.shifts
    weekday = WEEKDAYS[day.weekday()]
    return None if shifts is None else [shift for shift in shifts if weekday in shift.days]


def is_working(
    shifts: Sequence[Shift] | None,
    exceptions: Sequence[ShiftException],
    start: datetime,
    end: datetime,
    zone: ZoneInfo,
) -> bool:
    """Return whether a driver works at some time from `start` to `end`. They may be equal."""
    # A shift of the previous day can end on this one.
    first_day, last_day = start.astimezone(zone).date() - _DAY, end.astimezone(zone).date()
    days = (first_day + timedelta(days=number) for number in range((last_day - first_day).days + 1))
    return any(
        interval.start <= end and start < interval.end
        for day, _ in zip(days, range(MAX_SEARCH_DAYS), strict=False)
        for interval in list_working_intervals(shifts, exceptions, day, zone)
    )


def list_faults(
    shifts: Sequence[Shift] | None, exceptions: Sequence[ShiftException]
) -> list[FieldError]:
    """List the faults of shifts whose times of day are valid."""
    return [
        *_list_shift_faults(shifts or ()),
        *_list_exception_faults(exceptions),
    ]


def _to_interval(shift: ShiftHours, day: date, zone: ZoneInfo) -> WorkingInterval:
    start, length = parse_minute(shift.start), _count_minutes(shift)
    interval = WorkingInterval(to_utc(day, start, zone), to_utc(day, start + length, zone))
    breaks = (_to_break(pause, shift, interval, day, zone) for pause in shift.breaks)
    return interval._replace(breaks=tuple(sorted(pause for pause in breaks if pause)))


def _to_break(
    pause: Break, shift: ShiftHours, interval: WorkingInterval, day: date, zone: ZoneInfo
) -> BreakWindow | None:
    """Convert a break, or return None if a change of the clocks leaves no time for it."""
    start, length = parse_minute(shift.start), timedelta(seconds=pause.duration)
    earliest, latest = (
        to_utc(day, start + _count_minutes_after_start(shift, text), zone)
        for text in (pause.earliest, pause.latest)
    )
    # A change of the clocks can shorten the shift.
    latest = min(latest, interval.end - length)
    earliest = min(earliest, latest)
    return None if earliest < interval.start else BreakWindow(earliest, latest, length)


def _count_minutes(shift: ShiftHours) -> int:
    """Count the minutes of a shift by the clock."""
    return (parse_minute(shift.end) - parse_minute(shift.start)) % MINUTES_A_DAY or MINUTES_A_DAY


def _count_minutes_after_start(shift: ShiftHours, text: str) -> int:
    """Count the minutes from a shift's start to a time of day."""
    return (parse_minute(text) - parse_minute(shift.start)) % MINUTES_A_DAY


def _list_shift_faults(shifts: Sequence[Shift]) -> Iterator[FieldError]:
    spans = []
    for number, shift in enumerate(shifts):
        yield from _list_break_faults(shift, f"shifts[{number}]")
        for weekday in dict.fromkeys(shift.days):
            start = WEEKDAYS.index(weekday) * MINUTES_A_DAY + parse_minute(shift.start)
            spans.append((start, start + _count_minutes(shift), number))
    spans.sort()
    # The week repeats, so its last shift can overlap the first one of the next week.
    cycle = [*spans, *((start + MINUTES_A_WEEK, 0, number) for start, _, number in spans[:1])]
    overlapping = {
        (earlier, later) for (_, end, earlier), (start, _, later) in pairwise(cycle) if start < end
    }
    for earlier, later in sorted(overlapping):
        yield FieldError(f"shifts[{later}]", f"overlaps `shifts[{earlier}]`.")


def _list_exception_faults(exceptions: Sequence[ShiftException]) -> Iterator[FieldError]:
    for number, exception in enumerate(exceptions):
        path = f"shift_exceptions[{number}]"
        if exception.until is not None and exception.until < exception.date:
            yield FieldError(f"{path}.until", "must not be before `date`.")
        spans = []
        for row, shift in enumerate(exception.shifts):
            yield from _list_break_faults(shift, f"{path}.shifts[{row}]")
            start = parse_minute(shift.start)
            spans.append((start, start + _count_minutes(shift), row))
        for (_, end, _), (start, _, row) in pairwise(sorted(spans)):
            if start < end:
                yield FieldError(f"{path}.shifts[{row}]", "overlaps another shift of this day.")
    numbered_exceptions = sorted(
        (exception.date, exception.until or exception.date, number)
        for number, exception in enumerate(exceptions)
    )
    for (_, last, earlier), (first, _, later) in pairwise(numbered_exceptions):
        if first <= last:
            yield FieldError(
                f"shift_exceptions[{later}].date", f"is also in `shift_exceptions[{earlier}]`."
            )


def _list_break_faults(shift: ShiftHours, path: str) -> Iterator[FieldError]:
    for number, pause in enumerate(shift.breaks):
        break_path = f"{path}.breaks[{number}]"
        earliest, latest = (
            _count_minutes_after_start(shift, text) for text in (pause.earliest, pause.latest)
        )
        if earliest > latest:
            yield FieldError(
                f"{break_path}.latest",
                "must not be before `earliest`. Both must be within the shift.",
            )
        elif latest * 60 + pause.duration > _count_minutes(shift) * 60:
            yield FieldError(
                break_path, "must end within the shift, even if it starts at `latest`."
            )
