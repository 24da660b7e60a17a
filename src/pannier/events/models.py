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
    relayed_at: datetime | None = None
    subject_uuid: UUID | None = None
