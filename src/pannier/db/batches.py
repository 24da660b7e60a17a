"""Rows that are written together: a few by one statement, many by a copy."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Final, TypeAlias
from uuid import UUID

import asyncpg
import msgspec
from msgspec.structs import astuple

from pannier.db import sql as text
from pannier.db.connections import CONFUSED, Connection

# Rows of one kind, and the table they go into.
Batch: TypeAlias = tuple[str, Sequence[msgspec.Struct]]
# By table, company and UUID: columns of a row, and what they become.
Altered: TypeAlias = dict[tuple[str, UUID, UUID], dict[str, object]]

# More rows than this are copied: each number of rows is a statement that a connection remembers.
MOST_AT_ONCE: Final = 8


def by_table(rows: Sequence[tuple[str, msgspec.Struct]]) -> list[Batch]:
    """Put rows together by their table, in the order in which they came."""
    batches: dict[tuple[str, type[msgspec.Struct]], list[msgspec.Struct]] = {}
    for table, row in rows:
        batches.setdefault((table, type(row)), []).append(row)
    return [(table, together) for (table, _), together in batches.items()]


async def add(connection: Connection, batches: Sequence[Batch]) -> None:
    """Write new rows; where there are many of a kind, each kind after those that it points at."""
    if any(map(_many, batches)):
        for batch in batches:
            await write(connection, {}, batch)
    else:
        await write(connection, {}, *batches)


async def write(connection: Connection, altered: Altered, *batches: Batch) -> None:
    """Write changes and new rows by one statement; many rows are copied, as fast as can be."""
    few = [batch for batch in batches if not _many(batch)]
    for table, rows in batches:
        if _many((table, rows)):
            await connection.copy_records_to_table(
                table, columns=rows[0].__struct_fields__, records=map(astuple, rows)
            )
    if few or altered:
        changed = tuple((table, tuple(columns)) for (table, *_), columns in altered.items())
        values = chain(*((*columns.values(), *whose) for (_, *whose), columns in altered.items()))
        await connection.execute(
            text.writing_statement(changed, _kinds(few)), *values, *_cells(few)
        )


async def fetch_beside(
    connection: Connection, batches: Sequence[Batch], statement: str, given: Sequence[object]
) -> "list[asyncpg.Record]":
    """Run a statement that writes new rows along; what is copied, and before that, goes first."""
    copied = max((number for number, batch in enumerate(batches, 1) if _many(batch)), default=0)
    if copied:
        await add(connection, batches[:copied])
    few = batches[copied:]
    statement = text.beside(_kinds(few), statement, len(given))
    return await connection.fetch(statement, *given, *_cells(few))


async def end(connection: Connection, altered: Altered, appended: Sequence[Batch]) -> None:
    """Write what is left to write; what PostgreSQL refuses of it costs nobody the connection."""
    try:
        await write(connection, altered, *appended)
    except asyncpg.PostgresError:
        # One that is gone, or in a transaction all the same, is closed when it is given back.
        with suppress(asyncpg.PostgresError, *CONFUSED, OSError):
            await connection.execute("rollback")
        raise


def _many(batch: Batch) -> bool:
    return len(batch[1]) > MOST_AT_ONCE


def _kinds(batches: Sequence[Batch]) -> tuple[tuple[str, type[msgspec.Struct], int], ...]:
    """Tell of which kind rows are, and how many of each."""
    return tuple((table, type(rows[0]), len(rows)) for table, rows in batches)


def _cells(batches: Sequence[Batch]) -> Iterator[object]:
    """Name the values of rows, one after the other."""
    return chain(*(astuple(row) for _, rows in batches for row in rows))
