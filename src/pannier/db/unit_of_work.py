"""A unit of work: the reads and writes of one transaction, and when they reach PostgreSQL."""

from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, Final, TypeAlias, TypeVar
from uuid import UUID

import msgspec

from pannier.db import batches
from pannier.db import sql as text
from pannier.db.actor import Actor
from pannier.db.batches import Altered
from pannier.db.clock import ClockWrong
from pannier.db.connections import CONFUSED, Connection
from pannier.db.plans import BY_INDEX
from pannier.db.source import ConnectionSource
from pannier.errors import NotFound, Problem
from pannier.kit import ids

Row = TypeVar("Row", bound=msgspec.Struct)
# Names of those that somebody reads.
Tables: TypeAlias = Collection[str]

# What PostgreSQL says of a query that found one row.
ONE_FOUND: Final = "SELECT 1"


class UnitOfWork:
    """Reads and writes of a single transaction, whose connection is taken when first needed.

    A reading one opens no transaction: each of its statements sees what is committed,
    which is all that a transaction at PostgreSQL's default level would give.
    """

    def __init__(
        self, source: ConnectionSource, *, writes: bool, actor: Actor | None = None
    ) -> None:
        self._source = source
        self.now: datetime = source.clock.now()
        self.writes = writes
        # What is read once and asked for often, such as a company's settings.
        self.known: dict[Any, Any] = {}
        # Whoever is behind what is done here; a request's door says so when it lets them in.
        self.actor = actor or source.actor
        self._connection: Connection | None = None
        self._begun = False
        # Whether a transaction was begun in which nothing was asked yet.
        self._untouched = False
        self._beginning = "begin"
        self._appended: list[tuple[str, msgspec.Struct]] = []
        # New rows and changes that are written before somebody could miss them, or at the end.
        self._added: list[tuple[str, msgspec.Struct]] = []
        self._altered: Altered = {}
        self._mark = 0
        # How many rows: whoever works in batches may judge by it how large they should be.
        self.inserted = 0
        self.rung: set[str] = set()
        # Whether the commit was asked for: from then on, silence says nothing about the outcome.
        self.committing = False

    async def _connected(self, of_tables: Tables | None = None) -> Connection:
        """Answer the connection, with all written that a reader of these tables may meet."""
        connection = await self._take_connection()
        if of_tables is not None and not self._waits_for(of_tables):
            return connection
        if self._added:
            added, self._added = batches.by_table(self._added), []
            await batches.add(connection, added)
        if self._altered:
            altered, self._altered = self._altered, {}
            await batches.write(connection, altered)
        return connection

    async def _take_connection(self) -> Connection:
        """Answer the connection, in a transaction if this writes."""
        self._untouched = False
        if self._connection is None:
            self._connection = await self._source.take()
            if self.writes:
                # Said first: whoever is interrupted here may have begun all the same.
                self._begun = True
                await self._connection.execute(self._beginning)
        return self._connection

    async def require_safe_clock(self) -> None:
        """Refuse to go on where this machine's clock is too wrong to lease or delete anything."""
        # Whoever takes a connection compares the clocks.
        await self._take_connection()
        if not self._source.clock.is_safe():
            raise ClockWrong

    def _waits_for(self, tables: Tables) -> bool:
        """Tell whether something is still to be written into one of these tables."""
        return any(name in tables for name, _ in self._added) or any(
            name in tables for name, *_ in self._altered
        )

    async def find_by_index(self) -> None:
        """Have the rest of the transaction find rows by index, with plans that are made once.

        Said first, it goes out with the beginning: of a small transaction, its own way is a tenth.
        """
        self._must_write()
        if BY_INDEX in self._beginning:
            return
        if self._connection is None:
            # Before a mark, so that going back to the mark does not undo it.
            self._beginning = self._beginning.replace("begin", f"begin; {BY_INDEX}", 1)
        else:
            await self._connection.execute(BY_INDEX)

    async def begin_where(self, sql: str) -> bool:
        """Begin, and tell by the same message whether a query without values finds a row."""
        self._must_write()
        if self._connection is not None:
            return await (await self._connected()).execute(sql) == ONE_FOUND
        self._connection = await self._source.take()
        self._begun = self._untouched = True
        return await self._connection.execute(f"{self._beginning}; {sql}") == ONE_FOUND

    async def rest(self) -> None:
        """Let the connection go before something slow is waited for, if nothing was done yet."""
        if self._untouched:
            await self.finish(commit=False)

    async def find(
        self,
        into: type[Row],
        sql: str,
        *,
        of_tables: Tables | None = None,
        **values: object,
    ) -> Row | None:
        """Read one row, or None.

        Who reads `of_tables` alone leaves what is written soon elsewhere to whom it concerns.
        """
        statement, names = text.positional(sql)
        connection = await self._connected(of_tables)
        record = await connection.fetchrow(statement, *[values[name] for name in names])
        return None if record is None else msgspec.convert(dict(record), into)

    async def one(
        self,
        into: type[Row],
        sql: str,
        *,
        of_tables: Tables | None = None,
        **values: object,
    ) -> Row:
        """Read one row, or refuse with NotFound."""
        row = await self.find(into, sql, of_tables=of_tables, **values)
        if row is None:
            raise NotFound
        return row

    async def many(
        self,
        into: type[Row],
        sql: str,
        *,
        of_tables: Tables | None = None,
        **values: object,
    ) -> list[Row]:
        """Read all rows."""
        statement, names = text.positional(sql)
        connection = await self._connected(of_tables)
        records = await connection.fetch(statement, *[values[name] for name in names])
        return msgspec.convert([dict(record) for record in records], list[into])  # type: ignore[valid-type]  # mypy has no list of a type held in a variable

    async def tuples(self, sql: str, **values: object) -> list[tuple[Any, ...]]:
        """Read all rows as plain tuples, where they are many."""
        statement, names = text.positional(sql)
        connection = await self._connected()
        records = await connection.fetch(statement, *[values[name] for name in names])
        return [tuple(record) for record in records]

    async def returning(self, sql: str, **values: object) -> list[tuple[Any, ...]]:
        """Write rows and read what comes back, together with new rows that wait to be written.

        The statement sees nothing of those; it may point at them.
        """
        self._must_write()
        statement, names = text.positional(sql)
        given = [values[name] for name in names]
        if self._altered:
            await self.write_soon()
        connection = await self._take_connection()
        waiting, self._added = batches.by_table(self._added), []
        records = await batches.fetch_beside(connection, waiting, statement, given)
        return [tuple(record) for record in records]

    async def value(self, sql: str, **values: object) -> Any:  # noqa: ANN401 - whatever the column holds
        """Read the first column of the first row, or None."""
        statement, names = text.positional(sql)
        connection = await self._connected()
        return await connection.fetchval(statement, *[values[name] for name in names])

    async def execute(self, sql: str, **values: object) -> int:
        """Change rows, and tell how many."""
        self._must_write()
        statement, names = text.positional(sql)
        connection = await self._connected()
        tag = await connection.execute(statement, *[values[name] for name in names])
        count = tag.rpartition(" ")[2]
        return int(count) if count.isdigit() else 0

    async def insert(self, table: str, *rows: msgspec.Struct) -> None:
        """Write new rows of one kind, however many, at once; their fields are the columns."""
        self._must_write()
        self.inserted += len(rows)
        if rows:
            await batches.write(await self._connected(), {}, (table, rows))

    async def update(self, table: str, uuid: UUID, **changes: object) -> None:
        """Change columns of the row that the caller has read within its company."""
        sql = f"update {table} set {text.assignments(changes)} where uuid = :uuid"
        await self.execute(sql, uuid=uuid, **changes)

    def alter(self, table: str, company: UUID, uuid: UUID, **changes: object) -> None:
        """Change columns of a row that is held: at the latest before its table is asked.

        Where nothing is, the transaction's last statement does it, together with all others.
        """
        self._must_write()
        self._altered.setdefault((table, company, uuid), {}).update(changes)

    def add(self, table: str, *rows: msgspec.Struct) -> None:
        """Write new rows before their tables are asked, those of several together."""
        self._must_write()
        self.inserted += len(rows)
        self._added += ((table, row) for row in rows)

    async def write_soon(self) -> None:
        """Write what was added and altered so far, and hear what speaks against it."""
        await self._connected()

    def append(self, table: str, row: msgspec.Struct) -> None:
        """Write a row of a log at the end of the transaction, in one statement with all others."""
        self._must_write()
        self._appended.append((table, row))

    async def copy(
        self, table: str, columns: Sequence[str], records: Iterable[tuple[object, ...]]
    ) -> None:
        """Write many new rows at once, as fast as PostgreSQL can."""
        self._must_write()
        connection = await self._connected()
        await connection.copy_records_to_table(table, columns=columns, records=records)

    async def copy_spelled(self, table: str, columns: Sequence[str], rows: bytearray) -> None:
        """Write many new rows at once that are spelled as PostgreSQL's binary COPY has them."""
        self._must_write()
        connection = await self._connected()
        source: Any = rows  # whatever is a buffer, though its types do not say so
        await connection.copy_to_table(table, source=source, columns=columns, format="binary")

    def ring(self, channel: str) -> None:
        """Have whoever listens to a channel told after the commit."""
        self.rung.add(channel)

    async def mark(self) -> None:
        """Remember this point of the transaction; said first, it goes out with the beginning."""
        if self._connection is None and not self._added and not self._altered:
            self._must_write()
            self._beginning += "; savepoint mark"
        else:
            await self.execute("savepoint mark")
        self._mark = len(self._appended)

    async def undo_to_mark(self) -> None:
        """Undo everything since the mark, a failed statement too."""
        self._added, self._altered = [], {}
        self.known.clear()
        await self.execute("rollback to savepoint mark")
        del self._appended[self._mark :]

    @asynccontextmanager
    async def part(self, *, tried: bool = False) -> AsyncIterator[None]:
        """Undo what is done inside when it is refused, and nothing else of the transaction.

        What is only tried is undone in any case.
        """
        await self.execute("savepoint part")
        begun = len(self._appended)
        try:
            yield
        except Problem:
            await self._undo_part(begun)
            raise
        if tried:
            await self._undo_part(begun)
        else:
            await self.execute("release savepoint part")

    async def _undo_part(self, begun: int) -> None:
        self._added, self._altered = [], {}
        self.known.clear()
        await self.execute("rollback to savepoint part")
        del self._appended[begun:]
        await self.execute("release savepoint part")

    def new_uuid(self) -> UUID:
        """Make an identifier for a row born in this transaction."""
        return ids.new_uuid(self.now)

    def begun(self, company: UUID, prefix: str | None = None) -> dict[str, Any]:
        """Tell what a company's new row begins with; with a prefix, also what people call it."""
        name = {} if prefix is None else {"public_id": ids.new_public_id(prefix)}
        return {"uuid": self.new_uuid(), "company": company, "created_at": self.now, **name}

    def _must_write(self) -> None:
        if not self.writes:
            raise RuntimeError("A reading Db was asked to write; open a transaction instead.")

    @property
    def idle(self) -> bool:
        """Whether there is nothing to finish."""
        waiting = self._appended or self._added or self._altered
        return self._connection is None and not waiting

    @property
    def lost(self) -> bool:
        """Whether the connection broke, and the unfinished work with it."""
        return self._begun and self._connection is not None and self._connection.is_closed()

    def must_roll_back(self) -> None:
        """Have even a reading connection rolled back before anybody else gets it."""
        self._begun = True

    def leave_server(self) -> None:
        """End the connection, because another one may reach a better server."""
        if self._connection is not None:
            self._connection.terminate()

    async def finish(self, *, commit: bool) -> None:
        """Commit or roll back, and give the connection back. Called by the database only."""
        appended = batches.by_table(self._appended) if commit else []
        altered = self._altered if commit else {}
        added = self._added if commit else []
        self._appended, self._added, self._altered = [], added, {}
        if appended or added or altered:
            await self._connected()
        connection, begun = self._connection, self._begun
        self._connection, self._begun, self._untouched = None, False, False
        self.known.clear()
        if connection is None:
            return
        try:
            await batches.end(connection, altered, appended)
            if begun:
                self.committing = commit
                done = await connection.execute("commit" if commit else "rollback")
                if commit and done != "COMMIT":
                    # PostgreSQL says so only here, and without an error.
                    raise RuntimeError("A statement had failed, so nothing could be committed.")
        except CONFUSED:
            # It may still be at work on something else; nobody gets it again like that.
            connection.terminate()
            raise
        finally:
            self._source.give(connection)
