"""Each endpoint's lane: how much may be on its way, how fast, and a fair share for everybody."""

import asyncio
from collections import Counter
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.webhooks.lanes import Lane, share_slots
from pannier.webhooks.membership import SoleMember
from pannier.webhooks.models import AttemptResult
from pannier.webhooks.sender import WebhookSender
from program import PATIENCE
from stage import NOON, Firm, House
from webhooks.office import Office, Request, answering

SECOND = timedelta(seconds=1)


def test_failures_close_a_lane_down_to_one_and_successes_open_it_again() -> None:
    lane = Lane(16, None, NOON)
    assert lane.count_free_slots(NOON) == 16
    for expected in (8, 4, 2, 1, 1):
        lane.count_started()
        lane.count_ended(succeeded=False)
        assert lane.count_free_slots(NOON) == expected
    assert lane.is_failing
    for expected in (2, 3, 4):
        lane.count_started()
        lane.count_ended(succeeded=True)
        assert lane.count_free_slots(NOON) == expected
    assert not lane.is_failing


def test_what_is_on_its_way_takes_up_room() -> None:
    lane = Lane(2, None, NOON)
    lane.count_started()
    assert lane.count_free_slots(NOON) == 1
    lane.count_started()
    assert lane.count_free_slots(NOON) == 0
    lane.count_ended(succeeded=None)
    assert lane.count_free_slots(NOON) == 1


