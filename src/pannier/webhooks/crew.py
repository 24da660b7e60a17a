"""The workers that share the lanes: who is alive, and who has which.

PostgreSQL keeps this for us. Each worker holds a lock of its own while it lives, and locks of the
shards of lanes that are its own; when it dies, its connection ends and the locks with it. Only
limits depend on lanes having one owner: that no delivery is taken twice, the deliveries see to.
"""

import asyncio
import secrets
import time
from collections.abc import Collection
from contextlib import suppress
from typing import Final, Protocol
from uuid import UUID

import asyncpg

from pannier.db.connections import Connection
from pannier.db.pool import TRANSIENT

# asyncpg's own word for a connection that ended in the middle of a question is not among them.
BROKEN: Final = (*TRANSIENT, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)
SHARDS: Final = 64
MEMBERS: Final = 7_240_552  # the first part of the advisory locks by which workers are known
LANES: Final = 7_240_553  # … and of those by which their shards are
NOBODY: Final = 0  # whose pings are: an api process, not a worker
# A worker whose connection breaks is back within this time; only then is it thought to be dead.
GRACE: Final = 3.0
EVERY: Final = 1.0
CONNECT_SECONDS: Final = 5.0
# How soon the server notices that a worker's machine is gone, whose locks it holds meanwhile.
KEEPALIVE: Final = {
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
}


class Crew(Protocol):
    """Tells which lanes are ours, and who else is alive."""

    member: int

    async def tend(self) -> None:
        """Look who is there, and take or give up lanes."""

    def owns(self, webhook: UUID) -> bool:
        """Tell whether an endpoint's lane is ours."""

    def dead(self, senders: Collection[int]) -> list[int]:
        """Tell which of those who have something on its way are not alive any more."""

    async def close(self) -> None:
        """Leave."""


class Alone:
    """A crew of one."""

    def __init__(self, member: int = 1) -> None:
        self.member = member

    async def tend(self) -> None:
        """Nobody else is there."""

    def owns(self, webhook: UUID) -> bool:  # noqa: ARG002 - as the protocol has it
        """Everything is ours."""
        return True

    def dead(self, senders: Collection[int]) -> list[int]:
        """Whoever else has something on its way was here before us."""
        return [sender for sender in senders if sender not in {NOBODY, self.member}]

    async def close(self) -> None:
        """There is nothing to leave."""


def shard(webhook: UUID) -> int:
    """Tell which shard an endpoint's lane is in."""
    return webhook.int % SHARDS


class Shared:
    """A crew whose members may be on many machines."""

    def __init__(self, url: str, *, every: float = EVERY, grace: float = GRACE) -> None:
        self._url, self._every, self._grace = url, every, grace
        self.member = secrets.randbelow(2**31 - 2) + 1
        self._connection: Connection | None = None
        self._shards: set[int] = set()
        # Who was there when we last looked; and since when others were not who should be.
        self._members: set[int] = set()
        self._missing: dict[int, float] = {}
        self._next = 0.0

    async def tend(self) -> None:
        """Look who is there once a second, and take or give up lanes."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self._every
        try:
            connection = await self._connected()
            self._members, taken = await _locks(connection)
            await self._balance(connection, taken)
        except BROKEN:
            self._drop()

    def owns(self, webhook: UUID) -> bool:
        """Tell whether an endpoint's lane is ours."""
        return shard(webhook) in self._shards

    def dead(self, senders: Collection[int]) -> list[int]:
        """Tell who has been missing for the whole grace, each time we looked.

        Who has come since we last looked is missing too, but not the next time.
        """
        if self._connection is None:
            return []
        now = time.monotonic()
        missing = {one for one in senders if one != NOBODY and one not in self._members}
        self._missing = {one: self._missing.get(one, now) for one in missing}
        return [one for one, since in self._missing.items() if now >= since + self._grace]

    async def close(self) -> None:
        """Leave: the others take our lanes over at once."""
        if self._connection is not None:
            with suppress(*BROKEN):
                await self._connection.close(timeout=CONNECT_SECONDS)
        self._drop()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        self._shards.clear()
        self._missing.clear()
        if connection is not None:
            connection.terminate()

    async def _connected(self) -> Connection:
        if self._connection is not None and not self._connection.is_closed():
            return self._connection
        self._shards.clear()
        async with asyncio.timeout(CONNECT_SECONDS):
            connection = await asyncpg.connect(self._url, server_settings=KEEPALIVE)
            ours = "select pg_try_advisory_lock($1, $2)"
            if not await connection.fetchval(ours, MEMBERS, self.member):
                # Our connection of before has it, until the server notices that it is gone.
                await connection.close()
                raise ConnectionError("This worker is still known by another connection.")
        self._connection = connection
        return connection

    async def _balance(self, connection: Connection, taken: Collection[int]) -> None:
        """Keep a fair share of the shards."""
        fair = -(-SHARDS // max(len(self._members), 1))
        surplus = sorted(self._shards)[fair:]
        if surplus:
            await connection.execute(
                "select pg_advisory_unlock($1, s) from unnest($2::integer[]) s", LANES, surplus
            )
            self._shards -= set(surplus)
        free = [number for number in range(SHARDS) if number not in taken]
        wanted = free[: fair - len(self._shards)]
        if wanted:
            rows = await connection.fetch(
                """select s, pg_try_advisory_lock($1, s) as ours from unnest($2::integer[]) s""",
                LANES,
                wanted,
            )
            self._shards |= {row["s"] for row in rows if row["ours"]}


async def _locks(connection: Connection) -> tuple[set[int], set[int]]:
    """Read who is alive, and which shards have an owner."""
    rows = await connection.fetch(
        """select classid::bigint as kind, objid::bigint as number from pg_locks
           where locktype = 'advisory' and granted and objsubid = 2
             and database = (select oid from pg_database where datname = current_database())
             and classid::bigint = any($1::bigint[])""",
        [MEMBERS, LANES],
    )
    members = {row["number"] for row in rows if row["kind"] == MEMBERS}
    return members, {row["number"] for row in rows if row["kind"] == LANES}
