"""HTTP handlers for payloads, waypoints and entities."""

from typing import Final

from pannier.accounts.api_routers import api_router
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.orders.parts import locks
from pannier.orders.quotes.adjusting import PriceFixed
from pannier.orders.returns.pieces import ReturnItemsFixed
from pannier.payloads import items, listings, queries, service, stops
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
from pannier.web.deletions import RecordDeleted
from pannier.web.resources import Resource, make_read_only
from pannier.web.routes import change, delete, post
from pannier.web.versions import IfMatch, PreconditionFailed

# A change of a part is a change of its order, and of the order's price.
CHANGE_PROBLEMS: Final = (PreconditionFailed, PayloadClosed, PriceFixed)


@post("/payloads", problems=[NotFound])
async def create_payload(key: FleetKey, data: PayloadIn, db: Db) -> PayloadOut:
    """Create a payload with its stops and items."""
    payload = await service.create(db, key.company, data)
    return next(payload.payload_outs())


@change(
    "/payloads/{payload_id:str}",
    problems=[*CHANGE_PROBLEMS, PayloadBegun, WaypointBegun, ReturnItemsFixed],
)
async def update_payload(
    key: FleetKey, payload_id: str, data: PayloadChange, match: IfMatch, db: Db
) -> PayloadOut:
    """Update a payload. Omitted fields stay; a list of stops or items replaces the old one."""
    async with locks.lock_payload(db, key.company, payload_id, match) as (lock, aggregate):
        new_aggregate = await service.change(db, lock.related, aggregate, data)
    return lock.related.payload_out(new_aggregate.payload)


@delete(
    "/payloads/{payload_id:str}", status_code=200, problems=[PreconditionFailed, PayloadOrdered]
)
async def delete_payload(key: FleetKey, payload_id: str, match: IfMatch, db: Db) -> RecordDeleted:
    """Delete a payload without an order, together with its stops and items."""
    async with locks.lock_payload(db, key.company, payload_id, match) as (_, aggregate):
        await service.remove(db, aggregate)
    return RecordDeleted.from_id(db, "payload", aggregate.payload.public_id)


@post("/waypoints", problems=[NotFound, PayloadBegun, PayloadClosed, PriceFixed])
async def create_waypoint(key: FleetKey, data: NewWaypoint, db: Db) -> WaypointOut:
    """Add a waypoint at the end of a payload's route."""
    async with locks.lock_stop_payload(db, key.company, data.payload) as (lock, aggregate):
        stop = await stops.add(db, lock.related, aggregate, data)
    return lock.related.waypoint_out(stop)


@change("/waypoints/{waypoint_id:str}", problems=[*CHANGE_PROBLEMS, WaypointBegun])
async def update_waypoint(
    key: FleetKey, waypoint_id: str, data: WaypointChange, match: IfMatch, db: Db
) -> WaypointOut:
    """Update a waypoint. Omitted fields stay unchanged, and null clears a field."""
    async with locks.lock_waypoint(db, key.company, waypoint_id, match) as (lock, aggregate, stop):
        new_stop = await stops.change(db, lock.related, aggregate, stop, data)
    return lock.related.waypoint_out(new_stop)


@delete(
    "/waypoints/{waypoint_id:str}",
    status_code=200,
    problems=[*CHANGE_PROBLEMS, LastWaypoint, PayloadBegun],
)
async def delete_waypoint(key: FleetKey, waypoint_id: str, match: IfMatch, db: Db) -> RecordDeleted:
    """Remove a waypoint from its payload, before work there begins."""
    async with locks.lock_waypoint(db, key.company, waypoint_id, match) as (lock, aggregate, stop):
        await stops.remove(db, lock.related, aggregate, stop)
    return RecordDeleted.from_id(db, "waypoint", stop.public_id)


@post("/entities", problems=[NotFound, PayloadClosed, PriceFixed, ReturnItemsFixed])
async def create_entity(key: FleetKey, data: NewEntity, db: Db) -> EntityOut:
    """Create an entity, with or without a payload."""
    async with locks.lock_item_payload(db, key.company, data.payload) as (lock, aggregate):
        item = await items.add(db, lock.related, aggregate, key.company, data)
    return lock.related.entity_out(item)


@change(
    "/entities/{entity_id:str}",
    problems=[*CHANGE_PROBLEMS, PayloadBegun, ReturnItemsFixed],
)
async def update_entity(
    key: FleetKey, entity_id: str, data: EntityChange, match: IfMatch, db: Db
) -> EntityOut:
    """Update an entity, or move it to another payload. Omitted fields stay unchanged."""
    async with locks.lock_entity(db, key.company, entity_id, match, data.payload) as (
        lock,
        item,
        new_payload_uuid,
    ):
        move = lock.find_payload(item.payload), lock.find_payload(new_payload_uuid)
        new_item = await items.change(db, lock.related, move, item, data)
    return lock.related.entity_out(new_item)


@delete(
    "/entities/{entity_id:str}",
    status_code=200,
    problems=[*CHANGE_PROBLEMS, ReturnItemsFixed],
)
async def delete_entity(key: FleetKey, entity_id: str, match: IfMatch, db: Db) -> RecordDeleted:
    """Delete an entity."""
    async with locks.lock_entity(db, key.company, entity_id, match) as (lock, item, _):
        await items.remove(db, lock.related, lock.find_payload(item.payload), item)
    return RecordDeleted.from_id(db, "entity", item.public_id)


# Only reads are generic. Writes lock the order, with the handlers above.
payloads: Final = Resource(
    PAYLOADS,
    page=listings.list_payloads,
    show=queries.load_payload_outs,
    remove=False,
    summaries={"read": "Retrieve a payload with its stops and items."},
)
waypoints: Final = make_read_only(WAYPOINTS, listings.list_waypoints, queries.load_waypoint_outs)
entities: Final = make_read_only(ENTITIES, listings.list_entities, queries.load_entity_outs)
routers: Final = (
    api_router(
        "Payloads",
        "payloads",
        [create_payload, *payloads.make_handlers(), update_payload, delete_payload],
    ),
    api_router(
        "Waypoints",
        "waypoints",
        [create_waypoint, *waypoints.make_handlers(), update_waypoint, delete_waypoint],
    ),
    api_router(
        "Entities",
        "entities",
        [create_entity, *entities.make_handlers(), update_entity, delete_entity],
    ),
)
