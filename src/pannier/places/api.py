"""The doors of places, service areas and zones."""

from litestar import Response, Router

from pannier.accounts import auth
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.places import queries, service
from pannier.places.models import Zone
from pannier.places.schemas import (
    AreaChange,
    AreaFilters,
    AreaIn,
    AreaOut,
    PlaceFilters,
    PlaceIn,
    PlaceOut,
    ZoneChange,
    ZoneFilters,
    ZoneIn,
    ZoneOut,
)
from pannier.web.deletions import Deleted
from pannier.web.exchange import Exchange
from pannier.web.lists import linked
from pannier.web.routes import change, delete, get, post
from pannier.web.versions import Match, PreconditionFailed


@post("/places")
async def create_place(key: FleetKey, data: PlaceIn, db: Db) -> PlaceOut:
    """Keep a place."""
    return PlaceOut.of(await service.create_place(db, key.company, data))


@get("/places/{place_id:str}")
async def get_place(key: FleetKey, place_id: str, db: Db) -> PlaceOut:
    """Read a place."""
    return PlaceOut.of(await queries.places.get(db, key.company, place_id))


@get("/places")
async def list_places(
    key: FleetKey, filters: PlaceFilters, exchange: Exchange, db: Db
) -> Response[list[PlaceOut]]:
    """List places. Sorted by `created_at`."""
    return linked(exchange, await queries.place_page(db, key.company, filters), PlaceOut.of)


@change("/places/{place_id:str}", problems=[PreconditionFailed])
async def update_place(
    key: FleetKey, place_id: str, data: PlaceIn, match: Match, db: Db
) -> PlaceOut:
    """Change a place. What is left out stays, and null empties a field."""
    place = await queries.places.take(db, key.company, place_id)
    match(place.version)
    return PlaceOut.of(await service.change_place(db, place, data))


@delete("/places/{place_id:str}", status_code=200, problems=[PreconditionFailed])
async def delete_place(key: FleetKey, place_id: str, match: Match, db: Db) -> Deleted:
    """Delete a place. What names it goes on naming it."""
    place = await queries.places.take(db, key.company, place_id)
    match(place.version)
    await queries.places.remove(db, place)
    return Deleted.of(db, "place", place.public_id)


@post("/service-areas")
async def create_service_area(key: FleetKey, data: AreaIn, db: Db) -> AreaOut:
    """Keep a service area. Give its border, or a point and a radius."""
    return AreaOut.of(await service.create_area(db, key.company, data))


@get("/service-areas/{service_area_id:str}")
async def get_service_area(key: FleetKey, service_area_id: str, db: Db) -> AreaOut:
    """Read a service area."""
    return AreaOut.of(await queries.areas.get(db, key.company, service_area_id))


@get("/service-areas")
async def list_service_areas(
    key: FleetKey, filters: AreaFilters, exchange: Exchange, db: Db
) -> Response[list[AreaOut]]:
    """List service areas. Sorted by `created_at` or `name`."""
    return linked(exchange, await queries.area_page(db, key.company, filters), AreaOut.of)


@change("/service-areas/{service_area_id:str}", problems=[PreconditionFailed])
async def update_service_area(
    key: FleetKey, service_area_id: str, data: AreaChange, match: Match, db: Db
) -> AreaOut:
    """Change a service area. What is left out stays, and null empties a field."""
    area = await queries.areas.take(db, key.company, service_area_id)
    match(area.version)
    return AreaOut.of(await service.change_area(db, area, data))


@delete(
    "/service-areas/{service_area_id:str}",
    status_code=200,
    problems=[PreconditionFailed, service.ServiceAreaHasZones],
)
async def delete_service_area(key: FleetKey, service_area_id: str, match: Match, db: Db) -> Deleted:
    """Delete a service area. Its zones must have gone before it."""
    area = await queries.areas.take(db, key.company, service_area_id)
    match(area.version)
    await service.delete_area(db, area)
    return Deleted.of(db, "service_area", area.public_id)


async def shown_zone(db: Db, zone: Zone) -> ZoneOut:
    """Spell a zone with its service area."""
    return ZoneOut.of(zone, await queries.areas_of(db, zone.company, [zone]))


@post("/zones", problems=[NotFound])
async def create_zone(key: FleetKey, data: ZoneIn, db: Db) -> ZoneOut:
    """Keep a zone. Give its border, or a point and a radius."""
    return await shown_zone(db, await service.create_zone(db, key.company, data))


@get("/zones/{zone_id:str}")
async def get_zone(key: FleetKey, zone_id: str, db: Db) -> ZoneOut:
    """Read a zone."""
    return await shown_zone(db, await queries.zones.get(db, key.company, zone_id))


@get("/zones", problems=[NotFound])
async def list_zones(
    key: FleetKey, filters: ZoneFilters, exchange: Exchange, db: Db
) -> Response[list[ZoneOut]]:
    """List zones. Sorted by `created_at` or `name`."""
    found = await queries.zone_page(db, key.company, filters)
    areas = await queries.areas_of(db, key.company, found.rows)
    return linked(exchange, found, lambda zone: ZoneOut.of(zone, areas))


@change("/zones/{zone_id:str}", problems=[PreconditionFailed])
async def update_zone(
    key: FleetKey, zone_id: str, data: ZoneChange, match: Match, db: Db
) -> ZoneOut:
    """Change a zone. What is left out stays, and null empties a field."""
    zone = await queries.zones.take(db, key.company, zone_id)
    match(zone.version)
    return await shown_zone(db, await service.change_zone(db, zone, data))


@delete("/zones/{zone_id:str}", status_code=200, problems=[PreconditionFailed])
async def delete_zone(key: FleetKey, zone_id: str, match: Match, db: Db) -> Deleted:
    """Delete a zone. What names it goes on naming it."""
    zone = await queries.zones.take(db, key.company, zone_id)
    match(zone.version)
    await queries.zones.remove(db, zone)
    return Deleted.of(db, "zone", zone.public_id)


place_routes = Router(
    "/v1",
    route_handlers=[create_place, get_place, list_places, update_place, delete_place],
    before_request=auth.fleet("places"),
    tags=["Places"],
    security=[{"apiKey": []}],
)
area_routes = Router(
    "/v1",
    route_handlers=[
        create_service_area, get_service_area, list_service_areas, update_service_area,
        delete_service_area,
    ],
    before_request=auth.fleet("service-areas"),
    tags=["Service areas"],
    security=[{"apiKey": []}],
)  # fmt: skip
zone_routes = Router(
    "/v1",
    route_handlers=[create_zone, get_zone, list_zones, update_zone, delete_zone],
    before_request=auth.fleet("zones"),
    tags=["Zones"],
    security=[{"apiKey": []}],
)
routers = (place_routes, area_routes, zone_routes)
