"""The step that gives events their subject's UUID fills in what was told before it."""

import os
from collections.abc import AsyncIterator
from uuid import UUID

import asyncpg
import pytest

import stage
from pannier.db.migrate import known, migrate
from pannier.kit import ids

DRIVER, NUMBER, COMPANY = (UUID(int=digit) for digit in (1, 2, 3))


@pytest.fixture
async def older(server_url: str) -> AsyncIterator[str]:
    """A database as the steps before this one left it."""
    name = f"older_{os.getpid()}"
    await stage.admin(server_url, f"create database {name}")
    url = stage.sibling(server_url, name)
    await migrate(url, [step for step in known() if step.number < 7])
    yield url
    await stage.admin(server_url, f"drop database {name} with (force)")


async def tell(connection: asyncpg.Connection, subject: str, body: str) -> None:
    await connection.execute(
        """insert into events (uuid, public_id, company, name, subject, created_at, body)
           values ($1, $2, $3, 'driver.online', $4, $5, $6)""",
        ids.new_uuid(stage.NOON), ids.new_public_id("event"), COMPANY, subject, stage.NOON,
        body.encode(),
    )  # fmt: skip


async def test_events_told_before_get_the_uuid_of_their_own_subject(older: str) -> None:
    connection = await asyncpg.connect(older)
    try:
        await connection.execute("set session_replication_role = replica")
        await tell(
            connection, "driver_1", f'{{"data":{{"public_id":"driver_1","uuid":"{DRIVER}"}}}}'
        )
        await tell(connection, "order_1", f'{{"data":{{"public_id":"track_1","uuid":"{NUMBER}"}}}}')
        await tell(connection, "order_2", '{"data":{"id":"order_2"}}')
        assert "0007_event_subjects.sql" in await migrate(older)
        rows = await connection.fetch("select subject, subject_uuid from events order by subject")
    finally:
        await connection.close()
    assert [tuple(row) for row in rows] == [
        ("driver_1", DRIVER), ("order_1", None), ("order_2", None),
    ]  # fmt: skip
