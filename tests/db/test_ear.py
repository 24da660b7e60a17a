"""The ear hears what the bell rings, on whichever machine."""

import asyncio
import gc

import pytest

from db.ending import end_unheard
from pannier.db import Database, connect
from pannier.db.bell import Bell
from pannier.db.connections import Connections
from pannier.db.ear import Ear
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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("turns", range(4))
async def test_it_hears_again_however_much_it_saw_of_its_connections_end(
    database: Database, database_url: str, turns: int
) -> None:
    ear = Ear(database_url)
    async with asyncio.timeout(PATIENCE):
        with ear.hearing("wind") as wind:
            await wind.wait()
            async with database.reading() as db:
                pid = await db.value(
                    """select pid from pg_stat_activity where datname = current_database()
                       and query ilike 'listen%wind%' and pid <> pg_backend_pid()"""
                )
            end_unheard(database_url, pid)
            for _ in range(turns):
                await asyncio.sleep(0)
            with ear.hearing("snow") as snow:
                await snow.wait()
    await ear.close()


@pytest.mark.slow
@pytest.mark.parametrize("turns", range(4))
async def test_a_bell_that_cannot_be_rung_is_no_failure(database_url: str, turns: int) -> None:
    failures: list[dict[str, object]] = []
    connections = Connections(database_url, 1)
    bell = Bell(connections)
    loop = asyncio.get_running_loop()
    gc.collect()  # What others left behind says so before.
    loop.set_exception_handler(lambda _, failure: failures.append(failure))
    try:
        lent = await connections.take()
        pid = await lent.fetchval("select pg_backend_pid()")
        connections.give(lent)
        end_unheard(database_url, pid)
        for _ in range(turns):
            await asyncio.sleep(0)
        bell.ring("thunder")
        await bell.close()
        await connections.close()
        gc.collect()  # a task that failed unheard says so when it is forgotten
    finally:
        loop.set_exception_handler(None)
    assert not failures
