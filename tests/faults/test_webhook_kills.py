"""A worker that is killed at any moment loses no delivery, and sends none without writing it down.

`make faults` runs all of it, with 240 kills; the suite runs three of them.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest

from faults import postmen
from faults.ledger import Ledger
from faults.letterbox import HESITANT
from faults.postmen import Office
from pannier.webhooks import membership

WHOLE: Final = os.environ.get("PANNIER_FAULTS") == "whole"
PATIENCE: Final = 1800 if WHOLE else 180
pytestmark = pytest.mark.slow


@pytest.fixture
async def office(server_url: str, tmp_path: Path) -> AsyncIterator[Office]:
    async with postmen.opened(server_url, tmp_path) as office:
        yield office


async def furnish(office: Office, endpoints: int, *, slowest: int = 10) -> None:
    """Register endpoints of several kinds."""
    for number in range(endpoints):
        await office.register(
            f"box_{number}",
            slowest=slowest,
            max_in_flight=1 + number % 4,
            ordering="strict" if number % 3 == 0 else "first_attempt",
            signature_format="bare" if number % 2 else "prefixed",
        )


def counts(ledger: Ledger, what: str, in_flight: set[str], began: float) -> str:
    """Spell the counts of a run in a line."""
    return (
        f"{len(ledger.deliveries)} deliveries, {what}, {len(in_flight)} in flight at those, "
        f"{len(ledger.interrupted)} interrupted, {ledger.duplicates} duplicates, "
        f"{len(ledger.lost)} lost, {len(ledger.unlogged)} unlogged, "
        f"{time.monotonic() - began:.0f} seconds"
    )


def assert_kept(office: Office, ledger: Ledger, in_flight: set[str]) -> None:
    """Nothing is lost or unlogged, and twice comes at the most what was in flight at a kill."""
    assert len(ledger.deliveries) == office.told * office.endpoints
    assert ledger.lost == []
    assert ledger.unlogged == set()
    assert ledger.interrupted == in_flight
    assert ledger.duplicates <= len(in_flight)
    assert ledger.odd == {}
    assert ledger.forged == 0
    assert ledger.overtaken == []
    assert [error for postman in office.postmen for error in postman.errors()] == []


def report(capsys: pytest.CaptureFixture[str], line: str) -> None:
    """Say what was counted, which is what these runs are for."""
    with capsys.disabled():
        print(f"\n{line}")  # noqa: T201 - the counts are the result


@pytest.mark.timeout(PATIENCE)
async def test_a_worker_that_is_killed_again_and_again_loses_nothing(
    office: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    kills, began = 200 if WHOLE else 2, time.monotonic()
    in_flight: set[str] = set()
    await furnish(office, 10)
    for number in range(kills):
        await office.tell(5)  # while nobody is there
        postman = office.hire()
        member = await office.member(postman)
        await office.at_work(member)
        if number % 10 == 1:  # this one lives long enough to find out who is dead
            await office.nothing_stuck(member)
        await office.tell(5)
        await office.some_arrive(member)
        in_flight |= await office.kill(postman)
    office.hire()
    await office.all_done(120)
    ledger = await office.ledger()
    report(capsys, f"One worker: {counts(ledger, f'{kills} kills', in_flight, began)}")
    assert_kept(office, ledger, in_flight)
    assert len(in_flight) >= kills


@pytest.mark.timeout(PATIENCE)
async def test_of_two_workers_one_is_killed_and_the_other_takes_over(
    office: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    kills, began, slowest = 40 if WHOLE else 1, time.monotonic(), 0.0
    in_flight: set[str] = set()
    await furnish(office, 20, slowest=40)
    pair = [office.hire(), office.hire()]
    for number in range(kills):
        members = [await office.member(postman) for postman in pair]
        await office.lanes_shared(*pair)
        await office.tell(10)
        await asyncio.gather(*map(office.at_work, members))
        office.chance.shuffle(pair)
        victim, survivor = pair
        await office.some_arrive(*members)
        killed = time.monotonic()
        in_flight |= await office.kill(victim)
        if number % 4 == 0:
            await office.taken_over(survivor)
            slowest = max(slowest, time.monotonic() - killed)
        pair = [survivor, office.hire()]
    await office.all_done(120)
    ledger = await office.ledger()
    counted = counts(ledger, f"{kills} kills", in_flight, began)
    report(capsys, f"One of two workers: {counted}, taken over within {slowest:.1f}")
    assert_kept(office, ledger, in_flight)
    assert len(in_flight) >= kills
    assert (
        slowest < membership.GRACE_SECONDS + 60
    )  # of which all but a moment is what machines stand still


async def test_a_worker_that_is_asked_to_stop_brings_everything_to_its_end(
    office: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    stops, began = 4 if WHOLE else 1, time.monotonic()
    await furnish(office, 10, slowest=100)
    for _ in range(stops):
        await office.tell(10)
        postman = office.hire()
        member = await office.member(postman)
        await office.at_work(member)
        await office.some_arrive(member)
        assert postman.dismiss() == 0, postman.log.read_text()
        assert await office.on_the_way(member) == set()
    office.hire()
    await office.all_done(60)
    ledger = await office.ledger()
    report(capsys, f"Asked to stop: {counts(ledger, f'{stops} stops', set(), began)}")
    assert_kept(office, ledger, set())
    assert ledger.duplicates == 0


async def test_what_is_not_answered_in_time_is_given_back_when_the_worker_stops(
    office: Office,
) -> None:
    await furnish(office, 1)
    await office.register(HESITANT)
    await office.tell(4)
    postman = office.hire()
    await office.heard(HESITANT)
    in_flight = await office.on_the_way(await office.member(postman))
    assert postman.dismiss() == 0, postman.log.read_text()
    given_back = (await office.ledger()).interrupted
    assert set() < given_back <= in_flight
    assert await office.value("select max(sender) from webhook_queue") is None
    office.hire()
    await office.all_done(60)
    ledger = await office.ledger()
    assert_kept(office, ledger, given_back)
    assert ledger.duplicates == len(given_back)
