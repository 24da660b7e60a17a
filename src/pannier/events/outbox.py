"""The outbox: events are written in the transaction of the change that they report."""

from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.events.catalog import API_VERSION, Name
from pannier.events.models import Event, QueuedEvent
from pannier.kit import ids
from pannier.web.times import to_rfc3339

CHANNEL: Final = "pannier_events"
# Decimals are numbers, as in the responses of the API.
_encode: Final = msgspec.json.Encoder(decimal_format="number").encode


class Envelope(msgspec.Struct):
    """The JSON body that receivers get, in the order of the contract."""

    event: Name
    api_version: str
    created_at: str
    data: Any
    id: str


async def emit(
    db: Db,
    company: UUID,
    name: Name,
    data: msgspec.Struct,
    *,
    subject: str,
    subject_uuid: UUID | None = None,
    thread: str | None = None,
) -> Event:
    """Write an event. Nothing leaves the process before the transaction commits.

    All events of a transaction are inserted by one statement at its end, in their order. The bytes
    are fixed here: every attempt, retry and replay sends the same ones.

    `subject` is the public id of the record that the event is about. Pass `subject_uuid` only when
    the data is not a snapshot of the subject. Pass `thread` when the event belongs to another
    record's sequence, such as a proof to its order.
    """
    public_id = ids.new_public_id("event")
    envelope = Envelope(name, API_VERSION, to_rfc3339(db.now), data, public_id)
    event = Event(
        uuid=db.new_uuid(),
        public_id=public_id,
        company=company,
        name=name,
        subject=subject,
        thread=thread or subject,
        created_at=db.now,
        body=_encode(envelope),
        subject_uuid=subject_uuid or _find_subject_uuid(data, subject),
    )
    db.append("events", event)
    db.append("event_queue", QueuedEvent(event.uuid))
    db.notify(CHANNEL)
    return event


def _find_subject_uuid(data: msgspec.Struct, subject: str) -> UUID | None:
    """Return the UUID of a snapshot if it describes the subject."""
    return getattr(data, "uuid", None) if getattr(data, "public_id", None) == subject else None
