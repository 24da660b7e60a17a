"""HTTP handlers for payloads, waypoints and entities."""

from typing import Final

from pannier.accounts.auth import FleetKey
from pannier.accounts.doors import for_keys
from pannier.db import Db
from pannier.errors import NotFound
from pannier.orders.parts import doors
from pannier.payloads import items, queries, service, stops
from pannier.payloads.queries import ENTITIES, PAYLOADS, WAYPOINTS
from pannier.payloads.rules import LastWaypoint, PayloadBegun, PayloadClosed, WaypointBegun
from pannier.payloads.schemas import (
    EntityChange,
    EntityOut,
    NewEntity,
    NewWaypoint,
    PayloadChange,
    PayloadIn,
    PayloadOut,
    WaypointChange,
    WaypointOut,
)
from pannier.payloads.service import PayloadOrdered
from pannier.web.deletions import Deleted
from pannier.web.resources import Resource, read_only
from pannier.web.routes import change, delete, post
from pannier.web.versions import Match, PreconditionFailed


@post("/payloads", problems=[NotFound])
async def create_payload(key: FleetKey, data: PayloadIn, db: Db) -> PayloadOut:
    """Create a payload with its stops and items."""
    made = await service.create(db, key.company, data)
    return next(made.outs())


@change("/payloads/{payload_id:str}", problems=[PreconditionFailed, PayloadBegun, PayloadClosed])
async def update_payload(
    key: FleetKey, payload_id: str, data: PayloadChange, match: Match, db: Db
) -> PayloadOut:
    """Update a payload. Omitted fields stay; a list of stops or items replaces the old one."""
    async with doors.payload(db, key.company, payload_id, match) as (load, whole):
        changed = await service.change(db, load.shown, whole, data)
    return load.shown.out(changed.payload)


@delete(
    "/payloads/{payload_id:str}", status_code=200, problems=[PreconditionFailed, PayloadOrdered]
)
async def delete_payload(key: FleetKey, payload_id: str, match: Match, db: Db) -> Deleted:
    """Delete a payload without an order, together with its stops and items."""
    async with doors.payload(db, key.company, payload_id, match) as (_, whole):
        await service.remove(db, whole)
    return Deleted.of(db, "payload", whole.payload.public_id)


@post("/waypoints", problems=[NotFound, PayloadBegun, PayloadClosed])
async def create_waypoint(key: FleetKey, data: NewWaypoint, db: Db) -> WaypointOut:
    """Add a stop at the end of a payload's route."""
    async with doors.route(db, key.company, data.payload) as (load, whole):
        stop = await stops.add(db, load.shown, whole, data)
    return load.shown.waypoint(stop)


@change("/waypoints/{waypoint_id:str}", problems=[PreconditionFailed, WaypointBegun, PayloadClosed])
async def update_waypoint(
    key: FleetKey, waypoint_id: str, data: WaypointChange, match: Match, db: Db
) -> WaypointOut:
    """Update a stop. Omitted fields stay; null clears a field."""
    async with doors.waypoint(db, key.company, waypoint_id, match) as (load, whole, stop):
        changed = await stops.change(db, load.shown, whole, stop, data)
    return load.shown.waypoint(changed)


@delete(
    "/waypoints/{waypoint_id:str}",
    status_code=200,
    problems=[PreconditionFailed, LastWaypoint, PayloadBegun, PayloadClosed],
)
async def delete_waypoint(key: FleetKey, waypoint_id: str, match: Match, db: Db) -> Deleted:
    """Remove a stop from its payload, before the order starts."""
    async with doors.waypoint(db, key.company, waypoint_id, match) as (load, whole, stop):
        await stops.remove(db, load.shown, whole, stop)
    return Deleted.of(db, "waypoint", stop.public_id)


@post("/entities", problems=[NotFound, PayloadClosed])
async def create_entity(key: FleetKey, data: NewEntity, db: Db) -> EntityOut:
    """Create an item, in a payload or in none."""
    async with doors.room(db, key.company, data.payload) as (load, whole):
        item = await items.add(db, load.shown, whole, key.company, data)
    return load.shown.entity(item)


@change("/entities/{entity_id:str}", problems=[PreconditionFailed, PayloadBegun, PayloadClosed])
async def update_entity(
    key: FleetKey, entity_id: str, data: EntityChange, match: Match, db: Db
) -> EntityOut:
    """Update an item, or move it to another payload. Omitted fields stay."""
    async with doors.entity(db, key.company, entity_id, match, data.payload) as (load, item, goal):
        ends = load.whole(item.payload), load.whole(goal)
        changed = await items.change(db, load.shown, ends, item, data)
    return load.shown.entity(changed)


@delete("/entities/{entity_id:str}", status_code=200, problems=[PreconditionFailed, PayloadClosed])
async def delete_entity(key: FleetKey, entity_id: str, match: Match, db: Db) -> Deleted:
    """Delete an item."""
    async with doors.entity(db, key.company, entity_id, match) as (load, item, _):
        await items.remove(db, load.shown, load.whole(item.payload), item)
    return Deleted.of(db, "entity", item.public_id)


# Only reads are generic. Writes lock the order, with the handlers above.
payloads: Final = Resource(
    PAYLOADS,
    page=queries.payload_page,
    show=queries.payload_outs,
    remove=False,
    says={"read": "Read a payload with its stops and items."},
)
waypoints: Final = read_only(WAYPOINTS, queries.waypoint_page, queries.waypoint_outs)
entities: Final = read_only(ENTITIES, queries.entity_page, queries.entity_outs)
routers: Final = (
    for_keys(
        "Payloads",
        "payloads",
        [create_payload, *payloads.handlers(), update_payload, delete_payload],
    ),
    for_keys(
        "Waypoints",
        "waypoints",
        [create_waypoint, *waypoints.handlers(), update_waypoint, delete_waypoint],
    ),
    for_keys(
        "Entities",
        "entities",
        [create_entity, *entities.handlers(), update_entity, delete_entity],
    ),
)
