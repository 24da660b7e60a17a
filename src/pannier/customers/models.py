"""Rows of customers."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec

from pannier.db.row import MetaRow, PlainRow, PublicRow

Provider = Literal["a", "b", "c"]
Platform = Literal["ios", "android", "web"]


class Customer(MetaRow, kw_only=True):
    """A person with an account at a store."""

    store: UUID
    contact: UUID
    name: str
    email: str | None = None
    email_key: str | None = None
    email_verified_at: datetime | None = None
    phone: str | None = None
    phone_verified_at: datetime | None = None
    phone_wanted: str | None = None
    email_wanted: str | None = None
    password_hash: str | None = None
    former: list[str] = msgspec.field(default_factory=list)
    closed_at: datetime | None = None
    close_reason: str | None = None
    erase_at: datetime | None = None
    erase_after: datetime | None = None
    erased_order: UUID | None = None
    erased_at: datetime | None = None


class ProviderIdentity(PlainRow, kw_only=True):
    """A customer's account at a provider."""

    store: UUID
    customer: UUID
    provider: Provider
    subject: str
    email: str | None
    verified: bool
    last_used_at: datetime

    @property
    def subject_columns(self) -> dict[str, Any]:
        """The columns that identify the subject."""
        return {"provider": self.provider, "subject": self.subject}


class PendingLink(msgspec.Struct, kw_only=True):
    """A provider's claim that must be confirmed with a code."""

    company: UUID
    store: UUID
    email_key: str
    provider: Provider
    subject: str
    name: str
    created_at: datetime
    expires_at: datetime


class CustomerDevice(PublicRow, kw_only=True):
    """A device for push messages."""

    store: UUID
    customer: UUID
    # Messages reach the device only while this sign-in lasts.
    session: UUID
    platform: Platform
    token: str
    details: dict[str, Any] = msgspec.field(default_factory=dict)
    last_seen_at: datetime
