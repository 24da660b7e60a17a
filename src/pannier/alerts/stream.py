"""The live stream of the console: events, and a message whenever the alerts have changed."""

from typing import Final
from uuid import UUID

from pannier.alerts.service import CHANNEL
from pannier.db import Database, Db
from pannier.events.stream import EventFollower
from pannier.web.sse import SseChunk

CHANGED: Final = b"event: alerts\ndata:\n\n"
# Differs after every change, even if an older transaction commits late.
_STATE: Final = """
    select coalesce(sum(position), 0)::text from (
        select position from alerts where company = :company
        order by position desc limit 50) latest"""


class AlertFollower:
    """Reads relayed events for an operator, and adds a message when the alerts have changed."""

    channel = CHANNEL

    def __init__(self, events: EventFollower, database: Database, company: UUID) -> None:
        self._events, self._database, self._company = events, database, company
        # Unknown at first: alerts may have changed before the stream began.
        self._state: str | None = None

    async def read_next(self) -> SseChunk:
        """Read new events, and compare the alerts with the last ones."""
        chunk = await self._events.read_next()
        async with self._database.reading() as db:
            state = await load_state(db, self._company)
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
