"""Leased work: one holder at a time, for a limited time, by the database's clock."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from pannier.db import Database
from pannier.jobs.leases import Lease, Leases, delay
from pannier.kit.clock import ManualClock
from stage import NOON

MINUTE = timedelta(minutes=1)


class Work(msgspec.Struct):
    uuid: UUID
    attempts: int
    due_at: datetime | None
    note: str

    @property
    def held(self) -> Lease:
        return Lease(self.uuid, self.attempts)


LEASES = Leases("leased_work")
DOUBLING = Leases("leased_work", doubles_to=timedelta(minutes=5))


@pytest.fixture(autouse=True)
async def work(database: Database) -> AsyncIterator[UUID]:
    """A piece of work that is due."""
    uuid = uuid4()
    async with database.transaction() as db:
        await db.execute(
            """create table leased_work (uuid uuid primary key, note text not null default '',
                   attempts integer not null default 0, due_at timestamptz)"""
        )
        await db.execute(
            "insert into leased_work (uuid, due_at) values (:uuid, pannier_now())", uuid=uuid
        )
    yield uuid
    async with database.transaction() as db:
        await db.execute("drop table leased_work")


async def lease(database: Database, leases: Leases = LEASES) -> Work | None:
    async with database.transaction() as db:
        found = await leases.lease(db, Work, lease=MINUTE)
    return found[0] if found else None


async def do(database: Database, verb: str, *given: Any, **more: Any) -> bool:
    async with database.transaction() as db:
        return bool(await getattr(LEASES, verb)(db, *given, **more))


async def left(database: Database) -> list[Work]:
    async with database.reading() as db:
        return await db.fetch_all(Work, "select uuid, attempts, due_at, note from leased_work")


async def test_work_has_one_holder_until_the_lease_lapses(
    database: Database, clock: ManualClock
) -> None:
    first = await lease(database)
    assert first is not None
    assert await lease(database) is None
    clock.advance(seconds=59)
    assert await lease(database) is None
    clock.advance(seconds=1)
    second = await lease(database)
    assert second is not None
    assert second.attempts == first.attempts + 1


async def test_whoever_lost_a_lease_changes_nothing(database: Database, clock: ManualClock) -> None:
    first = await lease(database)
    assert first is not None
    clock.advance(minutes=1)
    second = await lease(database)
    assert not await do(database, "extend", first.held, MINUTE)
    assert not await do(database, "retry", first.held, MINUTE)
    assert not await do(database, "park", first.held)
    assert not await do(database, "release", first.held, note="done")
    assert not await do(database, "delete", first.held)
    assert await left(database) == [second]


async def test_a_heartbeat_renews_a_lease(database: Database, clock: ManualClock) -> None:
    held = await lease(database)
    assert held is not None
    clock.advance(seconds=50)
    assert await do(database, "extend", held.held, MINUTE)
    clock.advance(seconds=50)
    assert await lease(database) is None


async def test_a_heartbeat_never_shortens_a_lease(database: Database, clock: ManualClock) -> None:
    held = await lease(database)
    assert held is not None
    assert await do(database, "extend", held.held, timedelta(seconds=1))
    clock.advance(seconds=59)
    assert await lease(database) is None


async def test_held_work_is_nobody_elses_until_the_transaction_ends_and_counts_no_attempt(
    database: Database,
) -> None:
    async with database.transaction() as db:
        held = await LEASES.lock_next(db, Work)
        assert held is not None
        async with database.transaction() as other:
            assert await LEASES.lock_next(other, Work) is None
    async with database.transaction() as db:
        again = await LEASES.lock_next(db, Work)
        assert again == held
        await LEASES.postpone(db, held.uuid, MINUTE)
    async with database.transaction() as db:
        assert await LEASES.lock_next(db, Work) is None


async def test_work_is_retried_after_a_while_and_says_why(
    database: Database, clock: ManualClock
) -> None:
    held = await lease(database)
    assert held is not None
    assert await do(database, "retry", held.held, timedelta(hours=1), note="refused")
    (after,) = await left(database)
    assert (after.due_at, after.note) == (NOON + timedelta(hours=1), "refused")
    clock.advance(minutes=59)
    assert await lease(database) is None


async def test_parked_work_is_leased_no_more(database: Database, clock: ManualClock) -> None:
    held = await lease(database)
    assert held is not None
    assert await do(database, "park", held.held)
    assert not await do(database, "extend", held.held, MINUTE)
    clock.advance(days=365)
    assert await lease(database) is None


async def test_each_lease_may_last_twice_as_long_up_to_a_bound(
    database: Database, clock: ManualClock
) -> None:
    lasted = []
    for _ in range(4):
        held = await lease(database, DOUBLING)
        assert held is not None
        assert held.due_at is not None
        lasted.append(held.due_at - clock.now())
        clock.advance(minutes=5)
    assert lasted == [MINUTE, 2 * MINUTE, 4 * MINUTE, 5 * MINUTE]


def test_after_the_last_delay_there_is_none() -> None:
    assert [delay((MINUTE, 2 * MINUTE), attempts) for attempts in (1, 2, 3)] == [
        MINUTE,
        2 * MINUTE,
        None,
    ]
