"""Whoever is interrupted, or loses the connection, leaves no place of the pool behind."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from db.ending import end_unheard
from pannier.db import Database, Db, audit, connect
from pannier.db.connection_pool import Unreachable
from pannier.db.database import OutcomeUnknown, is_transient
from pannier.kit.clock import ManualClock
from program import PATIENCE
from stage import Firm

Work = Callable[[Database, Firm], Awaitable[None]]
# From before the first statement to after the commit, seen from the event loop.
MOMENTS = range(0, 240, 4)


@pytest.fixture
async def narrow(
    database_url: str, database: Database, clock: ManualClock
) -> AsyncIterator[Database]:
    """A database with a single connection: one that is lost is missed at once."""
    opened = await connect(database_url, clock=clock, keys=database.keys, size=1)
    yield opened
    await opened.close()


async def _write(database: Database, firm: Firm) -> None:
    async with database.transaction() as db:
        await db.execute("update companies set name = name where uuid = :uuid", uuid=firm.uuid)
        audit.record(db, firm.uuid, "test.written", "with a row")


async def _write_by_index(database: Database, firm: Firm) -> None:
    async with database.transaction() as db:
        await db.prefer_indexes()
        await db.execute("update companies set name = name where uuid = :uuid", uuid=firm.uuid)


async def _append(database: Database, firm: Firm) -> None:
    async with database.transaction() as db:
        audit.record(db, firm.uuid, "test.written", "alone")


async def _read(database: Database, firm: Firm) -> None:
    async with database.reading() as db:
        await db.fetch_value("select name from companies where uuid = :uuid", uuid=firm.uuid)


@pytest.mark.slow
@pytest.mark.parametrize("work", [_write, _write_by_index, _append, _read])
async def test_work_that_is_cancelled_at_any_moment_gives_its_connection_back(
    narrow: Database, acme: Firm, work: Work
) -> None:
    for moment in MOMENTS:
        task = asyncio.create_task(work(narrow, acme))
        for _ in range(moment):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        lent = await asyncio.wait_for(narrow.connections.acquire(), 30)
        planning = await lent.fetchval("show enable_seqscan")
        handed_on_open = lent.is_in_transaction()
        narrow.connections.release(lent)
        assert (handed_on_open, planning) == (False, "on"), f"after {moment} turns of the loop"


async def test_a_connection_lost_before_the_commit_leaves_its_place_to_another(
    narrow: Database, database: Database
) -> None:
    async def lose() -> None:
        async with narrow.transaction() as db:
            pid = await db.fetch_value("select pg_backend_pid()")
            async with database.reading() as killer:
                await killer.fetch_value("select pg_terminate_backend(:pid, 60000)", pid=pid)
            while not db.is_lost:  # noqa: ASYNC110 - a connection tells nobody that it is lost
                await asyncio.sleep(0)

    with pytest.raises(Unreachable):
        await lose()
    async with asyncio.timeout(PATIENCE), narrow.transaction() as db:
        assert await db.fetch_value("select 1") == 1


async def _ask(db: Db) -> None:
    await db.fetch_value("select 1")


async def _copy(db: Db) -> None:
    await db.copy_rows("sums", ["one"], [(1,)])


async def _leave(db: Db) -> None:
    """Ask nothing more, so that the commit is next."""


@pytest.mark.parametrize("further", [_ask, _copy, _leave])
@pytest.mark.parametrize("turns", range(6))
async def test_work_whose_backend_ends_is_tried_again_however_much_of_it_was_seen(
    narrow: Database,
    database_url: str,
    acme: Firm,
    turns: int,
    further: Callable[[Db], Awaitable[None]],
) -> None:
    async def work() -> None:
        async with narrow.transaction() as db:
            pid = await db.fetch_value("select pg_backend_pid()")
            await db.execute("create temporary table sums (one integer)")
            await _copy(db)  # so that later nothing but the copying itself is left to ask
            await db.execute(
                "update companies set name = 'Lost' where uuid = :uuid", uuid=acme.uuid
            )
            end_unheard(database_url, pid)
            for _ in range(turns):
                await asyncio.sleep(0)
            await further(db)

    with pytest.raises(Exception) as told:  # noqa: PT011 - which of several, the next line says
        await work()
    assert is_transient(told.value) or isinstance(told.value, OutcomeUnknown), repr(told.value)
    async with asyncio.timeout(PATIENCE), narrow.transaction() as db:
        assert (
            await db.fetch_value("select name from companies where uuid = :uuid", uuid=acme.uuid)
            != "Lost"
        )
