"""Handlers for the event log. Events lie below accounts, so the application adds authentication."""

from typing import Any, Final, cast
from uuid import UUID

import msgspec
from litestar import MediaType, Response

from pannier.db import Db
from pannier.errors import CursorInvalid, NotFound, UnknownValue
from pannier.events import feed, queries, stream
from pannier.events.catalog import list_entries
from pannier.events.json_schema import EventDataTypes
from pannier.events.schemas import (
    EntryOut,
    EventEnvelope,
    EventFeedFilters,
    EventFeedOut,
    EventFilters,
    EventOut,
    EventStreamFilters,
    FeedMeta,
)
from pannier.web.exchange import Exchange
from pannier.web.lists import Listed, to_envelope
from pannier.web.routes import get
from pannier.web.streams import StreamedResponse, TooManyStreams

STREAM_OPTIONS: Final[dict[str, Any]] = {
    "responses": {200: {"text/event-stream": {}}},
}


@get("/events")
async def list_events(company: UUID, filters: EventFilters, db: Db) -> Listed[EventOut]:
    """List events, newest first."""
    return to_envelope(await queries.list_events(db, company, filters), EventOut.from_row)


@get("/events/{event_id:str}")
async def get_event(company: UUID, event_id: str, db: Db) -> EventOut:
    """Retrieve an event."""
    return EventOut.from_row(await queries.load_event(db, company, event_id))


def make_catalog_handler(data_types: EventDataTypes) -> Any:  # noqa: ANN401 - Litestar's handler
    """Build the catalogue handler from the payload types that the domains declare."""
    entries = [
        EntryOut.from_entry(entry, data_types.get(entry.name)) for entry in list_entries(data_types)
    ]

    @get("/event-catalog")
    async def event_catalog() -> list[EntryOut]:
        """List all event types with the JSON Schema of their data."""
        return entries

    return event_catalog


@get("/events/stream", opt=STREAM_OPTIONS, problems=[CursorInvalid, TooManyStreams])
async def stream_events(
    company: UUID, filters: EventStreamFilters, exchange: Exchange, db: Db
) -> StreamedResponse:
    """Stream events as server-sent events: id, name and subject of each.

    The id of each message is a cursor. A client that reconnects with the last id in `Last-Event-ID`
    misses nothing and receives nothing twice. `beat` is a keep-alive message. A stream ends within
    seconds of its credential (`ended`), and after some minutes; clients reconnect automatically.
    """
    return await stream.open_stream(exchange, db, company, filters)


@get("/events", problems=[NotFound, CursorInvalid, feed.EventsExpired, UnknownValue])
async def read_feed(company: UUID, filters: EventFeedFilters, db: Db) -> EventFeedOut:
    """List events for catching up: oldest first, in the order in which they were committed.

    Each event has the bytes that webhooks receive. Store `meta.next_cursor` after you processed a
    page, and send it as `cursor` for the next one. The cursor never ends: while `has_more` is
    false, it returns the events that happen later. No event is skipped or returned twice.
    With filters, a page may have fewer events than `limit`, or none, although more follow.

    Events are available as soon as the worker has relayed them, until their retention ends.
    A cursor that is older than that is refused with `events_expired`.
    """
    page = await feed.read_page(db, company, filters)
    envelopes = cast("list[EventEnvelope]", [msgspec.Raw(event.body) for event in page.events])
    return EventFeedOut(envelopes, FeedMeta(filters.limit, page.has_more, page.next_cursor))


@get("/events/{event_id:str}")
async def get_envelope(company: UUID, event_id: str, db: Db) -> Response[EventEnvelope]:
    """Retrieve an event, in the bytes that webhooks receive."""
    event = await queries.load_event(db, company, event_id)
    return Response(event.body, media_type=MediaType.JSON)  # type: ignore[arg-type]  # of an envelope


feed_handlers: Final = [read_feed, get_envelope]


def make_handlers(data_types: EventDataTypes) -> list[Any]:
    """Return the handlers of the event log, given the payload types of all domains."""
    return [list_events, get_event, stream_events, make_catalog_handler(data_types)]
