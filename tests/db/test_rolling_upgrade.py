"""The next release's migrations run under this program while it works, and it goes on working.

There is no older program here to put on top of newer tables. So it is the other way round: the
present one is the older, and the steps that a next release might bring are made up, for every
table there is.
"""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path
from typing import Any, Final

import asyncpg
import pytest

import stage
from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from pannier.db import Db, connect
from pannier.db.migrate import Migration, list_migrations, migrate
from pannier.db.migration_rules import find_violations
from pannier.events import relay
from pannier.events.models import Event
from pannier.kit.clock import SystemClock
from pannier.kit.crypto import Keyring
from pannier.subscribers import SUBSCRIBERS
from pannier.worker import Job, Worker
from program import PATIENCE
from stage import Firm

pytestmark = pytest.mark.slow

LOADERS: Final = 2
TABLES: Final = """select relname from pg_class
                   where relnamespace = 'public'::regnamespace and relkind = 'r'
                     and not relispartition and relname <> 'migrations' order by 1"""
# What is in parts gets its column as a whole, and no index beside: PostgreSQL has no way for that.
IN_PARTS: Final = "alter table device_events add column next_note text"


def next_release(tables: list[str]) -> list[Migration]:
    """Give every table all that may be given to a table: columns, an index, a `not null`."""
    steps = count(list_migrations()[-1].number + 1)
    columns = [
        f"""alter table {table} add column next_note text,
                add column next_weight integer not null default 7,
                add column next_word text default 'said',
                add constraint next_said check (next_word is not null) not valid"""
        for table in tables
    ]
    beside = [
        f"""create index concurrently if not exists {table}_next on {table} (next_note);
            alter table {table} validate constraint next_said"""
        for table in tables
    ]
    not_null = [
        f"alter table {table} alter column next_word set not null, drop constraint next_said"
        for table in tables
    ]
    files = [*columns, IN_PARTS, "-- outside a transaction\n" + ";\n".join(beside), *not_null]
    return [
        Migration(number, f"{number:04}_next.sql", sql)
        for sql, number in zip(files, steps, strict=False)
    ]


class Load:
    """People at work: each goes round until told to stop, and everything they get is kept."""

    def __init__(self, firm: Firm, lists: list[str]) -> None:
        self.firm, self.shop, self.lists = firm, Shop(firm), lists
        self.orders: dict[str, str] = {}
        self.rounds: Counter[int] = Counter()
        self.stopping = False

    async def call(self, method: str, path: str, **body: Any) -> Any:
        client = self.firm.api if path.startswith("/v1") else self.firm.admin
        answer = await client.request(method, path, json=body or None)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json()

    async def round(self, who: int, driver: str) -> None:
        """Place an order with a contact and stops, drive it, change it, and read every list."""
        contact = await self.call("POST", "/v1/contacts", name="Grace", phone="+6591234567")
        order = await self.call(
            "POST", "/v1/orders", customer=contact["id"], customer_type="contact", driver=driver,
            payload={
                "waypoints": [{"place": place} for place in (RAFFLES, MANDAI, CHANGI)],
                "entities": [{"name": f"Parcel {number}"} for number in range(3)],
            },
        )  # fmt: skip
        note = f"Round {self.rounds[who]} of {who}"
        await self.call("PATCH", f"/v1/orders/{order['id']}", notes=note)
        self.orders[order["id"]] = note
        await self.call("GET", f"/v1/orders/{order['id']}")
        await self.call("POST", f"/v1/orders/{order['id']}/dispatch")
        await self.call("POST", "/v1/issues", report="A flat tyre.", priority="low")
        await self.call("POST", "/int/v1/keys", kind="api", name="Another")
        for path in self.lists:
            await self.call("GET", path)

    async def work(self, who: int) -> None:
        driver = await self.shop.driver()
        while not self.stopping:
            await self.round(who, driver["id"])
            self.rounds[who] += 1

    async def until_all_went_round(self) -> None:
        """Wait until everybody has done a whole round that began after this."""
        wanted = {who: self.rounds[who] + 2 for who in range(LOADERS)}
        async with asyncio.timeout(PATIENCE):
            while any(self.rounds[who] < wanted[who] for who in wanted):  # noqa: ASYNC110 - the event is many
                await asyncio.sleep(0.01)


@pytest.fixture
async def url(server_url: str) -> AsyncIterator[str]:
    """A database that may be changed."""
    name = f"rolling_{os.getpid()}"
    yield await stage.create_migrated(server_url, name)
    await stage.admin(server_url, f"drop database {name} with (force)")


@pytest.fixture
async def firm(url: str, tmp_path: Path) -> AsyncIterator[Firm]:
    """A company in a house on that database."""
    database = await connect(url, clock=SystemClock(), keys=Keyring(stage.SECRET))
    house = await stage.build(
        database, SystemClock(), str(tmp_path),
        address_rate="1000000", credential_rate="1000000",
    )  # fmt: skip
    yield await house.found("Acme")
    await database.close()


async def lists(firm: Firm) -> list[str]:
    """Every path that reads without being told what, as far as the company's own keys open it."""
    document = (await firm.house.client().get("/openapi.json")).json()
    found = []
    for path, methods in document["paths"].items():
        client = firm.api if path.startswith("/v1/") else firm.admin
        readable = "get" in methods and "{" not in path and path.startswith(("/v1/", "/int/"))
        answer = await client.get(path) if readable else None
        if answer and answer.is_success and answer.headers["content-type"] == "application/json":
            found.append(path)
    assert len(found) > 20
    return found


async def test_traffic_goes_on_while_the_next_release_migrates(firm: Firm, url: str) -> None:
    heard: set[str] = set()

    async def hear(_: Db, events: list[Event]) -> None:
        heard.update(event.subject for event in events)

    async def relayed() -> bool:
        return await relay.Relay(firm.house.database, (*SUBSCRIBERS, hear)).step()

    connection = await asyncpg.connect(url)
    tables = [row[0] for row in await connection.fetch(TABLES)]
    steps = next_release(tables)
    assert find_violations([*list_migrations(), *steps]) == []
    await Shop(firm).post("webhooks", url="https://receiver.example.com", events=["*"])
    load = Load(firm, await lists(firm))
    worker = Worker(firm.house.database, [Job("relay", relayed, 0.05)])
    async with asyncio.TaskGroup() as group:
        group.create_task(worker.run())
        for who in range(LOADERS):
            group.create_task(load.work(who))
        await load.until_all_went_round()
        before = {row[0] for row in await connection.fetch("select public_id from orders")}
        assert await migrate(url, [*list_migrations(), *steps]) == [step.name for step in steps]
        await load.until_all_went_round()
        load.stopping = True
        worker.stop()
    while await relayed():
        pass
    rows = await connection.fetch("select public_id, notes, next_weight, next_word from orders")
    await connection.close()
    assert {row["public_id"]: row["notes"] for row in rows} == load.orders
    assert {row["public_id"] for row in rows} > before
    assert {(row["next_weight"], row["next_word"]) for row in rows} == {(7, "said")}
    assert set(load.orders) <= heard
