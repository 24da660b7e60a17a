"""The rows of news."""

from datetime import datetime
from typing import TypeAlias
from uuid import UUID

import msgspec

from pannier.accounts.company_settings.news import Kind, NewsChannel
from pannier.db.row import PlainRow

# Identifies news that is sent once: stop or order, person, kind, and number of the attempt.
NewsKey: TypeAlias = tuple[UUID, UUID, str, int]


class NewsRecord(PlainRow, kw_only=True):
    """News that was sent to a person. Without a channel, no channel reached the person."""

    order_uuid: UUID
    subject: UUID
    person: UUID
    kind: Kind
    attempt: int
    channel: NewsChannel | None = None

    @property
    def key(self) -> NewsKey:
        """The key under which the news is sent only once."""
        return (self.subject, self.person, self.kind, self.attempt)


class OptOut(msgspec.Struct):
    """A phone number, an email address or a customer account that opted out of news."""

    company: UUID
    recipient: str
    created_at: datetime
