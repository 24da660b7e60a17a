"""Rows of verification, and the scope of a code."""

from datetime import datetime
from uuid import UUID

import msgspec

from pannier.db.row import PlainRow


class CodeScope(msgspec.Struct, frozen=True):
    """The identity, purpose and scope that a code is bound to."""

    company: UUID
    scope: str
    purpose: str
    identity: str


class Challenge(PlainRow, kw_only=True):
    """A request to an identity to prove itself; wrong answers spend a budget, not a column."""

    scope: str
    purpose: str
    identity: str
    sends: int
    last_sent_at: datetime
    # The country whose statistics it counts in, when it went to a new number.
    country: str | None = None
    closed_at: datetime | None = None
    verified_at: datetime | None = None


class Code(msgspec.Struct):
    """A sent code, as a hash."""

    uuid: UUID
    challenge: UUID
    hash: bytes
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None = None
