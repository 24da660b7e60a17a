"""The event log's doors. Events lie below accounts, so the application says who may enter."""

from uuid import UUID

from pannier.db import Db
from pannier.events import queries
from pannier.events.catalog import CATALOG
from pannier.events.schemas import EntryOut, EventFilters, EventOut
from pannier.web.lists import Listed, enveloped
from pannier.web.routes import get


@get("/events")
async def list_events(company: UUID, filters: EventFilters, db: Db) -> Listed[EventOut]:
    """List what happened."""
    return enveloped(await queries.events(db, company, filters), EventOut.of)


@get("/events/{event_id:str}")
async def get_event(company: UUID, event_id: str, db: Db) -> EventOut:
    """Read an event."""
    return EventOut.of(await queries.get(db, company, event_id))


@get("/event-catalog")
async def event_catalog() -> list[EntryOut]:
    """List the events that can happen."""
    return [EntryOut.of(entry) for entry in CATALOG]


handlers = (list_events, get_event, event_catalog)
