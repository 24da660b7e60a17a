"""The rows of partners."""

from typing import Any, Literal
from uuid import UUID

import msgspec

from pannier.db.row import KeptRow

Status = Literal["active", "inactive"]


class Contact(KeptRow, kw_only=True):
    """Somebody a company deals with."""

    internal_id: str | None = None
    name: str
    title: str | None = None
    email: str | None = None
    phone: str | None = None
    type: str = "contact"
    place: UUID | None = None
    meta: dict[str, Any] = msgspec.field(default_factory=dict)


class Vendor(KeptRow, kw_only=True):
    """A firm that carries out orders for a company."""

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


class PlaceName(msgspec.Struct):
    """All that partners know of a place: what it goes by."""

    uuid: UUID
    public_id: str
