"""Connections are lent, given back, replaced when dead, and never lost."""

import asyncio
import random

import pytest

from pannier.db import Database
from pannier.db.connection_pool import (
    MAX_WAITERS_PER_CONNECTION,
    ConnectionPool,
    Overloaded,
    Unreachable,
)
from pannier.db.watchdog import ConnectionWatchdog


async def test_no_more_than_the_most_are_open_however_many_ask(database_url: str) -> None:
    pool = ConnectionPool(database_url, 3)
    seen: set[int] = set()

    async def borrow() -> None:
        connection = await pool.acquire()
        seen.add(await connection.fetchval("select pg_backend_pid()"))
        pool.release(connection)

    await asyncio.gather(*(borrow() for _ in range(50)))
    assert 1 <= len(seen) <= 3
    await pool.close()


async def test_a_connection_killed_by_the_server_is_replaced(database_url: str) -> None:
    pool = ConnectionPool(database_url, 1)
    first = await pool.acquire()
    closed = asyncio.Event()
    first.add_termination_listener(lambda _: closed.set())
    pid = await first.fetchval("select pg_backend_pid()")
    pool.release(first)
    other = ConnectionPool(database_url, 1)
    killer = await other.acquire()
    await killer.fetchval("select pg_terminate_backend($1, 60000)", pid)
    other.release(killer)
    await asyncio.wait_for(closed.wait(), 30)
    second = await pool.acquire()
    assert await second.fetchval("select pg_backend_pid()") != pid
    pool.release(second)
    await pool.close()
    await other.close()


async def test_one_left_in_the_middle_of_a_transaction_is_not_lent_again(database_url: str) -> None:
    pool = ConnectionPool(database_url, 1)
    left = await pool.acquire()
    await left.execute("begin")
    pool.release(left)
    assert left.is_closed()
    fresh = await pool.acquire()
    assert not fresh.is_in_transaction()
    pool.release(fresh)
    await pool.close()


async def test_whoever_gives_up_waiting_takes_no_connection_along(database_url: str) -> None:
    pool = ConnectionPool(database_url, 2)
    chance = random.Random(7)

    async def borrow() -> None:
        connection = await pool.acquire()
        try:
            await connection.fetchval("select 1")
        finally:
            pool.release(connection)

    for _ in range(30):
        tasks = [asyncio.create_task(borrow()) for _ in range(12)]
        for _ in range(chance.randint(0, 6)):
            await asyncio.sleep(0)
        for task in chance.sample(tasks, 6):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    held = [await asyncio.wait_for(pool.acquire(), 30) for _ in range(2)]
    for connection in held:
        pool.release(connection)
    await pool.close()


@pytest.mark.slow
async def test_a_dead_ones_place_goes_to_whoever_waits_and_to_nobody_else(
    database_url: str,
) -> None:
    pool = ConnectionPool(database_url, 1, wait_seconds=0.5)
    dead = await pool.acquire()
    waiting = asyncio.create_task(pool.acquire())
    await asyncio.sleep(0)
    dead.terminate()
    pool.release(dead)
    # Just then somebody else asks; whoever waited was promised the place.
    with pytest.raises(Overloaded):
        await pool.acquire()
    pool.release(await waiting)
    await pool.close()


@pytest.mark.parametrize("shown", ["on", "off"])
async def test_a_slow_statement_is_left_alone_even_if_the_server_does_not_show_it(
    database_url: str, shown: str
) -> None:
    pool = ConnectionPool(
        database_url,
        1,
        watchdog=ConnectionWatchdog(database_url, suspect_seconds=0.1, probe_seconds=60.0),
    )
    connection = await pool.acquire()
    await connection.execute(f"set track_activities = {shown}")
    assert await connection.fetchval("select 'done' from pg_sleep(1.5)") == "done"
    pool.release(connection)
    await pool.close()
    await pool.watchdog.close()


async def test_waiting_too_long_is_told(database_url: str) -> None:
    pool = ConnectionPool(database_url, 1, wait_seconds=0.1)
    held = await pool.acquire()
    with pytest.raises(Overloaded):
        await pool.acquire()
    pool.release(held)
    await pool.close()


async def test_a_database_that_is_not_there_is_told_and_costs_no_place() -> None:
    pool = ConnectionPool("postgresql://nobody@127.0.0.1:1/none", 1)
    for _ in range(3):
        with pytest.raises(Unreachable):
            await pool.acquire()


async def test_where_too_many_wait_the_next_one_does_not(database_url: str) -> None:
    pool = ConnectionPool(database_url, 1, wait_seconds=60.0)
    held = await pool.acquire()
    waiting = [asyncio.create_task(pool.acquire()) for _ in range(MAX_WAITERS_PER_CONNECTION)]
    await asyncio.sleep(0)
    with pytest.raises(Overloaded):
        await pool.acquire()
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    pool.release(held)
    await pool.close()


@pytest.mark.parametrize(("levels", "shown"), [(1, True), (64, True), (65, False), (900, False)])
async def test_a_stored_value_is_read_up_to_64_levels(
    database: Database, levels: int, *, shown: bool
) -> None:
    async with database.reading() as db:
        value = await db.fetch_value(
            "select (repeat('[', :levels) || repeat(']', :levels))::jsonb", levels=levels
        )
    assert isinstance(value, list) == shown
    assert shown or "nested deeper" in value["not_shown"]
