"""The rows of events."""

from datetime import datetime
from uuid import UUID

import msgspec

from pannier.events.catalog import Name


class Event(msgspec.Struct):
    """A recorded event; `body` holds the exact bytes that every receiver gets.

    `thread` groups events that belong together, such as those of one order. Events of one thread
    are relayed in their order.
    """

    uuid: UUID
    public_id: str
    company: UUID
    name: Name
    subject: str
    thread: str
    created_at: datetime
    body: bytes
    subject_uuid: UUID | None = None


class LoggedEvent(Event):
    """An event in the log, with the time at which it was relayed to subscribers."""

    relayed_at: datetime | None = None


class QueuedEvent(msgspec.Struct):
    """A queue entry for an event that was not relayed yet. The database assigns its position."""

    event: UUID
