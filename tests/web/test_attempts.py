"""Attempts at a secret are counted before they are checked, and settled afterwards."""

import asyncio
from datetime import timedelta
from typing import Final

import pytest

from pannier.db import Database
from pannier.errors import TooManyRequests
from pannier.web import attempts, budgets
from pannier.web.budgets import Budget, make_budgets

HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)
GUESSES: Final = make_budgets("guesses", [(2, HOUR), (3, DAY)])
NETWORK: Final = Budget("network", 9, HOUR)
CHECKS: Final = Budget("checks", 9, HOUR)
WRONG: Final = [*GUESSES, NETWORK]


async def spent(database: Database) -> tuple[int, ...]:
    """What was spent of the identity's guesses, of the network's, and of checks."""
    async with database.reading() as db:
        return tuple(
            [await budgets.count_hits(db, each.key, HOUR) for each in (GUESSES[0], NETWORK, CHECKS)]
        )


async def test_an_attempt_that_nobody_settles_counts_as_wrong_and_as_right(
    database: Database,
) -> None:
    await attempts.begin(database, WRONG, [CHECKS])
    assert await spent(database) == (1, 1, 1)


async def test_a_wrong_attempt_costs_nothing_of_what_right_ones_may(database: Database) -> None:
    await (await attempts.begin(database, WRONG, [CHECKS])).fail()
    assert await spent(database) == (1, 1, 0)


async def test_a_right_attempt_costs_nothing_of_what_wrong_ones_may(database: Database) -> None:
    await (await attempts.begin(database, WRONG, [CHECKS])).fail()
    await (await attempts.begin(database, WRONG, [CHECKS])).succeed()
    assert await spent(database) == (1, 1, 1)


async def test_a_right_attempt_may_forgive_the_wrong_ones_of_one_key(database: Database) -> None:
    await (await attempts.begin(database, WRONG, [CHECKS])).fail()
    await (await attempts.begin(database, WRONG, [CHECKS])).succeed(forgiven_key="guesses")
    assert await spent(database) == (0, 1, 1)
    async with database.reading() as db:
        assert await budgets.count_hits(db, "guesses", DAY) == 0


async def test_an_attempt_that_is_refused_is_counted_nowhere(database: Database) -> None:
    for _ in range(2):
        await attempts.begin(database, WRONG)
    with pytest.raises(TooManyRequests):
        await attempts.begin(database, WRONG, [CHECKS])
    assert await spent(database) == (2, 2, 0)


async def test_of_many_guesses_at_once_no_more_are_checked_than_may_be_wrong(
    database: Database,
) -> None:
    tried = (attempts.begin(database, WRONG) for _ in range(6))
    found = await asyncio.gather(*tried, return_exceptions=True)
    assert sum(isinstance(each, attempts.SecretAttempt) for each in found) == 2


async def test_an_attempt_without_budgets_is_settled_like_any_other(database: Database) -> None:
    attempt = await attempts.begin(database, [])
    await attempt.succeed()
    await attempt.fail()
    assert await spent(database) == (0, 0, 0)
