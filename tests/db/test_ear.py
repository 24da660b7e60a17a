"""The ear hears what the bell rings, on whichever machine."""

import asyncio

from pannier.db import Database, connect
from pannier.kit.clock import ManualClock
from pannier.kit.crypto import Keyring
from program import PATIENCE
from stage import NOON, SECRET


async def test_everybody_who_listens_to_a_channel_hears_it_and_nobody_else(
    database: Database, database_url: str
) -> None:
    elsewhere = await connect(database_url, clock=ManualClock(NOON), keys=Keyring(SECRET), size=1)
    ear = database.ear
    async with asyncio.timeout(PATIENCE):
        with ear.hearing("doors") as one, ear.hearing("doors") as two, ear.hearing("tea") as tea:
            await asyncio.gather(one.wait(), two.wait(), tea.wait())  # that it is connected
            for bell in (one, two, tea):
                bell.clear()
            elsewhere.bell.ring("doors")
            await asyncio.gather(one.wait(), two.wait())
            assert not tea.is_set()
    await elsewhere.close()


async def test_whoever_listens_is_woken_when_the_connection_comes_back(database: Database) -> None:
    async with asyncio.timeout(PATIENCE):
        with database.ear.hearing("rain") as bell:
            await bell.wait()
            bell.clear()
            async with database.reading() as db:
                await db.value(
                    """select count(pg_terminate_backend(pid)) from pg_stat_activity
                       where datname = current_database() and query ilike 'listen%'"""
                )
            await bell.wait()
