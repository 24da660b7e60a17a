"""Leased work: rows that workers take for a limited time, and give back or finish.

Leasing a row counts an attempt, and the attempt's number is the proof of the lease: whoever comes
with an older one changes nothing. A lease that nobody renews lapses, and the row is due again.
Every moment is the database's, so a machine with a wrong clock can neither take what others hold
nor keep what it has lost. Where its clock is too wrong, a process leases, renews and reaps nothing,
whoever asks; what it holds it may still finish or give back.

There are two kinds of lease. `lease` commits one that lasts for a while, for work that waits for
others. `hold` locks a row, for work that is recorded in the same transaction: it ends with that.
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
    """A row that is held: its key, and the attempt that holds it."""

    key: UUID
    attempt: int


class Leases:
    """The leases of one table.

    `until` is the column with the end of a lease. Most tables have none of their own: there,
    leasing moves the moment at which a row is due. `that` is what else holds of a row that waits.
    Where each attempt leases twice as long as the one before, `doubles_to` is the longest lease.
    """

    def __init__(
        self,
        table: str,
        *,
        key: str = "uuid",
        due: str = "due_at",
        attempts: str = "attempts",
        until: str | None = None,
        that: str = "true",
        doubles_to: timedelta | None = None,
    ) -> None:
        self.table, self._key, self._due, self._attempts = table, key, due, attempts
        self._until, self._that, self._doubles_to = until or due, that, doubles_to

    # Conditions and assignments, for statements that choose rows in an order of their own.

    def is_due(self, alias: str = "") -> str:
        """Write the condition of a row that may be leased now."""
        prefix = f"{alias}." if alias else ""
        return f"{prefix}{self._due} <= pannier_now()"

    def has_lapsed(self) -> str:
        """Write the condition of a row whose lease has run out."""
        return f"{self._until} <= pannier_now()"

    @property
    def leasing(self) -> str:
        """Write the assignments that lease a row for the interval `:lease`."""
        count, lasts = self._attempts, ":lease::interval"
        if self._doubles_to is not None:
            # More doublings than these are longer than any lease.
            lasts = f"least(:longest::interval, {lasts} * power(2, least({count}, 20)))"
        return f"{count} = {count} + 1, {self._until} = pannier_now() + {lasts}"

    # Verbs.

    async def lease(
        self,
        db: Db,
        into: type[Row],
        *,
        lease: timedelta,
        limit: int = 1,
        that: str = "true",
        **values: str,
    ) -> Sequence[Row]:
        """Lease the rows that have been due longest, at most `limit`."""
        return await self.lease_by(
            db,
            into,
            f"""with due as materialized (
                    select {self._key} from {self.table}
                    where {self.is_due()} and {self._that} and {that}
                    order by {self._due}, {self._key} limit :limit for update skip locked)
                update {self.table} set {self.leasing}
                from due where {self.table}.{self._key} = due.{self._key}
                returning {columns(into, self.table)}""",
            lease=lease,
            longest=self._doubles_to,
            limit=limit,
            **values,
        )

    async def lease_by(
        self, db: Db, into: type[Row], statement: str, *, lease: timedelta, **values: object
    ) -> list[Row]:
        """Lease rows by a statement that chooses them itself, by `is_due` and `leasing`."""
        await db.require_safe_clock()
        return await db.many(into, statement, of_tables=None, lease=lease, **values)

    async def hold(self, db: Db, into: type[Row]) -> Row | None:
        """Lock the row that has been due longest; the lock is the lease, and counts no attempt."""
        await db.require_safe_clock()
        return await db.find(
            into,
            f"""select {columns(into)} from {self.table} where {self.is_due()} and {self._that}
                order by {self._due}, {self._key} limit 1 for no key update skip locked""",
        )

    async def heartbeat(self, db: Db, held: Lease, lease: timedelta) -> bool:
        """Have a lease last for another while, if not longer; False when it was lost or ended."""
        await db.require_safe_clock()
        renewed = await db.execute(
            f"""update {self.table}
                set {self._until} = greatest({self._until}, pannier_now() + :lease::interval)
                where {self._holder} and {self._until} is not null""",
            key=held.key,
            attempt=held.attempt,
            lease=lease,
        )
        return renewed > 0

    async def reap(
        self,
        db: Db,
        into: type[Row],
        keys: Collection[UUID],
        *,
        lost: str = "false",
        clear: Sequence[str] = (),
        **values: object,
    ) -> list[Row]:
        """Take back rows whose lease has lapsed, or that are `lost`: they are due at once.

        The rows come back as they were, before the columns of `clear` were emptied. Only a table
        with a column for the end of leases needs this: elsewhere a row whose lease has lapsed is
        due, and the next lease takes it back.
        """
        await db.require_safe_clock()
        emptied = "".join(f", {column} = null" for column in (self._until, *clear))
        return await db.many(
            into,
            f"""with lost as materialized (
                    select {columns(into)} from {self.table}
                    where {self._key} = any(:keys) and ({self.has_lapsed()} or {lost})
                    for update skip locked),
                again as (
                    update {self.table} set {self._due} = pannier_now(){emptied}
                    where {self._key} = any(array(select {self._key} from lost)))
                select {columns(into)} from lost""",
            of_tables=None,
            keys=list(keys),
            **values,
        )

    async def retry(self, db: Db, held: Lease, after: timedelta, **changes: object) -> bool:
        """Give a row back, to be leased again after a while; False when the lease was lost."""
        due = f"{self._due} = pannier_now() + :after::interval"
        return await self._change(db, held, _also(due, changes), after=after, **changes)

    async def postpone(self, db: Db, key: UUID, after: timedelta) -> None:
        """Have a row that is held by its lock due again after a while."""
        await db.execute(
            f"""update {self.table} set {self._due} = pannier_now() + :after::interval
                where {self._key} = :key""",
            key=key,
            after=after,
        )

    async def park(self, db: Db, held: Lease, **changes: object) -> bool:
        """Give a row back that is leased no more until somebody asks for it."""
        return await self._change(db, held, _also(f"{self._due} = null", changes), **changes)

    async def release(self, db: Db, held: Lease, **changes: object) -> bool:
        """End the work on a row, which keeps its outcome; False when the lease was lost."""
        return await self._change(db, held, assignments(changes), **changes)

    async def remove(self, db: Db, held: Lease) -> bool:
        """Remove a row whose work is done; False when the lease was lost."""
        gone = await db.execute(
            f"delete from {self.table} where {self._holder}", key=held.key, attempt=held.attempt
        )
        return gone > 0

    async def _change(self, db: Db, held: Lease, said: str, **values: object) -> bool:
        changed = await db.execute(
            f"update {self.table} set {said} where {self._holder}",
            key=held.key,
            attempt=held.attempt,
            **values,
        )
        return changed > 0

    @property
    def _holder(self) -> str:
        return f"{self._key} = :key and {self._attempts} = :attempt and {self._that}"


def _also(said: str, changes: Mapping[str, object]) -> str:
    return f"{said}, {assignments(changes)}" if changes else said


def delay(delays: Sequence[timedelta], attempts: int) -> timedelta | None:
    """Return how long to wait after so many attempts, or None to give up."""
    return delays[attempts - 1] if attempts <= len(delays) else None
