"""HTTP routers for places, service areas and zones."""

from typing import Final

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.places import lookup, queries, service
from pannier.places.lookup import LookupIn, LookupOut
from pannier.places.schemas import AreaOut, PlaceOut
from pannier.routing.geocoding import Geocoder
from pannier.web.exchange import Exchange
from pannier.web.resources import Resource
from pannier.web.routes import post

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


routers: Final = (
    api_routers.api_router("Places", "places", [*places.handlers(), look_up]),
    api_routers.api_router("Service areas", "service-areas", areas.handlers()),
    api_routers.api_router("Zones", "zones", zones.handlers()),
)
