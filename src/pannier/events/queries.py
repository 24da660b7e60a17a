"""Queries for events."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db, Page, Where, load_page
from pannier.events.models import LoggedEvent
from pannier.events.schemas import EventFilters
from pannier.kit import ids

_EVENTS: Final = """
    select uuid, public_id, company, name, subject, thread, created_at, body, subject_uuid,
           (select relayed_at from event_relays where event = events.uuid) as relayed_at
    from events"""


async def load_event(db: Db, company: UUID, identifier: str) -> LoggedEvent:
    """Load an event."""
    where = Where(company).add_identifier(identifier)
    return await db.get(LoggedEvent, f"{_EVENTS} {where}", **where.values)


async def list_events(db: Db, company: UUID, filters: EventFilters) -> Page[LoggedEvent]:
    """List events, newest first."""
    where = _filter_by_subject(Where(company), filters.subject)
    if filters.event is not None:
        _filter_by_names(where, [str(name) for name in filters.event])
    where.add_time_range("created_at", filters.since, filters.until)
    return await load_page(db, LoggedEvent, _EVENTS, where, filters)


def _filter_by_names(where: Where, names: Sequence[str]) -> None:
    """Filter by event names. A single name is compared by `=`, which can use the sorted index."""
    if len(names) == 1:
        where.add("name = :name", name=names[0])
    else:
        where.add("name = any(:names)", names=names)


def _filter_by_subject(where: Where, subject: str | None) -> Where:
    """Filter by subject, given as UUID or public id. Each has its own index."""
    uuid = None if subject is None else ids.parse_uuid(subject)
    return where.add_equal(subject=subject) if uuid is None else where.add_equal(subject_uuid=uuid)
