"""Migrating a database that others are using."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import asyncpg
import pytest

import stage
from pannier.db.migrate import Migration, MigrationError, StepTimeouts, migrate
from program import PATIENCE

TABLE = Migration(1, "0001_letters.sql", "create table letters (address text)")
COLUMN = Migration(2, "0002_colour.sql", "alter table letters add column colour text")
INDEX = Migration(
    3,
    "0003_index.sql",
    """-- outside a transaction
    create unique index concurrently if not exists letters_address on letters (address);
    drop index concurrently if exists letters_nowhere;
    """,
)
HASTY = StepTimeouts(lock_seconds=0.05, total_seconds=60.0)


@pytest.fixture
async def empty(server_url: str) -> AsyncIterator[str]:
    """A database with nothing in it."""
    name = f"empty_{os.getpid()}"
    await stage.admin(server_url, f"create database {name}")
    yield stage.sibling(server_url, name)
    await stage.admin(server_url, f"drop database {name} with (force)")


@asynccontextmanager
async def connected(url: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    connection = await asyncpg.connect(url, server_settings={"application_name": "a guest"})
    try:
        yield connection
    finally:
        await connection.close()


async def until(true: Callable[[], Awaitable[bool]]) -> None:
    """Look until it is so."""
    async with asyncio.timeout(PATIENCE):
        while not await true():
            pass


@pytest.mark.slow
async def test_a_step_gives_way_until_it_gets_its_lock(empty: str) -> None:
    await migrate(empty, [TABLE])
    async with connected(empty) as guest, connected(empty) as watcher:
        await guest.execute("begin; select from letters")

        async def given_up() -> bool:
            """Whether a transaction of the step has already been undone."""
            return await watcher.fetchval(
                """select exists (select from pg_stat_activity
                   where datname = current_database() and query ilike 'rollback%')"""
            )

        running = asyncio.create_task(migrate(empty, [TABLE, COLUMN], HASTY))
        await until(given_up)
        await watcher.execute("insert into letters values ('nobody waits behind the step')")
        await guest.execute("commit")
        assert await running == ["0002_colour.sql"]


async def test_a_step_that_never_gets_its_lock_says_who_is_in_the_way(empty: str) -> None:
    await migrate(empty, [TABLE])
    async with connected(empty) as guest:
        await guest.execute("begin; select from letters")
        with pytest.raises(MigrationError, match=r"0002_colour.sql could not lock .* \(a guest\)"):
            await migrate(
                empty, [TABLE, COLUMN], StepTimeouts(lock_seconds=0.01, total_seconds=0.0)
            )
        await guest.execute("commit")
    assert await migrate(empty, [TABLE, COLUMN]) == ["0002_colour.sql"]


async def test_a_step_that_holds_its_locks_too_long_is_undone(empty: str) -> None:
    slow = Migration(2, "0002_slow.sql", "drop table letters; select pg_sleep(60)")
    await migrate(empty, [TABLE])
    with pytest.raises(MigrationError, match=r"0002_slow.sql held its locks"):
        await migrate(empty, [TABLE, slow], StepTimeouts(run_seconds=0.05))
    async with connected(empty) as guest:
        assert await guest.fetchval("select count(*) from letters") == 0


async def test_an_index_whose_build_was_cut_short_is_built_again(empty: str) -> None:
    await migrate(empty, [TABLE, COLUMN])
    async with connected(empty) as guest:
        await guest.execute("insert into letters values ('same'), ('same')")
        with pytest.raises(asyncpg.UniqueViolationError):
            await migrate(empty, [TABLE, COLUMN, INDEX])
        valid = "select indisvalid from pg_index where indexrelid = 'letters_address'::regclass"
        assert await guest.fetchval(valid) is False
        await guest.execute("delete from letters")
        assert await migrate(empty, [TABLE, COLUMN, INDEX]) == ["0003_index.sql"]
        assert await guest.fetchval(valid) is True


async def test_an_index_that_was_built_but_not_written_down_is_left_alone(empty: str) -> None:
    await migrate(empty, [TABLE, COLUMN, INDEX])
    async with connected(empty) as guest:
        built = await guest.fetchval("select 'letters_address'::regclass::oid")
        await guest.execute("delete from migrations where number = 3")
        assert await migrate(empty, [TABLE, COLUMN, INDEX]) == ["0003_index.sql"]
        assert await guest.fetchval("select 'letters_address'::regclass::oid") == built


@pytest.mark.slow
async def test_machines_that_migrate_together_do_not_wait_for_each_other_for_ever(
    empty: str,
) -> None:
    ran = await asyncio.gather(*[migrate(empty, [TABLE, COLUMN, INDEX]) for _ in range(4)])
    assert sorted(ran) == [[], [], [], ["0001_letters.sql", "0002_colour.sql", "0003_index.sql"]]
