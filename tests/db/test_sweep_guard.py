"""A sweep that would delete most of a table stops, until an operator allows it."""

import logging
from datetime import timedelta

import pytest

from pannier.cli import doctor
from pannier.db import sweep_guard
from pannier.kit.clock import ManualClock
from pannier.notifications.sweep import MESSAGES
from stage import Firm, House

KEEP = timedelta(days=30)
MINIMUM = 6


@pytest.fixture(autouse=True)
def few_rows_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep_guard, "MIN_ROWS", MINIMUM)


async def write(firm: Firm, number: int) -> None:
    """Have sent so many messages."""
    house = firm.house
    async with house.database.transaction() as db:
        await db.execute(
            """insert into messages (uuid, public_id, company, created_at, due_at, channel,
                                     recipient, subject, body, secret, state)
               select id, 'message_' || id, :company, :now, :now, 'sms', '+6591234567',
                      '', 'Hello', false, 'sent'
               from (select gen_random_uuid() as id from generate_series(1, :number)) made""",
            company=firm.uuid,
            now=db.now,
            number=number,
        )


async def sweep(house: House, batch: int = 4) -> int:
    """Sweep until nothing is left to do, and count the rows that stay."""
    while await MESSAGES.delete_batch(house.database, KEEP, batch):
        pass
    return int(await house.value("select count(*) from messages"))


async def diagnose(house: House) -> doctor.CheckResult:
    connection = await house.database.acquire()
    try:
        return await dict(doctor.CHECKS)["sweeps"](house.settings, connection)
    finally:
        house.database.connections.release(connection)


async def test_an_ordinary_share_is_deleted_and_counted(
    acme: Firm, house: House, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "pannier.db")
    await write(acme, 12)
    clock.advance(days=31)
    await write(acme, 8)
    assert await sweep(house) == 8  # twelve of twenty are less than two thirds
    said = [record.getMessage() for record in caplog.records if "deleted" in record.getMessage()]
    assert said == ["expired rows deleted: 4 of messages"] * 3
    assert (await diagnose(house)).verdict == "ok"


async def test_a_few_rows_are_deleted_even_if_they_are_all(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    await write(acme, MINIMUM)
    clock.advance(days=31)
    assert await sweep(house) == 0


async def test_a_sweep_of_nearly_everything_stops_and_asks_until_it_is_allowed(
    acme: Firm,
    house: House,
    clock: ManualClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    await write(acme, 15)
    clock.advance(days=31)
    await write(acme, 5)
    assert await sweep(house) == 20
    assert await sweep(house) == 20
    assert "would delete 14 or more of 20 rows of messages" in caplog.text
    sick = await diagnose(house)
    assert sick.verdict == "wrong"
    assert "messages (14 or more of 20 rows)" in sick.words
    assert "pannier_sweeps_stopped 1.0" in await house.metrics()

    async with house.database.transaction() as db:
        assert not await sweep_guard.allow(db, "nothing")
        assert await sweep_guard.allow(db, "messages")
    assert (await diagnose(house)).verdict == "ok"
    clock.advance(days=2)  # the permission lasts for a day
    assert await sweep(house) == 20
    async with house.database.transaction() as db:
        assert await sweep_guard.allow(db, "messages")
    assert await sweep(house) == 5
    assert await house.value("select count(*) from stopped_sweeps") == 0


async def test_a_sweep_that_is_plausible_again_goes_on_by_itself(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    await write(acme, 15)
    clock.advance(days=31)
    assert await sweep(house) == 15
    clock.advance(days=-31)  # the database's clock was wrong
    assert await sweep(house) == 15
    assert await house.value("select count(*) from stopped_sweeps") == 0
