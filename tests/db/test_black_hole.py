"""A network that swallows everything without a word is noticed, and the work goes on."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from blackhole import BlackHole, Mode, Stopwatch, black_hole
from pannier.db import Database, claims, connect, monitored_connection, notify_listener
from pannier.db import watchdog as watching
from pannier.db.claims import NumberClaims
from pannier.db.database import OutcomeUnknown, is_transient
from pannier.kit.clock import ManualClock
from pannier.kit.crypto import Keyring
from program import PATIENCE
from stage import NOON, SECRET, Firm

RECOVERY_SECONDS = 15.0
SUSPECT_SECONDS = 0.3


@pytest.fixture
def hole(database_url: str) -> Iterator[BlackHole]:
    with black_hole(database_url) as made:
        yield made


@pytest.fixture
def cut(hole: BlackHole, monkeypatch: pytest.MonkeyPatch) -> Callable[[Mode], None]:
    """Silence the network, and give it up sooner from then on than a real process does.

    `faults/test_black_hole.py` has the whole program keep the promise with its own waits.
    """

    def silence(mode: Mode) -> None:
        if mode != "open":  # where new connections are as slow as the machine is
            monkeypatch.setattr(monitored_connection, "CONNECT_SECONDS", 1.0)
        monkeypatch.setattr(notify_listener, "ANSWER_TIMEOUT_SECONDS", 0.5)
        monkeypatch.setattr(claims, "ANSWER_TIMEOUT_SECONDS", 1.0)
        hole.cut(mode)

    return silence


@pytest.fixture
async def behind(hole: BlackHole, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    """A database with two connections behind the proxy."""
    monkeypatch.setattr(watching, "SUSPECT_SECONDS", SUSPECT_SECONDS)
    monkeypatch.setattr(watching, "PROBE_SECONDS", PATIENCE)  # the server is there, if slowly
    monkeypatch.setattr(notify_listener, "PROBE_INTERVAL_SECONDS", 0.5)
    opened = await connect(hole.url, clock=ManualClock(NOON), keys=Keyring(SECRET), size=2)
    yield opened
    await opened.close()


def give_up_soon(database: Database) -> None:
    """Wait for the server's word a second only: nobody will say it."""
    setattr(database.connections.watchdog, "_probe_seconds", 1.0)  # noqa: B010 - from now on


async def ask(database: Database) -> int:
    async with database.reading() as db:
        return int(await db.fetch_value("select 1"))


async def warm_up(database: Database) -> None:
    """Have every connection open and idle."""
    held = [await database.connections.acquire() for _ in range(2)]
    for connection in held:
        database.connections.release(connection)


async def recover(database: Database) -> float:
    """Ask until the database answers, and return how long that took."""
    with Stopwatch() as watch:
        while True:
            try:
                await asyncio.wait_for(ask(database), PATIENCE)
            except Exception as failure:
                if not is_transient(failure):
                    raise
            else:
                return watch.seconds()


@pytest.mark.slow
async def test_idle_connections_that_died_in_silence_are_replaced(
    cut: Callable[[Mode], None], behind: Database, caplog: pytest.LogCaptureFixture
) -> None:
    await warm_up(behind)
    cut("open")
    assert await recover(behind) < RECOVERY_SECONDS
    await asyncio.gather(*(ask(behind) for _ in range(10)))
    losses = [record.getMessage() for record in caplog.records if record.name == "pannier.db"]
    assert losses == ["database connections lost: 1 in use, 1 idle"]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["silent", "refusing"])
async def test_work_fails_in_time_while_the_network_is_away_and_goes_on_when_it_is_back(
    hole: BlackHole, cut: Callable[[Mode], None], behind: Database, mode: Mode
) -> None:
    await warm_up(behind)
    cut(mode)
    give_up_soon(behind)
    with Stopwatch() as watch:
        with pytest.raises(Exception) as told:  # noqa: PT011 - which of several, the next line says
            await ask(behind)
        assert is_transient(told.value), repr(told.value)
        assert watch.seconds() < RECOVERY_SECONDS
    hole.mend()
    assert await recover(behind) < RECOVERY_SECONDS


@pytest.mark.slow
async def test_a_statement_that_the_server_is_at_work_on_is_left_alone(behind: Database) -> None:
    looked_into = 6 * SUSPECT_SECONDS
    async with behind.reading() as db:
        assert await db.fetch_value(f"select 'done' from pg_sleep({looked_into})") == "done"


@pytest.mark.slow
async def test_locks_of_a_connection_that_died_are_released(
    cut: Callable[[Mode], None], behind: Database, database: Database, acme: Firm
) -> None:
    async def hold() -> None:
        async with behind.transaction() as db:
            await db.execute("update companies set name = name where uuid = :uuid", uuid=acme.uuid)
            cut("open")
            await db.fetch_value("select 1")

    with pytest.raises(Exception) as told:  # noqa: PT011 - which of several, the next line says
        await hold()
    assert is_transient(told.value), repr(told.value)
    async with asyncio.timeout(RECOVERY_SECONDS), database.transaction() as db:
        await db.execute("update companies set name = name where uuid = :uuid", uuid=acme.uuid)


@pytest.mark.slow
async def test_a_commit_without_an_answer_is_of_unknown_outcome(
    cut: Callable[[Mode], None], behind: Database, acme: Firm
) -> None:
    async def save() -> None:
        async with behind.transaction() as db:
            await db.execute("update companies set name = name where uuid = :uuid", uuid=acme.uuid)
            cut("open")

    async with asyncio.timeout(RECOVERY_SECONDS):
        with pytest.raises(OutcomeUnknown):
            await save()


@pytest.mark.slow
async def test_whoever_listens_hears_again(cut: Callable[[Mode], None], behind: Database) -> None:
    with behind.listener.listen("tides") as bell:
        async with asyncio.timeout(RECOVERY_SECONDS):
            await bell.wait()
        bell.clear()
        cut("open")
        async with asyncio.timeout(RECOVERY_SECONDS):
            await bell.wait()


@pytest.mark.slow
async def test_claims_are_held_again_soon(hole: BlackHole, cut: Callable[[Mode], None]) -> None:
    held = NumberClaims(hole.url, 991, 4, interval=0.0)
    await held.refresh()
    assert held.owned == {0, 1, 2, 3}
    cut("open")
    async with asyncio.timeout(RECOVERY_SECONDS):
        await held.refresh()
        assert not held.owned
        while len(held.owned) < 4:
            await held.refresh()
    await held.close()


@pytest.mark.slow
async def test_connections_are_closed_in_time_whatever_the_network_does(
    cut: Callable[[Mode], None], behind: Database
) -> None:
    await warm_up(behind)
    with behind.listener.listen("tides") as bell:
        await bell.wait()
    cut("silent")
    give_up_soon(behind)
    with Stopwatch() as watch:
        await behind.close()
        assert watch.seconds() < 10
