"""The ear hears what the bell rings, on whichever machine."""

import asyncio
import gc
from uuid import UUID

import pytest

from db.ending import end_unheard
from pannier.db import Database, connect
from pannier.db.connection_pool import ConnectionPool
from pannier.db.notifier import Notifier
from pannier.db.notify_listener import NotifyListener
from pannier.kit.clock import ManualClock
from pannier.kit.crypto import Keyring
from program import PATIENCE
from stage import NOON, SECRET


async def test_everybody_who_listens_to_a_channel_hears_it_and_nobody_else(
    database: Database, database_url: str
) -> None:
    elsewhere = await connect(database_url, clock=ManualClock(NOON), keys=Keyring(SECRET), size=1)
    ear = database.listener
    async with asyncio.timeout(PATIENCE):
        with ear.listen("doors") as one, ear.listen("doors") as two, ear.listen("tea") as tea:
            await asyncio.gather(one.wait(), two.wait(), tea.wait())  # that it is connected
            for bell in (one, two, tea):
                bell.clear()
            elsewhere.notifier.notify("doors")
            await asyncio.gather(one.wait(), two.wait())
            assert not tea.is_set()
    await elsewhere.close()


async def test_a_notification_for_one_company_wakes_only_its_listeners(database: Database) -> None:
    ours, theirs = UUID(int=1), UUID(int=2)
    listen, notify = database.listener.listen, database.notifier.notify
    async with asyncio.timeout(PATIENCE):
        with (
            listen("dew", company=ours) as one,
            listen("dew", company=theirs) as other,
            listen("dew") as everybody,
        ):
            # All are woken when the connection begins to listen.
            await asyncio.gather(one.wait(), other.wait(), everybody.wait())
            for event in (one, other, everybody):
                event.clear()
            notify("dew", ours)
            await asyncio.gather(one.wait(), everybody.wait())
            assert not other.is_set()
            one.clear()
            notify("dew", theirs)
            await other.wait()
            assert not one.is_set()
            notify("dew")
            await one.wait()


@pytest.mark.slow
async def test_whoever_listens_is_woken_when_the_connection_comes_back(database: Database) -> None:
    async with asyncio.timeout(PATIENCE):
        with database.listener.listen("rain") as bell:
            await bell.wait()
            bell.clear()
            async with database.reading() as db:
                await db.fetch_value(
                    """select count(pg_terminate_backend(pid)) from pg_stat_activity
                       where datname = current_database() and query ilike 'listen%'"""
                )
            await bell.wait()


@pytest.mark.slow
@pytest.mark.parametrize("turns", range(4))
async def test_it_hears_again_however_much_it_saw_of_its_connections_end(
    database: Database, database_url: str, turns: int
) -> None:
    ear = NotifyListener(database_url)
    async with asyncio.timeout(PATIENCE):
        with ear.listen("wind") as wind:
            await wind.wait()
            async with database.reading() as db:
                pid = await db.fetch_value(
                    """select pid from pg_stat_activity where datname = current_database()
                       and query ilike 'listen%wind%' and pid <> pg_backend_pid()"""
                )
            end_unheard(database_url, pid)
            for _ in range(turns):
                await asyncio.sleep(0)
            with ear.listen("snow") as snow:
                await snow.wait()
    await ear.close()


@pytest.mark.slow
@pytest.mark.parametrize("turns", range(4))
async def test_a_bell_that_cannot_be_rung_is_no_failure(database_url: str, turns: int) -> None:
    failures: list[dict[str, object]] = []
    connections = ConnectionPool(database_url, 1)
    bell = Notifier(connections)
    loop = asyncio.get_running_loop()
    gc.collect()  # What others left behind says so before.
    loop.set_exception_handler(lambda _, failure: failures.append(failure))
    try:
        lent = await connections.acquire()
        pid = await lent.fetchval("select pg_backend_pid()")
        connections.release(lent)
        end_unheard(database_url, pid)
        for _ in range(turns):
            await asyncio.sleep(0)
        bell.notify("thunder")
        await bell.close()
        await connections.close()
        gc.collect()  # a task that failed unheard says so when it is forgotten
    finally:
        loop.set_exception_handler(None)
    assert not failures
