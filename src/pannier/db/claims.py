"""Numbers that processes on many machines divide among themselves, each with one owner.

PostgreSQL advisory locks record the ownership. Each member locks its own id while it lives, and
the numbers that it owns. When it dies, its connection ends and releases the locks.
"""

import asyncio
import secrets
import time
from collections.abc import Collection
from typing import Final

from pannier.db.connections import CONFUSED
from pannier.db.link import Link, close_links, open_link
from pannier.db.pool import TRANSIENT
from pannier.db.watch import end_sessions

BROKEN: Final = (*TRANSIENT, *CONFUSED, OSError)
EVERY: Final = 1.0
ANSWER_SECONDS: Final = 5.0


class Claims:
    """A fair share of the numbers below `count`. `space` and `space + 1` are its lock spaces."""

    def __init__(self, url: str, space: int, count: int, *, every: float = EVERY) -> None:
        self._url, self._space, self._count, self._every = url, space, count, every
        self.member = secrets.randbelow(2**31 - 2) + 1
        # Our numbers, and the members at the last refresh.
        self.ours: set[int] = set()
        self.members: set[int] = set()
        self._connection: Link | None = None
        # Marks of sessions whose connection broke. The server may still hold their locks.
        self._lost: set[int] = set()
        self._next = 0.0

    @property
    def connected(self) -> bool:
        """Return whether the known members are current."""
        return self._connection is not None

    async def tend(self) -> None:
        """Load the members at each interval, and take or give up numbers."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self._every
        try:
            connection = await self._connected()
            async with asyncio.timeout(ANSWER_SECONDS):
                self.members, taken = await self._locks(connection)
                await self._balance(connection, taken)
        except BROKEN:
            self._drop()

    async def close(self) -> None:
        """Leave. The other members take over our numbers at once."""
        if self._connection is not None:
            await close_links(self._connection)
        self._drop()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        self.ours.clear()
        if connection is not None:
            self._lost.add(connection.mark)
            connection.terminate()

    async def _connected(self) -> Link:
        if self._connection is not None and not self._connection.is_closed():
            return self._connection
        self.ours.clear()
        connection = await open_link(self._url, name="pannier claims")
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await self._join(connection)
        except BaseException:
            connection.terminate()
            raise
        self._connection = connection
        return connection

    async def _join(self, connection: Link) -> None:
        """Lock our member id, so that other members see us."""
        if self._lost:
            await end_sessions(connection, self._lost)
            self._lost.clear()
        known = "select pg_try_advisory_lock($1, $2)"
        if not await connection.fetchval(known, self._space, self.member):
            # Our previous session holds the lock until the server has ended it.
            raise ConnectionError("This member is still known by another connection.")

    async def _balance(self, connection: Link, taken: Collection[int]) -> None:
        fair = -(-self._count // max(len(self.members), 1))
        surplus = sorted(self.ours)[fair:]
        if surplus:
            await connection.execute(
                "select pg_advisory_unlock($1, s) from unnest($2::integer[]) s",
                self._space + 1,
                surplus,
            )
            self.ours -= set(surplus)
        free = [number for number in range(self._count) if number not in taken]
        wanted = free[: fair - len(self.ours)]
        if wanted:
            rows = await connection.fetch(
                "select s, pg_try_advisory_lock($1, s) as ours from unnest($2::integer[]) s",
                self._space + 1,
                wanted,
            )
            self.ours |= {row["s"] for row in rows if row["ours"]}

    async def _locks(self, connection: Link) -> tuple[set[int], set[int]]:
        """Return the ids of the living members, and the numbers that have an owner."""
        rows = await connection.fetch(
            """select classid::bigint as kind, objid::bigint as number from pg_locks
               where locktype = 'advisory' and granted and objsubid = 2
                 and database = (select oid from pg_database where datname = current_database())
                 and classid::bigint in ($1, $2)""",
            self._space,
            self._space + 1,
        )
        members = {row["number"] for row in rows if row["kind"] == self._space}
        return members, {row["number"] for row in rows if row["kind"] != self._space}
