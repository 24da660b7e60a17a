"""Workers make plans: one at a time, companies in turn, and again when a worker dies."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from pannier.kit.clock import ManualClock
from pannier.planning import sweep
from planning.day import TOMORROW, Yard, runner
from stage import Firm, House


@pytest.fixture
async def yard(acme: Firm) -> Yard:
    return await furnished(acme)


async def furnished(firm: Firm) -> Yard:
    yard = Yard(firm)
    await yard.drivers(1)
    await yard.deliveries(2)
    return yard


async def state(yard: Yard, plan: dict[str, Any]) -> str:
    found: str = (await yard.get(f"plans/{plan['id']}"))["state"]
    return found


@asynccontextmanager
async def making(yard: Yard, house: House, stop: asyncio.Event) -> AsyncIterator[dict[str, Any]]:
    """A plan that a worker has begun to make, and that takes a minute."""
    plan = await yard.plan(max_seconds=60)
    work = asyncio.create_task(runner(house, stop).step())
    async with asyncio.timeout(30):
        while (await yard.get(f"plans/{plan['id']}"))["progress"] < 5:
            assert not work.done()
            await asyncio.sleep(0.02)
    yield plan
    async with asyncio.timeout(20):
        await work


@pytest.mark.slow
async def test_canceling_ends_the_planner_long_before_its_time(yard: Yard, house: House) -> None:
    async with making(yard, house, asyncio.Event()) as plan:
        assert await state(yard, plan) == "running"
        await yard.post(f"plans/{plan['id']}/cancel")
    assert await state(yard, plan) == "canceled"
    assert not await runner(house).step()


@pytest.mark.slow
async def test_a_worker_that_stops_returns_its_plan(yard: Yard, house: House) -> None:
    stop = asyncio.Event()
    async with making(yard, house, stop) as plan:
        stop.set()
    assert await house.value("select attempts from plan_runs") == 0
    assert not await runner(house, stop).step()
    await yard.post(f"plans/{plan['id']}/cancel")


async def test_a_plan_fails_after_its_workers_died_three_times(
    yard: Yard, house: House, clock: ManualClock
) -> None:
    plan = await yard.plan()
    for _ in range(3):
        assert await runner(house).lease_next() is not None
        assert await runner(house).lease_next() is None
        clock.advance(seconds=31)
    assert await runner(house).step()
    failed = await yard.get(f"plans/{plan['id']}")
    assert failed["state"] == "failed"
    assert failed["failure"] == {
        "code": "interrupted",
        "message": "The planner was interrupted 3 times.",
    }
    assert not await runner(house).step()


async def test_companies_take_turns(yard: Yard, rival: Firm, house: House) -> None:
    market = await furnished(rival)
    for _ in range(3):
        await yard.plan()
    await market.plan()
    worker = runner(house)
    leased = [await worker.lease_next() for _ in range(4)]
    companies = [each.company for each in leased if each is not None]
    assert set(companies[:2]) == {yard.firm.uuid, rival.uuid}
    assert companies[2:] == [yard.firm.uuid] * 2
    assert await worker.lease_next() is None


async def test_a_plan_without_working_drivers_fails(yard: Yard, house: House) -> None:
    plan = await yard.plan()
    [driver] = await yard.get("drivers")
    off = [{"date": TOMORROW, "shifts": []}]
    await yard.patch(f"drivers/{driver['id']}", shift_exceptions=off)
    assert await runner(house).step()
    failed = await yard.get(f"plans/{plan['id']}")
    assert (failed["state"], failed["failure"]["code"]) == ("failed", "no_shifts")


async def test_old_plans_are_deleted(yard: Yard, house: House, clock: ManualClock) -> None:
    plan = await yard.plan()
    await yard.post(f"plans/{plan['id']}/cancel")
    keep = timedelta(days=house.settings.plan_retention_days)
    clock.advance(days=59)
    assert not await sweep.step(house.database, keep)
    clock.advance(days=2)
    assert await sweep.step(house.database, keep)
    assert await yard.get("plans") == []


async def test_the_metrics_count_plans_that_wait(
    yard: Yard, house: House, clock: ManualClock
) -> None:
    plan = await yard.plan()
    clock.advance(seconds=90)
    metrics = await house.metrics()
    assert "pannier_plans_waiting 1.0" in metrics
    assert "pannier_plans_oldest_seconds 90.0" in metrics
    await yard.post(f"plans/{plan['id']}/cancel")
    metrics = await house.metrics()
    assert "pannier_plans_waiting 0.0" in metrics
    assert "pannier_plans_oldest_seconds 0.0" in metrics
