"""Workers divide numbered work among themselves, and let go of it whatever the work does."""

import asyncio

import pytest

from pannier.db.claims import NumberClaims
from pannier.devices.brokers import claimed_tasks
from pannier.devices.brokers.claimed_tasks import ClaimedTasks


async def test_work_that_misses_a_cancellation_is_cancelled_again(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claimed_tasks, "CANCEL_AGAIN_SECONDS", 0.01)
    begun, missed = asyncio.Event(), 0

    async def hold(_: int) -> None:
        nonlocal missed
        begun.set()
        while missed < 2:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                missed += 1
        await asyncio.Event().wait()

    held = ClaimedTasks("deaf", NumberClaims(database_url, 7_240_990, 1), hold)
    await held.step()
    await begun.wait()
    async with asyncio.timeout(30):
        await held.close()
    assert missed == 2
