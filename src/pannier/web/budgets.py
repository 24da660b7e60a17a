"""Budgets: maximum counts per span of time, stored in the database.

Rate limits protect the machine and may lose counts. Budgets protect accounts and may not. Hits are
committed at once, in a separate transaction: a request that fails later has still spent its
budget, and no request holds a lock on a count while it waits. Use `spend_in_transaction` only if
nothing else counts the same key concurrently; a rollback then undoes the hits.

Hits are summed up in sixty parts of a span, so a budget of ninety thousand costs no more to check
than one of five. A part expires with its latest hit. So a budget is never exceeded, and hits
expire at most a sixtieth of the span late.
"""

from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

import msgspec

from pannier.db import Database, Db
from pannier.db.retention import purge
from pannier.errors import TooManyRequests

PARTS_PER_SPAN: Final = 60


class Budget(msgspec.Struct, frozen=True):
    """At most `count` hits on `key` within `span`."""

    key: str
    count: int
    span: timedelta


def make_budgets(key: str, limits: Iterable[tuple[int, timedelta]]) -> list[Budget]:
    """Make one budget per limit for the same key."""
    return [Budget(key, *limit) for limit in limits]


async def find_wait_seconds(db: Db, budgets: Sequence[Budget]) -> float:
    """Return the seconds until all budgets have room, or 0 if they already have room."""
    # Counted back from the newest part, a budget is full at the part where the running total
    # reaches its count. It has room once that part expires.
    seconds: float | None = await db.fetch_value(
        """select max(extract(epoch from full_part.ends_at - pannier_now())::float)
           from unnest(:keys::text[], :counts::integer[], :spans::interval[])
               as budget (key, count, span)
           cross join lateral (
               select ends_at from (
                   select ends_at, sum(hits) over (order by part desc) as hits from budget_parts
                   where key = budget.key and span = budget.span
                     and ends_at > pannier_now()) as running_totals
               where hits >= budget.count order by ends_at desc limit 1) as full_part""",
        keys=[budget.key for budget in budgets],
        counts=[budget.count for budget in budgets],
        spans=[budget.span for budget in budgets],
    )
    return seconds or 0.0


async def spend(
    database: Database, budgets: Sequence[Budget], *, check_only: Sequence[Budget] = ()
) -> None:
    """Count one hit on each budget, or raise TooManyRequests and count none.

    Budgets in `check_only` must have room but count no hit.
    """
    if not budgets:
        return
    async with _lock_keys(database, [budget.key for budget in budgets]) as db:
        await spend_in_transaction(db, budgets, check_only=check_only)


async def spend_in_transaction(
    db: Db, budgets: Sequence[Budget], *, check_only: Sequence[Budget] = ()
) -> None:
    """Count hits in the caller's transaction. The caller must prevent concurrent counts."""
    seconds = await find_wait_seconds(db, [*budgets, *check_only])
    if seconds > 0:
        raise TooManyRequests(seconds)
    key_spans = sorted({(budget.key, budget.span) for budget in budgets})
    await db.execute(
        """insert into budget_parts (key, span, part, hits, ends_at)
           select key, span, floor(extract(epoch from pannier_now())
                                   / extract(epoch from span) * :parts::integer),
                  1, pannier_now() + span
           from unnest(:keys::text[], :spans::interval[]) as budget (key, span)
           on conflict (key, span, part) do update set hits = budget_parts.hits + 1,
               ends_at = greatest(budget_parts.ends_at, excluded.ends_at)""",
        keys=[key for key, _ in key_spans],
        spans=[span for _, span in key_spans],
        parts=PARTS_PER_SPAN,
    )


async def undo_spending(database: Database, keys: Collection[str]) -> None:
    """Undo the latest hit on each key."""
    if not keys:
        return
    async with _lock_keys(database, keys) as db:
        await db.execute(
            """update budget_parts as target set hits = target.hits - 1
               from (select distinct on (key, span) key, span, part from budget_parts
                     where key = any(:keys) and hits > 0
                     order by key, span, part desc) as latest
               where (target.key, target.span, target.part)
                   = (latest.key, latest.span, latest.part)""",
            keys=list(keys),
        )


async def reset(database: Database, key: str) -> None:
    """Delete all hits on a key, after its owner has proved their identity."""
    async with _lock_keys(database, [key]) as db:
        await db.execute("delete from budget_parts where key = :key", key=key)


async def count_hits(db: Db, key: str, span: timedelta) -> int:
    """Count the hits on a key within a span."""
    count: int = await db.fetch_value(
        """select coalesce(sum(hits), 0) from budget_parts
           where key = :key and span = :span and ends_at > pannier_now()""",
        key=key,
        span=span,
    )
    return count


async def sweep(database: Database) -> bool:
    """Purge a batch of expired hits; return whether there were any."""
    async with database.transaction() as db:
        return await purge(db, "budget_parts", "ends_at") > 0


@asynccontextmanager
async def _lock_keys(database: Database, keys: Collection[str]) -> AsyncIterator[Db]:
    """Lock keys in a separate transaction. They are sorted to prevent deadlocks."""
    async with database.side_transaction() as db:
        await db.execute(
            """select pg_advisory_xact_lock(hashtextextended(key, 0))
               from unnest(:keys::text[]) as key""",
            keys=sorted(set(keys)),
        )
        yield db
