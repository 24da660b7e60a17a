"""HTTP routers for places, service areas and zones."""

from typing import Final
from uuid import UUID

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey, require_storefront_key
from pannier.db import Db
from pannier.errors import NotFound, TooManyRequests
from pannier.places import address_search, lookup, queries, service
from pannier.places.address_search import (
    AddressFilters,
    AddressNotFound,
    AddressOut,
    GeocoderNotConfigured,
    ReverseFilters,
)
from pannier.places.lookup import LookupIn, LookupOut
from pannier.places.schemas import AreaOut, PlaceOut
from pannier.routing.geocoding import Geocoder, GeocoderUnavailable
from pannier.web.exchange import Exchange
from pannier.web.resources import Resource
from pannier.web.routes import Handler, get, post

places: Final = Resource(
    queries.places,
    out=PlaceOut,
    create=service.create_place,
    change=service.change_place,
    page=queries.list_places,
)
areas: Final = Resource(
    queries.areas,
    out=AreaOut,
    create=service.create_area,
    change=service.change_area,
    page=queries.list_areas,
    remove=service.delete_area,
    problems={"delete": [service.ServiceAreaHasZones]},
    summaries={
        "create": "Create a service area from a border, or from a center and a radius.",
        "delete": "Delete a service area. Delete its zones first.",
    },
)
zones: Final = Resource(
    queries.zones,
    create=service.create_zone,
    change=service.change_zone,
    page=queries.list_zones,
    show=queries.load_zones_out,
    problems={"create": [NotFound], "list": [NotFound]},
    summaries={"create": "Create a zone from a border, or from a center and a radius."},
)


@post("/places/lookup", status_code=200)
async def look_up(
    key: FleetKey, data: LookupIn, db: Db, exchange: Exchange, geocoder: Geocoder | None
) -> LookupOut:
    """Suggest addresses for the text typed so far."""
    request = await lookup.parse_request(db, key.company, data)
    suggestions = await lookup.suggest_places(db, key.company, request)
    async with exchange.edge.suspend_transaction(exchange):
        return await lookup.add_geocoded(geocoder, request, suggestions)


async def list_addresses(
    company: UUID, filters: AddressFilters, db: Db, exchange: Exchange, geocoder: Geocoder | None
) -> list[AddressOut]:
    """Suggest addresses for the text typed so far, best match first.

    Addresses come from the city in use, or from the geocoder of the installation.
    """
    address_search.check_geocoder(db)
    address_search.count_search(exchange)
    query = await address_search.parse_query(db, company, filters)
    async with (
        exchange.edge.suspend_transaction(exchange),
        address_search.take_slot(exchange, geocoder),
    ):
        return await address_search.search_addresses(geocoder, query)


async def find_address(
    company: UUID, filters: ReverseFilters, db: Db, exchange: Exchange, geocoder: Geocoder | None
) -> AddressOut:
    """Find the address of a point: the nearest house, street or place."""
    address_search.check_geocoder(db)
    address_search.count_search(exchange)
    point = address_search.parse_point("location", filters.location)
    home_country = await address_search.load_home_country(db, company)
    async with (
        exchange.edge.suspend_transaction(exchange),
        address_search.take_slot(exchange, geocoder),
    ):
        return await address_search.find_address(geocoder, point, home_country)


def _make_address_handlers() -> list[Handler]:
    search = get(
        "/addresses",
        problems=[GeocoderNotConfigured, GeocoderUnavailable, TooManyRequests],
    )
    reverse = get(
        "/addresses/reverse",
        problems=[GeocoderNotConfigured, GeocoderUnavailable, TooManyRequests, AddressNotFound],
    )
    return [search(list_addresses), reverse(find_address)]


routers: Final = (
    api_routers.api_router("Addresses", "places", _make_address_handlers()),
    api_routers.guarded_router(
        "/storefront/v1",
        require_storefront_key,
        "Addresses",
        _make_address_handlers(),
        {"storefrontKey": []},
    ),
    api_routers.api_router("Places", "places", [*places.make_handlers(), look_up]),
    api_routers.api_router("Service areas", "service-areas", areas.make_handlers()),
    api_routers.api_router("Zones", "zones", zones.make_handlers()),
)
