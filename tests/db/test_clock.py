"""The database's clock decides, whatever the machine's says."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from structlog.testing import capture_logs

import stage
from pannier.db import Database, clock, connect
from pannier.db.clock import DatabaseClock
from pannier.files.storage import make_storage
from pannier.kit.clock import ManualClock, SystemClock
from pannier.kit.crypto import Keyring
from pannier.notifications.channels import open_channels
from pannier.notifications.sender import make_senders
from pannier.web import metrics
from pannier.web.clock_skew import SkewReport
from pannier.webhooks.membership import SoleMember
from pannier.webhooks.sender import WebhookSender
from pannier.worker import list_jobs
from stage import NOON, SECRET, House


class WrongClock(SystemClock):
    """A machine's clock that is ahead of the true time."""

    ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead


@pytest.fixture
def machine() -> WrongClock:
    return WrongClock()


@pytest.fixture
async def wrong(database_url: str, machine: WrongClock) -> AsyncIterator[Database]:
    corrected = DatabaseClock(machine, SkewReport())
    opened = await connect(database_url, clock=corrected, keys=Keyring(SECRET), size=1)
    yield opened
    await opened.close()


async def present(database: Database) -> timedelta:
    """Return how far from the true time records are written."""
    async with database.reading() as db:
        await db.fetch_value("select 1")
    async with database.reading() as db:
        return abs(db.now - datetime.now(UTC))


async def test_the_clock_of_a_test_shifts_the_databases(house: House, clock: ManualClock) -> None:
    assert await house.value("select pannier_now()") == NOON
    clock.advance(days=3)
    assert await house.value("select pannier_now()") == NOON + timedelta(days=3)


async def test_the_databases_time_is_the_same_throughout_a_statement(wrong: Database) -> None:
    async with wrong.reading() as db:
        same = "select pannier_now() = pannier_now() from pg_sleep(0.01)"
        assert await db.fetch_value(same)


@pytest.mark.parametrize("ahead", [timedelta(days=120), timedelta(seconds=-90)])
async def test_records_have_the_right_time_on_a_machine_with_a_wrong_clock(
    wrong: Database, machine: WrongClock, ahead: timedelta
) -> None:
    machine.ahead = ahead
    assert await present(wrong) < timedelta(seconds=20)
    assert not wrong.clock.is_safe()
    assert abs(wrong.clock.skew - ahead) < timedelta(seconds=20)


async def test_a_clock_that_is_set_while_a_process_runs_is_noticed_at_the_next_statement(
    wrong: Database, machine: WrongClock
) -> None:
    assert await present(wrong) < timedelta(seconds=1)
    machine.ahead = timedelta(hours=1)
    await present(wrong)
    assert not wrong.clock.is_safe()
    machine.ahead = timedelta()
    await present(wrong)
    assert wrong.clock.is_safe()


async def test_a_difference_of_more_than_five_seconds_is_logged_once_and_counted(
    wrong: Database, machine: WrongClock
) -> None:
    machine.ahead = timedelta(seconds=30)
    with capture_logs() as logged:
        await wrong.measure_clock()
        await wrong.measure_clock()
        machine.ahead = timedelta()
        await wrong.measure_clock()
    assert [entry["event"] for entry in logged] == [
        "clock differs from the database's",
        "clock agrees with the database's again",
    ]
    assert 20 < logged[0]["seconds_ahead"] < 40
    assert b"pannier_clock_skew_seconds" in metrics.render()


async def test_a_difference_of_less_than_a_minute_stops_nothing(
    wrong: Database, machine: WrongClock
) -> None:
    machine.ahead = timedelta(seconds=30)
    await wrong.measure_clock()
    assert wrong.clock.is_safe()


async def test_no_step_of_a_worker_four_months_ahead_deletes_anything_even_if_it_ran(
    database: Database,
    wrong: Database,
    machine: WrongClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Every step would refuse; here it is the statements that are tested.
    monkeypatch.setattr(clock, "UNSAFE_SKEW", timedelta.max)
    right: Any = SystemClock()
    database.clock = right
    house = await stage.build(database, right, str(tmp_path))
    firm = await house.found("Acme")
    made = await firm.api.post("/v1/devices", json={"name": "Tracker"})
    assert made.status_code == 201
    before = await counts(house)
    machine.ahead = timedelta(days=120)
    outgoing = make_senders(wrong, open_channels(house.settings))
    webhooks = WebhookSender(
        wrong, house.edge.services["webhook_client"], SoleMember(), max_in_flight=1
    )
    work = list_jobs(wrong, house.settings, outgoing, make_storage(house.settings), webhooks)
    for job in work:
        if job.name.startswith(("old ", "ended ", "used ", "closed ", "partitions", "corrected")):
            await job.step()
    assert await counts(house) == before
    assert (await firm.admin.get("/int/v1/sessions")).status_code == 200


async def counts(house: House) -> dict[str, int]:
    tables = ("events", "tokens", "audit_entries", "devices", "budget_parts", "keys")
    return {table: await house.value(f"select count(*) from {table}") for table in tables}


class SlowConnection:
    """A connection whose server answers when the test lets it."""

    def __init__(self, told: datetime) -> None:
        self.told, self.answers = told, asyncio.Event()

    async def fetchval(self, _: str) -> datetime:
        await self.answers.wait()
        return self.told


async def test_a_slow_answer_is_no_difference_even_if_another_comparison_began_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passed = 0.0
    monkeypatch.setattr(clock, "time", SimpleNamespace(monotonic=lambda: passed))
    compared = DatabaseClock(ManualClock(NOON))
    slow: Any = SlowConnection(NOON + timedelta(seconds=8))
    quick: Any = SlowConnection(NOON)
    first = asyncio.create_task(compared.measure(slow))
    await asyncio.sleep(0)
    passed = 8.0
    second = asyncio.create_task(compared.measure(quick))
    await asyncio.sleep(0)
    slow.answers.set()
    await first
    assert compared.skew == timedelta()
    quick.answers.set()
    await second
