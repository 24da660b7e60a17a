"""Refresh cached values that derive from many rows, by reading only the changed rows."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar
from uuid import UUID

import msgspec

from pannier.db.database import Db
from pannier.db.sql import columns
from pannier.db.table import Table

# Rows per query, so that other tasks run in between.
BATCH_ROWS: Final = 500


class Versioned(Protocol):
    """A value made from a row, with the row's version."""

    @property
    def version(self) -> int:
        """The row's version."""


Row = TypeVar("Row", bound=msgspec.Struct)
Derived = TypeVar("Derived", bound=Versioned)


async def refresh(
    db: Db,
    table: Table[Any],
    company: UUID,
    row: type[Row],
    cached_values: Mapping[UUID, Derived],
    make: Callable[[Sequence[Row]], Mapping[UUID, Derived]],
    selected_uuids: Sequence[UUID] | None = None,
) -> dict[UUID, Derived]:
    """Return the values of a company's active rows, by UUID and in UUID order.

    Cached values of a row's current version are reused. `make` makes the others in a thread.
    """
    where = table.where(company).add("status = 'active'")
    if selected_uuids is not None:
        where.add("uuid = any(:selected)", selected=selected_uuids)
    # As two arrays: separate rows would cost ten times as much.
    [(uuids, version_numbers)] = await db.fetch_tuples(
        f"""select coalesce(array_agg(uuid order by uuid), '{{}}'),
                   coalesce(array_agg(version order by uuid), '{{}}') from {table.name} {where}""",
        **where.values,
    )
    versions: dict[UUID, int] = dict(zip(uuids, version_numbers, strict=True))
    values = {uuid: cached_values[uuid] for uuid in versions.keys() & cached_values.keys()}
    values = {uuid: value for uuid, value in values.items() if value.version == versions[uuid]}
    changed_uuids = [uuid for uuid in versions if uuid not in values]
    for start in range(0, len(changed_uuids), BATCH_ROWS):
        rows = await db.fetch_all(
            row,
            f"""select {columns(row)} from {table.name}
                where company = :company and uuid = any(:uuids)""",
            company=company,
            uuids=changed_uuids[start : start + BATCH_ROWS],
        )
        values |= await asyncio.to_thread(make, rows)
    return {uuid: values[uuid] for uuid in versions if uuid in values}
