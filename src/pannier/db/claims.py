"""Numbers that processes on many machines divide among themselves. Each has one owner.

PostgreSQL advisory locks record the ownership. Each member locks its own id while it lives, and
the numbers that it owns. When it dies, its connection ends and releases the locks.
"""

import asyncio
import secrets
import time
from collections.abc import Collection
from typing import Final

from pannier.db.connection_pool import DRIVER_ERRORS
from pannier.db.database import TRANSIENT_ERRORS
from pannier.db.monitored_connection import MonitoredConnection, close_connections, open_connection
from pannier.db.watchdog import end_sessions

CONNECTION_ERRORS: Final = (*TRANSIENT_ERRORS, *DRIVER_ERRORS, OSError)
REFRESH_SECONDS: Final = 1.0
ANSWER_TIMEOUT_SECONDS: Final = 5.0


class NumberClaims:
    """A fair share of the numbers below `count`.

    The locks of member ids have `space` as their first key, those of numbers the next integer.
    """

    def __init__(
        self, url: str, space: int, count: int, *, interval: float = REFRESH_SECONDS
    ) -> None:
        self._url, self._space, self._count, self._interval = url, space, count, interval
        self.member = secrets.randbelow(2**31 - 2) + 1
        # This member's numbers, and all members at the last refresh.
        self.owned: set[int] = set()
        self.members: set[int] = set()
        self._connection: MonitoredConnection | None = None
        # Marks of sessions whose connection broke. The server may still hold their locks.
        self._lost_marks: set[int] = set()
        self._next_refresh = 0.0

    @property
    def is_connected(self) -> bool:
        """Return whether the known members are current."""
        return self._connection is not None

    async def refresh(self) -> None:
        """Claim or release numbers to match the current members, at most once per interval."""
        if time.monotonic() < self._next_refresh:
            return
        self._next_refresh = time.monotonic() + self._interval
        try:
            connection = await self._get_or_open_connection()
            async with asyncio.timeout(ANSWER_TIMEOUT_SECONDS):
                self.members, locked_numbers = await self._load_locks(connection)
                await self._balance_numbers(connection, locked_numbers)
        except CONNECTION_ERRORS:
            self._drop_connection()

    async def close(self) -> None:
        """Release this member's numbers, so that others can claim them at once."""
        if self._connection is not None:
            await close_connections(self._connection)
        self._drop_connection()

    def _drop_connection(self) -> None:
        connection, self._connection = self._connection, None
        self.owned.clear()
        if connection is not None:
            self._lost_marks.add(connection.mark)
            connection.terminate()

    async def _get_or_open_connection(self) -> MonitoredConnection:
        if self._connection is not None and not self._connection.is_closed():
            return self._connection
        self.owned.clear()
        connection = await open_connection(self._url, name="pannier claims")
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_SECONDS):
                await self._lock_member_id(connection)
        except BaseException:
            connection.terminate()
            raise
        self._connection = connection
        return connection

    async def _lock_member_id(self, connection: MonitoredConnection) -> None:
        """Lock this member's id, so that other members see it."""
        if self._lost_marks:
            await end_sessions(connection, self._lost_marks)
            self._lost_marks.clear()
        lock_query = "select pg_try_advisory_lock($1, $2)"
        if not await connection.fetchval(lock_query, self._space, self.member):
            # Our previous session holds the lock until the server has ended it.
            raise ConnectionError("Another connection still holds this member's lock.")

    async def _balance_numbers(
        self, connection: MonitoredConnection, locked_numbers: Collection[int]
    ) -> None:
        fair_share = -(-self._count // max(len(self.members), 1))
        surplus_numbers = sorted(self.owned)[fair_share:]
        if surplus_numbers:
            await connection.execute(
                "select pg_advisory_unlock($1, s) from unnest($2::integer[]) s",
                self._space + 1,
                surplus_numbers,
            )
            self.owned -= set(surplus_numbers)
        unclaimed_numbers = [
            number for number in range(self._count) if number not in locked_numbers
        ]
        candidates = unclaimed_numbers[: fair_share - len(self.owned)]
        if candidates:
            rows = await connection.fetch(
                "select s, pg_try_advisory_lock($1, s) as ours from unnest($2::integer[]) s",
                self._space + 1,
                candidates,
            )
            self.owned |= {row["s"] for row in rows if row["ours"]}

    async def _load_locks(self, connection: MonitoredConnection) -> tuple[set[int], set[int]]:
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
