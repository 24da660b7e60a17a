"""Budgets: never more than so many in so long a time, however many come at once."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from random import Random
from typing import Final

import pytest

from pannier.db import Database
from pannier.errors import TooManyRequests
from pannier.kit.clock import ManualClock
from pannier.web import budgets
from pannier.web.budgets import Budget
from stage import House

HOUR: Final = timedelta(hours=1)
FEW: Final = Budget("guesses", 3, HOUR)
QUICK: Final = Budget("guesses", 2, timedelta(minutes=5))


async def granted(database: Database, *wanted: Budget) -> bool:
    try:
        await budgets.spend(database, wanted)
    except TooManyRequests:
        return False
    return True


async def room_in(database: Database, wanted: Sequence[Budget]) -> float:
    async with database.reading() as db:
        return await budgets.find_wait_seconds(db, wanted)


async def test_there_is_room_again_when_the_hit_that_fills_the_budget_has_grown_old(
    database: Database, clock: ManualClock
) -> None:
    for _ in range(3):
        assert await granted(database, FEW)
        clock.advance(minutes=10)
    assert await room_in(database, [FEW]) == 30 * 60
    assert not await granted(database, FEW)
    clock.advance(minutes=30)
    assert await granted(database, FEW)
    assert await room_in(database, [FEW]) == 10 * 60


async def test_what_is_taken_in_a_transaction_that_is_undone_was_not_spent(
    database: Database,
) -> None:
    async def take(times: int) -> None:
        async with database.transaction() as db:
            for _ in range(times):
                await budgets.spend_in_transaction(db, [FEW])

    await take(1)
    with pytest.raises(TooManyRequests):
        await take(3)
    async with database.reading() as db:
        assert await budgets.count_hits(db, FEW.key, FEW.span) == 1


async def test_no_span_ever_holds_more_than_its_budget(
    database: Database, clock: ManualClock
) -> None:
    chance, taken = Random(7), []
    for _ in range(150):
        clock.advance(seconds=chance.choice((0, 1, 20, 70, 400)))
        if await granted(database, FEW, QUICK):
            taken.append(clock.now())
    for budget in (FEW, QUICK):
        for last in taken:
            recent = [each for each in taken if last - budget.span < each <= last]
            assert len(recent) <= budget.count
    assert len(taken) > 10, "and what grew old made room"


async def test_of_many_at_once_as_many_are_granted_as_there_is_room_for(
    database: Database,
) -> None:
    assert sum(await asyncio.gather(*(granted(database, FEW) for _ in range(12)))) == 3


async def test_what_is_refused_by_one_budget_is_taken_from_none(database: Database) -> None:
    other = Budget("others", 9, HOUR)
    for _ in range(4):
        await granted(database, FEW, other)
    async with database.reading() as db:
        assert await budgets.count_hits(db, other.key, other.span) == 3


async def test_one_spending_is_taken_back_in_every_span_and_all_of_them_refunded(
    database: Database,
) -> None:
    for _ in range(2):
        assert await granted(database, FEW, QUICK)
    assert not await granted(database, FEW, QUICK)
    await budgets.undo_spending(database, [FEW.key, "nobody's"])
    assert await granted(database, FEW, QUICK)
    await budgets.reset(database, FEW.key)
    assert await room_in(database, [FEW, QUICK]) == 0


@pytest.mark.slow
async def test_a_large_budget_is_kept_in_few_rows(
    database: Database, house: House, clock: ManualClock
) -> None:
    large = Budget("codes", 90_000, timedelta(days=1))
    for _ in range(200):
        assert await granted(database, large)
        clock.advance(minutes=15)
    async with database.reading() as db:
        assert await budgets.count_hits(db, large.key, large.span) == pytest.approx(96, abs=1)
    while await budgets.sweep(database):
        pass
    assert await house.value("select count(*) from budget_parts") <= budgets.PARTS_PER_SPAN + 1


async def test_the_sweep_forgets_what_no_budget_asks_for_any_more(
    database: Database, house: House, clock: ManualClock
) -> None:
    assert await granted(database, FEW, QUICK)
    clock.advance(minutes=5)
    assert await budgets.sweep(database)
    assert not await budgets.sweep(database)
    assert await house.value("select array_agg(span) from budget_parts") == [HOUR]
