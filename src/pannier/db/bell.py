"""The bell: tells listeners that there is work, after the commit that made it.

A NOTIFY inside a transaction makes all commits of a database queue for one lock. Rung afterwards
and debounced, a thousand commits a second cost some notices, and a commit waits for none. Whoever
listens looks unasked as well, so a notice that is lost (we died just then) costs a moment only.
"""

import asyncio
from contextlib import suppress
from typing import Final

import asyncpg

from pannier.db.connections import CONFUSED, Connections, Overloaded, Unreachable

# What is rung meanwhile is rung once, at the end.
PAUSE: Final = 0.02
PATIENCE: Final = 1.0  # for what is being rung when it is closed


class Bell:
    """Rings channels, each at once and then at most once a pause."""

    def __init__(self, connections: Connections, pause: float = PAUSE) -> None:
        self._connections, self._pause = connections, pause
        self._ringing: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        self._closing = asyncio.Event()

    def ring(self, channel: str) -> None:
        """Ring a channel, soon and without waiting for it."""
        if channel in self._ringing:
            self._again.add(channel)
        else:
            self._ringing[channel] = asyncio.create_task(self._keep_ringing(channel))

    async def _keep_ringing(self, channel: str) -> None:
        try:
            again = True
            while again:
                self._again.discard(channel)
                await self._notify(channel)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._closing.wait(), self._pause)
                again = channel in self._again and not self._closing.is_set()
        finally:
            del self._ringing[channel]

    async def _notify(self, channel: str) -> None:
        with suppress(OSError, asyncpg.PostgresError, *CONFUSED, Unreachable, Overloaded):
            connection = await self._connections.take()
            try:
                await connection.execute("select pg_notify($1, '')", channel)
            finally:
                self._connections.give(connection)

    async def close(self) -> None:
        """Ring no more; a notice that is being sent is not interrupted halfway."""
        self._closing.set()
        tasks = list(self._ringing.values())
        _, late = await asyncio.wait(tasks, timeout=PATIENCE) if tasks else ((), ())
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
