"""The rows of partners."""

from typing import Literal
from uuid import UUID

from pannier.db.row import OwnRow

Status = Literal["active", "inactive"]


class Partner(OwnRow, kw_only=True):
    """What contacts and vendors have in common."""

    internal_id: str | None = None
    name: str
    title: str | None = None
    email: str | None = None
    phone: str | None = None
    locale: str | None = None
    place: UUID | None = None


class Contact(Partner, kw_only=True):
    """Somebody a company deals with."""

    type: str = "contact"


class Vendor(Partner, kw_only=True):
    """A firm that carries out orders for a company."""

    type: str = "vendor"
    business_id: str | None = None
    website_url: str | None = None
    country: str | None = None
    status: Status = "active"
