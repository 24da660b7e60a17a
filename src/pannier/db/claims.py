"""Claims: numbers that the processes of many machines share, each with one owner.

PostgreSQL keeps this for us. Each member holds a lock of its own while it lives, and locks of the
numbers that are its own; when it dies, its connection ends and the locks with it.
"""

import asyncio
import secrets
import time
from collections.abc import Collection
from contextlib import suppress
from typing import Final

import asyncpg

from pannier.db.connections import CONFUSED, Connection
from pannier.db.pool import TRANSIENT

BROKEN: Final = (*TRANSIENT, *CONFUSED, OSError)
EVERY: Final = 1.0
CONNECT_SECONDS: Final = 5.0
# How soon the server notices that a member's machine is gone, whose locks it holds meanwhile.
KEEPALIVE: Final = {
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
}


class Claims:
    """A fair share of the numbers below `count`; `space` and the one after it name their locks."""

    def __init__(self, url: str, space: int, count: int, *, every: float = EVERY) -> None:
        self._url, self._space, self._count, self._every = url, space, count, every
        self.member = secrets.randbelow(2**31 - 2) + 1
        # What is ours, and who was there when we last looked.
        self.ours: set[int] = set()
        self.members: set[int] = set()
        self._connection: Connection | None = None
        self._next = 0.0

    @property
    def connected(self) -> bool:
        """Tell whether what we know of the others is of now."""
        return self._connection is not None

    async def tend(self) -> None:
        """Look who is there every so often, and take or give up numbers."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self._every
        try:
            connection = await self._connected()
            self.members, taken = await self._locks(connection)
            await self._balance(connection, taken)
        except BROKEN:
            self._drop()

    async def close(self) -> None:
        """Leave: the others take our numbers over at once."""
        if self._connection is not None:
            with suppress(*BROKEN):
                await self._connection.close(timeout=CONNECT_SECONDS)
        self._drop()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        self.ours.clear()
        if connection is not None:
            connection.terminate()

    async def _connected(self) -> Connection:
        if self._connection is not None and not self._connection.is_closed():
            return self._connection
        self.ours.clear()
        async with asyncio.timeout(CONNECT_SECONDS):
            connection = await asyncpg.connect(self._url, server_settings=KEEPALIVE)
            known = "select pg_try_advisory_lock($1, $2)"
            if not await connection.fetchval(known, self._space, self.member):
                # Our connection of before has it, until the server notices that it is gone.
                await connection.close()
                raise ConnectionError("This member is still known by another connection.")
        self._connection = connection
        return connection

    async def _balance(self, connection: Connection, taken: Collection[int]) -> None:
        """Keep a fair share of the numbers."""
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

    async def _locks(self, connection: Connection) -> tuple[set[int], set[int]]:
        """Read who is alive, and which numbers have an owner."""
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
