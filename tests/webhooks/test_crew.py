"""Workers share the lanes, and notice when one of them is gone."""

import asyncio
from collections.abc import AsyncIterator, Callable
from uuid import UUID

import asyncpg
import pytest

from pannier.db.connection_pool import Connection
from pannier.webhooks.membership import (
    MEMBER_LOCK_KEY,
    NO_MEMBER,
    SHARD_COUNT,
    SharedMembership,
    find_shard,
)
from program import PATIENCE

LANES = [UUID(int=number) for number in range(SHARD_COUNT)]


class Crews:
    """Workers of one database, who look around whenever they are told."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.all: list[SharedMembership] = []

    def hire(self, grace: float = 0.05) -> SharedMembership:
        crew = SharedMembership(self._url, interval=0, grace=grace)
        self.all.append(crew)
        return crew

    async def until(self, condition: Callable[[], bool]) -> None:
        """Let everybody look around until something holds."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                for crew in self.all:
                    await crew.refresh()
                await asyncio.sleep(0.01)


@pytest.fixture
async def crews(database_url: str) -> AsyncIterator[Crews]:
    made = Crews(database_url)
    yield made
    for crew in made.all:
        await crew.close()


def lanes(crew: SharedMembership) -> set[int]:
    return {find_shard(lane) for lane in LANES if crew.owns(lane)}


def whole(*crews: SharedMembership) -> bool:
    """Tell whether every lane has an owner, and one only."""
    return sorted(number for crew in crews for number in lanes(crew)) == list(range(SHARD_COUNT))


async def test_a_worker_alone_has_every_lane(crews: Crews) -> None:
    crew = crews.hire()
    assert not any(crew.owns(lane) for lane in LANES)
    await crews.until(lambda: whole(crew))


async def test_two_workers_have_half_of_the_lanes_each_and_none_twice(crews: Crews) -> None:
    first = crews.hire()
    await crews.until(lambda: whole(first))
    second = crews.hire()
    await crews.until(lambda: len(lanes(second)) == SHARD_COUNT // 2)
    assert whole(first, second)


@pytest.mark.slow
async def test_five_workers_leave_no_lane_without_an_owner(crews: Crews) -> None:
    workers = [crews.hire() for _ in range(5)]
    most = -(-SHARD_COUNT // 5)
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
    everybody = [NO_MEMBER, first.member_id, second.member_id]
    assert second.list_dead_senders(everybody) == []
    crews.all.remove(first)
    await first.close()
    await second.refresh()
    assert second.list_dead_senders(everybody) == [], "its connection may just have broken"
    await crews.until(lambda: second.list_dead_senders(everybody) == [first.member_id])


@pytest.mark.slow
async def test_who_has_just_come_is_not_taken_for_dead(crews: Crews) -> None:
    first = crews.hire(grace=0.2)
    await crews.until(lambda: whole(first))
    second = crews.hire()
    await second.refresh()
    # The first one has looked for long, and not since the second one came.
    assert first.list_dead_senders([second.member_id]) == []
    loop = asyncio.get_running_loop()
    ends = loop.time() + 0.5
    while loop.time() < ends:
        await first.refresh()
        assert first.list_dead_senders([second.member_id]) == []
        await asyncio.sleep(0.01)


async def test_who_cannot_look_declares_nobody_dead(crews: Crews) -> None:
    crew = crews.hire(grace=0)
    stranger = crew.member_id + 1
    assert crew.list_dead_senders([stranger]) == []
    await crew.refresh()
    assert crew.list_dead_senders([stranger]) == [stranger]
    await crew.close()
    assert crew.list_dead_senders([stranger]) == []


async def test_a_worker_whose_connection_breaks_is_back_with_its_lanes(
    crews: Crews, database_url: str
) -> None:
    crew = crews.hire()
    await crews.until(lambda: whole(crew))
    connection = await asyncpg.connect(database_url)
    try:
        before = await backend(connection, crew)
        await connection.execute("select pg_terminate_backend($1)", before)
        await crew.refresh()
        async with asyncio.timeout(PATIENCE):
            while await backend(connection, crew) in {None, before}:
                await crew.refresh()
    finally:
        await connection.close()
    await crews.until(lambda: whole(crew))


async def backend(connection: Connection, crew: SharedMembership) -> int | None:
    """Tell which of the server's processes holds a worker's own lock."""
    pid: int | None = await connection.fetchval(
        """select pid from pg_locks
           where locktype = 'advisory' and classid::bigint = $1 and objid::bigint = $2""",
        MEMBER_LOCK_KEY,
        crew.member_id,
    )
    return pid


async def test_one_who_finds_its_old_self_still_there_waits_without_a_connection(
    crews: Crews, database_url: str
) -> None:
    crew = crews.hire()
    before = await asyncpg.connect(database_url)
    try:
        await before.execute("select pg_advisory_lock($1, $2)", MEMBER_LOCK_KEY, crew.member_id)
        for _ in range(3):
            await crew.refresh()
            assert lanes(crew) == set()
        asking = """select count(*) from pg_stat_activity
                    where datname = current_database()
                      and query like '%pg_try_advisory_lock($1, $2)%'
                      and pid <> pg_backend_pid()"""
        # The server ends a session a moment after its client has left.
        async with asyncio.timeout(PATIENCE):
            while await before.fetchval(asking):
                await before.execute("select pg_sleep(0.01)")
    finally:
        await before.close()
    await crews.until(lambda: whole(crew))
