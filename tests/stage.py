"""The stage every test plays on: a house with a clock of its own, and a small cast."""

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit, urlunsplit
from uuid import UUID

import asyncpg
import httpx
import msgspec

from library_texts import check_answer
from pannier.accounts import service, signin
from pannier.accounts.models import Company, Role
from pannier.accounts.schemas import OperatorIn
from pannier.app import create_app
from pannier.db import Database
from pannier.db.migrate import migrate
from pannier.kit import ids
from pannier.kit.clock import ManualClock
from pannier.kit.credential import Mode
from pannier.kit.passwords import Passwords
from pannier.notifications import channels
from pannier.provisioning import create_company
from pannier.routing import configuration as routing
from pannier.settings import Settings, load
from pannier.web.edge import Edge
from pannier.web.limits import RateLimiter
from pannier.web.metrics import make_token

NOON: Final = datetime(2026, 1, 15, 12, 0, tzinfo=UTC)
PASSWORD: Final = "correct horse battery"
SECRET: Final = "a secret for tests that is long enough"
Made = TypeVar("Made")
USUAL: Final = (False, httpx.USE_CLIENT_DEFAULT)  # what `send` is asked of most requests
DUSTY: Final = 250  # tests after which the tables are vacuumed


class HouseClient(httpx.AsyncClient):
    """Calls a house without a socket, and does nothing that only a socket needs.

    For redirects, streams and what signs in by itself, httpx goes its whole way.
    """

    def __init__(self, edge: Edge, address: str, headers: dict[str, str]) -> None:
        self._calls = httpx.ASGITransport(edge, client=(address, 40000))
        super().__init__(
            transport=self._calls,
            base_url="http://pannier.test",
            headers=headers,
            trust_env=False,  # Reading the proxies of the machine costs more than a small request.
        )

    async def send(self, request: httpx.Request, **asked: Any) -> httpx.Response:
        """Send a request, and read its whole answer."""
        usual = all(value in USUAL for value in asked.values())
        if self.follow_redirects or not usual:
            return await super().send(request, **asked)
        answer = await self._calls.handle_async_request(request)
        answer.request, answer.elapsed = request, timedelta()
        await answer.aread()
        check_answer(answer)
        if "set-cookie" in answer.headers:
            self.cookies.extract_cookies(answer)
        return answer


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
        """Make an HTTP client of the house."""
        if bearer is not None:
            headers["Authorization"] = f"Bearer {bearer}"
        return HouseClient(self.edge, address, headers)

    @property
    def metrics_token(self) -> str:
        """The token with which Prometheus reads the metrics."""
        return make_token(self.database.keys, self.settings.metrics_token_version)

    async def metrics(self) -> str:
        """Read the metrics as Prometheus does."""
        answer = await self.client(self.metrics_token).get("/metrics")
        assert answer.status_code == 200, answer.text
        return answer.text

    async def value(self, sql: str, **values: object) -> Any:
        """Look into the database."""
        async with self.database.reading() as db:
            return await db.fetch_value(sql, **values)

    async def found(self, name: str, mode: Mode = "live") -> "Firm":
        """Provision a company with an admin, an API key and a storefront key."""
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
    # What a test has just counted is in the metrics at once.
    settings = {"metrics_cache_seconds": "0", **settings}
    chosen = load({}, data=data, secret=SECRET, **settings)
    hasher = Passwords(memory_kib=8, passes=1)
    database.engines = routing.ConfiguredServices(chosen)
    database.base_url = chosen.base_url
    database.channels = channels.list_configured_channels(chosen)
    edge = create_app(chosen, database, RateLimiter(None, slots=1024), hasher)
    # A stream tells what there is, and ends: most callers here wait for a whole answer.
    edge.services["streams"].max_seconds = 0
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


async def create_migrated(server_url: str, name: str) -> str:
    """Create a migrated database beside others, and return its address."""
    # Ours is migrated already, and to copy it takes less than to migrate another.
    like = "" if os.environ.get("PANNIER_TEST_DATABASE_URL") else "template pannier"
    await admin(server_url, f"create database {name} {like}")
    url = sibling(server_url, name)
    await migrate(url)
    return url


async def value(url: str, sql: str) -> Any:
    """Read one value."""
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


