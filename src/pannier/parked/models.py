"""The rows of parked work."""

from datetime import datetime
from uuid import UUID

import msgspec

from pannier.db.row import VersionedRow


class WorkKey(msgspec.Struct, frozen=True):
    """The identity of a piece of work: its company, the step that does it, and its subject."""

    company: UUID
    step: str
    subject: str
    subject_uuid: UUID


class ParkedWork(VersionedRow, kw_only=True):
    """A piece of work that failed."""

    step: str
    subject: str
    subject_uuid: UUID
    error: str
    attempts: int
    # Time of the next automatic retry; None means only on request.
    retry_at: datetime | None = None
