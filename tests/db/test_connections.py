"""Connections are lent, given back, replaced when dead, and never lost."""

import asyncio
import random

import pytest

from pannier.db import Database
from pannier.db.connections import MOST_WAITING, Connections, Overloaded, Unreachable
from pannier.db.watch import Watch


async def test_no_more_than_the_most_are_open_however_many_ask(database_url: str) -> None:
    pool = Connections(database_url, 3)
    seen: set[int] = set()

    async def borrow() -> None:
        connection = await pool.take()
        seen.add(await connection.fetchval("select pg_backend_pid()"))
        pool.give(connection)

    await asyncio.gather(*(borrow() for _ in range(50)))
    assert 1 <= len(seen) <= 3
    await pool.close()


async def test_a_connection_killed_by_the_server_is_replaced(database_url: str) -> None:
    pool = Connections(database_url, 1)
    first = await pool.take()
    closed = asyncio.Event()
    first.add_termination_listener(lambda _: closed.set())
    pid = await first.fetchval("select pg_backend_pid()")
    pool.give(first)
    other = Connections(database_url, 1)
    killer = await other.take()
    await killer.fetchval("select pg_terminate_backend($1, 60000)", pid)
    other.give(killer)
    await asyncio.wait_for(closed.wait(), 30)
    second = await pool.take()
    assert await second.fetchval("select pg_backend_pid()") != pid
    pool.give(second)
    await pool.close()
    await other.close()


async def test_one_left_in_the_middle_of_a_transaction_is_not_lent_again(database_url: str) -> None:
    pool = Connections(database_url, 1)
    left = await pool.take()
    await left.execute("begin")
    pool.give(left)
    assert left.is_closed()
    fresh = await pool.take()
    assert not fresh.is_in_transaction()
    pool.give(fresh)
    await pool.close()


async def test_whoever_gives_up_waiting_takes_no_connection_along(database_url: str) -> None:
    pool = Connections(database_url, 2)
    chance = random.Random(7)

    async def borrow() -> None:
        connection = await pool.take()
        try:
            await connection.fetchval("select 1")
        finally:
            pool.give(connection)

    for _ in range(30):
        tasks = [asyncio.create_task(borrow()) for _ in range(12)]
        for _ in range(chance.randint(0, 6)):
            await asyncio.sleep(0)
        for task in chance.sample(tasks, 6):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    held = [await asyncio.wait_for(pool.take(), 30) for _ in range(2)]
    for connection in held:
        pool.give(connection)
    await pool.close()


@pytest.mark.slow
async def test_a_dead_ones_place_goes_to_whoever_waits_and_to_nobody_else(
    database_url: str,
) -> None:
    pool = Connections(database_url, 1, wait=0.5)
    dead = await pool.take()
    waiting = asyncio.create_task(pool.take())
    await asyncio.sleep(0)
    dead.terminate()
    pool.give(dead)
    # Just then somebody else asks; whoever waited was promised the place.
    with pytest.raises(Overloaded):
        await pool.take()
    pool.give(await waiting)
    await pool.close()


@pytest.mark.parametrize("shown", ["on", "off"])
async def test_a_slow_statement_is_left_alone_even_if_the_server_does_not_show_it(
    database_url: str, shown: str
) -> None:
    pool = Connections(database_url, 1, watch=Watch(database_url, suspect=0.1, probe=60.0))
    connection = await pool.take()
    await connection.execute(f"set track_activities = {shown}")
    assert await connection.fetchval("select 'done' from pg_sleep(1.5)") == "done"
    pool.give(connection)
    await pool.close()
    await pool.watch.close()


async def test_waiting_too_long_is_told(database_url: str) -> None:
    pool = Connections(database_url, 1, wait=0.1)
    held = await pool.take()
    with pytest.raises(Overloaded):
        await pool.take()
    pool.give(held)
    await pool.close()


async def test_a_database_that_is_not_there_is_told_and_costs_no_place() -> None:
    pool = Connections("postgresql://nobody@127.0.0.1:1/none", 1)
    for _ in range(3):
        with pytest.raises(Unreachable):
            await pool.take()


async def test_where_too_many_wait_the_next_one_does_not(database_url: str) -> None:
    pool = Connections(database_url, 1, wait=60.0)
    held = await pool.take()
    waiting = [asyncio.create_task(pool.take()) for _ in range(MOST_WAITING)]
    await asyncio.sleep(0)
    with pytest.raises(Overloaded):
        await pool.take()
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    pool.give(held)
    await pool.close()


@pytest.mark.parametrize(("levels", "shown"), [(1, True), (64, True), (65, False), (900, False)])
async def test_a_stored_value_is_read_up_to_64_levels(
    database: Database, levels: int, *, shown: bool
) -> None:
    async with database.reading() as db:
        value = await db.value(
            "select (repeat('[', :levels) || repeat(']', :levels))::jsonb", levels=levels
        )
    assert isinstance(value, list) == shown
    assert shown or "nests deeper" in value["not_shown"]
