"""Handlers for the event log. Events lie below accounts, so the application adds authentication."""

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
    """List events, newest first."""
    return enveloped(await queries.events(db, company, filters), EventOut.of)


@get("/events/{event_id:str}")
async def get_event(company: UUID, event_id: str, db: Db) -> EventOut:
    """Retrieve an event."""
    return EventOut.of(await queries.get(db, company, event_id))


def catalog(told: Told) -> Any:  # noqa: ANN401 - Litestar's handler
    """Build the catalogue handler from the payload types that the domains declare."""
    entries = [EntryOut.of(entry, told.get(entry.name)) for entry in CATALOG]

    @get("/event-catalog")
    async def event_catalog() -> list[EntryOut]:
        """List all event types with the JSON Schema of their data."""
        return entries

    return event_catalog


@get("/events/stream", opt=STREAMED, problems=[CursorInvalid, TooManyStreams])
async def stream_events(
    company: UUID, filters: EventStreamFilters, exchange: Exchange, db: Db
) -> Streamed:
    """Stream events as server-sent events: id, name and subject of each.

    The id of each message is a cursor. A client that reconnects with the last id in `Last-Event-ID`
    misses nothing and receives nothing twice. `beat` is a keep-alive message. A stream ends within
    seconds of its credential (`ended`), and after some minutes; clients reconnect by themselves.
    """
    return await stream.following(exchange, db, company, filters)


def handlers(told: Told) -> list[Any]:
    """List the handlers of the event log, given the payload types of all domains."""
    return [list_events, get_event, stream_events, catalog(told)]
