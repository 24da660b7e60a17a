"""The event log's doors. Events lie below accounts, so the application says who may enter."""

from typing import Any
from uuid import UUID

from pannier.db import Db
from pannier.events import queries
from pannier.events.catalog import CATALOG
from pannier.events.json_schema import Told
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


def catalog(told: Told) -> Any:  # noqa: ANN401 - Litestar's handler
    """Make the catalogue's door, which knows what the domains tell."""
    entries = [EntryOut.of(entry, told.get(entry.name)) for entry in CATALOG]

    @get("/event-catalog")
    async def event_catalog() -> list[EntryOut]:
        """List the events that can happen, and what each of them carries."""
        return entries

    return event_catalog


def handlers(told: Told) -> list[Any]:
    """List the doors of events; the domains that tell them lie above, so the application says."""
    return [list_events, get_event, catalog(told)]
