"""Address search for programs and shops: suggestions while typing, and the address of a point."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Annotated, Any, Final, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.accounts.auth import StorefrontKey
from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import Conflict, Problem, parse_field
from pannier.kit import country, geo
from pannier.kit.geo import Point
from pannier.places import addresses, fields
from pannier.places.schemas import City, Country, PostalCode, Street
from pannier.places.shapes import PointOut
from pannier.routing.geocoding import (
    GeocodeQuery,
    Geocoder,
    GeocodeResult,
    GeocoderUnavailable,
    Quality,
)
from pannier.web import addresses as networks
from pannier.web.documented_types import document_as
from pannier.web.exchange import Exchange
from pannier.web.limits import Rate

MIN_QUERY_LENGTH: Final = 2
# A search costs more than most reads. Storefront keys are public, so each network has a limit that
# suits a few people, and all networks share a limit per shop. The company's own programs and
# operators have a separate limit.
COMPANY_RATE: Final = Rate(1200, 60.0, burst=200)
SHOP_RATE: Final = Rate(600, 60.0, burst=200)
NETWORK_RATE: Final = Rate(120, 60.0, burst=40)
# The maximum time that a public search waits for others.
MAX_WAIT_SECONDS: Final = 1.0

PointText = Annotated[
    str | dict[str, Any],
    Meta(
        description="`latitude,longitude` or GeoJSON.",
        examples=["60.1681,24.9406"],
        extra_json_schema=document_as(str),
    ),
]


class AddressNotFound(Problem):
    """No known address is near this point."""

    status, code, title = 404, "address_not_found", "There is no address near this point."
    remedy = "Choose another point, or enter the address."


class GeocoderNotConfigured(Conflict):
    """Addresses cannot be searched, because the installation has no city map and no geocoder."""

    code = "geocoder_not_configured"
    title = "No geocoder is configured."
    remedy = (
        "Send coordinates. An administrator can build a city map with `pannier map build`, or set "
        "`PANNIER_GEOCODER`."
    )


class AddressFilters(msgspec.Struct, frozen=True, kw_only=True):
    """The text typed so far, and where to search."""

    query: Annotated[
        str,
        Meta(
            min_length=MIN_QUERY_LENGTH,
            max_length=200,
            description="An address or its beginning: street, house number, postcode and city in "
            "any order.",
            examples=["mannerheimintie 12"],
        ),
    ]
    near: (
        Annotated[
            str | dict[str, Any],
            Meta(
                description="`latitude,longitude` or GeoJSON. Addresses near it come first.",
                examples=["60.1681,24.9406"],
                extra_json_schema=document_as(str),
            ),
        ]
        | None
    ) = None
    country: Annotated[Country, Meta(description="Only addresses in this country.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=10)] = 5


class ReverseFilters(msgspec.Struct, frozen=True, kw_only=True):
    """The point to find an address for."""

    location: PointText


class AddressOut(msgspec.Struct, kw_only=True):
    """An address, with its coordinates."""

    label: Annotated[
        str, Meta(description="On one line.", examples=["Mannerheimintie 12, 00100 Helsinki"])
    ]
    street1: Annotated[
        Street | None,
        Meta(description="Street and house number.", examples=["Mannerheimintie 12"]),
    ]
    city: Annotated[City | None, Meta(examples=["Helsinki"])]
    postal_code: Annotated[PostalCode | None, Meta(examples=["00100"])]
    country: Annotated[Country | None, Meta(examples=["FI"])]
    location: PointOut
    quality: Annotated[Quality, Meta(description="Precision of the point.", examples=["house"])]

    @classmethod
    def from_geocoder(cls, result: GeocodeResult, home_country: str | None) -> Self:
        """Build an address from a geocoder's result."""
        return cls(
            label=format_label(result, home_country),
            street1=result.street1,
            city=result.city,
            postal_code=result.postal_code,
            country=result.country,
            location=result.point.to_geojson(),
            quality=result.quality,
        )


def format_label(result: GeocodeResult, home_country: str | None) -> str:
    """Format an address on one line. The home country is left out."""
    name = None if result.name in {result.street1, result.postal_code} else result.name
    city = addresses.format_town(result.city, None, result.postal_code, result.country)
    if result.city == name:
        name, city = None, city or name or ""
    foreign_country = None if result.country == home_country else result.country
    return addresses.join_parts((name, result.street1, city, foreign_country))


async def parse_query(db: Db, company: UUID, filters: AddressFilters) -> GeocodeQuery:
    """Parse a search. A trailing space means that the last word is complete."""
    near = None if filters.near is None else parse_point("near", filters.near)
    return GeocodeQuery(
        text=parse_field("query", normalise_text, filters.query),
        country=parse_field("country", country.normalise, filters.country)
        if filters.country
        else None,
        home=await load_home_country(db, company),
        near=near,
        limit=filters.limit,
    )


def normalise_text(text: str) -> str:
    """Strip leading spaces, or raise ValueError if the text is too short to search."""
    if len(text.strip()) < MIN_QUERY_LENGTH:
        raise ValueError(f"must have at least {MIN_QUERY_LENGTH} characters.")
    return text.lstrip()


def parse_point(name: str, value: object) -> Point:
    """Parse a point of a query, or raise Invalid."""
    return parse_field(name, geo.parse, fields.unwrap_feature(value))


async def load_home_country(db: Db, company: UUID) -> str | None:
    """Load the company's country."""
    return (await company_settings.load(db, company)).country


def count_search(exchange: Exchange) -> None:
    """Count a search against the company's limit, or against those of the network and the shop."""
    company = exchange.caller.company
    if not isinstance(exchange.caller, StorefrontKey):
        exchange.edge.count_hit(f"addresses:{company}", COMPANY_RATE, exchange)
        return
    # The network comes first, so that requests refused there do not count for the shop.
    network = networks.get_rate_limit_network(exchange.address)
    exchange.edge.count_hit(f"addresses:{network}", NETWORK_RATE, exchange)
    exchange.edge.count_hit(f"addresses:shop:{company}", SHOP_RATE, exchange)


@asynccontextmanager
async def take_slot(exchange: Exchange, geocoder: Geocoder | None) -> AsyncIterator[None]:
    """Wait for a slot if the search is public. All shops share a few slots, in turns."""
    if geocoder is None or not isinstance(exchange.caller, StorefrontKey):
        yield
        return
    async with AsyncExitStack() as stack:
        try:
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                turn = geocoder.public_searches.wait_turn(exchange.caller.company)
                await stack.enter_async_context(turn)
        except TimeoutError:
            raise GeocoderUnavailable("Too many addresses are being searched.") from None
        yield


def check_geocoder(db: Db) -> None:
    """Raise GeocoderNotConfigured if there is no geocoder now."""
    if "geocoder" not in db.database.engines:
        raise GeocoderNotConfigured


async def search_addresses(geocoder: Geocoder | None, query: GeocodeQuery) -> list[AddressOut]:
    """Suggest addresses, best first."""
    if geocoder is None:
        raise GeocoderNotConfigured
    return [AddressOut.from_geocoder(result, query.home) for result in await geocoder.find(query)]


async def find_address(
    geocoder: Geocoder | None, point: Point, home_country: str | None
) -> AddressOut:
    """Find the address of a point, or raise AddressNotFound."""
    if geocoder is None:
        raise GeocoderNotConfigured
    result = await geocoder.find_address(point)
    if result is None:
        raise AddressNotFound
    return AddressOut.from_geocoder(result, home_country)
