"""Windows by the clock on the wall, on ordinary days and on those on which the clocks change."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pannier.rates.models import PeakWindow
from pannier.rates.peaks import find_open_windows
from rates.examples import rate


def peak(zone: str, start: str, end: str, *days: Any) -> Any:
    window = PeakWindow(days=list(days), start=start, end=end, method="flat", flat_fee=100)
    return rate(has_peak_hours_fee=True, peak_windows=[window], timezone=zone)


def is_open(what: Any, at: str) -> bool:
    return bool(find_open_windows(what, datetime.fromisoformat(at), "UTC"))


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("2026-05-08T16:59:59.999+08:00", False),
        ("2026-05-08T17:00+08:00", True),
        ("2026-05-08T19:59:59.999+08:00", True),
        ("2026-05-08T20:00+08:00", False),
        ("2026-05-08T09:30Z", True),
        ("2026-05-09T17:30+08:00", False),
    ],
)
def test_the_start_is_in_and_the_end_is_not(at: str, expected: bool) -> None:  # noqa: FBT001 - a column
    assert is_open(peak("Asia/Singapore", "17:00", "20:00", "fri"), at) is expected


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("2026-05-08T21:59+02:00", False),  # Friday
        ("2026-05-08T22:00+02:00", True),
        ("2026-05-09T00:00+02:00", True),  # Saturday, but begun on Friday
        ("2026-05-09T01:59+02:00", True),
        ("2026-05-09T02:00+02:00", False),
        ("2026-05-09T22:00+02:00", False),
        ("2026-05-08T01:00+02:00", False),  # begun on Thursday
    ],
)
def test_a_window_over_midnight_is_the_days_on_which_it_begins(at: str, expected: bool) -> None:  # noqa: FBT001 - a column
    assert is_open(peak("Europe/Berlin", "22:00", "02:00", "fri"), at) is expected


def test_a_window_that_ends_when_it_begins_lasts_the_whole_day() -> None:
    sunday = peak("Europe/Berlin", "00:00", "00:00", "sun")
    assert not is_open(sunday, "2026-05-09T23:59+02:00")
    assert is_open(sunday, "2026-05-10T00:00+02:00")
    assert is_open(sunday, "2026-05-10T23:59+02:00")
    assert not is_open(sunday, "2026-05-11T00:00+02:00")


def test_sunday_nights_go_on_into_monday() -> None:
    assert is_open(peak("UTC", "23:00", "01:00", "sun"), "2026-05-11T00:30Z")


def test_the_companys_clock_is_meant_when_the_rate_names_none() -> None:
    evening = rate(
        has_peak_hours_fee=True, peak_hours_start="17:00", peak_hours_end="20:00",
        peak_hours_flat_fee=100,
    )  # fmt: skip
    at = datetime(2026, 5, 8, 10, tzinfo=UTC)
    assert find_open_windows(evening, at, "Asia/Singapore")
    assert not find_open_windows(evening, at, "UTC")


# Clocks go forward by an hour (in Lord Howe by half of one), and back by as much.
NEW_YORK = ("America/New_York", "2026-03-08", "2026-11-01", 60)
BERLIN = ("Europe/Berlin", "2026-03-29", "2026-10-25", 60)
LORD_HOWE = ("Australia/Lord_Howe", "2026-10-04", "2026-04-05", 30)


def minutes_open(what: Any, day: str) -> int:
    """Count the minutes around a day in which a window is open."""
    start = datetime.fromisoformat(f"{day}T00:00Z") - timedelta(hours=24)
    return sum(
        bool(find_open_windows(what, start + timedelta(minutes=n), "UTC")) for n in range(60 * 60)
    )


@pytest.mark.parametrize(("zone", "spring", "autumn", "minutes"), [NEW_YORK, BERLIN, LORD_HOWE])
def test_an_hour_that_clocks_skip_never_comes_and_one_they_repeat_comes_twice(
    zone: str, spring: str, autumn: str, minutes: int
) -> None:
    night = peak(zone, "01:00", "04:00", "sun")
    assert minutes_open(night, spring) == 180 - minutes
    assert minutes_open(night, autumn) == 180 + minutes
    overnight = peak(zone, "23:00", "04:00", "sat")
    assert minutes_open(overnight, spring) == 300 - minutes
    assert minutes_open(overnight, autumn) == 300 + minutes


@pytest.mark.parametrize(
    ("zone", "start", "end", "at", "expected"),
    [
        # 01:59:59 EST is followed by 03:00 EDT.
        ("America/New_York", "02:00", "03:00", "2026-03-08T06:59:59Z", False),
        ("America/New_York", "02:00", "03:00", "2026-03-08T07:00Z", False),
        ("America/New_York", "02:30", "03:30", "2026-03-08T07:00Z", True),
        ("America/New_York", "02:30", "03:30", "2026-03-08T07:30Z", False),
        # 01:30 comes at 05:30Z and again at 06:30Z; 02:00 only at 07:00Z.
        ("America/New_York", "01:00", "02:00", "2026-11-01T04:59Z", False),
        ("America/New_York", "01:00", "02:00", "2026-11-01T05:30Z", True),
        ("America/New_York", "01:00", "02:00", "2026-11-01T06:30Z", True),
        ("America/New_York", "01:00", "02:00", "2026-11-01T07:00Z", False),
        ("America/New_York", "17:00", "20:00", "2026-03-07T22:00Z", True),
        ("America/New_York", "17:00", "20:00", "2026-03-08T21:00Z", True),
        ("America/New_York", "17:00", "20:00", "2026-03-08T20:59Z", False),
        # 01:59:59 CET is followed by 03:00 CEST.
        ("Europe/Berlin", "02:00", "03:00", "2026-03-29T00:59:59Z", False),
        ("Europe/Berlin", "02:00", "03:00", "2026-03-29T01:00Z", False),
        ("Europe/Berlin", "02:30", "03:30", "2026-03-29T01:29Z", True),
        ("Europe/Berlin", "02:30", "03:30", "2026-03-29T01:30Z", False),
        ("Europe/Berlin", "02:00", "03:00", "2026-10-25T00:00Z", True),
        ("Europe/Berlin", "02:00", "03:00", "2026-10-25T01:59Z", True),
        ("Europe/Berlin", "02:00", "03:00", "2026-10-25T02:00Z", False),
        ("Europe/Berlin", "22:00", "02:30", "2026-10-25T00:30Z", False),
        ("Europe/Berlin", "22:00", "02:30", "2026-10-25T01:29Z", True),
        # 01:59:59 at +10:30 is followed by 02:30 at +11.
        ("Australia/Lord_Howe", "02:00", "02:30", "2026-10-03T15:29:59Z", False),
        ("Australia/Lord_Howe", "02:00", "02:30", "2026-10-03T15:30Z", False),
        ("Australia/Lord_Howe", "02:15", "02:45", "2026-10-03T15:30Z", True),
        ("Australia/Lord_Howe", "02:15", "02:45", "2026-10-03T15:45Z", False),
        # 01:30 comes at 14:30Z and again at 15:00Z.
        ("Australia/Lord_Howe", "01:30", "02:00", "2026-04-04T14:29Z", False),
        ("Australia/Lord_Howe", "01:30", "02:00", "2026-04-04T14:45Z", True),
        ("Australia/Lord_Howe", "01:30", "02:00", "2026-04-04T15:15Z", True),
        ("Australia/Lord_Howe", "01:30", "02:00", "2026-04-04T15:30Z", False),
    ],
)
def test_windows_are_right_on_the_days_on_which_clocks_change(
    zone: str,
    start: str,
    end: str,
    at: str,
    expected: bool,  # noqa: FBT001 - a column
) -> None:
    assert is_open(peak(zone, start, end), at) is expected
