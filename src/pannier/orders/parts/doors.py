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
from pannier.orders.views import Aggregate
from pannier.payloads import queries
from pannier.payloads.models import Entity, Payload, Waypoint
from pannier.payloads.queries import ENTITIES, PAYLOADS, WAYPOINTS, Shown, Whole
from pannier.web.fields import Clearable
from pannier.web.versions import Match


class Overtaken(asyncpg.SerializationError):
    """The payload or item moved while the request waited for its lock. The request runs again."""


class Load(msgspec.Struct):
    """Locked payloads with their orders, and the payloads as they were before."""

    shown: Shown
    orders: list[Aggregate]
    before: dict[UUID, Whole]

    def whole(self, payload: UUID | None) -> Whole | None:
        """Return one of the payloads; None for an item without a payload."""
        return None if payload is None else self.shown.wholes[payload]


@asynccontextmanager
async def payload(db: Db, company: UUID, identifier: str, match: Match) -> AsyncIterator[
    tuple[Load, Whole]
]:  # fmt: skip
    found = await PAYLOADS.get(db, company, identifier)
    async with _held(db, company, [found.uuid]) as load:
        whole = load.shown.wholes[found.uuid]
        match(whole.payload.version)
        yield load, whole


@asynccontextmanager
async def room(
    db: Db, company: UUID, identifier: Clearable[str]
) -> AsyncIterator[tuple[Load, Whole | None]]:
    """Lock the payload of a new item, if it names one."""
    found = await _named(db, company, identifier)
    async with _held(db, company, [] if found is None else [found]) as load:
        yield load, load.whole(found)


@asynccontextmanager
async def route(db: Db, company: UUID, identifier: str) -> AsyncIterator[tuple[Load, Whole]]:
    """Lock the payload of a new stop."""
    found = await _existing(db, company, identifier)
    async with _held(db, company, [found]) as load:
        yield load, load.shown.wholes[found]


@asynccontextmanager
async def waypoint(
    db: Db, company: UUID, identifier: str, match: Match
) -> AsyncIterator[tuple[Load, Whole, Waypoint]]:
    """Lock a stop with its payload."""
    found = await WAYPOINTS.get(db, company, identifier)
    async with _held(db, company, [found.payload]) as load:
        whole = load.shown.wholes[found.payload]
        stop = next((stop for stop in whole.waypoints if stop.uuid == found.uuid), None)
        if stop is None:
            raise NotFound
        match(stop.version)
        yield load, whole, stop


@asynccontextmanager
async def entity(
    db: Db,
    company: UUID,
    identifier: str,
    match: Match,
    target: Clearable[str] = UNSET,
) -> AsyncIterator[tuple[Load, Entity, UUID | None]]:
    """Lock an item with its payload and its new payload."""
    found = await ENTITIES.get(db, company, identifier)
    goal = found.payload if target is UNSET else await _named(db, company, target)
    wanted = {uuid for uuid in (found.payload, goal) if uuid is not None}
    async with _held(db, company, wanted) as load:
        item = await ENTITIES.take(db, company, found.uuid)
        if item.payload != found.payload:
            raise Overtaken
        match(item.version)
        if item.payload is None:
            beside = await queries.shown_entities(db, company, [item])
            load.shown.contacts |= beside.contacts
            load.shown.vendors |= beside.vendors
        yield load, item, goal


@asynccontextmanager
async def _held(db: Db, company: UUID, payloads: Collection[UUID]) -> AsyncIterator[Load]:
    """Lock the orders by UUID, then payloads without an order; finish the changes on exit."""
    known = await PAYLOADS.among(db, company, list(payloads))
    moving = sorted(row.order_uuid for row in known.values() if row.order_uuid is not None)
    taken = [await _order(db, company, uuid) for uuid in moving]
    orders = [order for order in taken if order is not None]
    free = sorted(known.keys() - {order.payload for order in orders})
    for uuid in free:
        _check_free(known[uuid], await PAYLOADS.take(db, company, uuid))
    shown = await views.shown(db, company, orders, free)
    load = Load(shown, [Aggregate(order, shown) for order in orders], dict(shown.wholes))
    yield load
    for held in load.orders:
        await aggregate.changed(db, held, before=load.before[held.order.payload])


async def _order(db: Db, company: UUID, uuid: UUID) -> Order | None:
    """Lock an order; return None if it was deleted and can no longer change."""
    try:
        return await ORDERS.take(db, company, uuid)
    except NotFound:
        return None


def _check_free(known: Payload, taken: Payload) -> None:
    if known.order_uuid != taken.order_uuid:
        raise Overtaken


async def _named(db: Db, company: UUID, identifier: Clearable[str]) -> UUID | None:
    """Return the payload that a field names, if any, or reject the field."""
    return await _existing(db, company, identifier) if isinstance(identifier, str) else None


async def _existing(db: Db, company: UUID, identifier: str) -> UUID:
    return (await PAYLOADS.named(db, company, "payload", identifier)).uuid
