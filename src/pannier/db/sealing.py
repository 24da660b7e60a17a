"""Tables with sealed columns. A rotation of the installation's secret reseals them."""

from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import UUID

from pannier.db.database import Db
from pannier.db.sql import columns
from pannier.kit.crypto import Keyring

BATCH_ROWS: Final = 100


class SealedTable:
    """A table with sealed columns. `reseal` returns a row's columns under the current secret."""

    def __init__(
        self, table: str, row: type[Any], reseal: Callable[[Keyring, Any], Mapping[str, Any]]
    ) -> None:
        self._table, self._row, self._reseal = table, row, reseal

    async def reseal_batch(self, db: Db, previous_uuid: UUID) -> tuple[UUID | None, int]:
        """Reseal the next batch of rows, those after a UUID.

        Return the last row's UUID, or None when there are no more, and how many rows changed.
        """
        rows = await db.fetch_all(
            self._row,
            f"""select {columns(self._row)} from {self._table} where uuid > :previous
                order by uuid limit {BATCH_ROWS} for no key update""",
            previous=previous_uuid,
        )
        changed_count = 0
        for row in rows:
            resealed_columns = self._reseal(db.database.keys, row)
            changed_columns = {
                name: value
                for name, value in resealed_columns.items()
                if getattr(row, name) != value
            }
            if changed_columns:
                await db.update(self._table, row.uuid, **changed_columns)
            changed_count += bool(changed_columns)
        return (rows[-1].uuid if rows else None), changed_count