@pytest.mark.slow
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
        for _ in range(lane.count_free_slots(now)):
            lane.count_started()
            left.append(now)
    most = rate + max(1, rate // 10) + 1
    for moment in left:
        assert sum(moment <= other < moment + SECOND for other in left) <= most


@given(rate=st.integers(1, 1000), sent=st.integers(1, 50))
def test_the_lane_is_ready_when_it_says_so(rate: int, sent: int) -> None:
    lane, now = Lane(10_000, rate, NOON), NOON
    for _ in range(sent):
        now = max(now, lane.find_ready_time(now) + timedelta(microseconds=1))
        assert lane.count_free_slots(now) >= 1
        lane.count_started()
    assert now - NOON <= (sent / rate + 0.1) * SECOND


@given(rooms=st.lists(st.integers(0, 64), max_size=60), free=st.integers(0, 300))
def test_places_are_shared_out_fairly_and_none_is_wasted(rooms: list[int], free: int) -> None:
    given_out = share_slots(rooms, free)
    assert all(0 <= part <= room for part, room in zip(given_out, rooms, strict=True))
    assert sum(given_out) == min(free, sum(rooms))
    unsated = [part for part, room in zip(given_out, rooms, strict=True) if part < room]
    if unsated:
        # Nobody has more than one place more than somebody who wanted more.
        assert max(given_out) <= min(unsated) + 1


@given(free=st.integers(-5, 0), rooms=st.lists(st.integers(0, 64), max_size=5))
def test_without_free_places_nobody_gets_any(free: int, rooms: list[int]) -> None:
    assert share_slots(rooms, free) == [0] * len(rooms)


async def test_a_worker_forgets_endpoints_for_which_nothing_waits(acme: Firm) -> None:
    office = Office.of(acme)
    office.sender = WebhookSender(
        acme.house.database, office.receivers, SoleMember(), max_in_flight=64, max_known=2
    )
    answers = {"quiet": 200, "failing": 500}
    office.receivers.answer = lambda request: answering(answers[request.url.rpartition("/")[2]])
    for path in ("quiet", "quiet", "quiet", "failing"):
        await office.register(url=f"https://hooks.example.com/{path}")
    await office.tell(subject="order_1")
    await office.work()
    await office.sender.step()
    # Only the one that failed is remembered: its delivery waits.
    assert len(office.sender.endpoints) == 1
    await office.tell(subject="order_2")
    await office.work()
    assert len(office.receivers.requests) == 8


async def until(house: House, holds: str) -> None:
    """Wait until the database says so."""
    async with asyncio.timeout(PATIENCE):
        while not await house.value(holds):  # noqa: ASYNC110 - nobody tells when it is
            await asyncio.sleep(0.01)


class Crowd:
    """Endpoints that answer when told, and a worker that has all the time to wait for them."""

    def __init__(self, acme: Firm) -> None:
        self.office = Office.of(acme)
        receivers, database = self.office.receivers, acme.house.database
        self.office.sender = WebhookSender(
            database, receivers, SoleMember(), max_in_flight=64, max_wait=2 * PATIENCE
        )
        self._answers: dict[str, asyncio.Semaphore] = {}
        receivers.answer = self._wait

    async def _wait(self, request: Request) -> AttemptResult:
        await self._answers[request.url].acquire()
        return answering(200)

    async def register(self, path: str, places: int) -> None:
        url = f"https://hooks.example.com/{path}"
        self._answers[url] = asyncio.Semaphore(0)
        await self.office.register(url=url, max_in_flight=places)

    async def tell(self, *subjects: str) -> None:
        for subject in subjects:
            await self.office.tell(subject=subject)
        await self.office.relay()

    async def fail(self, *paths: str) -> None:
        """Have what these are told next fail; whatever it is, it comes again later."""
        self.office.receivers.answer = lambda _: answering(500)
        await self.tell("order_that_fails")
        assert await self.office.sender.step()
        await self.office.sender.wait_until_idle()
        self.office.receivers.answer = self._wait
        assert len(self.office.receivers.requests) == len(paths)

    async def look_again(self) -> "asyncio.Task[bool]":
        """Take as much as there is room for, and begin to look for more."""
        assert await self.office.sender.step()
        return asyncio.create_task(self.office.sender.step())

    def answer(self, path: str, count: int) -> None:
        for _ in range(count):
            self._answers[f"https://hooks.example.com/{path}"].release()

    async def sent(self, looking: "asyncio.Task[bool]") -> dict[str, int]:
        """Tell how many have left to whom when the look has come to its end."""
        async with asyncio.timeout(PATIENCE):
            await looking
        for _ in range(3):  # what was taken leaves
            await asyncio.sleep(0)
        found = Counter(one.url.rpartition("/")[2] for one in self.office.receivers.requests)
        for url in self._answers:
            self.answer(url.rpartition("/")[2], 100)
        await self.office.sender.wait_until_idle()
        return found


BLOCKED = """select count(*) > 0 from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'"""
ORDERS = [f"order_{number}" for number in range(6)]


async def test_places_are_used_again_when_a_half_of_all_is_back(acme: Firm) -> None:
    crowd = Crowd(acme)
    await crowd.register("slow", places=4)
    await crowd.tell(*ORDERS)
    looking = await crowd.look_again()
    crowd.answer("slow", 2)
    assert await crowd.sent(looking) == {"slow": 6}


async def test_a_lane_of_which_all_is_back_does_not_wait_for_others(acme: Firm) -> None:
    crowd = Crowd(acme)
    await crowd.register("slow", places=4)
    await crowd.register("fast", places=1)
    await crowd.tell(*ORDERS)
    looking = await crowd.look_again()
    crowd.answer("fast", 1)
    assert await crowd.sent(looking) == {"slow": 4, "fast": 2}


async def test_what_is_new_and_has_room_does_not_wait_for_lanes_that_are_full(acme: Firm) -> None:
    crowd = Crowd(acme)
    await crowd.register("slow", places=4)
    await crowd.tell(*ORDERS)
    looking = await crowd.look_again()
    await crowd.register("other", places=4)
    await crowd.tell("order_of_both")
    crowd.office.sender.wakeup.set()
    assert await crowd.sent(looking) == {"slow": 4, "other": 1}


async def test_what_follows_where_there_is_room_does_not_wait_for_lanes_that_are_full(
    acme: Firm,
) -> None:
    crowd = Crowd(acme)
    await crowd.register("slow", places=4)
    await crowd.tell(*ORDERS)
    await crowd.register("other", places=4)
    await crowd.tell("order_of_both", "order_of_both")
    looking = await crowd.look_again()
    crowd.answer("other", 1)
    assert await crowd.sent(looking) == {"slow": 4, "other": 2}


async def test_lanes_that_are_well_do_not_wait_for_those_in_trouble(acme: Firm) -> None:
    crowd = Crowd(acme)
    ailing = [f"ailing_{number}" for number in range(6)]
    for path in ailing:
        await crowd.register(path, places=1)
    await crowd.fail(*ailing)
    await crowd.register("well", places=4)
    await crowd.tell(*ORDERS)
    looking = await crowd.look_again()
    crowd.answer("well", 2)
    assert await crowd.sent(looking) == {"well": 6} | dict.fromkeys(ailing, 2)


async def test_a_lane_that_comes_back_while_others_are_taken_does_not_wait_for_them(
    acme: Firm, house: House
) -> None:
    crowd = Crowd(acme)
    await crowd.register("slow", places=4)
    await crowd.register("fast", places=1)
    await crowd.tell(*ORDERS)
    async with house.database.transaction() as db:
        looking = await crowd.look_again()
        await db.execute("lock table webhook_claims in share mode")
        crowd.answer("slow", 2)
        await until(house, BLOCKED)
        crowd.answer("fast", 1)
        await until(house, "select count(*) = 3 from webhook_attempts")
    assert await looking
    looking = asyncio.create_task(crowd.office.sender.step())
    assert await crowd.sent(looking) == {"slow": 6, "fast": 2}
