"""Workers share the lanes, and notice when one of them is gone."""

import asyncio
from collections.abc import AsyncIterator, Callable
from uuid import uuid4

import asyncpg
import pytest

from pannier.webhooks.crew import NOBODY, SHARDS, Shared, shard

LANES = [uuid4() for _ in range(400)]


class Crews:
    """Workers of one database, who look around whenever they are told."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.all: list[Shared] = []

    def hire(self, grace: float = 0.05) -> Shared:
        crew = Shared(self._url, every=0, grace=grace)
        self.all.append(crew)
        return crew

    async def look(self, *crews: Shared, rounds: int = 3) -> None:
        for _ in range(rounds):
            for crew in crews:
                await crew.tend()


@pytest.fixture
async def crews(database_url: str) -> AsyncIterator[Crews]:
    made = Crews(database_url)
    yield made
    for crew in made.all:
        await crew.close()


def lanes(crew: Shared) -> set[int]:
    return {shard(lane) for lane in LANES if crew.owns(lane)}


async def until(condition: Callable[[], bool], crew: Shared) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.02)
            await crew.tend()


async def test_a_worker_alone_has_every_lane(crews: Crews) -> None:
    crew = crews.hire()
    assert not any(crew.owns(lane) for lane in LANES)
    await crew.tend()
    assert all(crew.owns(lane) for lane in LANES)


async def test_two_workers_have_half_of_the_lanes_each_and_none_twice(crews: Crews) -> None:
    first, second = crews.hire(), crews.hire()
    await first.tend()
    await crews.look(first, second)
    assert lanes(first) & lanes(second) == set()
    assert len(lanes(first) | lanes(second)) == SHARDS
    assert len(lanes(first)) == len(lanes(second)) == SHARDS // 2


async def test_five_workers_leave_no_lane_without_an_owner(crews: Crews) -> None:
    workers = [crews.hire() for _ in range(5)]
    await crews.look(*workers, rounds=6)
    owned = [number for crew in workers for number in lanes(crew)]
    assert sorted(owned) == list(range(SHARDS))
    assert max(len(lanes(crew)) for crew in workers) <= -(-SHARDS // 5)


async def test_the_lanes_of_one_that_is_gone_go_to_the_others(crews: Crews) -> None:
    first, second = crews.hire(), crews.hire()
    await crews.look(first, second)
    await first.close()
    await until(lambda: len(lanes(second)) == SHARDS, second)


async def test_who_is_gone_is_known_after_the_grace_and_who_lives_never_counts_as_gone(
    crews: Crews,
) -> None:
    first, second = crews.hire(), crews.hire(grace=0.3)
    await crews.look(first, second)
    assert second.alive() is None, "it has not looked for long enough to tell"
    await until(lambda: second.alive() is not None, second)
    await crews.look(first, second, rounds=1)
    assert set(second.alive() or ()) == {NOBODY, first.member, second.member}
    await first.close()
    await second.tend()
    assert first.member in (second.alive() or ()), "its connection may just have broken"
    await until(lambda: first.member not in (second.alive() or ()), second)
    assert second.member in (second.alive() or ())


async def test_a_worker_whose_connection_breaks_stops_and_comes_back(
    crews: Crews, database_url: str
) -> None:
    crew = crews.hire()
    await crew.tend()
    connection = await asyncpg.connect(database_url)
    try:
        await connection.execute(
            """select pg_terminate_backend(pid) from pg_locks
               where locktype = 'advisory' and pid <> pg_backend_pid()
                 and database = (select oid from pg_database where datname = current_database())"""
        )
    finally:
        await connection.close()
    await crew.tend()
    await until(lambda: all(crew.owns(lane) for lane in LANES), crew)
