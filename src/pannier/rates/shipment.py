"""What is priced: everything that a rate may look at, and nothing else."""

from datetime import datetime
from decimal import Decimal
from uuid import UUID

import msgspec

from pannier.kit.geo import Point
from pannier.routing.route import Route


class Parcel(msgspec.Struct, frozen=True, kw_only=True):
    """An item: centimetres and kilograms, as far as they are known."""

    length: Decimal | None = None
    width: Decimal | None = None
    height: Decimal | None = None
    weight: Decimal | None = None


class Shipment(msgspec.Struct, frozen=True, kw_only=True):
    """A way through stops with what is carried along, at a moment."""

    at: datetime
    stops: tuple[Point, ...]
    route: Route
    parcels: tuple[Parcel, ...] = ()
    order_config: UUID | None = None
    facilitator: UUID | None = None
    # Whether cash is collected, and how much in minor units, if that is known.
    cod: bool = False
    cod_amount: int | None = None
    cod_currency: str | None = None
