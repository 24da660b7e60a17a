"""Data retention: a company's own limits, capped by the installation's."""

from datetime import timedelta
from typing import Final, Literal

from pannier.db.database import Database, Db

Kind = Literal[
    "events", "messages", "webhook_log", "audit", "positions", "tokens", "other_readings", "billing"
]
SKIP_LOCKED: Final = "for update skip locked"
BATCH_ROWS: Final = 1000


def expired_rows_query(
    *kinds: Kind,
    table: str,
    condition: str = "true",
    time_column: str = "created_at",
    lock: str = SKIP_LOCKED,
) -> str:
    """Return a query for a batch of rows that exceed their company's retention time.

    With several kinds, the shortest retention applies.

    The query uses the index on company and time, company by company. Its values are `max_age` (the
    installation's limit) and `batch`. A row's age counts from `time_column`; `condition` is a
    further condition on a row `t`. The database computes the age, because a machine with a wrong
    clock might consider everything expired.
    """
    retention_settings = ", ".join(
        f"make_interval(days => (c.retention->>'{kind}')::integer)" for kind in kinds
    )
    return f"""
        select old.uuid from companies c cross join lateral (
            select t.uuid from {table} t
            where t.company = c.uuid
              and t.{time_column} < pannier_now() - least(:max_age::interval, {retention_settings})
              and {condition}
            order by t.{time_column} limit :batch {lock}) old
        limit :batch"""


async def delete(db: Db, statement: str, **values: object) -> int:
    """Run a statement that deletes expired rows, and return how many it deleted.

    Every sweep deletes through this function, which refuses when this machine's clock is unsafe.
    """
    await db.require_safe_clock()
    return await db.execute(statement, **values)


async def purge(
    db: Db, table: str, time_column: str, *, keep: timedelta | None = None, batch: int = BATCH_ROWS
) -> int:
    """Delete a batch of rows that have expired according to `time_column`, and return how many.

    With `keep`, rows expire that long after the time in the column.
    """
    expired_condition = (
        f"{time_column} <= pannier_now()"
        if keep is None
        else f"{time_column} < pannier_now() - :keep::interval"
    )
    return await delete(
        db,
        f"""delete from {table} where ctid = any(array(
                select ctid from {table} where {expired_condition}
                order by {time_column} limit :batch {SKIP_LOCKED}))""",
        keep=keep,
        batch=batch,
    )


class RetentionSweep:
    """Deletes expired rows of one table in batches."""

    def __init__(
        self, kind: Kind, table: str, *, condition: str = "true", time_column: str = "created_at"
    ) -> None:
        select = expired_rows_query(kind, table=table, condition=condition, time_column=time_column)
        # The array is computed once. A subquery could run per row and delete more than a batch.
        self._statement = f"delete from {table} where uuid = any(array({select}))"

    async def delete_batch(
        self, database: Database, keep: timedelta, batch: int = BATCH_ROWS
    ) -> bool:
        """Delete a batch of expired rows, and return whether there were any."""
        async with database.transaction() as db:
            return await delete(db, self._statement, max_age=keep, batch=batch) > 0
