"""What every resource's row has."""

from datetime import datetime
from uuid import UUID

import msgspec


class Row(msgspec.Struct, kw_only=True):
    """A company's row: what it goes by, whose it is, when it was made and how often changed."""

    uuid: UUID
    public_id: str
    company: UUID
    created_at: datetime
    updated_at: datetime
    version: int = 1


class KeptRow(Row, kw_only=True):
    """A row that stays behind when it leaves, marked, because history names it."""

    deleted_at: datetime | None = None
