"""A sweep that would delete implausibly much of a table stops and asks an operator.

The database's clock decides what has expired. If that clock is wrong, or a retention setting is too
short by mistake, nearly everything seems to have expired. An ordinary sweep deletes a small share.
"""

import logging
import weakref
from datetime import timedelta
from typing import Final

import msgspec

from pannier.db.database import Database, Db

# A sweep may always delete this many rows, and never more than this share of a table at once.
MIN_ROWS: Final = 1000
MAX_SHARE: Final = 2 / 3
# How long an operator's permission lasts.
PERMISSION: Final = timedelta(days=1)
# Smaller tables are counted. For others, the planner's estimate is good enough.
MAX_COUNTED_ROWS: Final = 100_000

_ESTIMATE: Final = """
    select coalesce(sum(greatest(reltuples, 0)), 0)::bigint from pg_class
    where oid = to_regclass(:table)
       or oid in (select relid from pg_partition_tree(to_regclass(:table)))"""
_STOP: Final = """
    insert into stopped_sweeps as s (sweep, expired_rows, total_rows, stopped_at)
    values (:sweep, :expired, :total, pannier_now())
    on conflict (sweep) do update
        set expired_rows = excluded.expired_rows, total_rows = excluded.total_rows
    returning coalesce(s.allowed_until > pannier_now(), false)"""
_FORGET: Final = "delete from stopped_sweeps where sweep = :sweep"
_ALLOW: Final = """
    update stopped_sweeps set allowed_until = pannier_now() + :permission::interval
    where sweep = :sweep"""
LIST: Final = """
    select sweep, expired_rows, total_rows,
           coalesce(allowed_until > pannier_now(), false) as allowed
    from stopped_sweeps order by sweep"""

log: Final = logging.getLogger("pannier.db")


class StoppedSweep(msgspec.Struct):
    """A sweep that waits for an operator, or that one has allowed."""

    sweep: str
    # At least this many rows had expired, and about how many the table has.
    expired_rows: int
    total_rows: int
    allowed: bool

    def describe(self) -> str:
        """Describe what it would delete."""
        return f"{self.sweep} ({self.expired_rows:,} or more of {self.total_rows:,} rows)"


# For each sweep of a process, how many rows it may delete before it is checked again.
_BUDGETS: Final[weakref.WeakKeyDictionary[Database, dict[str, int]]] = weakref.WeakKeyDictionary()


async def may_delete(
    db: Db, sweep: str, expired_rows: str, *, table: str | None = None, batch: int, **values: object
) -> bool:
    """Return whether a sweep may delete a batch of a table's expired rows.

    `expired_rows` is a query for at most `:batch` expired rows that locks nothing. The sweep is
    named after its table, unless the table has several. If too many rows have expired, the sweep
    is recorded as stopped.
    """
    budgets = _BUDGETS.setdefault(db.database, {})
    if budgets.get(sweep, 0) < batch:
        budgets[sweep] = await _count_deletable(db, sweep, expired_rows, table or sweep, values)
        budgets[sweep] = max(budgets[sweep], batch) if budgets[sweep] else 0
    is_allowed = budgets[sweep] >= batch
    budgets[sweep] -= batch if is_allowed else 0
    return is_allowed


async def _count_deletable(
    db: Db, sweep: str, expired_rows: str, table: str, values: dict[str, object]
) -> int:
    """Return how many rows a sweep may delete now: all expired rows, or none."""
    expired = await _count(db, expired_rows, MIN_ROWS, values)
    if expired > MIN_ROWS:
        total = await _count_all(db, table)
        limit = max(round(total * MAX_SHARE), MIN_ROWS)
        expired = await _count(db, expired_rows, limit, values)
        if expired > limit:
            return expired if await _stop(db, sweep, expired, total) else 0
    await db.execute(_FORGET, sweep=sweep)
    return max(expired, 1)


async def is_plausible(db: Db, sweep: str, expired: int, total: int) -> bool:
    """Return whether a sweep may delete the expired rows of a table at once."""
    if expired > max(round(total * MAX_SHARE), MIN_ROWS):
        return await _stop(db, sweep, expired, total)
    await db.execute(_FORGET, sweep=sweep)
    return True


async def _stop(db: Db, sweep: str, expired: int, total: int) -> bool:
    """Record and log that a sweep stops, unless an operator has allowed it. Return whether so."""
    if await db.execute_returning(_STOP, sweep=sweep, expired=expired, total=total) == [(True,)]:
        return True
    log.error(
        "sweep stopped, because it would delete %d or more of %d rows of %s; "
        "see `pannier sweep list`",
        expired,
        total,
        sweep,
    )
    return False


async def allow(db: Db, sweep: str) -> bool:
    """Allow a stopped sweep. Return False if it is not stopped."""
    return await db.execute(_ALLOW, sweep=sweep, permission=PERMISSION) > 0


async def list_stopped_sweeps(db: Db) -> list[StoppedSweep]:
    """List the stopped sweeps, and those that were allowed and still have much to delete."""
    return await db.fetch_all(StoppedSweep, LIST)


async def _count(db: Db, expired_rows: str, limit: int, values: dict[str, object]) -> int:
    """Count expired rows, up to one more than a limit."""
    count: int = await db.fetch_value(
        f"select count(*) from ({expired_rows}) expired", batch=limit + 1, **values
    )
    return count


async def _count_all(db: Db, table: str) -> int:
    estimate: int = await db.fetch_value(_ESTIMATE, table=table)
    if estimate > MAX_COUNTED_ROWS:
        return estimate
    count: int = await db.fetch_value(f"select count(*) from {table}")
    return count
