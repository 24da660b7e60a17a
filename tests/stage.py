"""The stage every test plays on: a house with a clock of its own, and a small cast."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit
from uuid import UUID

import asyncpg
import httpx

from pannier.accounts import service, signin
from pannier.accounts.models import Company, Role
from pannier.accounts.schemas import OperatorIn
from pannier.app import create
from pannier.db import Database
from pannier.founding import create_company
from pannier.kit.clock import ManualClock
from pannier.kit.credential import Mode
from pannier.kit.passwords import Passwords
from pannier.routing import configuration as routing
from pannier.settings import Settings, load
from pannier.web.edge import Edge
from pannier.web.limits import Limiter

NOON: Final = datetime(2026, 1, 15, 12, 0, tzinfo=UTC)
PASSWORD: Final = "correct horse battery"
SECRET: Final = "a secret for tests that is long enough"


@dataclass
class House:
    """A whole Pannier inside the test, with nothing replaced but the clock."""

    settings: Settings
    database: Database
    clock: ManualClock
    hasher: Passwords
    edge: Edge

    def client(
        self, bearer: str | None = None, *, address: str = "127.0.0.1", **headers: str
    ) -> httpx.AsyncClient:
        """Make a client of the house's own door."""
        if bearer is not None:
            headers["Authorization"] = f"Bearer {bearer}"
        return httpx.AsyncClient(
            transport=httpx.ASGITransport(self.edge, client=(address, 40000)),
            base_url="http://pannier.test",
            headers=headers,
        )

    async def value(self, sql: str, **values: object) -> Any:
        """Look into the database."""
        async with self.database.reading() as db:
            return await db.value(sql, **values)

    async def found(self, name: str, mode: Mode = "live") -> "Firm":
        """Found a company with an admin, an API key and a storefront key."""
        async with self.database.transaction() as db:
            company = await create_company(db, name, mode)
            api = await service.create_key(db, company.uuid, kind="api", name="Test", scopes=["*"])
            store = await service.create_key(
                db, company.uuid, kind="storefront", name="Test", scopes=["*"]
            )
        firm = Firm(self, company, api.text, store.text)
        firm.token = await firm.sign_up("admin")
        return firm


@dataclass
class Firm:
    """A company of the cast, with its credentials."""

    house: House
    company: Company
    api_key: str
    storefront_key: str
    token: str = ""

    @property
    def uuid(self) -> UUID:
        return self.company.uuid

    def email(self, role: Role) -> str:
        return f"{role}@{self.company.name.lower()}.example.com"

    async def sign_up(self, role: Role) -> str:
        """Take an operator in, and answer a token."""
        async with self.house.database.transaction() as db:
            given = OperatorIn(self.email(role), role.title(), role, PASSWORD)
            operator = await service.create_operator(db, self.house.hasher, self.uuid, given)
            return (await signin.open_session(db, operator, timedelta(days=365))).text

    @property
    def api(self) -> httpx.AsyncClient:
        """Call `/v1` with the company's API key."""
        return self.house.client(self.api_key)

    @property
    def storefront(self) -> httpx.AsyncClient:
        """Call `/storefront/v1` with the company's storefront key."""
        return self.house.client(self.storefront_key)

    @property
    def admin(self) -> httpx.AsyncClient:
        """Call `/int/v1` as the company's admin."""
        return self.house.client(self.token)

    async def operator(self, role: Role) -> httpx.AsyncClient:
        """Call `/int/v1` as a new operator of some role."""
        return self.house.client(await self.sign_up(role))


async def build(database: Database, clock: ManualClock, data: str, **settings: str) -> House:
    """Build a house around a database."""
    chosen = load({}, data=data, secret=SECRET, **settings)
    hasher = Passwords(memory_kib=8, passes=1)
    database.engines = routing.engines(chosen)
    edge = create(chosen, database, Limiter(None, slots=1024), hasher)
    return House(chosen, database, clock, hasher, edge)


def sibling(url: str, name: str) -> str:
    """Name another database of the same server."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"/{name}"))


async def admin(url: str, sql: str) -> None:
    """Run a statement outside any transaction."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(sql)
    finally:
        await connection.close()


async def value(url: str, sql: str) -> Any:
    """Read one value."""
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


class Broom:
    """Empties every table but the history of migrations, through a connection of its own."""

    def __init__(self, connection: "asyncpg.Connection[Any]", statement: str) -> None:
        self._connection, self._statement = connection, statement

    @classmethod
    async def at(cls, url: str) -> "Broom":
        """Look once which tables there are."""
        connection = await asyncpg.connect(url)
        rows = await connection.fetch(
            """select tablename from pg_tables
               where schemaname = 'public' and tablename <> 'migrations'"""
        )
        names = [row["tablename"] for row in rows]
        try:
            # Without foreign keys in the way, deleting a few rows is far cheaper than truncating.
            await connection.execute("set session_replication_role = replica")
        except asyncpg.InsufficientPrivilegeError:
            return cls(connection, f"truncate {', '.join(names)} cascade")
        # A function keeps its plans: planning as many deletions costs more than doing them.
        deletions = " ".join(f"delete from {name};" for name in names)
        await connection.execute(
            f"""create function pg_temp.sweep() returns void language plpgsql
                as $$ begin {deletions} end $$"""
        )
        return cls(connection, "select pg_temp.sweep()")

    async def sweep(self) -> None:
        """Empty the tables."""
        await self._connection.execute(self._statement)

    async def close(self) -> None:
        await self._connection.close()


async def wipe(url: str) -> None:
    """Empty a database once."""
    broom = await Broom.at(url)
    try:
        await broom.sweep()
    finally:
        await broom.close()
