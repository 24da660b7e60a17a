"""A connection knows how long it has waited, and the system notices when its server is gone.

Both depend on parts of asyncpg that it does not promise to keep; a new version has to pass this.
"""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable

import asyncpg
import pytest
import uvloop

from blackhole import black_hole
from pannier.db.monitored_connection import (
    SOCKET_OPTIONS,
    MonitoredConnection,
    close_connections,
    open_connection,
)
from pannier.db.watchdog import end_sessions
from probe import table
from program import PATIENCE

Question = Callable[[MonitoredConnection], Awaitable[object]]

QUESTIONS: dict[str, Question] = {
    "fetch": lambda link: link.fetch("select * from waits where number > $1", 0),
    "fetchrow": lambda link: link.fetchrow("select * from waits"),
    "fetchval": lambda link: link.fetchval("select number from waits"),
    "execute with arguments": lambda link: link.execute("insert into waits values ($1)", 1),
    "execute without arguments": lambda link: link.execute("insert into waits values (1)"),
    "executemany": lambda link: link.executemany("insert into waits values ($1)", [(1,), (2,)]),
    "copy of records": lambda link: link.copy_records_to_table("waits", records=[(1,)]),
    "copy of text": lambda link: link.copy_to_table("waits", source=_lines()),
}


async def _lines() -> AsyncIterator[bytes]:
    yield b"1\n"


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - what we wait for has no event of its own
            await asyncio.sleep(0.01)


@pytest.fixture
async def link(database_url: str) -> AsyncIterator[MonitoredConnection]:
    opened = await open_connection(database_url)
    yield opened
    await close_connections(opened)


@pytest.fixture
async def other(database_url: str) -> AsyncIterator[MonitoredConnection]:
    opened = await open_connection(database_url)
    yield opened
    await close_connections(opened)


@pytest.mark.parametrize("name", QUESTIONS)
async def test_a_connection_knows_since_when_it_waits_however_it_was_asked(
    database_url: str, link: MonitoredConnection, other: MonitoredConnection, name: str
) -> None:
    async with table(database_url, "waits", "number integer"):
        assert link.waiting_since is None
        async with other.transaction():
            await other.execute("lock table waits")
            asking = asyncio.ensure_future(QUESTIONS[name](link))
            await until(lambda: link.waiting_since is not None or asking.done())
            assert link.waiting_since is not None
            with pytest.raises(asyncpg.InterfaceError, match="another operation is in progress"):
                await link.fetchval("select 1")
        await asyncio.wait_for(asking, PATIENCE)
        assert link.waiting_since is None


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def test_the_system_notices_by_itself_that_the_server_is_gone(
    database_url: str, run: Callable[..., None]
) -> None:
    async def look(url: str) -> None:
        link = await open_connection(url)
        transport: asyncio.Transport = getattr(link, "_transport")  # noqa: B009 - as in our source
        there = os.dup(transport.get_extra_info("socket").fileno())
        with socket.socket(fileno=there) as same:
            assert same.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            for name, value in SOCKET_OPTIONS.items():
                if hasattr(socket, name):
                    assert same.getsockopt(socket.IPPROTO_TCP, getattr(socket, name)) == value
        await close_connections(link)

    with black_hole(database_url) as hole:
        run(look(hole.url))


async def test_a_session_is_ended_by_its_mark_and_no_other_is(
    link: MonitoredConnection, other: MonitoredConnection
) -> None:
    await end_sessions(other, [link.mark, 1])
    await until(link.is_closed)
    assert await other.fetchval("select 1") == 1


async def test_the_address_may_name_the_sessions(database_url: str) -> None:
    mark = "&" if "?" in database_url else "?"
    named = await open_connection(f"{database_url}{mark}application_name=berlin")
    assert await named.fetchval("show application_name") == "berlin"
    await close_connections(named)
