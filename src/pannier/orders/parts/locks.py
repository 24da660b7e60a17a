"""Locking of payloads, stops and items for a change. Their orders are locked first.

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
    """Locked payloads with their orders, and the payloads' previous state."""

    related: PayloadRecords
    orders: list[OrderAggregate]
    previous_payloads: dict[UUID, PayloadAggregate]

    def find_payload(self, payload: UUID | None) -> PayloadAggregate | None:
        """Return one of the payloads; None for an item without a payload."""
        return None if payload is None else self.related.payload_aggregates[payload]


@asynccontextmanager
async def lock_payload(db: Db, company: UUID, identifier: str, match: IfMatch) -> AsyncIterator[
    tuple[LockedPayloads, PayloadAggregate]
]:  # fmt: skip
    payload = await PAYLOADS.get(db, company, identifier)
    async with _lock_payloads(db, company, [payload.uuid]) as lock:
        aggregate = lock.related.payload_aggregates[payload.uuid]
        match(aggregate.payload.version)
        yield lock, aggregate


@asynccontextmanager
async def lock_item_payload(
    db: Db, company: UUID, identifier: Clearable[str]
) -> AsyncIterator[tuple[LockedPayloads, PayloadAggregate | None]]:
    """Lock the payload of a new item, if the request names one."""
    payload_uuid = await _find_payload_uuid(db, company, identifier)
    async with _lock_payloads(db, company, [] if payload_uuid is None else [payload_uuid]) as lock:
        yield lock, lock.find_payload(payload_uuid)


@asynccontextmanager
async def lock_stop_payload(
    db: Db, company: UUID, identifier: str
) -> AsyncIterator[tuple[LockedPayloads, PayloadAggregate]]:
    """Lock the payload of a new stop."""
    payload_uuid = await _get_payload_uuid(db, company, identifier)
    async with _lock_payloads(db, company, [payload_uuid]) as lock:
        yield lock, lock.related.payload_aggregates[payload_uuid]


@asynccontextmanager
async def lock_waypoint(
    db: Db, company: UUID, identifier: str, match: IfMatch
) -> AsyncIterator[tuple[LockedPayloads, PayloadAggregate, Waypoint]]:
    """Lock a stop with its payload."""
    waypoint = await WAYPOINTS.get(db, company, identifier)
    async with _lock_payloads(db, company, [waypoint.payload]) as lock:
        aggregate = lock.related.payload_aggregates[waypoint.payload]
        stop = next((stop for stop in aggregate.waypoints if stop.uuid == waypoint.uuid), None)
        if stop is None:
            raise NotFound
        match(stop.version)
        yield lock, aggregate, stop


@asynccontextmanager
async def lock_entity(
    db: Db,
    company: UUID,
    identifier: str,
    match: IfMatch,
    target: Clearable[str] = UNSET,
) -> AsyncIterator[tuple[LockedPayloads, Entity, UUID | None]]:
    """Lock an entity, its current payload and the payload it moves to, if any."""
    entity = await ENTITIES.get(db, company, identifier)
    target_payload_uuid = (
        entity.payload if target is UNSET else await _find_payload_uuid(db, company, target)
    )
    uuids = {uuid for uuid in (entity.payload, target_payload_uuid) if uuid is not None}
    async with _lock_payloads(db, company, uuids) as lock:
        locked_entity = await ENTITIES.lock(db, company, entity.uuid)
        if locked_entity.payload != entity.payload:
            raise PayloadMoved
        match(locked_entity.version)
        if locked_entity.payload is None:
            related = await queries.load_related_to_entities(db, company, [locked_entity])
            lock.related.contacts |= related.contacts
            lock.related.vendors |= related.vendors
        yield lock, locked_entity, target_payload_uuid


@asynccontextmanager
async def _lock_payloads(
    db: Db, company: UUID, payloads: Collection[UUID]
) -> AsyncIterator[LockedPayloads]:
    """Lock the orders by UUID, then payloads without an order; finish the changes on exit."""
    payloads_by_uuid = await PAYLOADS.load_many(db, company, list(payloads))
    order_uuids = sorted(
        row.order_uuid for row in payloads_by_uuid.values() if row.order_uuid is not None
    )
    rows = [await _lock_order(db, company, uuid) for uuid in order_uuids]
    orders = [order for order in rows if order is not None]
    orderless_payloads = sorted(payloads_by_uuid.keys() - {order.payload for order in orders})
    for uuid in orderless_payloads:
        _check_same_order(payloads_by_uuid[uuid], await PAYLOADS.lock(db, company, uuid))
    related = await views.load_related(db, company, orders, orderless_payloads)
    lock = LockedPayloads(
        related,
        [OrderAggregate(order, related) for order in orders],
        dict(related.payload_aggregates),
    )
    yield lock
    for order in lock.orders:
        await aggregate.finish_change(
            db, order, previous_payload=lock.previous_payloads[order.row.payload]
        )


async def _lock_order(db: Db, company: UUID, uuid: UUID) -> Order | None:
    """Lock an order; return None if it was deleted and can no longer change."""
    try:
        return await ORDERS.lock(db, company, uuid)
    except NotFound:
        return None


def _check_same_order(payload: Payload, locked_payload: Payload) -> None:
    if payload.order_uuid != locked_payload.order_uuid:
        raise PayloadMoved


async def _find_payload_uuid(db: Db, company: UUID, identifier: Clearable[str]) -> UUID | None:
    """Find the payload in a request field, if it was sent; reject the field if there is none."""
    return await _get_payload_uuid(db, company, identifier) if isinstance(identifier, str) else None


async def _get_payload_uuid(db: Db, company: UUID, identifier: str) -> UUID:
    return (await PAYLOADS.resolve_reference(db, company, "payload", identifier)).uuid
