"""Send NOTIFY to listeners after the commit that made work for them.

A NOTIFY inside a transaction makes all commits of a database queue for one lock. Sending it after
the commit, debounced, keeps the number of notifications low, and no commit waits for them.
Listeners also poll, so a notification lost in a crash only delays the work by a moment.
"""

import asyncio
from contextlib import suppress
from typing import Final

import asyncpg

from pannier.db.connections import CONFUSED, Connections, Overloaded, Unreachable

# Requests during the pause are combined into one notification at its end.
PAUSE: Final = 0.02
PATIENCE: Final = 1.0  # how long close() waits for notifications in flight


class Bell:
    """Notifies channels: the first time at once, then at most once per pause."""

    def __init__(self, connections: Connections, pause: float = PAUSE) -> None:
        self._connections, self._pause = connections, pause
        self._ringing: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        self._closing = asyncio.Event()

    def ring(self, channel: str) -> None:
        """Notify a channel in the background."""
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
        """Stop notifying. Wait for notifications in flight rather than interrupt them."""
        self._closing.set()
        tasks = list(self._ringing.values())
        _, late = await asyncio.wait(tasks, timeout=PATIENCE) if tasks else ((), ())
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
