"""Whatever an attacker does, a code is hardly ever guessed: fewer than 1 in 10,000 a day."""

import asyncio

import pytest

from customers.mall import PHONE, Mall
from pannier.kit.clock import ManualClock
from pannier.verification.rules import MOST_ALIVE
from stage import NOON

CODES = 10**6


@pytest.mark.slow
async def test_a_whole_day_of_parallel_guesses_is_not_worth_it(
    mall: Mall, clock: ManualClock
) -> None:
    """Ask for codes and guess, eight at a time, whenever either is allowed; count what counts."""
    await mall.registered(phone=PHONE)
    guessed = 0
    while (clock.now() - NOON).total_seconds() < 24 * 3600:
        await mall.post("login-with-sms", phone=PHONE)
        answers = await asyncio.gather(
            *(mall.post("verify-code", identity=PHONE, code=f"x{turn}") for turn in range(8))
        )
        assert {answer.status_code for answer in answers} <= {422, 429}
        guessed += sum(answer.status_code == 422 for answer in answers)
        clock.advance(minutes=15)
    assert guessed > 0
    assert guessed * MOST_ALIVE / CODES < 1 / 10_000
