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

from pannier.db.monitored_connection import (
    MARKED_SESSIONS,
    MonitoredConnection,
    close_connections,
    open_connection,
)

CHECK_INTERVAL_SECONDS: Final = 1.0
# How long a statement runs before we ask about it, and how long we wait for the answer.
SUSPECT_SECONDS: Final = 3.0
PROBE_SECONDS: Final = 3.0
# Longer than the server's statement timeout.
MAX_STATEMENT_SECONDS: Final = 90.0
# After this time the server itself has ended the session of a lost connection.
FORGET_SECONDS: Final = 150.0

# A server may hide the state of its sessions; then they count as busy.
BUSY_SESSIONS: Final = f"""
    select mark from ({MARKED_SESSIONS}) marked join pg_stat_activity using (pid)
    where mark = any($1) and coalesce(state, '') not like 'idle%'"""
TERMINATE_SESSIONS: Final = (
    f"select pg_terminate_backend(pid) from ({MARKED_SESSIONS}) marked where mark = any($1)"
)

log: Final = logging.getLogger("pannier.db")

# Failures in which the server did not answer.
NO_ANSWER_ERRORS: Final = (OSError, asyncpg.InterfaceError, asyncpg.InternalClientError)


async def end_sessions(link: MonitoredConnection, session_marks: Collection[int]) -> None:
    """End the server's sessions of lost connections, so that their locks are released."""
    await link.fetch(TERMINATE_SESSIONS, list(session_marks))


class ConnectionWatchdog:
    """Monitors the connections of a process."""

    def __init__(
        self,
        url: str,
        *,
        suspect_seconds: float | None = None,
        probe_seconds: float | None = None,
        max_seconds: float = MAX_STATEMENT_SECONDS,
    ) -> None:
        self._url, self._max_seconds = url, max_seconds
        self._suspect_seconds = SUSPECT_SECONDS if suspect_seconds is None else suspect_seconds
        self._probe_seconds = PROBE_SECONDS if probe_seconds is None else probe_seconds
        self._links: set[MonitoredConnection] = set()
        # Called after a dead connection was found; they return connections likely to be dead too.
        self.idle_removers: list[Callable[[], Iterable[MonitoredConnection]]] = []
        # Connections on whose statement the server was not working when we asked.
        self._doubted: dict[MonitoredConnection, float] = {}
        # The marks of dead connections' sessions, and when they were lost.
        self._lost: dict[int, float] = {}
        self._probe: MonitoredConnection | None = None
        self._task: asyncio.Task[None] | None = None

    def add(self, link: MonitoredConnection) -> None:
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
            await self._find_busy_sessions(set())
            self._drop_probe()

    async def _run(self) -> None:
        try:
            while self._links or self._lost:
                await asyncio.sleep(min(CHECK_INTERVAL_SECONDS, self._suspect_seconds))
                await self._check()
        finally:
            self._drop_probe()

    async def _check(self) -> None:
        now = time.monotonic()
        self._links = {link for link in self._links if not link.is_closed()}
        late_links = {
            link: since
            for link in self._links
            if (since := link.waiting_since) is not None and now - since >= self._suspect_seconds
        }
        self._lost = {one: at for one, at in self._lost.items() if now - at < FORGET_SECONDS}
        if not late_links and not self._lost:
            self._doubted.clear()
            await self._close_probe()
            return
        busy_marks, reachable = await self._find_busy_sessions({link.mark for link in late_links})
        doubted, self._doubted = self._doubted, {}
        dead_links = []
        for link, since in late_links.items():
            if link.waiting_since != since:
                continue  # the answer came meanwhile
            if now - since >= self._max_seconds:
                dead_links.append(link)
            elif link.mark not in busy_marks:
                # The answer may have been on its way when we asked, so we ask twice.
                if not reachable or doubted.get(link) == since:
                    dead_links.append(link)
                else:
                    self._doubted[link] = since
        if dead_links:
            self._terminate_lost_connections(dead_links)
            if reachable:
                await self._find_busy_sessions(set())

    async def _find_busy_sessions(self, session_marks: set[int]) -> tuple[set[int], bool]:
        """Return which of these sessions are busy, and whether the server answered."""
        try:
            async with asyncio.timeout(self._probe_seconds):
                if self._probe is None or self._probe.is_closed():
                    self._probe = await open_connection(
                        self._url, timeout_seconds=self._probe_seconds, name="pannier watch"
                    )
                if self._lost:
                    await end_sessions(self._probe, self._lost)
                    self._lost.clear()
                rows = await self._probe.fetch(BUSY_SESSIONS, list(session_marks))
        except asyncpg.PostgresError:
            # The server answered with a refusal, so its sessions' state is unknown.
            self._drop_probe()
            return session_marks, True
        except NO_ANSWER_ERRORS:
            self._drop_probe()
            return set(), False
        return {row["mark"] for row in rows}, True

    def _terminate_lost_connections(self, dead_links: list[MonitoredConnection]) -> None:
        """Terminate dead connections, and idle ones, which are likely to be dead too."""
        now = time.monotonic()
        closing_links = [*dead_links, *(link for idle in self.idle_removers for link in idle())]
        for link in closing_links:
            self._lost[link.mark] = now
            link.terminate()
        idle = len(closing_links) - len(dead_links)
        log.warning("database connections lost: %d in use, %d idle", len(dead_links), idle)

    async def _close_probe(self) -> None:
        probe, self._probe = self._probe, None
        if probe is not None:
            await close_connections(probe)

    def _drop_probe(self) -> None:
        probe, self._probe = self._probe, None
        if probe is not None:
            probe.terminate()
