"""Database rows of contacts and vendors."""

from typing import Literal
from uuid import UUID

from pannier.db.row import MetaRow

Status = Literal["active", "inactive"]


class Partner(MetaRow, kw_only=True):
    """Columns that contacts and vendors share."""

    internal_id: str | None = None
    name: str
    title: str | None = None
    email: str | None = None
    phone: str | None = None
    locale: str | None = None
    place: UUID | None = None
    # Tariffs and terms of payment. `default_service` is a rate.
    price_group: str | None = None
    default_service: UUID | None = None
    payment_terms_days: int | None = None
    tax_number: str | None = None


class Contact(Partner, kw_only=True):
    """A person or customer whom a company deals with."""

    type: str = "contact"


class Vendor(Partner, kw_only=True):
    """A firm that fulfils orders for a company."""

    type: str = "vendor"
    business_id: str | None = None
    website_url: str | None = None
    country: str | None = None
    status: Status = "active"
