"""Of several database servers, the one that accepts writes is used, whatever the others do."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

import stage
from blackhole import BlackHole, Stopwatch, black_hole
from pannier.db import Database, connect, hosts
from pannier.db.connection_pool import Unreachable
from pannier.db.database import is_transient
from pannier.kit.clock import ManualClock
from pannier.kit.crypto import Keyring
from stage import NOON, SECRET, Firm, House

RECOVERY_SECONDS = 15.0


@pytest.fixture
def servers(database_url: str) -> Iterator[list[BlackHole]]:
    """Two ways to the database, as if they were two servers."""
    with ExitStack() as stack:
        yield [stack.enter_context(black_hole(database_url)) for _ in range(2)]


def both(servers: list[BlackHole]) -> str:
    """Name both servers in one address."""
    parts = urlsplit(servers[0].url)
    credentials, at, _ = parts.netloc.rpartition("@")
    names = ",".join(f"127.0.0.1:{server.port}" for server in servers)
    return parts._replace(netloc=f"{credentials}{at}{names}").geturl()


async def opened(url: str) -> Database:
    return await connect(url, clock=ManualClock(NOON), keys=Keyring(SECRET), size=2)


async def ask(database: Database) -> int:
    async with database.reading() as db:
        return int(await db.fetch_value("select 1"))


def test_each_server_gets_an_address_that_wants_writes() -> None:
    assert hosts.split_hosts("postgresql://a@one/db?x=1") == ["postgresql://a@one/db?x=1"]
    assert hosts.split_hosts("postgresql:///db?host=/tmp/x") == ["postgresql:///db?host=/tmp/x"]
    assert hosts.split_hosts("postgresql://a:b@one:1,[::1]:2/db") == [
        "postgresql://a:b@one:1/db?target_session_attrs=read-write",
        "postgresql://a:b@[::1]:2/db?target_session_attrs=read-write",
    ]
    assert hosts.split_hosts("postgresql://one,two/db?target_session_attrs=any")[1] == (
        "postgresql://two/db?target_session_attrs=any"
    )


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["silent", "refusing"])
async def test_a_server_that_is_away_holds_up_nobody(servers: list[BlackHole], mode: str) -> None:
    servers[0].cut("silent" if mode == "silent" else "refusing")
    with Stopwatch() as watch:
        database = await opened(both(servers))
        assert await ask(database) == 1
        assert watch.seconds() < 4
    with Stopwatch() as watch:  # the other one is known by now
        connections = [await database.connections.acquire() for _ in range(2)]
        assert watch.seconds() < 1
    for connection in connections:
        database.connections.release(connection)
    await database.close()


async def test_while_no_server_accepts_writes_work_is_told_to_wait(
    server_url: str,
) -> None:
    name = f"standby_{os.getpid()}"
    url = await stage.create_migrated(server_url, name)
    try:
        with black_hole(url) as one, black_hole(url) as two:
            await stage.admin(
                server_url, f"alter database {name} set default_transaction_read_only = on"
            )
            with pytest.raises(Unreachable, match="accepts writes") as told:
                await opened(both([one, two]))
            assert is_transient(told.value)
            await stage.admin(
                server_url, f"alter database {name} reset default_transaction_read_only"
            )
            database = await opened(both([one, two]))
            assert await ask(database) == 1
            await database.close()
    finally:
        await stage.admin(server_url, f"drop database {name} with (force)")


async def test_sessions_of_a_server_that_became_a_standby_are_replaced(
    acme: Firm, house: House
) -> None:
    pool = house.database.connections
    connections = await asyncio.gather(*(pool.acquire() for _ in range(8)))
    for connection in connections:
        await connection.execute("set default_transaction_read_only = on")
        pool.release(connection)
    place = {"name": "Depot", "location": {"latitude": 52.5, "longitude": 13.4}}
    assert (await acme.api.post("/v1/places", json=place)).status_code == 201
    assert all(connection.is_closed() for connection in connections)
