"""Each endpoint's lane: how much may be on its way, how fast, and a fair share for everybody."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pannier.webhooks.crew import Alone
from pannier.webhooks.lanes import Lane, shared
from pannier.webhooks.sender import Sender
from stage import NOON, Firm
from webhooks.office import Office, answering

SECOND = timedelta(seconds=1)


def test_failures_close_a_lane_down_to_one_and_successes_open_it_again() -> None:
    lane = Lane(16, None, NOON)
    assert lane.room(NOON) == 16
    for expected in (8, 4, 2, 1, 1):
        lane.left()
        lane.returned(well=False)
        assert lane.room(NOON) == expected
    assert lane.ailing
    for expected in (2, 3, 4):
        lane.left()
        lane.returned(well=True)
        assert lane.room(NOON) == expected
    assert not lane.ailing


def test_what_is_on_its_way_takes_up_room() -> None:
    lane = Lane(2, None, NOON)
    lane.left()
    assert lane.room(NOON) == 1
    lane.left()
    assert lane.room(NOON) == 0
    lane.returned(well=None)
    assert lane.room(NOON) == 1


@pytest.mark.slow
@settings(deadline=None, max_examples=40)  # some examples are long
@given(
    rate=st.integers(1, 1000),
    looks=st.lists(st.integers(0, 400), min_size=1, max_size=100),
)
def test_no_second_holds_more_than_the_rate_and_what_was_saved_up(
    rate: int, looks: list[int]
) -> None:
    lane, now = Lane(10_000, rate, NOON), NOON
    left = []
    for pause in looks:
        now += timedelta(milliseconds=pause)
        for _ in range(lane.room(now)):
            lane.left()
            left.append(now)
    most = rate + max(1, rate // 10) + 1
    for moment in left:
        assert sum(moment <= other < moment + SECOND for other in left) <= most


@given(rate=st.integers(1, 1000), sent=st.integers(1, 50))
def test_the_lane_is_ready_when_it_says_so(rate: int, sent: int) -> None:
    lane, now = Lane(10_000, rate, NOON), NOON
    for _ in range(sent):
        now = max(now, lane.ready_at(now) + timedelta(microseconds=1))
        assert lane.room(now) >= 1
        lane.left()
    assert now - NOON <= (sent / rate + 0.1) * SECOND


@given(rooms=st.lists(st.integers(0, 64), max_size=60), free=st.integers(0, 300))
def test_places_are_shared_out_fairly_and_none_is_wasted(rooms: list[int], free: int) -> None:
    given_out = shared(rooms, free)
    assert all(0 <= part <= room for part, room in zip(given_out, rooms, strict=True))
    assert sum(given_out) == min(free, sum(rooms))
    unsated = [part for part, room in zip(given_out, rooms, strict=True) if part < room]
    if unsated:
        # Nobody has more than one place more than somebody who wanted more.
        assert max(given_out) <= min(unsated) + 1


@given(free=st.integers(-5, 0), rooms=st.lists(st.integers(0, 64), max_size=5))
def test_without_free_places_nobody_gets_any(free: int, rooms: list[int]) -> None:
    assert shared(rooms, free) == [0] * len(rooms)


async def test_a_worker_forgets_endpoints_for_which_nothing_waits(acme: Firm) -> None:
    office = Office.of(acme)
    office.sender = Sender(acme.house.database, office.receivers, Alone(), most=64, known=2)
    answers = {"quiet": 200, "failing": 500}
    office.receivers.answer = lambda request: answering(answers[request.url.rpartition("/")[2]])
    for path in ("quiet", "quiet", "quiet", "failing"):
        await office.register(url=f"https://hooks.example.com/{path}")
    await office.tell(subject="order_1")
    await office.work()
    await office.sender.step()
    kept = office.sender._webhooks.values()  # noqa: SLF001 - what it remembers
    assert [webhook.url for webhook in kept] == ["https://hooks.example.com/failing"]
    await office.tell(subject="order_2")
    await office.work()
    assert len(office.receivers.requests) == 8
