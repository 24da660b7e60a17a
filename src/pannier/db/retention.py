"""Data retention: a company's own limits, capped by the installation's."""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from pannier.db import sweep_guard
from pannier.db.database import Database, Db

Kind = Literal[
    "events", "messages", "webhook_log", "audit", "positions", "tokens", "other_readings", "billing"
]
SKIP_LOCKED: Final = "for update skip locked"
BATCH_ROWS: Final = 1000
_DELETED_TABLE: Final = re.compile(r"\b(?:delete from|drop table) (\w+)")


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
    The commit logs the number.
    """
    await db.require_safe_clock()
    count = await db.execute(statement, **values)
    if (table := _DELETED_TABLE.search(statement)) is not None:
        db.deleted_counts[table[1]] += count
    return count


async def purge(
    db: Db, table: str, time_column: str, *, keep: timedelta | None = None, batch: int = BATCH_ROWS
) -> int:
    """Delete a batch of rows that have expired according to `time_column`, and return how many.

    With `keep`, rows expire that long after the time in the column. They are a history, so a sweep
    that would delete most of it stops.
    """
    expired_condition = f"{time_column} <= pannier_now()"
    if keep is not None:
        expired_condition = f"{time_column} < pannier_now() - :keep::interval"
        query = f"select from {table} where {expired_condition} limit :batch"
        if not await sweep_guard.may_delete(db, table, query, batch=batch, keep=keep):
            return 0
    return await delete(
        db,
        f"""delete from {table} where ctid = any(array(
                select ctid from {table} where {expired_condition}
                order by {time_column} limit :batch {SKIP_LOCKED}))""",
        keep=keep,
        batch=batch,
    )


async def mark_deleted(db: Db, source: str, rows: Iterable[tuple[UUID, datetime]]) -> None:
    """Record until when rows of companies were deleted, given the companies and times of rows.

    Sums of such rows cannot be computed again.
    """
    # Sorted, so that two transactions cannot deadlock.
    marks = dict(sorted(rows))
    await db.execute(
        """insert into retention_marks as m (company, source, deleted_until)
           select company, :source, moment
           from unnest(:companies::uuid[], :moments::timestamptz[]) as deleted (company, moment)
           on conflict (company, source) do update
               set deleted_until = greatest(m.deleted_until, excluded.deleted_until)""",
        source=source,
        companies=list(marks),
        moments=list(marks.values()),
    )


async def find_mark(db: Db, company: UUID, source: str) -> datetime | None:
    """Return until when rows of a company were deleted, or None if none were."""
    deleted_until: datetime | None = await db.fetch_value(
        """select deleted_until from retention_marks
           where company = :company and source = :source""",
        company=company,
        source=source,
    )
    return deleted_until


class RetentionSweep:
    """Deletes expired rows of one table in batches. It marks until when, if sums depend on it.

    It needs a name if the table has several sweeps.
    """

    def __init__(
        self,
        kind: Kind,
        table: str,
        *,
        condition: str = "true",
        time_column: str = "created_at",
        marked: bool = False,
        name: str | None = None,
    ) -> None:
        self.table, self._marked, self._name = table, marked, name or table
        select = expired_rows_query(kind, table=table, condition=condition, time_column=time_column)
        self._expired_rows = expired_rows_query(
            kind, table=table, condition=condition, time_column=time_column, lock=""
        )
        # The array is computed once. A subquery could run per row and delete more than a batch.
        self._statement = f"""delete from {table} where uuid = any(array({select}))
            returning company, {time_column}"""

    async def delete_batch(
        self, database: Database, keep: timedelta, batch: int = BATCH_ROWS
    ) -> bool:
        """Delete a batch of expired rows, and return whether there were any."""
        async with database.transaction() as db:
            await db.require_safe_clock()
            if not await sweep_guard.may_delete(
                db, self._name, self._expired_rows, table=self.table, batch=batch, max_age=keep
            ):
                return False
            rows = await db.fetch_tuples(self._statement, max_age=keep, batch=batch)
            db.deleted_counts[self.table] += len(rows)
            if self._marked:
                await mark_deleted(db, self.table, rows)
        return bool(rows)
