"""The rows of news."""

from datetime import datetime
from typing import TypeAlias
from uuid import UUID

import msgspec

from pannier.accounts.company_settings.news import Kind, NewsChannel
from pannier.db.row import PlainRow

# What somebody hears once: of which stop or order, who, what, and of the how manieth attempt.
Once: TypeAlias = tuple[UUID, UUID, str, int]


class Told(PlainRow, kw_only=True):
    """What somebody was told of a delivery; without a channel, nothing reached them."""

    order_uuid: UUID
    subject: UUID
    person: UUID
    kind: Kind
    attempt: int
    channel: NewsChannel | None = None

    @property
    def once(self) -> Once:
        """What nobody is told twice."""
        return (self.subject, self.person, self.kind, self.attempt)


class Quiet(msgspec.Struct):
    """Where nobody wants to hear news: a phone number, an address, or a customer's account."""

    company: UUID
    recipient: str
    created_at: datetime
