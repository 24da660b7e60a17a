"""A unit of work: the reads and writes of one transaction, and when they reach PostgreSQL."""

from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, Final, TypeAlias, TypeVar
from uuid import UUID

import msgspec

from pannier.db import batches
from pannier.db import sql as sql_text
from pannier.db.actor import Actor
from pannier.db.batches import RowUpdates
from pannier.db.clock import ClockWrong
from pannier.db.connection_pool import DRIVER_ERRORS, Connection
from pannier.db.connection_source import ConnectionSource
from pannier.db.plans import PREFER_INDEXES
from pannier.errors import NotFound, Problem
from pannier.kit import ids

Row = TypeVar("Row", bound=msgspec.Struct)
# Names of the tables that a statement reads.
TableNames: TypeAlias = Collection[str]

# PostgreSQL's command tag of a query that found one row.
ONE_ROW_FOUND: Final = "SELECT 1"


class UnitOfWork:
    """The reads and writes of one transaction. It takes a connection when first needed.

    A read-only unit opens no transaction. Each of its statements sees committed data, as in a
    transaction at PostgreSQL's default isolation level.
    """

    def __init__(
        self, source: ConnectionSource, *, writes: bool, actor: Actor | None = None
    ) -> None:
        self._source = source
        self.now: datetime = source.clock.now()
        self.writes = writes
        # Values that are read once and needed often, such as a company's settings.
        self.cache: dict[Any, Any] = {}
        # The author of the changes. In a request, authentication sets it.
        self.actor = actor or source.actor
        self._connection: Connection | None = None
        self._in_transaction = False
        # Whether the transaction has begun, but the caller has run no statement in it.
        self._is_untouched = False
        self._begin_sql = "begin"
        self._appended_rows: list[tuple[str, msgspec.Struct]] = []
        # New rows and changes that are written before a statement may need them, or at the end.
        self._pending_inserts: list[tuple[str, msgspec.Struct]] = []
        self._pending_updates: RowUpdates = {}
        self._savepoint_length = 0
        # The number of inserted rows. Batch jobs use it to choose their size.
        self.inserted_count = 0
        # Each with the company that it concerns, if it concerns only one.
        self.channels_to_notify: set[tuple[str, UUID | None]] = set()
        # Expired rows that a sweep has deleted, by table.
        self.deleted_counts = Counter[str]()
        # Whether the commit was sent. From then on, a lost connection leaves the outcome unknown.
        self.committing = False

    async def _flush_and_get_connection(self, of_tables: TableNames | None = None) -> Connection:
        """Write the pending rows if a reader of the tables needs them. Return the connection."""
        connection = await self._take_connection()
        if of_tables is not None and not self._has_pending_writes(of_tables):
            return connection
        if self._pending_inserts:
            inserts, self._pending_inserts = batches.group_by_table(self._pending_inserts), []
            await batches.insert_batches(connection, inserts)
        if self._pending_updates:
            updates, self._pending_updates = self._pending_updates, {}
            await batches.write_batches(connection, updates)
        return connection

    async def _take_connection(self) -> Connection:
        """Acquire the connection on first use, and begin a transaction if this unit writes."""
        self._is_untouched = False
        if self._connection is None:
            self._connection = await self._source.acquire()
            if self.writes:
                # Set first, because even an interrupted statement may have begun the transaction.
                self._in_transaction = True
                await self._connection.execute(self._begin_sql)
        return self._connection

    async def require_safe_clock(self) -> None:
        """Refuse to continue if this machine's clock is too wrong to lease or delete anything."""
        # Taking a connection compares the clocks.
        await self._take_connection()
        if not self._source.clock.is_safe():
            raise ClockWrong

    def _has_pending_writes(self, tables: TableNames) -> bool:
        """Return whether a write to one of these tables is pending."""
        return any(name in tables for name, _ in self._pending_inserts) or any(
            name in tables for name, *_ in self._pending_updates
        )

    async def prefer_indexes(self) -> None:
        """Make later statements of the transaction find rows by index, with cached plans.

        Called first, it is sent together with BEGIN. A separate round trip would cost a small
        transaction a tenth of its time.
        """
        self._require_writes()
        if PREFER_INDEXES in self._begin_sql:
            return
        if self._connection is None:
            # Before a savepoint, so that rolling back to it keeps the settings.
            self._begin_sql = self._begin_sql.replace("begin", f"begin; {PREFER_INDEXES}", 1)
        else:
            await self._connection.execute(PREFER_INDEXES)

    async def begin_and_check(self, sql: str) -> bool:
        """Begin and run a parameterless query, in one round trip. Return whether it found a row."""
        self._require_writes()
        if self._connection is not None:
            return await (await self._flush_and_get_connection()).execute(sql) == ONE_ROW_FOUND
        self._connection = await self._source.acquire()
        self._in_transaction = self._is_untouched = True
        return await self._connection.execute(f"{self._begin_sql}; {sql}") == ONE_ROW_FOUND

    async def release_if_untouched(self) -> None:
        """Release the connection before a slow operation, if it was not used yet."""
        if self._is_untouched:
            await self.finish(commit=False)

    async def find(
        self,
        row_type: type[Row],
        sql: str,
        *,
        of_tables: TableNames | None = None,
        **values: object,
    ) -> Row | None:
        """Return one row, or None.

        `of_tables` are all tables that the query reads. Pending writes to other tables stay
        pending.
        """
        statement, names = sql_text.to_positional(sql)
        connection = await self._flush_and_get_connection(of_tables)
        record = await connection.fetchrow(statement, *[values[name] for name in names])
        return None if record is None else msgspec.convert(dict(record), row_type)

    async def get(
        self,
        row_type: type[Row],
        sql: str,
        *,
        of_tables: TableNames | None = None,
        **values: object,
    ) -> Row:
        """Return one row, or raise NotFound."""
        row = await self.find(row_type, sql, of_tables=of_tables, **values)
        if row is None:
            raise NotFound
        return row

    async def fetch_all(
        self,
        row_type: type[Row],
        sql: str,
        *,
        of_tables: TableNames | None = None,
        **values: object,
    ) -> list[Row]:
        """Return all rows."""
        statement, names = sql_text.to_positional(sql)
        connection = await self._flush_and_get_connection(of_tables)
        records = await connection.fetch(statement, *[values[name] for name in names])
        return msgspec.convert([dict(record) for record in records], list[row_type])  # type: ignore[valid-type]  # mypy has no list of a type held in a variable

    async def fetch_within(
        self, row_type: type[Row], sql: str, max_seconds: float | None, values: Mapping[str, object]
    ) -> list[Row]:
        """Return all rows. Cancel the statement after this time, and raise TimeoutError."""
        statement, names = sql_text.to_positional(sql)
        connection = await self._flush_and_get_connection()
        records = await connection.fetch(
            statement, *[values[name] for name in names], timeout=max_seconds
        )
        return msgspec.convert([dict(record) for record in records], list[row_type])  # type: ignore[valid-type]  # as above

    async def fetch_tuples(self, sql: str, **values: object) -> list[tuple[Any, ...]]:
        """Return all rows as plain tuples, which is faster for many rows."""
        statement, names = sql_text.to_positional(sql)
        connection = await self._flush_and_get_connection()
        records = await connection.fetch(statement, *[values[name] for name in names])
        return [tuple(record) for record in records]

    async def execute_returning(self, sql: str, **values: object) -> list[tuple[Any, ...]]:
        """Run a writing statement together with the pending inserts, and return its rows.

        The statement does not see the pending rows, but its rows may refer to them.
        """
        self._require_writes()
        statement, names = sql_text.to_positional(sql)
        arguments = [values[name] for name in names]
        if self._pending_updates:
            await self.flush()
        connection = await self._take_connection()
        pending, self._pending_inserts = batches.group_by_table(self._pending_inserts), []
        records = await batches.fetch_with_inserts(connection, pending, statement, arguments)
        return [tuple(record) for record in records]

    async def fetch_value(self, sql: str, **values: object) -> Any:  # noqa: ANN401 - whatever the column holds
        """Return the first column of the first row, or None."""
        statement, names = sql_text.to_positional(sql)
        connection = await self._flush_and_get_connection()
        return await connection.fetchval(statement, *[values[name] for name in names])

    async def execute(self, sql: str, **values: object) -> int:
        """Run a statement, and return how many rows it changed."""
        self._require_writes()
        statement, names = sql_text.to_positional(sql)
        connection = await self._flush_and_get_connection()
        tag = await connection.execute(statement, *[values[name] for name in names])
        count = tag.rpartition(" ")[2]
        return int(count) if count.isdigit() else 0

    async def insert(self, table: str, *rows: msgspec.Struct) -> None:
        """Insert rows of one kind in one statement. Their fields are the columns."""
        self._require_writes()
        self.inserted_count += len(rows)
        if rows:
            await batches.write_batches(await self._flush_and_get_connection(), {}, (table, rows))

    async def update(self, table: str, uuid: UUID, **changes: object) -> None:
        """Update a row that the caller has read within its company."""
        sql = f"update {table} set {sql_text.assignments(changes)} where uuid = :uuid"
        await self.execute(sql, uuid=uuid, **changes)

    def queue_update(self, table: str, company: UUID, uuid: UUID, **changes: object) -> None:
        """Update a locked row, at the latest before a statement reads its table.

        If none does, the transaction's last statement writes it together with all other updates.
        """
        self._require_writes()
        self._pending_updates.setdefault((table, company, uuid), {}).update(changes)

    def queue_inserts(self, table: str, *rows: msgspec.Struct) -> None:
        """Insert rows at the latest before a statement reads their table, batched."""
        self._require_writes()
        self.inserted_count += len(rows)
        self._pending_inserts += ((table, row) for row in rows)

    async def flush(self) -> None:
        """Write all pending inserts and updates now, so that constraint errors appear here."""
        await self._flush_and_get_connection()

    def append(self, table: str, row: msgspec.Struct) -> None:
        """Insert a row at the end of the transaction, in one statement with the others."""
        self._require_writes()
        self._appended_rows.append((table, row))

    async def copy_rows(
        self, table: str, columns: Sequence[str], records: Iterable[tuple[object, ...]]
    ) -> None:
        """Insert many rows with COPY."""
        self._require_writes()
        connection = await self._flush_and_get_connection()
        await connection.copy_records_to_table(table, columns=columns, records=records)

    async def copy_encoded_rows(self, table: str, columns: Sequence[str], rows: bytearray) -> None:
        """Insert many rows that are encoded in the format of PostgreSQL's binary COPY."""
        self._require_writes()
        connection = await self._flush_and_get_connection()
        source: Any = rows  # bytearray is a buffer, although asyncpg's types do not say so
        await connection.copy_to_table(table, source=source, columns=columns, format="binary")

    def notify(self, channel: str, company: UUID | None = None) -> None:
        """Wake a channel's listeners after the commit: all, or all but those of other companies."""
        self.channels_to_notify.add((channel, company))

    async def set_savepoint(self) -> None:
        """Set a savepoint. Called first, it is sent together with BEGIN."""
        if self._connection is None and not self._pending_inserts and not self._pending_updates:
            self._require_writes()
            self._begin_sql += "; savepoint mark"
        else:
            await self.execute("savepoint mark")
        self._savepoint_length = len(self._appended_rows)

    async def roll_back_to_savepoint(self) -> None:
        """Roll back to the savepoint, even after a failed statement."""
        self._pending_inserts, self._pending_updates = [], {}
        self.cache.clear()
        await self.execute("rollback to savepoint mark")
        del self._appended_rows[self._savepoint_length :]

    @asynccontextmanager
    async def nested_transaction(self, *, dry_run: bool = False) -> AsyncIterator[None]:
        """Run the block in a savepoint. A problem rolls back only the block.

        With `dry_run`, the block is always rolled back.
        """
        await self.execute("savepoint nested")
        log_length = len(self._appended_rows)
        try:
            yield
        except Problem:
            await self._roll_back_nested_transaction(log_length)
            raise
        if dry_run:
            await self._roll_back_nested_transaction(log_length)
        else:
            await self.execute("release savepoint nested")

    async def _roll_back_nested_transaction(self, log_length: int) -> None:
        self._pending_inserts, self._pending_updates = [], {}
        self.cache.clear()
        await self.execute("rollback to savepoint nested")
        del self._appended_rows[log_length:]
        await self.execute("release savepoint nested")

    def new_uuid(self) -> UUID:
        """Return an identifier for a row that this transaction creates."""
        return ids.new_uuid(self.now)

    def new_row_fields(self, company: UUID, prefix: str | None = None) -> dict[str, Any]:
        """Return a new row's uuid, company and creation time; with a prefix, also a public id."""
        public_id = {} if prefix is None else {"public_id": ids.new_public_id(prefix)}
        return {"uuid": self.new_uuid(), "company": company, "created_at": self.now, **public_id}

    def _require_writes(self) -> None:
        if not self.writes:
            raise RuntimeError("A read-only unit of work cannot write. Open a transaction.")

    @property
    def is_idle(self) -> bool:
        has_pending = self._appended_rows or self._pending_inserts or self._pending_updates
        return self._connection is None and not has_pending

    @property
    def is_lost(self) -> bool:
        """Whether the connection broke, and the unfinished work with it."""
        return (
            self._in_transaction and self._connection is not None and self._connection.is_closed()
        )

    def require_rollback(self) -> None:
        """Make `finish` roll back a read-only connection before it is lent again."""
        self._in_transaction = True

    def terminate_connection(self) -> None:
        """Terminate the connection, because a new one may reach the primary server."""
        if self._connection is not None:
            self._connection.terminate()

    async def finish(self, *, commit: bool) -> None:
        """Commit or roll back, and release the connection. Only `Database` calls this."""
        log_batches = batches.group_by_table(self._appended_rows) if commit else []
        updates = self._pending_updates if commit else {}
        inserts = self._pending_inserts if commit else []
        self._appended_rows, self._pending_inserts, self._pending_updates = [], inserts, {}
        if log_batches or inserts or updates:
            await self._flush_and_get_connection()
        connection, in_transaction = self._connection, self._in_transaction
        self._connection, self._in_transaction, self._is_untouched = None, False, False
        self.cache.clear()
        if connection is None:
            return
        try:
            await batches.write_remaining(connection, updates, log_batches)
            if in_transaction:
                self.committing = commit
                command_tag = await connection.execute("commit" if commit else "rollback")
                if commit and command_tag != "COMMIT":
                    # PostgreSQL reports this only here, and without an error.
                    raise RuntimeError("A statement failed, so nothing was committed.")
        except DRIVER_ERRORS:
            # The connection may still be busy, so it must not be reused.
            connection.terminate()
            raise
        finally:
            self._source.release(connection)
