"""Silent devices: stale, then offline, by their own interval."""

import asyncio
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devices.gear import device, flush, position
from pannier.devices import status_events
from pannier.devices.models import Status
from pannier.devices.outcomes import Submission
from pannier.devices.rules import silence
from pannier.kit.clock import ManualClock
from stage import NOON, Firm, House

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
    due = silence.next_check_at(told, NOON, interval, now)
    if told != present:
        assert due == now
    elif due is None:
        assert present == "offline"
    else:
        just_before = due - timedelta(microseconds=1)
        assert silence.status(NOON, interval, just_before) == present
        assert silence.status(NOON, interval, due) != present


@given(st.sampled_from(STATUSES), st.sampled_from(STATUSES))
def test_what_is_told_ends_with_the_present_and_leaves_nothing_out(
    told: Status, present: Status
) -> None:
    path = silence.list_statuses_to_report(told, present)
    assert ([told, *path])[-1] == present
    for before, after in pairwise([told, *path]):
        assert after == "online" or STATUSES.index(after) == STATUSES.index(before) + 1


async def heartbeats(house: House) -> list[tuple[str, float]]:
    """What was told of silence: the status, and the minutes after noon."""
    rows = await house.value(
        """select coalesce(jsonb_agg(jsonb_build_array(data->>'status',
               extract(epoch from occurred_at - :noon::timestamptz) / 60) order by occurred_at),
               '[]')
           from device_events where class = 3 and flags & 4 > 0""",
        noon=NOON,
    )
    return [(status, minutes) for status, minutes in rows]


async def test_silence_is_told_once_for_each_change_and_so_is_the_return(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    gear = await device(acme)
    await flush(house, Submission(gear.own, [position(1)]))
    for _ in range(8):
        clock.advance(minutes=5)
        while await status_events.step(house.database):
            pass
    assert await heartbeats(house) == [("stale", 10), ("offline", 30)]
    await flush(house, Submission(gear.own, [position(2, clock.now())]))
    while await status_events.step(house.database):
        pass
    assert await heartbeats(house) == [("stale", 10), ("offline", 30), ("online", 40)]
    assert await house.value("select events from device_batches order by batch desc limit 1") == 1
    # Who reports as often as promised is looked at, and nothing is told.
    for n in range(3, 9):
        clock.advance(minutes=5)
        await flush(house, Submission(gear.own, [position(n, clock.now())]))
        await status_events.step(house.database)
    assert len(await heartbeats(house)) == 3


async def test_nothing_is_skipped_while_nobody_looked(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    gear = await device(acme)
    await flush(house, Submission(gear.own, [position(1)]))
    clock.advance(hours=9)
    await asyncio.gather(*(status_events.step(house.database) for _ in range(3)))
    assert await heartbeats(house) == [("stale", 10), ("offline", 30)]
    assert not await status_events.step(house.database)
