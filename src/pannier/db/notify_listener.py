"""Listen for NOTIFY, on one connection for the whole process.

Notifications carry no data; they only wake listeners, which query for work themselves. Listeners
also poll, so a notification lost during a reconnect only delays the work by a moment.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

import asyncpg

from pannier.db.connection_pool import DRIVER_ERRORS
from pannier.db.monitored_connection import close_connections, open_connection

RECONNECT_SECONDS: Final = 1.0  # before the next attempt to connect
# A connection that only listens never learns that the network is gone, so it sends probes.
PROBE_INTERVAL_SECONDS: Final = 5.0
ANSWER_TIMEOUT_SECONDS: Final = 3.0
CLOSE_SECONDS: Final = 2.0


class NotifyListener:
    """Sets events when their channel is notified. It connects on the first `listen`."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._events: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._changed, self._closing = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @contextmanager
    def listen(self, channel: str, event: asyncio.Event | None = None) -> Iterator[asyncio.Event]:
        """Set an event on every notification of a channel, while the context is open."""
        wakeup = event or asyncio.Event()
        self._events[channel].add(wakeup)
        self._changed.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        try:
            yield wakeup
        finally:
            self._events[channel].discard(wakeup)

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
                    self._wake_listeners(None, None, channel, None)
                try:
                    await asyncio.wait_for(self._changed.wait(), PROBE_INTERVAL_SECONDS)
                except TimeoutError:
                    await connection.execute("select 1", timeout=ANSWER_TIMEOUT_SECONDS)
            await close_connections(connection)
        finally:
            connection.terminate()

    def _wake_listeners(self, _: object, __: object, channel: str, ___: object) -> None:
        for event in self._events[channel]:
            event.set()

    async def close(self) -> None:
        """Stop listening. A connection attempt in progress gets a moment to end cleanly."""
        self._closing.set()
        self._changed.set()
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=CLOSE_SECONDS)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
