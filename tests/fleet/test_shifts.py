"""When drivers work, on ordinary days and on those on which the clocks change."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pannier.fleet.models import Break, Shift, ShiftException, ShiftHours
from pannier.fleet.shifts import is_working, list_faults, list_working_intervals
from pannier.kit.local_time import WEEKDAYS, to_utc

HELSINKI = ZoneInfo("Europe/Helsinki")
MONDAY = date(2027, 1, 11)
DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)


def shift(days: str, start: str, end: str, *breaks: Break) -> Shift:
    names: Any = days.split()
    return Shift(days=names, start=start, end=end, breaks=list(breaks))


def local(intervals: Any, zone: ZoneInfo = HELSINKI) -> list[str]:
    return [
        f"{start.astimezone(zone):%a %H:%M}-{end.astimezone(zone):%a %H:%M}"
        for start, end, _ in intervals
    ]


def on(day: date, *shifts: Shift, off: list[ShiftException] | None = None) -> list[str]:
    return local(list_working_intervals(shifts, off or [], day, HELSINKI))


def test_part_timers_work_on_their_days_only() -> None:
    mornings = shift("mon wed", "08:00", "12:00")
    assert on(MONDAY, mornings) == ["Mon 08:00-Mon 12:00"]
    assert on(MONDAY + DAY, mornings) == []


def test_a_split_shift_is_listed_by_time() -> None:
    evening, morning = shift("mon", "17:00", "21:00"), shift("mon", "07:00", "10:00")
    assert on(MONDAY, evening, morning) == ["Mon 07:00-Mon 10:00", "Mon 17:00-Mon 21:00"]


def test_a_night_shift_belongs_to_the_day_on_which_it_begins() -> None:
    night = shift("mon", "22:00", "06:00")
    assert on(MONDAY, night) == ["Mon 22:00-Tue 06:00"]
    assert on(MONDAY + DAY, night) == []


def test_a_shift_that_ends_when_it_begins_lasts_24_hours() -> None:
    assert on(MONDAY, shift("mon", "08:00", "08:00")) == ["Mon 08:00-Tue 08:00"]


def test_a_driver_without_shifts_works_at_any_time() -> None:
    assert local(list_working_intervals(None, [], MONDAY, HELSINKI)) == ["Mon 00:00-Tue 00:00"]


def test_a_driver_with_an_empty_pattern_works_on_exceptional_days_only() -> None:
    fair = ShiftException(date=MONDAY, shifts=[ShiftHours(start="10:00", end="14:00")])
    assert on(MONDAY, off=[fair]) == ["Mon 10:00-Mon 14:00"]
    assert on(MONDAY + DAY, off=[fair]) == []


@pytest.mark.parametrize("shifts", [None, [shift(" ".join(WEEKDAYS), "08:00", "16:00")]])
def test_a_holiday_lasts_until_its_last_day(shifts: list[Shift] | None) -> None:
    week = ShiftException(date=MONDAY, until=MONDAY + 4 * DAY)
    free = [
        not list_working_intervals(shifts, [week], MONDAY + n * DAY, HELSINKI) for n in range(7)
    ]
    assert free == [True] * 5 + [False] * 2


def test_a_night_shift_across_a_change_of_the_clocks_is_an_hour_shorter_or_longer() -> None:
    night = shift("sat", "22:00", "06:00")
    lengths = [
        interval.end - interval.start
        for day in (date(2027, 3, 20), date(2027, 3, 27), date(2027, 10, 30))
        for interval in list_working_intervals([night], [], day, HELSINKI)
    ]
    assert lengths == [timedelta(hours=8), timedelta(hours=7), timedelta(hours=9)]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("03:10", "03:50", []),
        ("03:30", "04:10", ["Sun 04:00-Sun 04:10"]),
        ("02:30", "03:30", ["Sun 02:30-Sun 04:00"]),
    ],
)
def test_an_hour_that_the_clocks_skip_is_no_working_time(
    start: str, end: str, expected: list[str]
) -> None:
    assert on(date(2027, 3, 28), shift("sun", start, end)) == expected


def test_a_day_of_24_hours_by_the_clock_lasts_as_long_as_the_day() -> None:
    [spring] = list_working_intervals(None, [], date(2027, 3, 28), HELSINKI)
    [autumn] = list_working_intervals(None, [], date(2027, 10, 31), HELSINKI)
    assert spring.end - spring.start == timedelta(hours=23)
    assert autumn.end - autumn.start == timedelta(hours=25)


def test_a_break_of_a_night_shift_may_be_after_midnight() -> None:
    pause = Break(earliest="01:00", latest="02:30", duration=1800)
    [interval] = list_working_intervals(
        [shift("mon", "22:00", "06:00", pause)], [], MONDAY, HELSINKI
    )
    [window] = interval.breaks
    assert f"{window.earliest.astimezone(HELSINKI):%a %H:%M}" == "Tue 01:00"
    assert f"{window.latest.astimezone(HELSINKI):%a %H:%M}" == "Tue 02:30"
    assert window.duration == timedelta(minutes=30)


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("2027-01-11T21:59+02:00", False),
        ("2027-01-11T22:00+02:00", True),
        ("2027-01-12T05:59+02:00", True),
        ("2027-01-12T06:00+02:00", False),
        ("2027-01-12T22:00+02:00", False),
    ],
)
def test_a_night_shift_goes_on_after_midnight(at: str, expected: bool) -> None:  # noqa: FBT001 - a column
    moment = datetime.fromisoformat(at)
    night = [shift("mon", "22:00", "06:00")]
    assert is_working(night, [], moment, moment, HELSINKI) is expected


def test_a_window_is_in_the_shift_if_any_part_of_it_is() -> None:
    day_shift = [shift("mon", "08:00", "16:00")]
    evening = to_utc(MONDAY, 16 * 60, HELSINKI)
    assert not is_working(day_shift, [], evening, evening + 4 * 60 * MINUTE, HELSINKI)
    assert is_working(day_shift, [], evening - MINUTE, evening + 4 * 60 * MINUTE, HELSINKI)


def paths(shifts: list[Shift], *exceptions: ShiftException) -> list[str]:
    return [fault.path for fault in list_faults(shifts, exceptions)]


def test_shifts_may_follow_each_other_but_not_overlap() -> None:
    early, late = shift("mon tue", "06:00", "14:00"), shift("tue", "14:00", "22:00")
    assert paths([early, late]) == []
    assert paths([early, shift("tue", "13:59", "22:00")]) == ["shifts[1]"]


def test_a_night_shift_may_not_reach_into_the_next_shift_not_even_across_the_week() -> None:
    assert paths([shift("sun", "22:00", "06:00"), shift("mon", "05:00", "12:00")]) == ["shifts[1]"]
    assert paths([shift("sun", "22:00", "05:00"), shift("mon", "05:00", "12:00")]) == []


def test_shifts_of_24_hours_may_fill_the_week() -> None:
    assert paths([shift(" ".join(WEEKDAYS), "07:00", "07:00")]) == []


@pytest.mark.parametrize(
    ("earliest", "latest", "minutes", "expected"),
    [
        ("11:00", "13:00", 30, []),
        ("08:00", "15:30", 30, []),
        ("08:00", "15:31", 30, ["shifts[0].breaks[0]"]),
        ("13:00", "11:00", 30, ["shifts[0].breaks[0].latest"]),
        ("07:59", "09:00", 30, ["shifts[0].breaks[0].latest"]),
        ("17:00", "18:00", 30, ["shifts[0].breaks[0]"]),
    ],
)
def test_a_break_ends_within_its_shift(
    earliest: str, latest: str, minutes: int, expected: list[str]
) -> None:
    pause = Break(earliest=earliest, latest=latest, duration=minutes * 60)
    assert paths([shift("mon", "08:00", "16:00", pause)]) == expected


def test_a_day_has_one_exception() -> None:
    holiday = ShiftException(date=MONDAY, until=MONDAY + 4 * DAY)
    fair = ShiftException(date=MONDAY + DAY)
    assert paths([], holiday, fair) == ["shift_exceptions[1].date"]
    assert paths([], ShiftException(date=MONDAY, until=MONDAY - DAY)) == [
        "shift_exceptions[0].until"
    ]


ZONES = st.sampled_from(
    [
        ZoneInfo(name)
        for name in (
            "Europe/Helsinki",
            "Australia/Lord_Howe",
            "America/St_Johns",
            "Africa/Casablanca",
        )
    ]
)
DAYS = st.dates(date(2026, 1, 1), date(2028, 12, 31))
CLOCKS = st.integers(0, 24 * 60 - 1).map(lambda minute: f"{minute // 60:02}:{minute % 60:02}")
BREAKS = st.builds(Break, earliest=CLOCKS, latest=CLOCKS, duration=st.integers(60, 7200))
SHIFTS = st.lists(
    st.builds(
        Shift,
        days=st.lists(st.sampled_from(WEEKDAYS), min_size=1, max_size=7, unique=True),
        start=CLOCKS,
        end=CLOCKS,
        breaks=st.lists(BREAKS, max_size=2),
    ),
    max_size=4,
).filter(lambda shifts: not list_faults(shifts, []))


@pytest.mark.properties
@settings(deadline=None)
@given(SHIFTS, DAYS, ZONES)
def test_shifts_without_faults_never_overlap_in_any_week(
    shifts: list[Shift], first: date, zone: ZoneInfo
) -> None:
    intervals = [
        interval
        for number in range(8)
        for interval in list_working_intervals(shifts, [], first + number * DAY, zone)
    ]
    assert all(earlier.end <= later.start for earlier, later in pairwise(intervals))
    assert all(interval.start < interval.end for interval in intervals)


@pytest.mark.properties
@settings(deadline=None)
@given(SHIFTS, DAYS, ZONES)
def test_every_break_lies_within_its_shift(shifts: list[Shift], day: date, zone: ZoneInfo) -> None:
    for start, end, breaks in list_working_intervals(shifts, [], day, zone):
        for earliest, latest, duration in breaks:
            assert start <= earliest <= latest
            assert latest + duration <= end


@pytest.mark.properties
@settings(deadline=None)
@given(SHIFTS, DAYS, ZONES, st.integers(0, 24 * 60 - 1))
def test_a_moment_is_in_a_shift_exactly_if_an_interval_contains_it(
    shifts: list[Shift], day: date, zone: ZoneInfo, minute: int
) -> None:
    moment = datetime(day.year, day.month, day.day, tzinfo=UTC) + minute * MINUTE
    intervals = [
        interval
        for number in range(-2, 3)
        for interval in list_working_intervals(shifts, [], day + number * DAY, zone)
    ]
    expected = any(start <= moment < end for start, end, _ in intervals)
    assert is_working(shifts, [], moment, moment, zone) is expected


@pytest.mark.properties
@settings(deadline=None)
@given(DAYS, ZONES, st.integers(0, 3000), st.integers(0, 3000))
def test_a_later_time_of_day_is_never_earlier_in_utc(
    day: date, zone: ZoneInfo, one: int, other: int
) -> None:
    first, second = sorted((one, other))
    assert to_utc(day, first, zone) <= to_utc(day, second, zone)
