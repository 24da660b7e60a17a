"""A database of the first frozen version, with the demo's data, is upgraded under load.

The program of that version is not here. What it would do is: statements that name exactly the
columns of its schema read, change and add rows of every table, before, during and after the
migrations. Afterwards the present program works beside them on the same database.
"""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, TypeAlias

import asyncpg
import pytest

import stage
from pannier.db import connect
from pannier.db.migrate import list_migrations, migrate
from pannier.demo.seeding import seed
from pannier.demo.simulation import DemoSimulation
from pannier.devices.writer import Writer
from pannier.files.storage import make_storage
from pannier.kit.clock import ManualClock
from pannier.kit.crypto import Keyring
from program import PATIENCE
from stage import Firm, House

pytestmark = pytest.mark.slow

NAME = "City"
# The tables of the first version, each with its columns that can be written, identities last.
COLUMNS = """
    select c.relname, array_agg(a.attname::text order by a.attidentity, a.attnum)
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition and c.relname <> 'migrations'
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by 1 order by 1"""
# What a later step has dropped, by its exemption in that step.
DROPPED_TABLES = {"transaction_items"}
# Tables whose rows the traffic of this test changes, and how.
CHANGED = {
    "device_changes": "counts each change of a device",
    "keys": "the present program notes when a key was used",
}
# New rows that an old process adds all the time, with what must differ.
ADDED = {"contacts": ("uuid", "public_id"), "places": ("uuid", "public_id")}

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"
Columns: TypeAlias = dict[str, list[str]]


@pytest.fixture
async def city(house: House) -> Firm:
    """The demo's company, with its history and a day of device events."""
    firm = await house.found(NAME, mode="test")
    async with house.database.transaction() as db:
        await seed(db, firm.uuid)
    writer = Writer(house.database, house.settings)
    storage = make_storage(house.settings)
    simulation = DemoSimulation(house.database, house.settings, storage, writer, name=NAME)
    await simulation.step()
    await simulation.close()
    await writer.close()
    return firm


@pytest.fixture
async def first_url(server_url: str) -> AsyncIterator[str]:
    """A database of the first frozen version."""
    name = f"first_{os.getpid()}"
    await stage.admin(server_url, f"create database {name}")
    url = stage.sibling(server_url, name)
    await migrate(url, list_migrations()[:1])
    yield url
    await stage.admin(server_url, f"drop database {name} with (force)")


async def read_columns(connection: Connection) -> Columns:
    return {table: list(names) for table, names in await connection.fetch(COLUMNS)}


async def copy_over(source: Connection, target: Connection) -> Columns:
    """Copy all rows into the first version's tables, and return what they had in common."""
    present = await read_columns(source)
    shared: Columns = {}
    await target.execute("set session_replication_role = replica")
    for table, names in (await read_columns(target)).items():
        if table in DROPPED_TABLES:
            assert table not in present
            continue
        shared[table] = [name for name in names if name in present[table]]
        listed = ", ".join(shared[table])
        rows = [tuple(row) for row in await source.fetch(f"select {listed} from {table}")]
        await target.copy_records_to_table(table, records=rows, columns=shared[table])
    await target.execute("reset session_replication_role")
    return shared


async def read_rows(connection: Connection, columns: Columns) -> dict[str, Counter[str]]:
    """Read the rows of all tables, as texts."""
    return {
        table: Counter(
            row[0]
            for row in await connection.fetch(f"select row({', '.join(names)})::text from {table}")
        )
        for table, names in columns.items()
    }


class OldProcess:
    """Goes round the tables with statements that name the columns of the first version."""

    def __init__(self, url: str, columns: Columns) -> None:
        self._url, self._columns = url, columns
        self.rounds, self.stopping = 0, False

    async def work(self) -> None:
        connection = await asyncpg.connect(self._url)
        while not self.stopping:
            for table, names in self._columns.items():
                await self._retry(connection, self._visit, table, names)
            self.rounds += 1
        await connection.close()

    async def _retry(self, connection: Connection, visit: Any, *given: Any) -> None:
        """Try again, as a process does whose prepared statement met a changed table."""
        for attempt in range(3):
            try:
                return await visit(connection, *given)
            except asyncpg.InvalidCachedStatementError:
                assert attempt < 2
        return None

    async def _visit(self, connection: Connection, table: str, names: list[str]) -> None:
        listed = ", ".join(names)
        await connection.fetch(f"select {listed} from {table} limit 5")
        await connection.execute(
            f"""update {table} set {names[0]} = {names[0]}
                where ctid = (select ctid from {table} limit 1 for update skip locked)"""
        )
        if table in ADDED:
            values = [
                {"uuid": "gen_random_uuid()", "public_id": "'old_' || gen_random_uuid()"}.get(
                    name if name in ADDED[table] else "", name
                )
                for name in names
            ]
            await connection.execute(
                f"insert into {table} ({listed}) select {', '.join(values)} from {table} limit 1"
            )

    async def go_round(self, times: int = 2) -> None:
        """Wait until everything has been visited again."""
        wanted = self.rounds + times
        async with asyncio.timeout(PATIENCE):
            while self.rounds < wanted:  # noqa: ASYNC110 - the event is many
                await asyncio.sleep(0.01)


async def test_the_first_version_is_upgraded_with_all_its_data_while_it_works(
    city: Firm, database_url: str, first_url: str, clock: ManualClock, tmp_path: Path
) -> None:
    source, target = await asyncpg.connect(database_url), await asyncpg.connect(first_url)
    columns = await copy_over(source, target)
    before = await read_rows(target, columns)
    assert before == await read_rows(source, columns)
    assert sum(bool(rows) for rows in before.values()) > 40
    assert len(before["device_events"]) > 1000

    old = OldProcess(first_url, columns)
    async with asyncio.TaskGroup() as group:
        group.create_task(old.work())
        await old.go_round()
        steps = list_migrations()
        assert await migrate(first_url) == [step.name for step in steps[1:]]
        await old.go_round()
        new = await connect(first_url, clock=clock, keys=Keyring(stage.SECRET), size=2)
        upgraded = await stage.build(new, clock, str(tmp_path))
        assert (await upgraded.client().get("/readyz")).status_code == 200
        client = upgraded.client(city.api_key)
        for path in ("/v1/orders", "/v1/drivers", "/v1/proofs", "/v1/places"):
            mine = await city.api.get(path, params={"limit": 100})
            theirs = await client.get(path, params={"limit": 100})
            assert theirs.status_code == 200, theirs.text
            known = {row["id"] for row in theirs.json() if not row["id"].startswith("old_")}
            assert known <= {row["id"] for row in mine.json()}, path
            assert known, path
        place = {"name": "Depot", "location": {"latitude": 52.5, "longitude": 13.4}}
        assert (await client.post("/v1/places", json=place)).status_code == 201
        await old.go_round()
        old.stopping = True
    after = await read_rows(target, columns)
    lost = {table: rows - after[table] for table, rows in before.items() if rows - after[table]}
    assert lost.keys() == CHANGED.keys(), lost
    assert all(len(after[table]) == len(before[table]) for table in CHANGED)
    added = {table: len(after[table] - before[table]) for table in ADDED}
    assert all(count >= 4 for count in added.values()), added
    await new.close()
    await source.close()
    await target.close()
