"""The rows of partners."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec

Status = Literal["active", "inactive"]


class Contact(msgspec.Struct, kw_only=True):
    """Somebody a company deals with."""

    uuid: UUID
    public_id: str
    company: UUID
    internal_id: str | None = None
    name: str
    title: str | None = None
    email: str | None = None
    phone: str | None = None
    type: str = "contact"
    place: UUID | None = None
    meta: dict[str, Any] = msgspec.field(default_factory=dict)
    created_at: datetime
    updated_at: datetime
    version: int = 1
    deleted_at: datetime | None = None


class Vendor(msgspec.Struct, kw_only=True):
    """A firm that carries out orders for a company."""

    uuid: UUID
    public_id: str
    company: UUID
    internal_id: str | None = None
    business_id: str | None = None
    name: str
    title: str | None = None
    email: str | None = None
    phone: str | None = None
    website_url: str | None = None
    country: str | None = None
    type: str = "vendor"
    status: Status = "active"
    place: UUID | None = None
    meta: dict[str, Any] = msgspec.field(default_factory=dict)
    created_at: datetime
    updated_at: datetime
    version: int = 1
    deleted_at: datetime | None = None


class PlaceName(msgspec.Struct):
    """All that partners know of a place: what it goes by."""

    uuid: UUID
    public_id: str
