"""Silent devices: stale, then offline, by their own interval."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.devices.models import Status
from pannier.devices.rules import silence
from stage import NOON

STATUSES: list[Status] = ["online", "stale", "offline"]


@pytest.mark.parametrize(
    ("seconds", "status"),
    [(0, "online"), (599, "online"), (600, "stale"), (1799, "stale"), (1800, "offline")],
)
def test_a_silent_device_goes_stale_then_offline(seconds: int, status: Status) -> None:
    assert silence.status(NOON, 300, NOON + timedelta(seconds=seconds)) == status


def test_a_device_that_was_never_heard_of_is_neither() -> None:
    assert silence.status(None, 300, NOON) == "never_seen"


@given(st.sampled_from(STATUSES), st.integers(1, 86_400), st.integers(0, 10**6))
def test_nothing_changes_before_it_is_looked_at_again(
    told: Status, interval: int, seconds: int
) -> None:
    now = NOON + timedelta(seconds=seconds)
    present = silence.status(NOON, interval, now)
    due = silence.look_again(told, NOON, interval, now)
    if told != present:
        assert due == now
    elif due is None:
        assert present == "offline"
    else:
        just_before = due - timedelta(microseconds=1)
        assert silence.status(NOON, interval, just_before) == present
        assert silence.status(NOON, interval, due) != present
