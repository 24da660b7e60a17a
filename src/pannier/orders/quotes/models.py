"""The rows of quotes."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pannier.db.row import Row
from pannier.rates.pricing import Line
from pannier.routing.route import Source

# Whether it has expired is the clock's to say.
State = Literal["open", "accepted", "replaced"]


class ServiceQuote(Row, kw_only=True):
    """A price by one version of a rate: an order's, or one that was signed and then accepted."""

    order_uuid: UUID | None
    order_id: str | None
    service_rate: UUID
    service_rate_id: str
    service_rate_version: int
    service_name: str
    service_type: str
    amount: int
    currency: str
    items: list[Line]
    distance: int
    time: int
    route_source: Source
    # Of the shipment that was priced, and of its way.
    shipment: bytes
    # Of the signed id, when it was one.
    signature: bytes | None = None
    state: State
    expired_at: datetime
    accepted_at: datetime | None = None
    # The transaction by which it is owed.
    transaction: str | None = None
