"""Detect connections whose answer will never come, and terminate them.

A network may drop packets silently: a firewall forgets a flow, a machine loses power. A caller then
waits for minutes. So for a connection that has waited for some seconds, a second connection asks
the server whether it is still working on the statement. If it is not, or if the server cannot be
reached, the connection is dead.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Iterable
from typing import Final

import asyncpg

from pannier.db.link import MARKED, Link, close_links, open_link

EVERY: Final = 1.0
# How long a statement runs before we ask about it, and how long we wait for the answer.
SUSPECT_SECONDS: Final = 3.0
PROBE_SECONDS: Final = 3.0
# Longer than the server's statement timeout.
LONGEST_SECONDS: Final = 90.0
# After this time the server itself has ended the session of a lost connection.
FORGET_SECONDS: Final = 150.0

# A server may hide the state of its sessions; then they count as busy.
AT_WORK: Final = f"""
    select mark from ({MARKED}) marked join pg_stat_activity using (pid)
    where mark = any($1) and coalesce(state, '') not like 'idle%'"""
END: Final = f"select pg_terminate_backend(pid) from ({MARKED}) marked where mark = any($1)"

log: Final = logging.getLogger("pannier.db")

# Failures in which the server did not answer.
SILENT: Final = (OSError, asyncpg.InterfaceError, asyncpg.InternalClientError)


async def end_sessions(link: Link, marks: Collection[int]) -> None:
    """End the server's sessions of lost connections, so that their locks are released."""
    await link.fetch(END, list(marks))


class Watch:
    """Monitors the connections of a process."""

    def __init__(
        self,
        url: str,
        *,
        suspect: float | None = None,
        probe: float | None = None,
        longest: float = LONGEST_SECONDS,
    ) -> None:
        self._url, self._longest = url, longest
        self._suspect = SUSPECT_SECONDS if suspect is None else suspect
        self._probe_seconds = PROBE_SECONDS if probe is None else probe
        self._links: set[Link] = set()
        # Called after a dead connection was found; they return connections likely to be dead too.
        self.idle: list[Callable[[], Iterable[Link]]] = []
        # Connections on whose statement the server was not working when we asked.
        self._doubted: dict[Link, float] = {}
        # The marks of dead connections' sessions, and when they were lost.
        self._lost: dict[int, float] = {}
        self._probe: Link | None = None
        self._task: asyncio.Task[None] | None = None

    def add(self, link: Link) -> None:
        """Monitor a connection until it is closed."""
        self._links.add(link)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="connection watch")

    async def close(self) -> None:
        """Stop, and terminate the remaining connections: nobody would notice if they hung."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        for link in self._links:
            link.terminate()
        self._links.clear()
        if self._lost:
            await self._ask(set())
            self._drop_probe()

    async def _run(self) -> None:
        try:
            while self._links or self._lost:
                await asyncio.sleep(min(EVERY, self._suspect))
                await self._look()
        finally:
            self._drop_probe()

    async def _look(self) -> None:
        now = time.monotonic()
        self._links = {link for link in self._links if not link.is_closed()}
        late = {
            link: since
            for link in self._links
            if (since := link.waiting_since) is not None and now - since >= self._suspect
        }
        self._lost = {one: at for one, at in self._lost.items() if now - at < FORGET_SECONDS}
        if not late and not self._lost:
            self._doubted.clear()
            await self._close_probe()
            return
        at_work, reachable = await self._ask({link.mark for link in late})
        doubted, self._doubted = self._doubted, {}
        dead = []
        for link, since in late.items():
            if link.waiting_since != since:
                continue  # the answer came meanwhile
            if now - since >= self._longest:
                dead.append(link)
            elif link.mark not in at_work:
                # The answer may have been on its way when we asked, so we ask twice.
                if not reachable or doubted.get(link) == since:
                    dead.append(link)
                else:
                    self._doubted[link] = since
        if dead:
            self._end(dead)
            if reachable:
                await self._ask(set())

    async def _ask(self, marks: set[int]) -> tuple[set[int], bool]:
        """Return which of these sessions are busy, and whether the server answered."""
        try:
            async with asyncio.timeout(self._probe_seconds):
                if self._probe is None or self._probe.is_closed():
                    self._probe = await open_link(
                        self._url, seconds=self._probe_seconds, name="pannier watch"
                    )
                if self._lost:
                    await end_sessions(self._probe, self._lost)
                    self._lost.clear()
                rows = await self._probe.fetch(AT_WORK, list(marks))
        except asyncpg.PostgresError:
            # The server answered with a refusal, so its sessions' state is unknown.
            self._drop_probe()
            return marks, True
        except SILENT:
            self._drop_probe()
            return set(), False
        return {row["mark"] for row in rows}, True

    def _end(self, dead: list[Link]) -> None:
        """Terminate dead connections, and idle ones, which are likely to be dead too."""
        now = time.monotonic()
        ended = [*dead, *(link for idle in self.idle for link in idle())]
        for link in ended:
            self._lost[link.mark] = now
            link.terminate()
        idle = len(ended) - len(dead)
        log.warning("database connections lost: %d in use, %d idle", len(dead), idle)

    async def _close_probe(self) -> None:
        probe, self._probe = self._probe, None
        if probe is not None:
            await close_links(probe)

    def _drop_probe(self) -> None:
        probe, self._probe = self._probe, None
        if probe is not None:
            probe.terminate()
