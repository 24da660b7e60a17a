"""Database rows of quotes."""

from datetime import datetime
from decimal import Decimal
from typing import Literal
from uuid import UUID

from pannier.db.row import VersionedRow
from pannier.rates.pricing import PriceLine
from pannier.routing.route import Source

# Expiry is not a state: it follows from the clock.
State = Literal["open", "accepted", "replaced"]


class ServiceQuote(VersionedRow, kw_only=True):
    """A price from one version of a rate: a quote of an order, or an accepted signed quote."""

    order_uuid: UUID | None
    order_id: str | None
    service_rate: UUID
    service_rate_id: str
    service_rate_version: int
    service_name: str
    service_type: str
    # Contains the tax.
    amount: int
    currency: str
    tax_rate: Decimal | None = None
    tax_amount: int = 0
    items: list[PriceLine]
    distance: int
    time: int
    route_source: Source
    # Whether the distance is final, and not an estimate until the engine has measured the route.
    firm: bool = True
    # Fingerprint of the priced shipment and its route.
    shipment: bytes
    # The contact or vendor for whom it was priced.
    customer: UUID | None = None
    # Hash of the signed identifier, if there is one.
    signature: bytes | None = None
    state: State
    expired_at: datetime
    accepted_at: datetime | None = None
    # The transaction that the quote opened.
    transaction: str | None = None
