"""Rows of alerts."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec

from pannier.db.row import VersionedRow

AlertKind = Literal[
    "sos", "delivery_failed", "late", "temperature", "device_silent", "webhook_disabled"
]


class AlertRow(VersionedRow, kw_only=True):
    """An alert about a record. It is open until its cause ends."""

    kind: AlertKind
    # The public id of the record that it is about.
    subject: str
    subject_uuid: UUID
    # Identifies the latest cause. The same cause counts once.
    cause: str
    occurrences: int = 1
    details: dict[str, Any]
    raised_at: datetime
    closed_at: datetime | None = None
    acknowledged_at: datetime | None = None
    acknowledged_by: str | None = None


class AlertCause(msgspec.Struct, frozen=True, kw_only=True):
    """A reason to alert a company's operators about a record."""

    kind: AlertKind
    subject: str
    subject_uuid: UUID
    # Empty for a state, such as a silent device, which cannot recur before it ends.
    id: str = ""
    details: dict[str, Any] = msgspec.field(default_factory=dict)
