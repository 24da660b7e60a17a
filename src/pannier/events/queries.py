"""Reading events."""

from uuid import UUID

from pannier.db import Db, Page, Where, page
from pannier.events.models import Event
from pannier.events.schemas import EventFilters


async def get(db: Db, company: UUID, identifier: str) -> Event:
    """Read an event."""
    where = Where(company).named(identifier)
    return await db.one(Event, f"select * from events {where}", **where.values)


async def events(db: Db, company: UUID, filters: EventFilters) -> Page[Event]:
    """List what happened, the latest first."""
    where = Where(company).equal(subject=filters.subject)
    if filters.event is not None:
        where.that("name = any(:names)", names=[str(name) for name in filters.event])
    if filters.since is not None:
        where.that("created_at >= :since", since=filters.since)
    if filters.until is not None:
        where.that("created_at < :until", until=filters.until)
    return await page(db, Event, "select * from events", where, filters)
