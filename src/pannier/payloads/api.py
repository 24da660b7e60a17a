"""The doors of payloads, waypoints and entities."""

from litestar import Response, Router

from pannier.accounts import auth
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.payloads import items, queries, service, stops
from pannier.payloads.models import Entity, Payload, Waypoint
from pannier.payloads.queries import ENTITIES, PAYLOADS, WAYPOINTS
from pannier.payloads.rules import LastWaypoint, PayloadBegun, PayloadClosed, WaypointBegun
from pannier.payloads.schemas import (
    EntityChange,
    EntityFilters,
    EntityOut,
    NewEntity,
    NewWaypoint,
    PayloadChange,
    PayloadFilters,
    PayloadIn,
    PayloadOut,
    WaypointChange,
    WaypointFilters,
    WaypointOut,
)
from pannier.payloads.service import PayloadOrdered
from pannier.web.deletions import Deleted
from pannier.web.exchange import Exchange
from pannier.web.lists import linked
from pannier.web.routes import change, delete, get, post
from pannier.web.versions import Match, PreconditionFailed


async def shown_payload(db: Db, payload: Payload) -> PayloadOut:
    """Spell a payload with its stops and items."""
    return (await queries.shown(db, payload.company, [payload])).out(payload)


async def shown_waypoint(db: Db, stop: Waypoint) -> WaypointOut:
    """Spell a stop with its place."""
    return (await queries.shown_waypoints(db, stop.company, [stop])).waypoint(stop)


async def shown_entity(db: Db, item: Entity) -> EntityOut:
    """Spell an item with what it names."""
    return (await queries.shown_entities(db, item.company, [item])).entity(item)


@post("/payloads", problems=[NotFound])
async def create_payload(key: FleetKey, data: PayloadIn, db: Db) -> PayloadOut:
    """Put a payload together, with its stops and items."""
    return await shown_payload(db, (await service.create(db, key.company, data)).payload)


@get("/payloads/{payload_id:str}")
async def get_payload(key: FleetKey, payload_id: str, db: Db) -> PayloadOut:
    """Read a payload with its stops and items."""
    return await shown_payload(db, await PAYLOADS.get(db, key.company, payload_id))


@get("/payloads")
async def list_payloads(
    key: FleetKey, filters: PayloadFilters, exchange: Exchange, db: Db
) -> Response[list[PayloadOut]]:
    """List payloads. Sorted by `created_at`."""
    found = await queries.payload_page(db, key.company, filters)
    return linked(exchange, found, (await queries.shown(db, key.company, found.rows)).out)


@change("/payloads/{payload_id:str}", problems=[PreconditionFailed, PayloadBegun, PayloadClosed])
async def update_payload(
    key: FleetKey, payload_id: str, data: PayloadChange, match: Match, db: Db
) -> PayloadOut:
    """Change a payload. What is left out stays; a list of stops or items replaces the old one."""
    payload = await PAYLOADS.take(db, key.company, payload_id)
    match(payload.version)
    return await shown_payload(db, (await service.change(db, payload, data)).payload)


@delete(
    "/payloads/{payload_id:str}", status_code=200, problems=[PreconditionFailed, PayloadOrdered]
)
async def delete_payload(key: FleetKey, payload_id: str, match: Match, db: Db) -> Deleted:
    """Delete a payload that no order moves, with its stops and items."""
    payload = await PAYLOADS.take(db, key.company, payload_id)
    match(payload.version)
    await service.remove(db, payload)
    return Deleted.of(db, "payload", payload.public_id)


@post("/waypoints", problems=[NotFound, PayloadBegun, PayloadClosed])
async def create_waypoint(key: FleetKey, data: NewWaypoint, db: Db) -> WaypointOut:
    """Add a stop at the end of a payload's route."""
    payload = await queries.payload_named(db, key.company, data.payload)
    return await shown_waypoint(db, await stops.add(db, payload, data))


@get("/waypoints/{waypoint_id:str}")
async def get_waypoint(key: FleetKey, waypoint_id: str, db: Db) -> WaypointOut:
    """Read a stop."""
    return await shown_waypoint(db, await WAYPOINTS.get(db, key.company, waypoint_id))


