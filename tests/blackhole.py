"""A TCP proxy before PostgreSQL that can swallow everything without closing anything."""

import asyncio
import threading
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Final, Literal, Self
from urllib.parse import parse_qs, urlsplit

CHUNK: Final = 65536

TICK: Final = 0.05  # seconds

Mode = Literal["open", "silent", "refusing"]


class Stopwatch:
    """Counts the seconds in which the machine had time for us: others may keep it busy.

    A limit that is promised of a process of its own would else be one for all of them together.
    """

    def __init__(self) -> None:
        self._began, self._stood_still = time.monotonic(), 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        before = time.monotonic()
        while not self._ended.wait(TICK):
            now = time.monotonic()
            self._stood_still += max(0.0, now - before - 2 * TICK)
            before = now

    def seconds(self) -> float:
        """Return how many seconds it has counted."""
        return time.monotonic() - self._began - self._stood_still


class BlackHole:
    """Forwards TCP connections to a server until they are cut.

    A cut connection stays open and silent for good, as after a firewall forgot it. What becomes of
    new connections is said by the mode: forwarded, accepted but silent, or refused.
    """

    def __init__(self, url: str) -> None:
        self._parts = urlsplit(url)
        self._query = parse_qs(self._parts.query)
        self.port = 0
        self.mode: Mode = "open"
        self._loop = asyncio.new_event_loop()
        self._server: asyncio.Server | None = None
        self._flows: set[_Flow] = set()

    @property
    def url(self) -> str:
        """The address of the database behind the proxy."""
        user = self._parts.netloc.rpartition("@")[0]
        return f"postgresql://{user}@127.0.0.1:{self.port}{self._parts.path}"

    def cut(self, mode: Mode = "silent") -> None:
        """Silence every connection for good; new ones are treated as the mode says."""
        self._call(self._cut(mode))

    def mend(self) -> None:
        """Forward new connections again; the silent ones stay silent."""
        self._call(self._set_mode("open"))

    async def _cut(self, mode: Mode) -> None:
        for flow in self._flows:
            flow.silent = True
        await self._set_mode(mode)

    async def _set_mode(self, mode: Mode) -> None:
        self.mode = mode
        if self._server is not None and mode == "refusing":
            self._server.close()
            self._server = None
        elif self._server is None and mode != "refusing":
            self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
            self.port = self._server.sockets[0].getsockname()[1]

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        flow = _Flow(silent=self.mode != "open")
        self._flows.add(flow)
        if flow.silent:
            flow.writers = [writer]
            while await reader.read(CHUNK):
                pass
            return
        there, theirs = await self._connect()
        flow.writers = [writer, theirs]
        with suppress(OSError, asyncio.CancelledError):
            await asyncio.gather(flow.pump(reader, theirs), flow.pump(there, writer))

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if "host" in self._query:
            port = self._query.get("port", ["5432"])[0]
            return await asyncio.open_unix_connection(f"{self._query['host'][0]}/.s.PGSQL.{port}")
        return await asyncio.open_connection(self._parts.hostname, self._parts.port or 5432)

    def _call(self, work: Coroutine[None, None, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    @contextmanager
    def running(self) -> "Iterator[BlackHole]":
        """Forward in a thread of its own, so that a busy test holds nothing up."""
        thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        thread.start()
        self._call(self._set_mode("open"))
        try:
            yield self
        finally:
            self._call(self._end())
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join()
            self._loop.close()

    async def _end(self) -> None:
        await self._set_mode("refusing")
        for flow in self._flows:
            for writer in flow.writers:
                writer.transport.abort()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class _Flow:
    """One connection, in both directions."""

    def __init__(self, *, silent: bool) -> None:
        self.silent = silent
        self.writers: list[asyncio.StreamWriter] = []

    async def pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward until the end; once it is silent, read on and forward nothing, no end either."""
        while chunk := await reader.read(CHUNK):
            if not self.silent:
                writer.write(chunk)
                await writer.drain()
        if not self.silent:
            writer.close()


@contextmanager
def black_hole(url: str) -> Iterator[BlackHole]:
    """Stand between a program and its database."""
    with BlackHole(url).running() as hole:
        yield hole
