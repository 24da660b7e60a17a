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

from pannier.db.connections import CONFUSED
from pannier.db.link import close_links, open_link

PAUSE: Final = 1.0  # before the next attempt to connect
# A connection that only listens never learns that the network is gone, so it sends probes.
ASK_EVERY: Final = 5.0
ANSWER_SECONDS: Final = 3.0
CLOSE_SECONDS: Final = 2.0


class Ear:
    """Sets events when their channel is notified. It connects on the first `listen`."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._bells: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._changed, self._closing = asyncio.Event(), asyncio.Event()
        self._listening: asyncio.Task[None] | None = None

    @contextmanager
    def hearing(self, channel: str, bell: asyncio.Event | None = None) -> Iterator[asyncio.Event]:
        """Set an event on every notification of a channel, while the context lasts."""
        heard = bell or asyncio.Event()
        self._bells[channel].add(heard)
        self._changed.set()
        if self._listening is None or self._listening.done():
            self._listening = asyncio.create_task(self._listen())
        try:
            yield heard
        finally:
            self._bells[channel].discard(heard)

    async def _listen(self) -> None:
        while not self._closing.is_set():
            with suppress(OSError, asyncpg.PostgresError, *CONFUSED):
                await self._hear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), PAUSE)

    async def _hear(self) -> None:
        connection = await open_link(self._url, name="pannier listener")
        try:
            connection.add_termination_listener(lambda _: self._changed.set())
            heard: set[str] = set()
            while not (connection.is_closed() or self._closing.is_set()):
                self._changed.clear()
                for channel in self._bells.keys() - heard:
                    async with asyncio.timeout(ANSWER_SECONDS):
                        await connection.add_listener(channel, self._ring)
                    heard.add(channel)
                    # Wake listeners for notifications that were sent before we listened.
                    self._ring(None, None, channel, None)
                try:
                    await asyncio.wait_for(self._changed.wait(), ASK_EVERY)
                except TimeoutError:
                    await connection.execute("select 1", timeout=ANSWER_SECONDS)
            await close_links(connection)
        finally:
            connection.terminate()

    def _ring(self, _: object, __: object, channel: str, ___: object) -> None:
        for bell in self._bells[channel]:
            bell.set()

    async def close(self) -> None:
        """Stop listening. A connection attempt in progress gets a moment to end cleanly."""
        self._closing.set()
        self._changed.set()
        if self._listening is not None:
            await asyncio.wait({self._listening}, timeout=CLOSE_SECONDS)
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
