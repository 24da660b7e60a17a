"""Rows written together: a few in one statement, many with COPY."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Final, TypeAlias
from uuid import UUID

import asyncpg
import msgspec
from msgspec.structs import astuple

from pannier.db import sql as sql_text
from pannier.db.connection_pool import DRIVER_ERRORS, Connection

# A table, and rows of one kind to insert into it.
Batch: TypeAlias = tuple[str, Sequence[msgspec.Struct]]
# New column values, by table, company and UUID.
RowUpdates: TypeAlias = dict[tuple[str, UUID, UUID], dict[str, object]]

# Larger batches use COPY, because each connection caches one statement per number of rows.
MAX_INSERTED_ROWS: Final = 8


def group_by_table(rows: Sequence[tuple[str, msgspec.Struct]]) -> list[Batch]:
    """Group rows by table and type, in order of first appearance."""
    batches: dict[tuple[str, type[msgspec.Struct]], list[msgspec.Struct]] = {}
    for table, row in rows:
        batches.setdefault((table, type(row)), []).append(row)
    return [(table, grouped_rows) for (table, _), grouped_rows in batches.items()]


async def insert_batches(connection: Connection, batches: Sequence[Batch]) -> None:
    """Insert batches. If one is large, write them in sequence, so that references are valid."""
    if any(map(_should_copy, batches)):
        for batch in batches:
            await write_batches(connection, {}, batch)
    else:
        await write_batches(connection, {}, *batches)


async def write_batches(connection: Connection, updates: RowUpdates, *batches: Batch) -> None:
    """Write updates and new rows in one statement. Large batches are copied instead."""
    inserted_batches = [batch for batch in batches if not _should_copy(batch)]
    for table, rows in batches:
        if _should_copy((table, rows)):
            await connection.copy_records_to_table(
                table, columns=rows[0].__struct_fields__, records=map(astuple, rows)
            )
    if inserted_batches or updates:
        updated_columns = tuple((table, tuple(columns)) for (table, *_), columns in updates.items())
        values = chain(*((*columns.values(), *key) for (_, *key), columns in updates.items()))
        await connection.execute(
            sql_text.write_statement(updated_columns, _list_batch_shapes(inserted_batches)),
            *values,
            *_flatten_values(inserted_batches),
        )


async def fetch_with_inserts(
    connection: Connection, batches: Sequence[Batch], statement: str, arguments: Sequence[object]
) -> "list[asyncpg.Record]":
    """Run a statement that also inserts rows. Batches up to the last large one go first."""
    copied_count = max(
        (number for number, batch in enumerate(batches, 1) if _should_copy(batch)), default=0
    )
    if copied_count:
        await insert_batches(connection, batches[:copied_count])
    inserted_batches = batches[copied_count:]
    statement = sql_text.add_inserts(
        _list_batch_shapes(inserted_batches), statement, len(arguments)
    )
    return await connection.fetch(statement, *arguments, *_flatten_values(inserted_batches))


async def write_remaining(
    connection: Connection, updates: RowUpdates, log_batches: Sequence[Batch]
) -> None:
    """Write the remaining rows. After a PostgreSQL error, keep the connection usable."""
    try:
        await write_batches(connection, updates, *log_batches)
    except asyncpg.PostgresError:
        # The pool closes a connection that is broken or still in a transaction.
        with suppress(asyncpg.PostgresError, *DRIVER_ERRORS, OSError):
            await connection.execute("rollback")
        raise


def _should_copy(batch: Batch) -> bool:
    return len(batch[1]) > MAX_INSERTED_ROWS


def _list_batch_shapes(
    batches: Sequence[Batch],
) -> tuple[tuple[str, type[msgspec.Struct], int], ...]:
    """Return each batch's table, row type and number of rows."""
    return tuple((table, type(rows[0]), len(rows)) for table, rows in batches)


def _flatten_values(batches: Sequence[Batch]) -> Iterator[object]:
    """Yield the values of all rows, in order."""
    return chain(*(astuple(row) for _, rows in batches for row in rows))
