"""Workers share the lanes, and notice when one of them is gone."""

import asyncio
from collections.abc import AsyncIterator, Callable
from uuid import UUID

import asyncpg
import pytest

from pannier.db.connections import Connection
from pannier.webhooks.crew import MEMBERS, NOBODY, SHARDS, Shared, shard
from program import PATIENCE

LANES = [UUID(int=number) for number in range(SHARDS)]


class Crews:
    """Workers of one database, who look around whenever they are told."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.all: list[Shared] = []

    def hire(self, grace: float = 0.05) -> Shared:
        crew = Shared(self._url, every=0, grace=grace)
        self.all.append(crew)
        return crew

    async def until(self, condition: Callable[[], bool]) -> None:
        """Let everybody look around until something holds."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                for crew in self.all:
                    await crew.tend()
                await asyncio.sleep(0.01)


@pytest.fixture
async def crews(database_url: str) -> AsyncIterator[Crews]:
    made = Crews(database_url)
    yield made
    for crew in made.all:
        await crew.close()


def lanes(crew: Shared) -> set[int]:
    return {shard(lane) for lane in LANES if crew.owns(lane)}


def whole(*crews: Shared) -> bool:
    """Tell whether every lane has an owner, and one only."""
    return sorted(number for crew in crews for number in lanes(crew)) == list(range(SHARDS))


async def test_a_worker_alone_has_every_lane(crews: Crews) -> None:
    crew = crews.hire()
    assert not any(crew.owns(lane) for lane in LANES)
    await crews.until(lambda: whole(crew))


async def test_two_workers_have_half_of_the_lanes_each_and_none_twice(crews: Crews) -> None:
    first = crews.hire()
    await crews.until(lambda: whole(first))
    second = crews.hire()
    await crews.until(lambda: len(lanes(second)) == SHARDS // 2)
    assert whole(first, second)


@pytest.mark.slow
async def test_five_workers_leave_no_lane_without_an_owner(crews: Crews) -> None:
    workers = [crews.hire() for _ in range(5)]
    most = -(-SHARDS // 5)
    await crews.until(lambda: whole(*workers) and max(len(lanes(crew)) for crew in workers) <= most)


async def test_the_lanes_of_one_that_is_gone_go_to_the_others(crews: Crews) -> None:
    first, second = crews.hire(), crews.hire()
    await crews.until(lambda: whole(first, second) and bool(lanes(first)))
    crews.all.remove(first)
    await first.close()
    await crews.until(lambda: whole(second))


@pytest.mark.slow
async def test_who_is_gone_is_dead_after_the_grace_and_who_lives_never(crews: Crews) -> None:
    first, second = crews.hire(), crews.hire(grace=0.5)
    await crews.until(lambda: whole(first, second) and bool(lanes(first)))
    everybody = [NOBODY, first.member, second.member]
    assert second.dead(everybody) == []
    crews.all.remove(first)
    await first.close()
    await second.tend()
    assert second.dead(everybody) == [], "its connection may just have broken"
    await crews.until(lambda: second.dead(everybody) == [first.member])


@pytest.mark.slow
async def test_who_has_just_come_is_not_taken_for_dead(crews: Crews) -> None:
    first = crews.hire(grace=0.2)
    await crews.until(lambda: whole(first))
    second = crews.hire()
    await second.tend()
    # The first one has looked for long, and not since the second one came.
    assert first.dead([second.member]) == []
    loop = asyncio.get_running_loop()
    ends = loop.time() + 0.5
    while loop.time() < ends:
        await first.tend()
        assert first.dead([second.member]) == []
        await asyncio.sleep(0.01)


async def test_who_cannot_look_declares_nobody_dead(crews: Crews) -> None:
    crew = crews.hire(grace=0)
    stranger = crew.member + 1
    assert crew.dead([stranger]) == []
    await crew.tend()
    assert crew.dead([stranger]) == [stranger]
    await crew.close()
    assert crew.dead([stranger]) == []


async def test_a_worker_whose_connection_breaks_is_back_with_its_lanes(
    crews: Crews, database_url: str
) -> None:
    crew = crews.hire()
    await crews.until(lambda: whole(crew))
    connection = await asyncpg.connect(database_url)
    try:
        before = await backend(connection, crew)
        await connection.execute("select pg_terminate_backend($1)", before)
        await crew.tend()
        async with asyncio.timeout(PATIENCE):
            while await backend(connection, crew) in {None, before}:
                await crew.tend()
    finally:
        await connection.close()
    await crews.until(lambda: whole(crew))


async def backend(connection: Connection, crew: Shared) -> int | None:
    """Tell which of the server's processes holds a worker's own lock."""
    pid: int | None = await connection.fetchval(
        """select pid from pg_locks
           where locktype = 'advisory' and classid::bigint = $1 and objid::bigint = $2""",
        MEMBERS,
        crew.member,
    )
    return pid


async def test_one_who_finds_its_old_self_still_there_waits_without_a_connection(
    crews: Crews, database_url: str
) -> None:
    crew = crews.hire()
    before = await asyncpg.connect(database_url)
    await before.execute("select pg_advisory_lock($1, $2)", MEMBERS, crew.member)
    for _ in range(3):
        await crew.tend()
        assert lanes(crew) == set()
    asking = """select count(*) from pg_stat_activity
                where datname = current_database() and query like '%pg_try_advisory_lock($1, $2)%'
                  and pid <> pg_backend_pid()"""
    assert await before.fetchval(asking) == 0
    await before.close()
    await crews.until(lambda: whole(crew))