class Broom:
    """Empties every table but the history of migrations, and puts companies back into them.

    Through a connection of its own, on which foreign keys are not looked at: then deleting a few
    rows is far cheaper than truncating, and rows that were copied come back in any order.
    """

    def __init__(self, connection: "asyncpg.Connection[Any]", tables: list[str]) -> None:
        self._connection, self._tables = connection, tables
        self._sweep = f"truncate {', '.join(tables)} cascade"
        self._keeps, self._kept = False, dict[str, tuple[Firm, str]]()
        # The values that `furnishing` returned for a kept company; kept as long as its rows.
        self._made = dict[str, Any]()
        self._swept = 0

    @classmethod
    async def at(cls, url: str) -> "Broom":
        """Look once which tables there are."""
        connection = await asyncpg.connect(url)
        rows = await connection.fetch(
            """select relname as tablename from pg_class
               where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
                 and not relispartition and relname <> 'migrations'"""
        )
        broom = cls(connection, [row["tablename"] for row in rows])
        await broom._look_away()
        return broom

    async def _look_away(self) -> None:
        """Look at no foreign keys from now on, if that is permitted."""
        try:
            await self._connection.execute("set session_replication_role = replica")
        except asyncpg.InsufficientPrivilegeError:
            return
        deletions = [f"delete from {table}" for table in self._tables]
        self._sweep, self._keeps = await self._learn("sweep", deletions), True

    async def prepare(self, house: House, *names: str) -> None:
        """Found companies whose rows are put back later, if they can be."""
        for name in names if self._keeps else ():
            await self._keep(name, await house.found(name))
            await self.sweep()

    async def _learn(self, name: str, statements: list[str], given: str = "") -> str:
        """Make a function of statements: it keeps their plans, which cost more than the doing."""
        await self._connection.execute(
            f"""create function pg_temp.{name}({given}) returns void language plpgsql
                as $$ begin {"; ".join(statements)}; end $$"""
        )
        return f"select pg_temp.{name}({'$1' if given else ''})"

    async def sweep(self) -> None:
        """Empty the tables; of deleted rows there are soon more than a test has."""
        await self._connection.execute(self._sweep)
        self._swept += 1
        if self._swept % DUSTY == 0:
            await self._connection.execute("vacuum")

    async def _keep(self, name: str, firm: Firm) -> None:
        """Copy the rows of a company that is alone in the database."""
        statements = []
        for table in self._tables:
            if await self._connection.fetchval(f"select exists (table {table})"):
                rows = f"pg_temp.{name}_{table}"
                await self._connection.execute(f"create temp table {rows} as table {table}")
                values = ", ".join(await self._renamed(table, firm.uuid))
                statements.append(
                    f"insert into {table} overriding system value select {values} from {rows}"
                )
        self._kept[name] = firm, await self._learn(f"found_{name}", statements, "uuid")

    async def _renamed(self, table: str, company: UUID) -> list[str]:
        """Name the columns of a table, with another company in place of the one that was kept."""
        rows = await self._connection.fetch(
            """select attname, atttypid = 'uuid'::regtype as names from pg_attribute
               where attrelid = $1::text::regclass and attnum > 0 and not attisdropped
               order by attnum""",
            table,
        )
        # Identifiers of one moment keep their order only while no other moment comes between them:
        # what the log says of the founding, and what was told then, is put a moment before what a
        # test does.
        told = table in {"audit_entries", "messages"}
        earlier = {"created_at": "created_at - interval '1 ms'"} if told else {}
        return [
            f"case {column} when '{company}' then $1 else {column} end"
            if names
            else earlier.get(column, column)
            for column, names in rows
        ]

    async def found(self, house: House, name: str) -> Firm:
        """Found a company; of one that was kept the rows are put back, under another uuid."""
        if name not in self._kept:
            return await house.found(name)
        firm, statement = self._kept[name]
        company = msgspec.structs.replace(firm.company, uuid=ids.new_uuid(NOON))
        await self._connection.execute(statement, company.uuid)
        return replace(firm, house=house, company=company)

    async def furnish(
        self, house: House, name: str, furnishing: Callable[[Firm], Awaitable[Made]]
    ) -> tuple[Firm, Made]:
        """Found Acme with more in it; the next time the rows are put back, if they can be.

        Return the company and what the furnishing returned. Nobody else may be in the database yet.
        """
        if name in self._kept:
            return await self.found(house, name), self._made[name]
        firm = await self.found(house, "Acme")
        made = await furnishing(firm)
        if self._keeps:
            await self._keep(name, firm)
            self._made[name] = made
        return firm, made

    async def close(self) -> None:
        await self._connection.close()


async def wipe(url: str) -> None:
    """Empty a database once."""
    broom = await Broom.at(url)
    try:
        await broom.sweep()
    finally:
        await broom.close()
