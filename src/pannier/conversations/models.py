"""Rows of conversations."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pannier.db.actor import Kind
from pannier.db.row import PlainRow, PublicRow

Side = Literal["driver", "dispatch"]


class DriverMessage(PublicRow, kw_only=True):
    """A message from a driver to dispatch, or from dispatch to a driver."""

    driver: UUID
    # The order that it is about, and its public id.
    order_uuid: UUID | None = None
    order_id: str | None = None
    sender: Side
    actor_kind: Kind
    actor_id: str
    actor_name: str
    body: str
    # The UUID that the sender chose.
    client_uuid: UUID | None = None
    sent_at: datetime
    # The moment at which the other side read it.
    read_at: datetime | None = None


class MessagePhoto(PlainRow, kw_only=True):
    """A photo of a message, and its thumbnail."""

    message: UUID
    file: UUID
    thumbnail: UUID
