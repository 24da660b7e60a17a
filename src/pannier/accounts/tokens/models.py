"""Rows of tokens, and their holders."""

from datetime import datetime, timedelta
from typing import Any, ClassVar, Literal
from uuid import UUID

import msgspec

from pannier.db.row import PublicRow

Kind = Literal["operator", "customer", "driver", "device"]


class Holder(msgspec.Struct, frozen=True):
    """The person or device that tokens authenticate."""

    company: UUID
    kind: Kind
    uuid: UUID
    public_id: str
    store: UUID | None = None

    @property
    def key_columns(self) -> dict[str, Any]:
        """The columns that identify the holder in a token's row."""
        return {"company": self.company, "kind": self.kind, "holder": self.uuid}


class Token(PublicRow, kw_only=True):
    """One sign-in of a person, or a device's token; only a hash of its secret is stored."""

    changed_column: ClassVar = "greatest(created_at, last_used_at, revoked_at)"
    kind: Kind
    holder: UUID
    store: UUID | None
    secret_hash: bytes
    # How and from where it was issued, so that a person recognises it.
    method: str
    user_agent: str
    address: str
    # When the holder last proved their identity again.
    confirmed_at: datetime | None = None
    last_used_at: datetime
    expires_at: datetime | None
    # It expires after this time without use.
    idle: timedelta | None
    # When it expires unless it is used, or when it was revoked. The sweep uses it.
    ends_at: datetime | None
    revoked_at: datetime | None = None
    revoked_by: str | None = None
    # Whether its device and network are still trusted, even after it has ended.
    vouches: bool = True
