"""The rows of tokens, and whom they speak for."""

from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

import msgspec

from pannier.db.row import PublicRow

Kind = Literal["operator", "customer", "driver", "device"]


class Holder(msgspec.Struct, frozen=True):
    """Whom tokens speak for."""

    company: UUID
    kind: Kind
    uuid: UUID
    public_id: str
    store: UUID | None = None

    @property
    def columns(self) -> dict[str, Any]:
        """What says in a token's row whose it is."""
        return {"company": self.company, "kind": self.kind, "holder": self.uuid}


class Token(PublicRow, kw_only=True):
    """One sign-in of a person, or what a device shows; its secret is kept as a hash."""

    kind: Kind
    holder: UUID
    store: UUID | None
    secret_hash: bytes
    # How it was got, and from where: what a person recognises it by.
    method: str
    user_agent: str
    address: str
    # When the holder last showed again who they are.
    confirmed_at: datetime | None = None
    last_used_at: datetime
    expires_at: datetime | None
    # How long it may lie unused.
    idle: timedelta | None
    # When it ends by itself, unless it is used; or when it was revoked. The sweep goes by it.
    ends_at: datetime | None
    revoked_at: datetime | None = None
    revoked_by: str | None = None
    # Whether its device and network are known still, also when it has ended.
    vouches: bool = True
