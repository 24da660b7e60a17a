"""Send NOTIFY to listeners after the commit that created work for them.

A NOTIFY inside a transaction makes all commits of a database queue for one lock. Sending it after
the commit, debounced, keeps the number of notifications low, and no commit waits for them.
Listeners also poll, so a notification lost in a crash only delays the work by a moment.
"""

import asyncio
from contextlib import suppress
from typing import Final
from uuid import UUID

import asyncpg

from pannier.db.connection_pool import DRIVER_ERRORS, ConnectionPool, Overloaded, Unreachable

# Requests during the pause are combined into one notification at its end.
PAUSE_SECONDS: Final = 0.02
CLOSE_SECONDS: Final = 1.0  # how long close() waits for notifications in flight
# A notification names at most this many companies: PostgreSQL allows less than 8,000 bytes.
MAX_COMPANIES: Final = 200
# Stands for all companies.
EVERYBODY: Final = ""


class Notifier:
    """Notifies channels: the first time at once, then at most once per pause."""

    def __init__(self, connections: ConnectionPool, pause: float = PAUSE_SECONDS) -> None:
        self._connections, self._pause = connections, pause
        self._tasks: dict[str, asyncio.Task[None]] = {}
        # The companies to name in a channel's next notification.
        self._pending: dict[str, set[str]] = {}
        self._closing = asyncio.Event()

    def notify(self, channel: str, company: UUID | None = None) -> None:
        """Notify a channel in the background, about one company or about all."""
        companies = self._pending.setdefault(channel, set())
        companies.add(EVERYBODY if company is None else str(company))
        if channel not in self._tasks:
            self._tasks[channel] = asyncio.create_task(self._send_repeatedly(channel))

    async def _send_repeatedly(self, channel: str) -> None:
        try:
            is_pending = True
            while is_pending:
                await self._send_notification(channel, self._pending.pop(channel))
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._closing.wait(), self._pause)
                is_pending = channel in self._pending and not self._closing.is_set()
        finally:
            del self._tasks[channel]

    async def _send_notification(self, channel: str, companies: set[str]) -> None:
        is_general = EVERYBODY in companies or len(companies) > MAX_COMPANIES
        payload = EVERYBODY if is_general else ",".join(sorted(companies))
        with suppress(OSError, asyncpg.PostgresError, *DRIVER_ERRORS, Unreachable, Overloaded):
            connection = await self._connections.acquire()
            try:
                await connection.execute("select pg_notify($1, $2)", channel, payload)
            finally:
                self._connections.release(connection)

    async def close(self) -> None:
        """Stop notifying. Wait for notifications in flight rather than interrupt them."""
        self._closing.set()
        tasks = list(self._tasks.values())
        _, unfinished_tasks = (
            await asyncio.wait(tasks, timeout=CLOSE_SECONDS) if tasks else ((), ())
        )
        for task in unfinished_tasks:
            task.cancel()
        await asyncio.gather(*unfinished_tasks, return_exceptions=True)
