"""The live stream of the console: events, and messages when alerts or positions have changed.

Positions are not events: they change with each report. A message only says that some have changed,
however many did, and pages read those that they show.
"""

import asyncio
from collections.abc import Mapping
from typing import Final
from uuid import UUID

from pannier.alerts.service import CHANNEL, POSITIONS_CHANNEL
from pannier.db import Database, Db
from pannier.events.stream import EventFollower
from pannier.web.sse import HEARTBEAT_SECONDS, Signal, SseChunk

CHANGED: Final = b"event: alerts\ndata:\n\n"
MOVED: Final = b"event: positions\ndata:\n\n"
# Differs after every change, even if an older transaction commits late.
_STATE: Final = """
    select coalesce(sum(position), 0)::text from (
        select position from alerts where company = :company
        order by position desc limit 50) latest"""


class AlertFollower:
    """Reads relayed events for an operator, and adds messages about alerts and positions."""

    channel = CHANNEL

    def __init__(self, events: EventFollower, database: Database, company: UUID) -> None:
        self._events, self._database, self.company = events, database, company
        # Unknown at first: alerts may have changed before the stream began.
        self._state: str | None = None
        self._changed, self._moved, self._read_at = Signal(), Signal(), 0.0
        self.signals: Mapping[str, Signal] = {
            CHANNEL: self._changed,
            POSITIONS_CHANNEL: self._moved,
        }

    async def read_next(self) -> SseChunk:
        """Read what has changed. New positions alone cost no query."""
        message = MOVED if self._moved.is_set() else b""
        self._moved.clear()
        if message and not self._is_read_due():
            return SseChunk(message)
        chunk = await self._read_events_and_alerts()
        return SseChunk(chunk.data + message, has_more=chunk.has_more)

    def _is_read_due(self) -> bool:
        """Return whether there are events or alerts to read, or a notification may be lost."""
        now = asyncio.get_running_loop().time()
        return self._changed.is_set() or now >= self._read_at + HEARTBEAT_SECONDS

    async def _read_events_and_alerts(self) -> SseChunk:
        """Read new events, and compare the alerts with the last ones."""
        self._changed.clear()
        try:
            chunk = await self._events.read_next()
            async with self._database.reading() as db:
                state = await load_state(db, self.company)
        except BaseException:
            self._changed.set()
            raise
        if chunk.has_more:
            self._changed.set()
        self._read_at = asyncio.get_running_loop().time()
        if state == self._state:
            return chunk
        self._state = state
        return SseChunk(chunk.data + CHANGED, has_more=chunk.has_more)

    def heartbeat(self) -> bytes:
        """Encode the heartbeat of the events."""
        return self._events.heartbeat()


async def load_state(db: Db, company: UUID) -> str:
    """Return a text that differs whenever an alert was opened, closed or acknowledged."""
    state: str = await db.fetch_value(_STATE, company=company)
    return state
