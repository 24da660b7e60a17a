"""Address suggestions while typing: the company's own places first, then a geocoder's."""

from typing import Annotated, Final, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import parse_field
from pannier.kit import country, geo
from pannier.places import addresses, fields, queries
from pannier.places.models import PlaceRow
from pannier.places.schemas import City, Country, Name, PlaceFilters, PostalCode, Street, Text
from pannier.places.shapes import PointIn, PointOut
from pannier.routing.geocoding import (
    GeocodeQuery,
    Geocoder,
    GeocodeResult,
    GeocoderUnavailable,
    Quality,
)
from pannier.routing.geocoding import Name as GeocoderName

PlaceId = Annotated[
    str, Meta(description="The company's own place.", examples=["place_8KfR2yLq0VbN6wTd"])
]


MIN_QUERY_LENGTH: Final = 2


class LookupIn(msgspec.Struct, kw_only=True):
    """The text typed so far, and where to search."""

    query: Annotated[
        str,
        Meta(
            min_length=MIN_QUERY_LENGTH,
            max_length=200,
            description="The text typed so far.",
            examples=["1 raffl"],
        ),
    ]
    near: Annotated[PointIn, Meta(description="Prefer results near this point.")] | None = None
    country: (
        Annotated[
            Country, Meta(description="Search only in this country. Defaults to the company's.")
        ]
        | None
    ) = None
    limit: Annotated[int, Meta(ge=1, le=10)] = 5


class SuggestionOut(msgspec.Struct, kw_only=True):
    """A suggested address."""

    place: PlaceId | None
    name: Name | None
    address: Annotated[
        str,
        Meta(
            description="The address, on one line.",
            examples=["1 Raffles Place, Singapore 048616, SG"],
        ),
    ]
    street1: Street | None
    city: City | None
    province: Text | None
    postal_code: PostalCode | None
    country: Country | None
    location: PointOut | None
    quality: Annotated[
        Quality | None, Meta(description="Precision of the point.", examples=["house"])
    ]

    @classmethod
    def from_place(cls, row: PlaceRow) -> Self:
        """Build a suggestion from one of the company's places."""
        return cls(
            place=row.public_id,
            address=row.address,
            location=None if row.location is None else row.location.to_geojson(),
            quality=None if row.geocoding is None else row.geocoding.quality,
            **_to_parts(row),
        )

    @classmethod
    def from_geocoder(cls, result: GeocodeResult) -> Self:
        """Build a suggestion from a geocoder's result."""
        parts = _to_parts(result)
        line = addresses.format_address(*(parts.get(name) for name in addresses.PARTS))
        return cls(
            place=None,
            address=line or result.name or "",
            location=result.point.to_geojson(),
            quality=result.quality,
            **parts,
        )


def _to_parts(row: PlaceRow | GeocodeResult) -> dict[str, str | None]:
    names = ("name", "street1", "city", "province", "postal_code", "country")
    return {name: getattr(row, name) for name in names}


class LookupOut(msgspec.Struct):
    """Suggested addresses, the company's own places first."""

    suggestions: list[SuggestionOut]
    geocoder: Annotated[
        GeocoderName | None,
        Meta(
            description="The geocoder that was queried as well. Null if there is none or it is "
            "unavailable."
        ),
    ]


async def parse_request(db: Db, company: UUID, data: LookupIn) -> GeocodeQuery:
    """Parse a lookup request. The country defaults to the company's."""
    home = (await company_settings.load(db, company)).country
    bias = None if data.near is None else fields.unwrap_feature(data.near)
    return GeocodeQuery(
        text=parse_field("query", _normalise_query, data.query),
        country=parse_field("country", country.normalise, data.country) if data.country else None,
        home=home,
        near=None if bias is None else parse_field("near", geo.parse, bias),
        limit=data.limit,
    )


def _normalise_query(text: str) -> str:
    query = text.strip()
    if len(query) < MIN_QUERY_LENGTH:
        raise ValueError(f"must have at least {MIN_QUERY_LENGTH} characters.")
    return query


async def suggest_places(db: Db, company: UUID, request: GeocodeQuery) -> list[SuggestionOut]:
    """Suggest matching places of the company."""
    filters = PlaceFilters(query=request.text, limit=request.limit)
    page = await queries.list_places(db, company, filters)
    return [SuggestionOut.from_place(row) for row in page.rows]


async def add_geocoded(
    geocoder: Geocoder | None, request: GeocodeQuery, own_suggestions: list[SuggestionOut]
) -> LookupOut:
    """Add the geocoder's suggestions up to the limit.

    Without an available geocoder, return only the company's own places.
    """
    if geocoder is None or len(own_suggestions) >= request.limit:
        return LookupOut(own_suggestions, None if geocoder is None else geocoder.name)
    try:
        geocoded_suggestions = [
            SuggestionOut.from_geocoder(address) for address in await geocoder.find(request)
        ]
    except GeocoderUnavailable:
        return LookupOut(own_suggestions, None)
    known_addresses = {suggestion.address.casefold() for suggestion in own_suggestions}
    new_suggestions = [
        suggestion
        for suggestion in geocoded_suggestions
        if suggestion.address.casefold() not in known_addresses
    ]
    return LookupOut([*own_suggestions, *new_suggestions][: request.limit], geocoder.name)
