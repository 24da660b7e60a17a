"""How long data are kept: as its company wants, and no longer than the installation allows."""

from datetime import timedelta
from typing import Final, Literal

from pannier.db.pool import Database, Db

Kind = Literal[
    "events", "messages", "webhook_log", "audit", "positions", "tokens", "other_readings"
]
SKIPPING: Final = "for update skip locked"
BATCH: Final = 1000


def old(
    *kinds: Kind, table: str, that: str = "true", at: str = "created_at", lock: str = SKIPPING
) -> str:
    """Write the statement that finds a batch of rows older than their company wants them kept.

    Of several kinds, the one that is kept the shortest counts.

    It goes by the index on company and time, company by company, and takes `most` (how long the
    installation keeps them) and `batch`. `at` is the column that says since when a row is kept,
    `that` what else must hold of a row `t`. A row's age is the database's business: a machine
    whose clock is wrong would find everything old.
    """
    wanted = ", ".join(
        f"make_interval(days => (c.retention->>'{kind}')::integer)" for kind in kinds
    )
    return f"""
        select old.uuid from companies c cross join lateral (
            select t.uuid from {table} t
            where t.company = c.uuid
              and t.{at} < pannier_now() - least(:most::interval, {wanted})
              and {that}
            order by t.{at} limit :batch {lock}) old
        limit :batch"""


async def delete(db: Db, statement: str, **values: object) -> int:
    """Run a statement that deletes expired rows, and return how many it deleted.

    Every sweep deletes through here: where this machine's clock is too wrong, it deletes nothing.
    """
    await db.require_safe_clock()
    return await db.execute(statement, **values)


async def forget(
    db: Db, table: str, at: str, *, keep: timedelta | None = None, batch: int = BATCH
) -> int:
    """Delete a batch of rows that have expired, by the column `at`; return how many.

    With `keep`, the column says since when a row is kept.
    """
    over = f"{at} <= pannier_now()" if keep is None else f"{at} < pannier_now() - :keep::interval"
    return await delete(
        db,
        f"""delete from {table} where ctid = any(array(
                select ctid from {table} where {over}
                order by {at} limit :batch {SKIPPING}))""",
        keep=keep,
        batch=batch,
    )


class Sweep:
    """Forgets rows of one table, a bounded batch at a time."""

    def __init__(
        self, kind: Kind, table: str, *, that: str = "true", at: str = "created_at"
    ) -> None:
        found = old(kind, table=table, that=that, at=at)
        # An array is found once; a subquery may run once for each row, and take more than a batch.
        self._forget = f"delete from {table} where uuid = any(array({found}))"

    async def step(self, database: Database, keep: timedelta, batch: int = BATCH) -> bool:
        """Delete a batch of what is older than its company and the installation keep it."""
        async with database.transaction() as db:
            return await delete(db, self._forget, most=keep, batch=batch) > 0
