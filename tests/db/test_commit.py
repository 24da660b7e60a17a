"""What happens at the end of a transaction: logs are written, then bells rung; or neither."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import datetime
from uuid import UUID, uuid4

import asyncpg
import msgspec
import pytest

from pannier.db import audit
from pannier.db.batches import MAX_INSERTED_ROWS
from pannier.events import outbox
from pannier.events.catalog import Name
from program import PATIENCE
from stage import Firm, House

WRITTEN = "from audit_entries where action = 'test.written'"


class Ear:
    """Listens to what is rung, and knows when everything before a moment has been heard."""

    def __init__(self, connection: "asyncpg.Connection[asyncpg.Record]", house: House) -> None:
        self._connection, self._house = connection, house
        # Each its own: what an earlier one rang may still be on its way.
        self.channel = f"pannier_test_{uuid4().hex}"
        self.heard = 0
        self._rung, self._ended = asyncio.Event(), asyncio.Event()

    async def begin(self) -> None:
        await self._connection.add_listener(self.channel, self._ring)
        await self._connection.add_listener(f"{self.channel}_end", lambda *_: self._ended.set())

    def _ring(self, *_: object) -> None:
        self.heard += 1
        self._rung.set()

    async def ring(self) -> None:
        await asyncio.wait_for(self._rung.wait(), PATIENCE)
        self._rung.clear()

    async def silence(self) -> None:
        """Wait until every notice that was sent before now has arrived."""
        async with self._house.database.transaction() as db:
            await db.execute(f"select pg_notify('{self.channel}_end', '')")
        await asyncio.wait_for(self._ended.wait(), PATIENCE)
        self._ended.clear()


@pytest.fixture
async def ear(house: House, database_url: str) -> AsyncIterator[Ear]:
    connection = await asyncpg.connect(database_url)
    listening = Ear(connection, house)
    await listening.begin()
    yield listening
    await connection.close()


async def test_a_bell_rings_after_the_commit(house: House, ear: Ear) -> None:
    async with house.database.transaction() as db:
        db.notify(ear.channel)
        await db.fetch_value("select 1")
        await ear.silence()
        assert ear.heard == 0
    await ear.ring()


async def test_a_bell_of_what_was_undone_never_rings(house: House, ear: Ear) -> None:
    with suppress(LookupError):
        async with house.database.transaction() as db:
            db.notify(ear.channel)
            await db.fetch_value("select 1")
            raise LookupError
    await ear.silence()
    assert ear.heard == 0


async def test_many_commits_ring_a_few_times_and_the_last_is_heard(
    house: House, ear: Ear, acme: Firm
) -> None:
    for number in range(200):
        async with house.database.transaction() as db:
            audit.record(db, acme.uuid, "test.written", f"number {number}")
            db.notify(ear.channel)
    seen = 0
    while seen < 200:
        await ear.ring()
        seen = await house.value(f"select count(*) {WRITTEN}")
    assert ear.heard < 200


class Told(msgspec.Struct):
    """The data of an event."""

    number: int


@pytest.mark.parametrize("count", [1, 3, 100])
async def test_appended_rows_are_written_in_their_order_by_one_statement(
    house: House, acme: Firm, count: int
) -> None:
    async with house.database.transaction() as db:
        audit.record(db, acme.uuid, "test.written", "beside")
        for number in range(count):
            await outbox.emit(db, acme.uuid, Name.ORDER_UPDATED, Told(number), subject=str(number))
        assert await db.fetch_value("select count(*) from events") == 0
    async with house.database.reading() as db:
        told = await db.fetch_value(
            """select array_agg(subject order by position)
               from event_queue q join events e on e.uuid = q.event"""
        )
        commands = await db.fetch_value(
            f"""select count(distinct cmin::text) from (
                select cmin from events union all select cmin from event_queue
                union all select cmin {WRITTEN}) written"""
        )
    assert told == [str(number) for number in range(count)]
    assert commands == (1 if count <= MAX_INSERTED_ROWS else 3)


async def test_what_was_appended_after_a_mark_goes_with_it(house: House, acme: Firm) -> None:
    async with house.database.transaction() as db:
        audit.record(db, acme.uuid, "test.kept", "before")
        await db.set_savepoint()
        audit.record(db, acme.uuid, "test.lost", "after")
        await db.roll_back_to_savepoint()
    assert await house.value("select count(*) from audit_entries where action = 'test.kept'") == 1
    assert await house.value("select count(*) from audit_entries where action = 'test.lost'") == 0


@pytest.mark.parametrize("begun", [False, True])
async def test_a_failed_statement_is_undone_to_a_mark_whether_the_transaction_had_begun_or_not(
    house: House, *, begun: bool
) -> None:
    async with house.database.transaction() as db:
        if begun:
            await db.fetch_value("select 1")
        await db.set_savepoint()
        for _ in range(2):
            with pytest.raises(asyncpg.DivisionByZeroError):
                await db.fetch_value("select 1 / 0")
            await db.roll_back_to_savepoint()
        assert await db.fetch_value("select 1") == 1


class Row(msgspec.Struct):
    """A row that no table takes."""

    uuid: UUID
    company: UUID
    created_at: datetime


async def test_a_log_that_cannot_be_written_undoes_everything(house: House, acme: Firm) -> None:
    async def write() -> None:
        async with house.database.transaction() as db:
            audit.record(db, acme.uuid, "test.lost", "with the rest")
            db.append("audit_entries", Row(db.new_uuid(), acme.uuid, db.now))

    serving = await house.value("select pg_backend_pid()")
    with pytest.raises(asyncpg.PostgresError):
        await write()
    assert await house.value("select count(*) from audit_entries where action = 'test.lost'") == 0
    # The connection is whole again for whoever gets it next, and still the same one.
    async with house.database.transaction() as db:
        assert await db.fetch_value("select pg_backend_pid()") == serving


@pytest.mark.parametrize("count", [1, MAX_INSERTED_ROWS + 1])
async def test_an_item_that_cannot_be_kept_leaves_nothing_and_costs_nobody_a_connection(
    house: House, acme: Firm, count: int
) -> None:
    serving = await house.value("select pg_backend_pid()")
    body = {
        "pickup": "1 Raffles Place, Singapore", "dropoff": "80 Mandai Lake Road, Singapore",
        "entities": [{"name": "Half a\0name"}] * count,
    }  # fmt: skip
    for path in ("orders", "payloads"):
        for headers in ({}, {"Idempotency-Key": path}, {"Idempotency-Key": path}):
            answer = await acme.api.post(f"/v1/{path}", json=body, headers=headers)
            assert answer.status_code == 422, answer.text
            assert answer.json()["code"] == "validation_failed"
    assert await house.value("select count(*) from payloads") == 0
    assert await house.value("select pg_backend_pid()") == serving


@pytest.mark.parametrize("begun", [False, True])
async def test_a_transaction_finds_by_index_to_its_end_whether_it_has_begun_or_not(
    house: House, *, begun: bool
) -> None:
    planning = "select current_setting('enable_seqscan') || current_setting('plan_cache_mode')"
    async with house.database.transaction() as db:
        if begun:
            assert await db.fetch_value(planning) == "onauto"
        await db.prefer_indexes()
        assert await db.fetch_value(planning) == "offforce_generic_plan"
    assert await house.value(planning) == "onauto"
