"""Budgets: so many of a thing in so long a time, counted in the database, exactly.

Rate limits protect the machine and may forget; budgets protect accounts and may not.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

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
    longest = 0.0
    for budget in budgets:
        # The hit that has to grow old before there is room: the count-th newest.
        oldest: datetime | None = await db.value(
            """select created_at from budget_hits where key = :key and created_at > :since
               order by created_at desc offset :skip limit 1""",
            key=budget.key,
            since=db.now - budget.span,
            skip=budget.count - 1,
        )
        if oldest is not None:
            longest = max(longest, (oldest + budget.span - db.now).total_seconds())
    return longest


async def spend(
    database: Database, budgets: Sequence[Budget], *, beside: Sequence[Budget] = ()
) -> None:
    """Take one from each budget, or refuse and take none; those `beside` must only have room.

    It is committed at once, apart from the caller's transaction: whoever is refused later
    has still spent it, and parallel callers line up here.
    """
    keys = sorted({budget.key for budget in budgets})
    async with database.apart() as db:
        for key in keys:
            await db.execute("select pg_advisory_xact_lock(hashtextextended(:key, 0))", key=key)
        seconds = await wait(db, [*budgets, *beside])
        if seconds > 0:
            raise TooManyRequests(seconds)
        for key in keys:
            await db.execute(
                "insert into budget_hits (key, created_at) values (:key, :now)", key=key, now=db.now
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
