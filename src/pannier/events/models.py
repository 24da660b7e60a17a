"""The rows of events."""

from datetime import datetime
from uuid import UUID

import msgspec

from pannier.events.catalog import Name


class Event(msgspec.Struct):
    """Something that happened; `body` holds the bytes every receiver gets.

    Its `thread` is whose story it is part of: events of one thread are told in their order.
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
    """An event as the log shows it, with the moment in which subscribers were told."""

    relayed_at: datetime | None = None


class Unrelayed(msgspec.Struct):
    """An event that subscribers are still to be told of; its place in the queue is given to it."""

    event: UUID
