"""The event log's doors. Events lie below accounts, so the application says who may enter."""

from typing import Any, Final
from uuid import UUID

from pannier.db import Db
from pannier.errors import CursorInvalid
from pannier.events import queries, stream
from pannier.events.catalog import CATALOG
from pannier.events.json_schema import Told
from pannier.events.schemas import EntryOut, EventFilters, EventOut, EventStreamFilters
from pannier.web.exchange import Exchange
from pannier.web.lists import Listed, enveloped
from pannier.web.routes import get
from pannier.web.streams import Streamed, TooManyStreams

STREAMED: Final[dict[str, Any]] = {
    "responses": {200: {"text/event-stream": {}}},
}


@get("/events")
async def list_events(company: UUID, filters: EventFilters, db: Db) -> Listed[EventOut]:
    """List what happened."""
    return enveloped(await queries.events(db, company, filters), EventOut.of)


@get("/events/{event_id:str}")
async def get_event(company: UUID, event_id: str, db: Db) -> EventOut:
    """Read an event."""
    return EventOut.of(await queries.get(db, company, event_id))


def catalog(told: Told) -> Any:  # noqa: ANN401 - Litestar's handler
    """Make the catalogue's door, which knows what the domains tell."""
    entries = [EntryOut.of(entry, told.get(entry.name)) for entry in CATALOG]

    @get("/event-catalog")
    async def event_catalog() -> list[EntryOut]:
        """List the events that can happen, and what each of them carries."""
        return entries

    return event_catalog


@get("/events/stream", opt=STREAMED, problems=[CursorInvalid, TooManyStreams])
async def stream_events(
    company: UUID, filters: EventStreamFilters, exchange: Exchange, db: Db
) -> Streamed:
    """Follow what happens, as server-sent events: an event's id, its name, what it is about.

    The id of each message is a place: whoever comes back with the last one in `Last-Event-ID`
    misses nothing and gets nothing twice. `beat` is a sign of life. A stream ends within seconds
    of its credential (`ended`), and after some minutes; readers come back by themselves.
    """
    return await stream.following(exchange, db, company, filters)


def handlers(told: Told) -> list[Any]:
    """List the doors of events; what lies above them, the application says."""
    return [list_events, get_event, stream_events, catalog(told)]
