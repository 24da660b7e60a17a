"""Reading events."""

from uuid import UUID

from pannier.db import Db, Page, Where, page
from pannier.events.models import Event
from pannier.events.schemas import EventFilters
from pannier.kit import ids


async def get(db: Db, company: UUID, identifier: str) -> Event:
    """Read an event."""
    where = Where(company).named(identifier)
    return await db.one(Event, f"select * from events {where}", **where.values)


async def events(db: Db, company: UUID, filters: EventFilters) -> Page[Event]:
    """List what happened, the latest first."""
    where = _about(Where(company), filters.subject)
    if filters.event is not None:
        where.that("name = any(:names)", names=[str(name) for name in filters.event])
    if filters.since is not None:
        where.that("created_at >= :since", since=filters.since)
    if filters.until is not None:
        where.that("created_at < :until", until=filters.until)
    return await page(db, Event, "select * from events", where, filters)


def _about(where: Where, subject: str | None) -> Where:
    """Add that an event is about this, by UUID or public id; each has an index of its own."""
    uuid = None if subject is None else ids.as_uuid(subject)
    return where.equal(subject=subject) if uuid is None else where.equal(subject_uuid=uuid)
