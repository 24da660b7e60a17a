"""Strangers guess, flood and race; the counters hold."""

import asyncio
import logging
from collections import Counter
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs

from pannier.errors import TooManyRequests
from pannier.kit.clock import ManualClock
from pannier.verification.codes import CodeInvalid
from pannier.web import logs
from stage import House

# The fixture's class lives in conftest, which importlib mode does not let us import.
Person = Any


def kinds(results: list[Any]) -> Counter[str]:
    return Counter("right" if result is None else type(result).__name__ for result in results)


async def attempts_counted(house: House) -> int:
    """Count the attempts on the one open challenge: nothing is compared without one."""
    count: int = await house.value(
        """select coalesce(sum(hits), 0) from budget_parts where key like (
               select 'code:' || uuid || ':%' from challenges where closed_at is null)"""
    )
    return count


async def test_five_wrong_answers_kill_a_challenge(ada: Person) -> None:
    await ada.ask()
    wrong = await ada.wrong()
    for _ in range(5):
        with pytest.raises(CodeInvalid):
            await ada.type(wrong)
    with pytest.raises(CodeInvalid):
        await ada.type((await ada.codes())[0])


async def test_four_wrong_answers_do_not(ada: Person) -> None:
    await ada.ask()
    for _ in range(4):
        with pytest.raises(CodeInvalid):
            await ada.type(await ada.wrong())
    await ada.type((await ada.codes())[0])


async def test_a_resend_does_not_reset_the_count(ada: Person, clock: ManualClock) -> None:
    await ada.ask()
    for _ in range(3):
        with pytest.raises(CodeInvalid):
            await ada.type(await ada.wrong())
    clock.advance(seconds=30)
    await ada.ask()
    for _ in range(2):
        with pytest.raises(CodeInvalid):
            await ada.type(await ada.wrong())
    for code in await ada.codes():
        with pytest.raises(CodeInvalid):
            await ada.type(code)


async def test_after_a_dead_challenge_a_new_one_works(ada: Person, clock: ManualClock) -> None:
    await ada.ask()
    for _ in range(5):
        with pytest.raises(CodeInvalid):
            await ada.type(await ada.wrong())
    with pytest.raises(TooManyRequests):
        await ada.ask()
    clock.advance(seconds=30)
    assert (await ada.ask()).resend_after == 30
    old, new = await ada.codes()
    with pytest.raises(CodeInvalid):
        await ada.type(old)
    await ada.type(new)


async def test_ten_parallel_right_codes_succeed_once(ada: Person) -> None:
    await ada.ask()
    [code] = await ada.codes()
    results = await asyncio.gather(*(ada.type(code) for _ in range(10)), return_exceptions=True)
    assert kinds(results) == {"right": 1, "CodeInvalid": 9}


async def test_right_codes_of_one_challenge_in_parallel_succeed_once(
    ada: Person, clock: ManualClock
) -> None:
    await ada.ask()
    clock.advance(seconds=30)
    await ada.ask()
    codes = await ada.codes()
    results = await asyncio.gather(*map(ada.type, codes * 2), return_exceptions=True)
    assert kinds(results) == {"right": 1, "CodeInvalid": 3}


async def test_a_parallel_flood_of_guesses_gets_five_comparisons(
    ada: Person, clock: ManualClock, house: House
) -> None:
    await ada.ask(wanted_lifetime=timedelta(hours=2))
    wrong = await ada.wrong()
    results = await asyncio.gather(*(ada.type(wrong) for _ in range(40)), return_exceptions=True)
    assert kinds(results) == {"CodeInvalid": 10, "TooManyRequests": 30}
    assert await attempts_counted(house) == 5
    clock.advance(hours=1)
    with pytest.raises(CodeInvalid):
        await ada.type((await ada.codes())[0])


async def test_parallel_requests_send_one_code_and_use_up_one_send(
    ada: Person, clock: ManualClock
) -> None:
    results = await asyncio.gather(*(ada.ask() for _ in range(12)), return_exceptions=True)
    assert kinds(results) == {"CodeTiming": 1, "TooManyRequests": 11}
    assert len(await ada.codes()) == 1
    for wait in (30, 60, 120, 300):
        clock.advance(seconds=wait)
        await ada.ask()


async def test_requests_and_guesses_in_parallel_neither_hang_nor_fail(
    ada: Person, clock: ManualClock
) -> None:
    await ada.ask()
    [code] = await ada.codes()
    wrong = await ada.wrong()
    clock.advance(seconds=30)
    guesses = [ada.type(wrong) for _ in range(4)] + [ada.type(code)]
    results = await asyncio.gather(
        *guesses, *(ada.ask() for _ in range(10)), return_exceptions=True
    )
    assert set(kinds(results)) <= {"right", "CodeTiming", "CodeInvalid", "TooManyRequests"}
    assert isinstance(results[4], CodeInvalid | None)


@pytest.mark.slow
async def test_brute_force_over_days_stays_within_ten_an_hour_and_thirty_a_day(
    ada: Person, clock: ManualClock
) -> None:
    guesses: list[datetime] = []
    purposes = ("login", "creation", "closure")
    end = clock.now() + timedelta(days=2)
    while clock.now() < end:
        for purpose in purposes:
            ada.purpose = purpose
            with suppress(TooManyRequests):
                await ada.ask(address=None)
            for _ in range(6):
                try:
                    await ada.type("no code")
                except CodeInvalid:
                    guesses.append(clock.now())
                except TooManyRequests:
                    break
        clock.advance(minutes=10)

    def within(span: timedelta) -> int:
        return max(sum(since <= each < since + span for each in guesses) for since in guesses)

    assert within(timedelta(hours=1)) == 10
    assert within(timedelta(days=1)) == 30
    assert len(guesses) <= 60


async def test_being_right_does_not_forgive_a_strangers_guesses(ada: Person) -> None:
    for _ in range(9):
        with pytest.raises(CodeInvalid):
            await ada.type("no code")
    await ada.ask()
    await ada.type((await ada.codes())[0])
    with pytest.raises(CodeInvalid):
        await ada.type("no code")
    with pytest.raises(TooManyRequests) as refusal:
        await ada.type("no code")
    assert refusal.value.headers["Retry-After"] == "3600"


async def test_the_code_is_in_no_answer_and_no_log(
    ada: Person, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with capture_logs() as written:
        asked = await ada.ask()
        [code] = await ada.codes()
        refusals = [
            await _refusal(ada, await ada.wrong()),
            await _refusal(ada, code[::-1] + "0"),
        ]
        await ada.type(code)
        refusals.append(await _refusal(ada, code))
    assert code not in f"{asked} {written} {caplog.text} {[each.to_body('x') for each in refusals]}"
    assert logs.redact({"code": code, "otp": code}) == {"code": "…", "otp": "…"}


async def _refusal(ada: Person, code: str) -> CodeInvalid:
    with pytest.raises(CodeInvalid) as refusal:
        await ada.type(code)
    return refusal.value
