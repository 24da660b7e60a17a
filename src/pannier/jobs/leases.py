"""Leased work: rows that workers take for a limited time, then finish or return.

Leasing a row counts an attempt. The attempt number proves the lease: a holder with an older number
cannot change the row. A lease that is not renewed lapses, and the row is due again.

All times come from the database, so a machine with a wrong clock can neither take leases that
others hold nor keep a lapsed one. A process whose clock is too far off leases, renews and reaps
nothing. It may still finish or return the rows that it holds.

There are two kinds of lease. `lease` commits a lease that lasts for some time, for work that waits
for other systems. `lock_next` locks a row for the current transaction, for work that is recorded
in that transaction.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple, TypeVar
from uuid import UUID

import msgspec

from pannier.db import Db, columns
from pannier.db.sql import assignments

Row = TypeVar("Row", bound=msgspec.Struct)


class Lease(NamedTuple):
    """A leased row: its key, and the attempt that holds it."""

    key: UUID
    attempt: int


class Leases:
    """The leases of one table.

    `until` is the column with the end of a lease. Most tables have none: there, leasing moves the
    time at which a row is due. `condition` is an extra SQL condition for rows that may be leased.
    `doubles_to` makes each lease twice as long as the one before, up to this duration.
    """

    def __init__(
        self,
        table: str,
        *,
        key: str = "uuid",
        due: str = "due_at",
        attempts: str = "attempts",
        until: str | None = None,
        condition: str = "true",
        doubles_to: timedelta | None = None,
    ) -> None:
        self.table, self._key, self._due, self._attempts = table, key, due, attempts
        self._until, self._condition, self._doubles_to = until or due, condition, doubles_to

    # SQL fragments for statements that choose rows in their own order.

    def due_condition(self, alias: str = "") -> str:
        """Build the SQL condition for a row that may be leased now."""
        prefix = f"{alias}." if alias else ""
        return f"{prefix}{self._due} <= pannier_now()"

    def lapsed_condition(self) -> str:
        """Build the SQL condition for a row whose lease has ended."""
        return f"{self._until} <= pannier_now()"

    @property
    def lease_assignments(self) -> str:
        """The SQL assignments that lease a row for the interval `:lease`."""
        count, duration = self._attempts, ":lease::interval"
        if self._doubles_to is not None:
            # Twenty doublings already exceed any lease.
            duration = f"least(:longest::interval, {duration} * power(2, least({count}, 20)))"
        return f"{count} = {count} + 1, {self._until} = pannier_now() + {duration}"

    async def lease(
        self,
        db: Db,
        row_type: type[Row],
        *,
        lease: timedelta,
        limit: int = 1,
        condition: str = "true",
        **values: str,
    ) -> Sequence[Row]:
        """Lease up to `limit` rows, those that have been due longest first."""
        return await self.lease_by_statement(
            db,
            row_type,
            f"""with due as materialized (
                    select {self._key} from {self.table}
                    where {self.due_condition()} and {self._condition} and {condition}
                    order by {self._due}, {self._key} limit :limit for update skip locked)
                update {self.table} set {self.lease_assignments}
                from due where {self.table}.{self._key} = due.{self._key}
                returning {columns(row_type, self.table)}""",
            lease=lease,
            longest=self._doubles_to,
            limit=limit,
            **values,
        )

    async def lease_by_statement(
        self, db: Db, row_type: type[Row], statement: str, *, lease: timedelta, **values: object
    ) -> list[Row]:
        """Lease rows by a statement that selects them itself, built with `due_condition`."""
        await db.require_safe_clock()
        return await db.fetch_all(row_type, statement, of_tables=None, lease=lease, **values)

    async def lock_next(self, db: Db, row_type: type[Row]) -> Row | None:
        """Lock the row that has been due longest. The lock is the lease; no attempt is counted."""
        await db.require_safe_clock()
        return await db.find(
            row_type,
            f"""select {columns(row_type)} from {self.table}
                where {self.due_condition()} and {self._condition}
                order by {self._due}, {self._key} limit 1 for no key update skip locked""",
        )

    async def extend(self, db: Db, lease: Lease, duration: timedelta) -> bool:
        """Extend a lease, never shorten it. Return False if the lease was lost or ended."""
        await db.require_safe_clock()
        renewed_count = await db.execute(
            f"""update {self.table}
                set {self._until} = greatest({self._until}, pannier_now() + :lease::interval)
                where {self._holder_condition} and {self._until} is not null""",
            key=lease.key,
            attempt=lease.attempt,
            lease=duration,
        )
        return renewed_count > 0

    async def reap(
        self,
        db: Db,
        row_type: type[Row],
        keys: Collection[UUID],
        *,
        lost_condition: str = "false",
        clear: Sequence[str] = (),
        **values: object,
    ) -> list[Row]:
        """Make rows due again if their lease has lapsed or they match `lost_condition`.

        Return the rows as they were before the columns in `clear` were set to null. Only a table
        with a separate column for the end of a lease needs this. Elsewhere a row with a lapsed
        lease is due, and the next lease takes it.
        """
        await db.require_safe_clock()
        cleared_columns = "".join(f", {column} = null" for column in (self._until, *clear))
        return await db.fetch_all(
            row_type,
            f"""with lost as materialized (
                    select {columns(row_type)} from {self.table}
                    where {self._key} = any(:keys)
                    and ({self.lapsed_condition()} or {lost_condition})
                    for update skip locked),
                released as (
                    update {self.table} set {self._due} = pannier_now(){cleared_columns}
                    where {self._key} = any(array(select {self._key} from lost)))
                select {columns(row_type)} from lost""",
            of_tables=None,
            keys=list(keys),
            **values,
        )

    async def retry(self, db: Db, lease: Lease, delay: timedelta, **changes: object) -> bool:
        """Give a row back, due again after a delay. Return False if the lease was lost."""
        due = f"{self._due} = pannier_now() + :delay::interval"
        return await self._update_row(
            db, lease, _join_assignments(due, changes), delay=delay, **changes
        )

    async def postpone(self, db: Db, key: UUID, delay: timedelta) -> None:
        """Make a row that is locked by `lock_next` due again after a delay."""
        await db.execute(
            f"""update {self.table} set {self._due} = pannier_now() + :delay::interval
                where {self._key} = :key""",
            key=key,
            delay=delay,
        )

    async def park(self, db: Db, lease: Lease, **changes: object) -> bool:
        """Give a row back without a due time, so that it is not leased again."""
        return await self._update_row(
            db, lease, _join_assignments(f"{self._due} = null", changes), **changes
        )

    async def release(self, db: Db, lease: Lease, **changes: object) -> bool:
        """Finish the work on a row and keep the row. Return False if the lease was lost."""
        return await self._update_row(db, lease, assignments(changes), **changes)

    async def delete(self, db: Db, lease: Lease) -> bool:
        """Delete a row whose work is done. Return False if the lease was lost."""
        deleted_count = await db.execute(
            f"delete from {self.table} where {self._holder_condition}",
            key=lease.key,
            attempt=lease.attempt,
        )
        return deleted_count > 0

    async def _update_row(
        self, db: Db, lease: Lease, sql_assignments: str, **values: object
    ) -> bool:
        row_count = await db.execute(
            f"update {self.table} set {sql_assignments} where {self._holder_condition}",
            key=lease.key,
            attempt=lease.attempt,
            **values,
        )
        return row_count > 0

    @property
    def _holder_condition(self) -> str:
        return f"{self._key} = :key and {self._attempts} = :attempt and {self._condition}"


def _join_assignments(sql_assignments: str, changes: Mapping[str, object]) -> str:
    return f"{sql_assignments}, {assignments(changes)}" if changes else sql_assignments


def delay(delays: Sequence[timedelta], attempts: int) -> timedelta | None:
    """Return the delay after the given number of attempts, or None to give up."""
    return delays[attempts - 1] if attempts <= len(delays) else None
