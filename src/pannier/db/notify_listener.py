"""Listen for NOTIFY, on one connection for the whole process.

Notifications only wake listeners, which query for work themselves. They may name companies, and
then wake no listeners of other companies. Listeners also poll, so a notification lost during a
reconnect only delays the work by a moment.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final
from uuid import UUID

import asyncpg

from pannier.db.connection_pool import DRIVER_ERRORS
from pannier.db.monitored_connection import close_connections, open_connection
from pannier.db.notifier import EVERYBODY

RECONNECT_SECONDS: Final = 1.0  # before the next attempt to connect
# A connection that only listens never learns that the network is gone, so it sends probes.
PROBE_INTERVAL_SECONDS: Final = 5.0
ANSWER_TIMEOUT_SECONDS: Final = 3.0
CLOSE_SECONDS: Final = 2.0


class NotifyListener:
    """Sets events when their channel is notified. It connects on the first `listen`."""

    def __init__(self, url: str) -> None:
        self._url = url
        # By channel, then by company.
        self._events: defaultdict[str, dict[str, set[asyncio.Event]]] = defaultdict(dict)
        self._changed, self._closing = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @contextmanager
    def listen(
        self, channel: str, event: asyncio.Event | None = None, *, company: UUID | None = None
    ) -> Iterator[asyncio.Event]:
        """Set an event on every notification of a channel, while the context is open.

        With a company, notifications that name only other companies are left out.
        """
        wakeup = event or asyncio.Event()
        name = EVERYBODY if company is None else str(company)
        self._events[channel].setdefault(name, set()).add(wakeup)
        self._changed.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        try:
            yield wakeup
        finally:
            events = self._events[channel][name]
            events.discard(wakeup)
            if not events:
                del self._events[channel][name]

    async def _run(self) -> None:
        while not self._closing.is_set():
            with suppress(OSError, asyncpg.PostgresError, *DRIVER_ERRORS):
                await self._listen_once()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), RECONNECT_SECONDS)

    async def _listen_once(self) -> None:
        connection = await open_connection(self._url, name="pannier listener")
        try:
            connection.add_termination_listener(lambda _: self._changed.set())
            channels: set[str] = set()
            while not (connection.is_closed() or self._closing.is_set()):
                self._changed.clear()
                for channel in self._events.keys() - channels:
                    async with asyncio.timeout(ANSWER_TIMEOUT_SECONDS):
                        await connection.add_listener(channel, self._wake_listeners)
                    channels.add(channel)
                    # Wake listeners for notifications that were sent before we listened.
                    self._wake_listeners(None, None, channel, EVERYBODY)
                try:
                    await asyncio.wait_for(self._changed.wait(), PROBE_INTERVAL_SECONDS)
                except TimeoutError:
                    await connection.execute("select 1", timeout=ANSWER_TIMEOUT_SECONDS)
            await close_connections(connection)
        finally:
            connection.terminate()

    def _wake_listeners(self, _: object, __: object, channel: str, payload: object) -> None:
        events = self._events[channel]
        names = [EVERYBODY, *str(payload).split(",")] if payload else list(events)
        for name in names:
            for event in events.get(name, ()):
                event.set()

    async def close(self) -> None:
        """Stop listening. A connection attempt in progress gets a moment to end cleanly."""
        self._closing.set()
        self._changed.set()
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=CLOSE_SECONDS)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
