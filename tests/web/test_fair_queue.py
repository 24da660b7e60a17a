"""Companies that share a queue take turns, and no place is lost."""

import asyncio
from collections import Counter
from contextlib import suppress
from random import Random

import pytest

from pannier.errors import TooManyRequests
from pannier.web.fair_queue import FairQueue


def refuse() -> TooManyRequests:
    return TooManyRequests(1.0)


async def until_idle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_companies_take_turns_however_much_one_has_waiting() -> None:
    queue = FairQueue(refuse, company_places=1, places=1, company_waiting=5)
    done: list[str] = []

    async def work(name: str) -> None:
        async with queue.wait_turn(name[0]):
            done.append(name)

    with queue.claim_place("a"):
        waiting = [asyncio.create_task(work(name)) for name in ("a1", "a2", "a3", "b1", "b2", "c1")]
        await until_idle()
        assert done == []
    await asyncio.gather(*waiting)
    assert done == ["a1", "b1", "c1", "a2", "b2", "a3"]


async def test_a_company_leaves_places_to_the_others() -> None:
    queue = FairQueue(refuse, company_places=2, places=3, company_waiting=1, waiting=2)
    with queue.claim_place("a"), queue.claim_place("a"):
        with pytest.raises(TooManyRequests), queue.claim_place("a"):
            pass
        with queue.claim_place("b"):
            with pytest.raises(TooManyRequests), queue.claim_place("c"):
                pass
            waiting = [asyncio.create_task(hold(queue, name)) for name in "ab"]
            await until_idle()
            for name in "ac":  # the company's own limit, and that of all
                with pytest.raises(TooManyRequests):
                    await hold(queue, name)
        await until_idle()
        assert [task.done() for task in waiting] == [False, True]
    await asyncio.gather(*waiting)


async def hold(queue: FairQueue, company: str) -> None:
    async with queue.wait_turn(company):
        await asyncio.sleep(0)


async def test_a_company_rests_after_its_turn_and_others_do_not() -> None:
    queue = FairQueue(refuse, company_places=1, company_waiting=1, rest=1.0)
    async with queue.wait_turn("a"):
        await asyncio.sleep(0.001)
    assert not queue.has_place("a")
    assert queue.has_place("b")
    await hold(queue, "a")


@pytest.mark.parametrize("seed", range(5))
async def test_no_place_is_lost_and_none_is_given_twice_whoever_leaves(seed: int) -> None:
    choose = Random(seed)
    queue = FairQueue(refuse, company_places=2, places=3, company_waiting=20)
    running: Counter[str] = Counter()

    async def work(company: str) -> None:
        async with queue.wait_turn(company):
            running[company] += 1
            assert running[company] <= 2
            assert running.total() <= 3
            try:
                for _ in range(choose.randrange(3)):
                    await asyncio.sleep(0)
            finally:
                running[company] -= 1

    tasks = []
    for _ in range(200):
        tasks.append(asyncio.create_task(work(choose.choice("abc"))))
        if choose.random() < 0.5:
            choose.choice(tasks).cancel()
        if choose.random() < 0.3:
            await asyncio.sleep(0)
    for task in tasks:
        with suppress(asyncio.CancelledError, TooManyRequests):
            await task
    assert [queue.count_waiting(company) for company in "abc"] == [0, 0, 0]
    with queue.claim_place("a"), queue.claim_place("a"), queue.claim_place("b"):
        pass
