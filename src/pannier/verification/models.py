"""The rows of verification, and what a code is bound to."""

from datetime import datetime
from uuid import UUID

import msgspec

from pannier.db.row import PlainRow


class CodeScope(msgspec.Struct, frozen=True):
    """What a code is good for: this identity, this purpose, this scope, nothing else."""

    company: UUID
    scope: str
    purpose: str
    identity: str


class Challenge(PlainRow, kw_only=True):
    """A question to an identity; wrong answers are counted as spending of its budget."""

    scope: str
    purpose: str
    identity: str
    sends: int
    last_sent_at: datetime
    # Whose numbers' codes it counts among, when it went to a new number.
    country: str | None = None
    closed_at: datetime | None = None
    verified_at: datetime | None = None


class Code(msgspec.Struct):
    """A code that was sent, as a hash."""

    uuid: UUID
    challenge: UUID
    hash: bytes
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None = None
