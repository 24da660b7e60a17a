"""Budgets: so many of a thing in so long a time, counted in the database, exactly.

Rate limits protect the machine and may forget; budgets protect accounts and may not.
"""

from collections.abc import Sequence
from datetime import timedelta

import msgspec

from pannier.db import Database, Db
from pannier.errors import TooManyRequests


class Budget(msgspec.Struct, frozen=True):
    """At most `count` hits on `key` within `span`."""

    key: str
    count: int
    span: timedelta


async def wait(db: Db, budgets: Sequence[Budget]) -> float:
    """Tell how many seconds until all budgets have room; 0 when they have."""
    # The hit that has to grow old before there is room: the count-th newest.
    longest: float | None = await db.value(
        """select max(extract(epoch from hit.created_at + budget.span - :now)::float)
           from unnest(:keys::text[], :counts::integer[], :spans::interval[])
               as budget (key, count, span)
           cross join lateral (
               select created_at from budget_hits
               where key = budget.key and created_at > :now::timestamptz - budget.span
               order by created_at desc offset budget.count - 1 limit 1) as hit""",
        keys=[budget.key for budget in budgets],
        counts=[budget.count for budget in budgets],
        spans=[budget.span for budget in budgets],
        now=db.now,
    )
    return longest or 0.0


async def spend(
    database: Database, budgets: Sequence[Budget], *, beside: Sequence[Budget] = ()
) -> None:
    """Take one from each budget, or refuse and take none; those `beside` must only have room.

    It is committed at once, apart from the caller's transaction: whoever is refused later
    has still spent it, and parallel callers line up here.
    """
    # In one order, so that nobody waits for each other.
    keys = sorted({budget.key for budget in budgets})
    if not keys:
        return
    async with database.apart() as db:
        await db.execute(
            """select pg_advisory_xact_lock(hashtextextended(key, 0))
               from unnest(:keys::text[]) as key""",
            keys=keys,
        )
        seconds = await wait(db, [*budgets, *beside])
        if seconds > 0:
            raise TooManyRequests(seconds)
        await db.execute(
            """insert into budget_hits (key, created_at)
               select key, :now from unnest(:keys::text[]) as key""",
            keys=keys,
            now=db.now,
        )


async def take_back(db: Db, keys: Sequence[str]) -> None:
    """Undo one spending of each key: what was counted turned out to be no wrong one."""
    for key in keys:
        await db.execute(
            """delete from budget_hits where ctid = (select ctid from budget_hits
                   where key = :key order by created_at desc limit 1 for update skip locked)""",
            key=key,
        )


async def refund(db: Db, key: str) -> None:
    """Forget what was spent on a key, because the caller has shown to be the right one."""
    await db.execute("delete from budget_hits where key = :key", key=key)
