"""Database rows of places, service areas and zones."""

from datetime import datetime
from decimal import Decimal
from operator import attrgetter
from typing import Any, Final, Literal, NamedTuple
from uuid import UUID

import msgspec

from pannier.db.row import LocatedRow, MetaRow
from pannier.kit.geo import Point
from pannier.places import addresses
from pannier.routing.geocoding import Name, Quality

Status = Literal["active", "inactive"]
OwnerType = Literal["company", "customer", "order"]
GeocodingStatus = Literal["waiting", "found", "not_found", "failed", "off"]
_PARTS = attrgetter(*addresses.PARTS)


class Owner(NamedTuple):
    """The owner of a place, which decides what erasure and export include.

    `id` is None for the company, a contact for a customer, and an order for an order. It is also
    None while a payload has no order yet.
    """

    type: OwnerType = "company"
    id: str | None = None


COMPANY: Final = Owner()


class Geocoding(msgspec.Struct, frozen=True, kw_only=True):
    """The result of looking up coordinates for an address that came without any."""

    # `off`: this installation has no geocoder.
    status: GeocodingStatus
    source: Name | None = None
    quality: Quality | None = None
    located_at: datetime | None = None


class PlaceRow(LocatedRow, kw_only=True):
    """An address, a point, or both. `geocoding` is None if the caller gave the point."""

    name: str | None = None
    street1: str | None = None
    street2: str | None = None
    city: str | None = None
    province: str | None = None
    postal_code: str | None = None
    neighborhood: str | None = None
    district: str | None = None
    building: str | None = None
    security_access_code: str | None = None
    country: str | None = None
    phone: str | None = None
    type: str | None = None
    owner_type: OwnerType = "company"
    owner: str | None = None
    geocoding: Geocoding | None = None
    # The time of the next geocoding attempt, and the number of attempts.
    locate_after: datetime | None = None
    locate_attempts: int = 0

    @property
    def address(self) -> str:
        """The address on one line, or else the name, or else the coordinates."""
        address = addresses.format_address(*_PARTS(self)) or addresses.join_parts([self.name])
        if address or self.location is None:
            return address
        return f"{self.location.latitude}, {self.location.longitude}"


class BorderedRow(MetaRow, kw_only=True):
    """Columns that service areas and zones share."""

    name: str
    type: str | None = None
    border: dict[str, Any]
    west: float
    south: float
    east: float
    north: float
    center_longitude: float
    center_latitude: float
    country: str | None = None
    color: str | None = None
    stroke_color: str | None = None
    status: Status = "active"

    @property
    def center(self) -> Point:
        """A point near the middle, always inside the border."""
        return Point(self.center_longitude, self.center_latitude)


class ServiceArea(BorderedRow, kw_only=True):
    """An area where a company works. Its border is a GeoJSON MultiPolygon."""

    # The tax of its rates that have none, in per cent. Defaults to the company's.
    tax_rate: Decimal | None = None


class ZoneRow(BorderedRow, kw_only=True):
    """A part of a service area with its own rules. Its border is a GeoJSON Polygon."""

    service_area: UUID
    description: str | None = None
    speed_limit_kmh: int | None = None
    trigger_on_entry: bool = True
    trigger_on_exit: bool = True
    dwell_threshold_minutes: int | None = None