@get("/waypoints", problems=[NotFound])
async def list_waypoints(
    key: FleetKey, filters: WaypointFilters, exchange: Exchange, db: Db
) -> Response[list[WaypointOut]]:
    """List stops. Sorted by `created_at`."""
    found = await queries.waypoint_page(db, key.company, filters)
    shown = await queries.shown_waypoints(db, key.company, found.rows)
    return linked(exchange, found, shown.waypoint)


@change("/waypoints/{waypoint_id:str}", problems=[PreconditionFailed, WaypointBegun, PayloadClosed])
async def update_waypoint(
    key: FleetKey, waypoint_id: str, data: WaypointChange, match: Match, db: Db
) -> WaypointOut:
    """Change a stop. What is left out stays, and null empties a field."""
    payload, stop = await queries.take_waypoint(db, key.company, waypoint_id)
    match(stop.version)
    return await shown_waypoint(db, await stops.change(db, payload, stop, data))


@delete(
    "/waypoints/{waypoint_id:str}",
    status_code=200,
    problems=[PreconditionFailed, LastWaypoint, PayloadBegun, PayloadClosed],
)
async def delete_waypoint(key: FleetKey, waypoint_id: str, match: Match, db: Db) -> Deleted:
    """Take a stop out of its payload, before the order begins."""
    payload, stop = await queries.take_waypoint(db, key.company, waypoint_id)
    match(stop.version)
    await stops.remove(db, payload, stop)
    return Deleted.of(db, "waypoint", stop.public_id)


@post("/entities", problems=[NotFound, PayloadClosed])
async def create_entity(key: FleetKey, data: NewEntity, db: Db) -> EntityOut:
    """Take an item in, into a payload or into none yet."""
    return await shown_entity(db, await items.add(db, key.company, data))


@get("/entities/{entity_id:str}")
async def get_entity(key: FleetKey, entity_id: str, db: Db) -> EntityOut:
    """Read an item."""
    return await shown_entity(db, await ENTITIES.get(db, key.company, entity_id))


@get("/entities", problems=[NotFound])
async def list_entities(
    key: FleetKey, filters: EntityFilters, exchange: Exchange, db: Db
) -> Response[list[EntityOut]]:
    """List items. Sorted by `created_at` or `name`."""
    found = await queries.entity_page(db, key.company, filters)
    shown = await queries.shown_entities(db, key.company, found.rows)
    return linked(exchange, found, shown.entity)


@change("/entities/{entity_id:str}", problems=[PreconditionFailed, PayloadBegun, PayloadClosed])
async def update_entity(
    key: FleetKey, entity_id: str, data: EntityChange, match: Match, db: Db
) -> EntityOut:
    """Change an item, or move it to another payload. What is left out stays."""
    payload, item = await queries.take_entity(db, key.company, entity_id, data.payload)
    match(item.version)
    return await shown_entity(db, await items.change(db, payload, item, data))


@delete("/entities/{entity_id:str}", status_code=200, problems=[PreconditionFailed, PayloadClosed])
async def delete_entity(key: FleetKey, entity_id: str, match: Match, db: Db) -> Deleted:
    """Delete an item."""
    payload, item = await queries.take_entity(db, key.company, entity_id)
    match(item.version)
    await items.remove(db, payload, item)
    return Deleted.of(db, "entity", item.public_id)


payload_routes = Router(
    "/v1",
    route_handlers=[create_payload, get_payload, list_payloads, update_payload, delete_payload],
    before_request=auth.fleet("payloads"),
    tags=["Payloads"],
    security=[{"apiKey": []}],
)
waypoint_routes = Router(
    "/v1",
    route_handlers=[
        create_waypoint, get_waypoint, list_waypoints, update_waypoint, delete_waypoint,
    ],
    before_request=auth.fleet("waypoints"),
    tags=["Waypoints"],
    security=[{"apiKey": []}],
)  # fmt: skip
entity_routes = Router(
    "/v1",
    route_handlers=[create_entity, get_entity, list_entities, update_entity, delete_entity],
    before_request=auth.fleet("entities"),
    tags=["Entities"],
    security=[{"apiKey": []}],
)
routers = (payload_routes, waypoint_routes, entity_routes)
