"""JSON schemas of places, service areas and zones."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta

from pannier.db import PageIn
from pannier.kit.wording import MESSAGE
from pannier.places.models import (
    Geocoding,
    GeocodingStatus,
    OwnerType,
    PlaceRow,
    ServiceArea,
    Status,
    ZoneRow,
)
from pannier.places.shapes import (
    EXAMPLE_RING,
    AreaBorder,
    GeoJsonPoint,
    PointIn,
    PointOut,
    Position,
    ZoneBorder,
)
from pannier.routing.geocoding import Name as Geocoder
from pannier.routing.geocoding import Quality
from pannier.web.compatibility import ACCEPTED, accept_response_fields
from pannier.web.documented_types import document_as
from pannier.web.fields import Clearable, CompanyMeta, Given
from pannier.web.identifiers import AnyOf, identifier
from pannier.web.people import Phone
from pannier.web.resource_out import ResourceOut
from pannier.web.serialization import to_schema
from pannier.web.tax import TaxRate
from pannier.web.times import Time

Text = Annotated[str, Meta(max_length=200)]
Name = Annotated[str, Meta(max_length=200, examples=["Warehouse"])]
AreaName = Annotated[str, Meta(min_length=1, max_length=200, examples=["Singapore"])]
Street = Annotated[str, Meta(max_length=255, examples=["1 Raffles Place"])]
City = Annotated[str, Meta(max_length=200, examples=["Singapore"])]
PostalCode = Annotated[str, Meta(max_length=32, examples=["048616"])]
AccessCode = Annotated[
    str, Meta(max_length=100, description="Access code of the building.", examples=["4711#"])
]
Country = Annotated[str, Meta(max_length=2, description="ISO 3166, two letters.", examples=["SG"])]
Kind = Annotated[str, Meta(max_length=50, examples=["warehouse"])]
PlaceOwnerType = Annotated[
    OwnerType,
    Meta(
        description="`company`: a saved place, kept when a customer is erased. `customer`: erased "
        "with its `owner`. `order`: created for one order, erased with the order's customer.",
        examples=["company"],
    ),
]
PlaceOwner = Annotated[
    str,
    Meta(
        max_length=64,
        description="The contact of a `customer`, or the order of an `order`; null for "
        "a company. A change accepts a contact or a customer.",
        examples=["contact_3TnVd8QeC0sJm5Lf"],
    ),
]


Degrees = Annotated[float | str, Meta(description="Instead of `location`.")]
Color = Annotated[
    str,
    Meta(
        max_length=32,
        pattern=r"^(#[0-9A-Fa-f]{3,8}|[A-Za-z]*)\Z",
        description="Hexadecimal, or a color name.",
        examples=["#2f6fed"],
        extra={MESSAGE: "must be a colour such as #2f6fed, or a name such as teal."},
    ),
]
Radius = Annotated[
    float,
    Meta(gt=0, le=1_000_000, description="Metres around `location`, instead of a border."),
]
AreaId = Annotated[
    str,
    identifier(
        "sa_5GvHn1UzEc8YtB2i", "A service area, by its identifier.", min_length=1, max_length=64
    ),
]
Search = Annotated[
    str, Meta(max_length=200, description="Text to search for.", examples=["raffles"])
]
PointFilter = Annotated[
    str,
    Meta(
        max_length=100,
        description="Only active ones that contain this point: `latitude,longitude`.",
        examples=["1.3521,103.8198"],
    ),
]


class PlaceIn(msgspec.Struct, kw_only=True):
    """A new or changed place. In a change, omitted fields stay and null clears a field."""

    accepts: ClassVar = ACCEPTED["place"]
    name: Clearable[Name] = UNSET
    street1: Clearable[Street] = UNSET
    street2: Clearable[Annotated[str, Meta(max_length=255)]] = UNSET
    city: Clearable[City] = UNSET
    province: Clearable[Text] = UNSET
    postal_code: Clearable[PostalCode] = UNSET
    neighborhood: Clearable[Text] = UNSET
    district: Clearable[Text] = UNSET
    building: Clearable[Text] = UNSET
    security_access_code: Clearable[AccessCode] = UNSET
    country: Clearable[Country] = UNSET
    phone: Clearable[Phone] = UNSET
    type: Clearable[Kind] = UNSET
    owner_type: Given[PlaceOwnerType] = UNSET
    owner: Clearable[PlaceOwner] = UNSET
    location: Clearable[PointIn] = UNSET
    latitude: Clearable[Degrees] = UNSET
    longitude: Clearable[Degrees] = UNSET
    meta: Given[CompanyMeta] = UNSET


class PlaceObject(PlaceIn, kw_only=True):
    """An object sent as a place: an address, a point, or an existing place."""

    accepts: ClassVar = ACCEPTED["place"] | ACCEPTED["point"] | {"accuracy"}
    place: Any = None
    coordinates: Any = None
    bbox: Any = None
    geometry: Any = None
    properties: Any = None


# The forms of a place in a request: an identifier or an address, an object, or a point.
PLACE_FORMS: Final = document_as(str, PlaceIn, GeoJsonPoint, Position)


class GeocodingOut(msgspec.Struct, kw_only=True):
    """The geocoding of an address. Null if the caller sent coordinates."""

    status: Annotated[
        GeocodingStatus,
        Meta(
            description="`waiting` for the geocoder, `found`, `not_found`, `failed` if it was "
            "unavailable too often, or `off` if this installation has none.",
            examples=["found"],
        ),
    ]
    source: Geocoder | None
    quality: Annotated[
        Quality | None, Meta(description="Precision of the point.", examples=["house"])
    ]
    located_at: Time | None

    @classmethod
    def from_geocoding(cls, geocoding: Geocoding) -> Self:
        """Build the output of a geocoding result."""
        return to_schema(geocoding, cls)


class PlaceOut(ResourceOut, kw_only=True):
    """A place."""

    id: Annotated[str, Meta(examples=["place_8KfR2yLq0VbN6wTd"])]
    name: Name | None
    address: Annotated[
        str,
        Meta(
            description="The address, on one line.",
            examples=["1 Raffles Place, Singapore 048616, SG"],
        ),
    ]
    street1: Street | None
    street2: Annotated[str, Meta(max_length=255)] | None
    city: City | None
    province: Text | None
    postal_code: PostalCode | None
    neighborhood: Text | None
    district: Text | None
    building: Text | None
    security_access_code: AccessCode | None
    country: Country | None
    phone: Phone | None
    type: Kind | None
    owner_type: PlaceOwnerType
    owner: PlaceOwner | None
    location: PointOut | None
    geocoding: GeocodingOut | None
    meta: CompanyMeta

    @classmethod
    def from_row(cls, row: PlaceRow) -> Self:
        """Build the output of a place."""
        point = row.location
        return to_schema(
            row,
            cls,
            address=row.address,
            location=point and point.to_geojson(),
            geocoding=None if row.geocoding is None else GeocodingOut.from_geocoding(row.geocoding),
        )


class BorderedChange(msgspec.Struct, kw_only=True):
    """Changes that service areas and zones have in common."""

    explains: ClassVar = dict.fromkeys(
        ("trigger_on_entry", "trigger_on_exit", "dwell_threshold_minutes", "speed_limit_kmh"),
        "Set this on a zone: service areas raise no alerts.",
    )
    name: Given[AreaName] = UNSET
    type: Clearable[Kind] = UNSET
    border: Given[AreaBorder] = UNSET
    location: Given[Annotated[PointIn, Meta(examples=[])]] = UNSET
    radius: Given[Radius] = UNSET
    country: Clearable[Country] = UNSET
    color: Clearable[Color] = UNSET
    stroke_color: Clearable[Color] = UNSET
    status: Given[Status] = UNSET
    meta: Given[CompanyMeta] = UNSET


class AreaChange(BorderedChange, kw_only=True):
    """Changes to a service area. Omitted fields stay; null clears a field."""

    accepts: ClassVar = ACCEPTED["service area"]
    tax_rate: Clearable[TaxRate] = UNSET


class AreaIn(AreaChange, kw_only=True):
    """A new service area, with a border, or with a point and a radius."""

    example: ClassVar = {
        "name": "Singapore",
        "location": {"latitude": 1.3521, "longitude": 103.8198},
        "radius": 20000,
    }
    name: AreaName


class BorderedOut(ResourceOut, kw_only=True):
    """Fields that service areas and zones have in common."""

    name: AreaName
    type: Kind | None
    center: PointOut
    country: Country | None
    color: Color | None
    stroke_color: Color | None
    status: Status
    meta: CompanyMeta


class AreaOut(BorderedOut, kw_only=True):
    """A service area."""

    id: Annotated[str, Meta(examples=["sa_5GvHn1UzEc8YtB2i"])]
    border: AreaBorder
    tax_rate: TaxRate | None

    @classmethod
    def from_row(cls, row: ServiceArea) -> Self:
        """Build the output of a service area."""
        return to_schema(row, cls, center=row.center.to_geojson())


ZoneSpeedLimit = Annotated[
    int,
    Meta(
        ge=1,
        le=400,
        description="Speed alerts start above it. It overrides the vehicle's limit.",
        examples=[30],
    ),
]


class ZoneChange(BorderedChange, kw_only=True):
    """Changes to a zone. Omitted fields stay; null clears a field."""

    accepts: ClassVar = ACCEPTED["zone"]
    service_area: Given[AreaId] = UNSET
    description: Clearable[Annotated[str, Meta(max_length=2000)]] = UNSET
    border: Given[ZoneBorder] = UNSET
    speed_limit_kmh: Clearable[ZoneSpeedLimit] = UNSET
    trigger_on_entry: Given[bool] = UNSET
    trigger_on_exit: Given[bool] = UNSET
    dwell_threshold_minutes: Clearable[Annotated[int, Meta(ge=1, le=10080)]] = UNSET


class ZoneIn(ZoneChange, kw_only=True):
    """A new zone, with a border, or with a point and a radius."""

    example: ClassVar = {
        "name": "Centre",
        "service_area": "sa_5GvHn1UzEc8YtB2i",
        "border": {"type": "Polygon", "coordinates": [EXAMPLE_RING]},
    }
    name: AreaName
    service_area: AreaId


class ZoneOut(BorderedOut, kw_only=True):
    """A zone."""

    id: Annotated[str, Meta(examples=["zone_0QwRt6JkXm3PsD7f"])]
    service_area: AreaId
    name: Annotated[str, Meta(examples=["Centre"])]
    description: str | None
    border: ZoneBorder
    speed_limit_kmh: ZoneSpeedLimit | None
    trigger_on_entry: bool
    trigger_on_exit: bool
    dwell_threshold_minutes: Annotated[int, Meta(examples=[15])] | None

    @classmethod
    def from_row(cls, row: ZoneRow, areas: Mapping[UUID, ServiceArea]) -> Self:
        """Build the output of a zone, with its service area's public id."""
        area = areas[row.service_area].public_id
        return to_schema(row, cls, center=row.center.to_geojson(), service_area=area)


class _Filters(PageIn, frozen=True, kw_only=True):
    id: AnyOf[Annotated[str, Meta(max_length=64)]] = None
    query: Search | None = None
    type: Kind | None = None
    country: Country | None = None


class PlaceFilters(_Filters, frozen=True, kw_only=True):
    """Filters for listing places."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "updated_at")

    city: City | None = None
    postal_code: PostalCode | None = None
    owner_type: OwnerType | None = None


class AreaFilters(_Filters, frozen=True, kw_only=True):
    """Filters for listing service areas."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "name")

    status: Status | None = None
    location: PointFilter | None = None


class ZoneFilters(AreaFilters, frozen=True, kw_only=True):
    """Filters for listing zones."""

    service_area: AreaId | None = None


accept_response_fields(PlaceIn, PlaceOut)
accept_response_fields(PlaceObject, PlaceOut)
accept_response_fields(AreaChange, AreaOut)
accept_response_fields(ZoneChange, ZoneOut)
