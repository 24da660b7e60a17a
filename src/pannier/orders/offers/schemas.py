"""JSON schemas of offers: enough to decide, without personal data."""

import re
from typing import Annotated, Final, Self

import msgspec
from msgspec import Meta

from pannier.db.paging import DEFAULT_LIMIT, Limit
from pannier.fleet.schemas import PointOut
from pannier.kit.geo import Point
from pannier.places.models import PlaceRow
from pannier.web.identifiers import OrderId
from pannier.web.serialization import to_schema
from pannier.web.times import Time

# Two decimals of a degree are about a kilometre.
COARSE_DECIMALS: Final = 2
# Longer postal codes are shortened to their area.
MAX_AREA_LENGTH: Final = 5
AREA_LENGTH: Final = 3
# A British code without its space, such as M11AE. The last three characters name the street.
BRITISH_CODE: Final = re.compile(r"[A-Z]{1,2}[0-9][A-Z0-9]?[0-9][A-Z]{2}", re.IGNORECASE)


class OfferFilters(msgspec.Struct, frozen=True, kw_only=True):
    """Filters for listing offers."""

    limit: Limit = DEFAULT_LIMIT


class OfferArea(msgspec.Struct, kw_only=True):
    """An approximate location. The driver who takes the order sees the address."""

    city: Annotated[str | None, Meta(examples=["Singapore"])]
    district: Annotated[str | None, Meta(examples=["Downtown Core"])]
    neighborhood: str | None
    postal_area: Annotated[
        str | None,
        Meta(
            description="The part of the postal code that many addresses share.", examples=["048"]
        ),
    ]
    country: Annotated[str | None, Meta(examples=["SG"])]
    location: Annotated[PointOut | None, Meta(description="Accurate to about a kilometre.")]

    @classmethod
    def from_place(cls, place: PlaceRow) -> Self:
        return to_schema(
            place,
            cls,
            location=PointOut.from_point(_round_point(place.location)),
            postal_area=shorten_postal_code(place.postal_code),
        )


def shorten_postal_code(postal_code: str | None) -> str | None:
    """Return the start of a postal code. In some countries, the whole identifies a building."""
    first_part = re.split(r"[\s-]", (postal_code or "").strip(), maxsplit=1)[0]
    if BRITISH_CODE.fullmatch(first_part):
        return first_part[:-3]
    is_precise = len(first_part) > MAX_AREA_LENGTH
    return (first_part[:AREA_LENGTH] if is_precise else first_part) or None


def _round_point(point: Point | None) -> Point | None:
    if point is None:
        return None
    return Point(
        longitude=round(point.longitude, COARSE_DECIMALS),
        latitude=round(point.latitude, COARSE_DECIMALS),
    )


class OfferOut(msgspec.Struct, kw_only=True):
    """An ad-hoc order without a driver."""

    id: OrderId
    type: Annotated[str, Meta(examples=["transport"])]
    away: Annotated[
        int,
        Meta(description="Metres from the driver to the start, rounded to 100.", examples=[800]),
    ]
    pickup: OfferArea | None
    dropoff: OfferArea | None
    stops: Annotated[int, Meta(description="Number of stops.", examples=[2])]
    items: Annotated[int, Meta(description="Number of pieces of all items.", examples=[1])]
    distance: Annotated[
        int | None, Meta(description="Length of the route in metres.", examples=[15230])
    ]
    time: Annotated[
        int | None, Meta(description="Duration of the route in seconds.", examples=[1097])
    ]
    time_window_start: Time | None
    time_window_end: Time | None
    dispatched_at: Time
