"""Budgets: so many of a thing in so long a time, counted in the database.

Rate limits protect the machine and may forget; budgets protect accounts and may not. What is spent
is committed at once, apart from the caller's transaction: whoever is refused later has still spent
it, and nobody holds a count while waiting for something else. Only who works alone may `take` in
a transaction of their own, and have spent nothing when that is undone.

A span is counted in sixty parts, so that a budget of ninety thousand costs no more to look at than
one of five. A part is over when its latest hit is: never is more granted than the budget, and what
was spent at once is free again a sixtieth of the span late, at the most.
"""

from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

import msgspec

from pannier.db import Database, Db
from pannier.db.retention import forget
from pannier.errors import TooManyRequests

PARTS: Final = 60


class Budget(msgspec.Struct, frozen=True):
    """At most `count` hits on `key` within `span`."""

    key: str
    count: int
    span: timedelta


def make_budgets(key: str, limits: Iterable[tuple[int, timedelta]]) -> list[Budget]:
    """Count one key against several limits."""
    return [Budget(key, *limit) for limit in limits]


async def wait(db: Db, budgets: Sequence[Budget]) -> float:
    """Tell how many seconds until all budgets have room; 0 when they have."""
    # The part that has to be over before there is room: the newest with which the count is reached.
    longest: float | None = await db.value(
        """select max(extract(epoch from reached.ends_at - pannier_now())::float)
           from unnest(:keys::text[], :counts::integer[], :spans::interval[])
               as budget (key, count, span)
           cross join lateral (
               select ends_at from (
                   select ends_at, sum(hits) over (order by part desc) as hits from budget_parts
                   where key = budget.key and span = budget.span
                     and ends_at > pannier_now()) as newer
               where hits >= budget.count order by ends_at desc limit 1) as reached""",
        keys=[budget.key for budget in budgets],
        counts=[budget.count for budget in budgets],
        spans=[budget.span for budget in budgets],
    )
    return longest or 0.0


async def spend(
    database: Database, budgets: Sequence[Budget], *, beside: Sequence[Budget] = ()
) -> None:
    """Take one from each budget, or refuse and take none; those `beside` must only have room."""
    if not budgets:
        return
    async with _lined_up(database, [budget.key for budget in budgets]) as db:
        await take(db, budgets, beside=beside)


async def take(db: Db, budgets: Sequence[Budget], *, beside: Sequence[Budget] = ()) -> None:
    """Spend as part of the caller's transaction, who lets nobody else count the same meanwhile."""
    seconds = await wait(db, [*budgets, *beside])
    if seconds > 0:
        raise TooManyRequests(seconds)
    counted = sorted({(budget.key, budget.span) for budget in budgets})
    await db.execute(
        """insert into budget_parts (key, span, part, hits, ends_at)
           select key, span, floor(extract(epoch from pannier_now())
                                   / extract(epoch from span) * :parts::integer),
                  1, pannier_now() + span
           from unnest(:keys::text[], :spans::interval[]) as budget (key, span)
           on conflict (key, span, part) do update set hits = budget_parts.hits + 1,
               ends_at = greatest(budget_parts.ends_at, excluded.ends_at)""",
        keys=[key for key, _ in counted],
        spans=[span for _, span in counted],
        parts=PARTS,
    )


async def take_back(database: Database, keys: Collection[str]) -> None:
    """Undo one spending of each key: what was counted turned out to be no wrong one."""
    if not keys:
        return
    async with _lined_up(database, keys) as db:
        await db.execute(
            """update budget_parts as counted set hits = counted.hits - 1
               from (select distinct on (key, span) key, span, part from budget_parts
                     where key = any(:keys) and hits > 0
                     order by key, span, part desc) as latest
               where (counted.key, counted.span, counted.part)
                   = (latest.key, latest.span, latest.part)""",
            keys=list(keys),
        )


async def refund(database: Database, key: str) -> None:
    """Forget what was spent on a key, because the caller has shown to be the right one."""
    async with _lined_up(database, [key]) as db:
        await db.execute("delete from budget_parts where key = :key", key=key)


async def spent(db: Db, key: str, span: timedelta) -> int:
    """Tell how much of a budget was spent within its span."""
    count: int = await db.value(
        """select coalesce(sum(hits), 0) from budget_parts
           where key = :key and span = :span and ends_at > pannier_now()""",
        key=key,
        span=span,
    )
    return count


async def sweep(database: Database) -> bool:
    """Forget a batch of what was spent so long ago that no budget asks for it."""
    async with database.transaction() as db:
        return await forget(db, "budget_parts", "ends_at") > 0


@asynccontextmanager
async def _lined_up(database: Database, keys: Collection[str]) -> AsyncIterator[Db]:
    """Let those who count the same follow each other; in one order, so that none waits for ever."""
    async with database.apart() as db:
        await db.execute(
            """select pg_advisory_xact_lock(hashtextextended(key, 0))
               from unnest(:keys::text[]) as key""",
            keys=sorted(set(keys)),
        )
        yield db
