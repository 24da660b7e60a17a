"""When something happened, as a device tells it."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pannier.kit.device_times import DeviceTime, limit_to_range

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
PLACED = NOW - timedelta(hours=3)
ANY = st.datetimes(datetime(1970, 1, 2), datetime(2099, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis adds the zone


def test_what_a_device_says_nothing_of_happened_now() -> None:
    assert limit_to_range(None, earliest=PLACED, now=NOW) == DeviceTime(NOW, None)


def test_what_was_told_late_keeps_its_moment() -> None:
    then = NOW - timedelta(hours=1)
    assert limit_to_range(then, earliest=PLACED, now=NOW) == DeviceTime(then, None)


def test_a_clock_that_is_ahead_or_behind_is_cut_off_and_said() -> None:
    ahead, behind = NOW + timedelta(seconds=90), PLACED - timedelta(days=1)
    assert limit_to_range(ahead, earliest=PLACED, now=NOW) == DeviceTime(NOW, 90)
    assert limit_to_range(behind, earliest=PLACED, now=NOW) == DeviceTime(PLACED, -86_400)


@given(ANY)
def test_nothing_happens_in_the_future_or_before_it_could(told: datetime) -> None:
    found = limit_to_range(told, earliest=PLACED, now=NOW)
    assert PLACED <= found.time <= NOW
    assert abs(told - found.time - timedelta(seconds=found.skew or 0)) <= timedelta(seconds=0.5)
