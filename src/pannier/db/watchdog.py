"""Detect connections that will never get an answer, and terminate them.

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
# By then, the server itself has ended the session of a lost connection.
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


async def end_sessions(connection: MonitoredConnection, session_marks: Collection[int]) -> None:
    """End the server's sessions of lost connections, so that their locks are released."""
    await connection.fetch(TERMINATE_SESSIONS, list(session_marks))


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
        self._connections: set[MonitoredConnection] = set()
        # Called after a dead connection was found; they return connections likely to be dead too.
        self.idle_removers: list[Callable[[], Iterable[MonitoredConnection]]] = []
        # Connections that the server did not report as busy, and when their statement was sent.
        self._suspects: dict[MonitoredConnection, float] = {}
        # The marks of dead connections' sessions, and when they were lost.
        self._lost_marks: dict[int, float] = {}
        self._probe: MonitoredConnection | None = None
        self._task: asyncio.Task[None] | None = None

    def add(self, connection: MonitoredConnection) -> None:
        """Monitor a connection until it is closed."""
        self._connections.add(connection)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="connection watch")

    async def close(self) -> None:
        """Stop, and terminate the remaining connections, because nothing monitors them now."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        for connection in self._connections:
            connection.terminate()
        self._connections.clear()
        if self._lost_marks:
            await self._find_busy_sessions(set())
            self._drop_probe()

    async def _run(self) -> None:
        try:
            while self._connections or self._lost_marks:
                await asyncio.sleep(min(CHECK_INTERVAL_SECONDS, self._suspect_seconds))
                await self._check_connections()
        finally:
            self._drop_probe()

    async def _check_connections(self) -> None:
        now = time.monotonic()
        self._connections = {
            connection for connection in self._connections if not connection.is_closed()
        }
        late_connections = {
            connection: since
            for connection in self._connections
            if (since := connection.waiting_since) is not None
            and now - since >= self._suspect_seconds
        }
        self._lost_marks = {
            session_mark: lost_at
            for session_mark, lost_at in self._lost_marks.items()
            if now - lost_at < FORGET_SECONDS
        }
        if not late_connections and not self._lost_marks:
            self._suspects.clear()
            await self._close_probe()
            return
        busy_marks, is_reachable = await self._find_busy_sessions(
            {connection.mark for connection in late_connections}
        )
        previous_suspects, self._suspects = self._suspects, {}
        dead_connections = []
        for connection, since in late_connections.items():
            if connection.waiting_since != since:
                continue  # the answer came meanwhile
            if now - since >= self._max_seconds:
                dead_connections.append(connection)
            elif connection.mark not in busy_marks:
                # The answer may have been on its way when we asked, so we ask twice.
                if not is_reachable or previous_suspects.get(connection) == since:
                    dead_connections.append(connection)
                else:
                    self._suspects[connection] = since
        if dead_connections:
            self._terminate_lost_connections(dead_connections)
            if is_reachable:
                await self._find_busy_sessions(set())

    async def _find_busy_sessions(self, session_marks: set[int]) -> tuple[set[int], bool]:
        """Return which of these sessions are busy, and whether the server answered."""
        try:
            async with asyncio.timeout(self._probe_seconds):
                if self._probe is None or self._probe.is_closed():
                    self._probe = await open_connection(
                        self._url, timeout_seconds=self._probe_seconds, name="pannier watch"
                    )
                if self._lost_marks:
                    await end_sessions(self._probe, self._lost_marks)
                    self._lost_marks.clear()
                rows = await self._probe.fetch(BUSY_SESSIONS, list(session_marks))
        except asyncpg.PostgresError:
            # The server refused the query, so the state of its sessions is unknown.
            self._drop_probe()
            return session_marks, True
        except NO_ANSWER_ERRORS:
            self._drop_probe()
            return set(), False
        return {row["mark"] for row in rows}, True

    def _terminate_lost_connections(self, dead_connections: list[MonitoredConnection]) -> None:
        """Terminate dead connections, and idle ones, which are likely to be dead too."""
        now = time.monotonic()
        closing_connections = [
            *dead_connections,
            *(
                connection
                for idle_connections in self.idle_removers
                for connection in idle_connections()
            ),
        ]
        for connection in closing_connections:
            self._lost_marks[connection.mark] = now
            connection.terminate()
        idle_count = len(closing_connections) - len(dead_connections)
        log.warning(
            "database connections lost: %d in use, %d idle", len(dead_connections), idle_count
        )

    async def _close_probe(self) -> None:
        probe, self._probe = self._probe, None
        if probe is not None:
            await close_connections(probe)

    def _drop_probe(self) -> None:
        probe, self._probe = self._probe, None
        if probe is not None:
            probe.terminate()
