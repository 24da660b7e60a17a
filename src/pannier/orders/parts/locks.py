"""Locking of payloads, stops and items for a change, after the orders that hold them.

Leaving one of these contexts finishes the change of every order involved.
"""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from uuid import UUID

import asyncpg
import msgspec
from msgspec import UNSET

from pannier.db import Db
from pannier.errors import NotFound
from pannier.orders import aggregate, views
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.orders.views import OrderAggregate
from pannier.payloads import queries
from pannier.payloads.models import Entity, Payload, Waypoint
from pannier.payloads.queries import ENTITIES, PAYLOADS, WAYPOINTS, PayloadAggregate, PayloadRecords
from pannier.web.fields import Clearable
from pannier.web.versions import IfMatch


class PayloadMoved(asyncpg.SerializationError):
    """The payload or item moved while the request waited for its lock. The request runs again."""


class LockedPayloads(msgspec.Struct):
    """Locked payloads with their orders, and the payloads as they were before."""

    related: PayloadRecords
    orders: list[OrderAggregate]
    before: dict[UUID, PayloadAggregate]

    def find_payload(self, payload: UUID | None) -> PayloadAggregate | None:
        """Return one of the payloads; None for an item without a payload."""
        return None if payload is None else self.related.wholes[payload]


@asynccontextmanager
async def lock_payload(db: Db, company: UUID, identifier: str, match: IfMatch) -> AsyncIterator[
    tuple[LockedPayloads, PayloadAggregate]
]:  # fmt: skip
    payload = await PAYLOADS.get(db, company, identifier)
    async with _lock(db, company, [payload.uuid]) as load:
        aggregate = load.related.wholes[payload.uuid]
        match(aggregate.payload.version)
        yield load, aggregate


@asynccontextmanager
async def lock_item_payload(
    db: Db, company: UUID, identifier: Clearable[str]
) -> AsyncIterator[tuple[LockedPayloads, PayloadAggregate | None]]:
    """Lock the payload of a new item, if it names one."""
    payload_uuid = await _find_payload_uuid(db, company, identifier)
    async with _lock(db, company, [] if payload_uuid is None else [payload_uuid]) as load:
        yield load, load.find_payload(payload_uuid)


@asynccontextmanager
async def lock_route(
    db: Db, company: UUID, identifier: str
) -> AsyncIterator[tuple[LockedPayloads, PayloadAggregate]]:
    """Lock the payload of a new stop."""
    payload_uuid = await _get_payload_uuid(db, company, identifier)
    async with _lock(db, company, [payload_uuid]) as load:
        yield load, load.related.wholes[payload_uuid]


@asynccontextmanager
async def lock_waypoint(
    db: Db, company: UUID, identifier: str, match: IfMatch
) -> AsyncIterator[tuple[LockedPayloads, PayloadAggregate, Waypoint]]:
    """Lock a stop with its payload."""
    waypoint = await WAYPOINTS.get(db, company, identifier)
    async with _lock(db, company, [waypoint.payload]) as load:
        aggregate = load.related.wholes[waypoint.payload]
        stop = next((stop for stop in aggregate.waypoints if stop.uuid == waypoint.uuid), None)
        if stop is None:
            raise NotFound
        match(stop.version)
        yield load, aggregate, stop


@asynccontextmanager
async def lock_entity(
    db: Db,
    company: UUID,
    identifier: str,
    match: IfMatch,
    target: Clearable[str] = UNSET,
) -> AsyncIterator[tuple[LockedPayloads, Entity, UUID | None]]:
    """Lock an item with its payload and its new payload."""
    entity = await ENTITIES.get(db, company, identifier)
    goal = entity.payload if target is UNSET else await _find_payload_uuid(db, company, target)
    uuids = {uuid for uuid in (entity.payload, goal) if uuid is not None}
    async with _lock(db, company, uuids) as load:
        item = await ENTITIES.lock(db, company, entity.uuid)
        if item.payload != entity.payload:
            raise PayloadMoved
        match(item.version)
        if item.payload is None:
            related = await queries.load_related_to_entities(db, company, [item])
            load.related.contacts |= related.contacts
            load.related.vendors |= related.vendors
        yield load, item, goal


@asynccontextmanager
async def _lock(db: Db, company: UUID, payloads: Collection[UUID]) -> AsyncIterator[LockedPayloads]:
    """Lock the orders by UUID, then payloads without an order; finish the changes on exit."""
    payloads_by_uuid = await PAYLOADS.load_many(db, company, list(payloads))
    moving = sorted(
        row.order_uuid for row in payloads_by_uuid.values() if row.order_uuid is not None
    )
    rows = [await _lock_order(db, company, uuid) for uuid in moving]
    orders = [order for order in rows if order is not None]
    unlocked = sorted(payloads_by_uuid.keys() - {order.payload for order in orders})
    for uuid in unlocked:
        _check_same_order(payloads_by_uuid[uuid], await PAYLOADS.lock(db, company, uuid))
    related = await views.load_related(db, company, orders, unlocked)
    load = LockedPayloads(
        related, [OrderAggregate(order, related) for order in orders], dict(related.wholes)
    )
    yield load
    for locked in load.orders:
        await aggregate.finish_change(db, locked, before=load.before[locked.row.payload])


async def _lock_order(db: Db, company: UUID, uuid: UUID) -> Order | None:
    """Lock an order; return None if it was deleted and can no longer change."""
    try:
        return await ORDERS.lock(db, company, uuid)
    except NotFound:
        return None


def _check_same_order(payload: Payload, locked: Payload) -> None:
    if payload.order_uuid != locked.order_uuid:
        raise PayloadMoved


async def _find_payload_uuid(db: Db, company: UUID, identifier: Clearable[str]) -> UUID | None:
    """Return the payload that a field names, if any, or reject the field."""
    return await _get_payload_uuid(db, company, identifier) if isinstance(identifier, str) else None


async def _get_payload_uuid(db: Db, company: UUID, identifier: str) -> UUID:
    return (await PAYLOADS.resolve_reference(db, company, "payload", identifier)).uuid
