"""The rows of parked work."""

from datetime import datetime
from uuid import UUID

import msgspec

from pannier.db.row import Row


class Work(msgspec.Struct, frozen=True):
    """A piece of work: whose it is, which step does it, and on what."""

    company: UUID
    step: str
    subject: str
    subject_uuid: UUID


class Parked(Row, kw_only=True):
    """A piece of work that failed."""

    step: str
    subject: str
    subject_uuid: UUID
    error: str
    attempts: int
    # When it is tried again; None means when somebody says so.
    retry_at: datetime | None = None
