"""Bringing a payload with its stops and items from one form into another."""

from typing import TypeVar
from uuid import UUID

import msgspec

from pannier.db import Db, Table
from pannier.payloads import numbers, queries
from pannier.payloads.models import Entity, Payload, Waypoint
from pannier.payloads.numbers import Subject
from pannier.payloads.queries import ENTITIES, PAYLOADS, WAYPOINTS, Whole

Row = TypeVar("Row", Waypoint, Entity)


def routed(before: Whole, whole: Whole) -> Whole:
    """Number the stops in their order, and let the payload and its items name only those."""
    if not whole.waypoints:
        payload = msgspec.structs.replace(whole.payload, current_waypoint=None)
        return Whole(payload, [], [_headed(item, set()) for item in whole.entities])
    stops = [
        msgspec.structs.replace(stop, position=number)
        for number, stop in enumerate(whole.waypoints)
    ]
    payload = msgspec.structs.replace(whole.payload, pickup=stops[0].place, dropoff=stops[-1].place)
    if payload.state == "open":
        payload.current_waypoint = _current(before, stops)
    known = {stop.uuid for stop in stops}
    return Whole(payload, stops, [_headed(item, known) for item in whole.entities])


def _current(before: Whole, stops: list[Waypoint]) -> UUID | None:
    """Name the stop to go to: the first that is left, unless another one was chosen."""
    left = [stop.uuid for stop in stops if stop.completed_at is None]
    usual = [stop.uuid for stop in before.waypoints if stop.completed_at is None][:1]
    chosen = before.payload.current_waypoint
    if chosen in left and chosen not in usual:
        return chosen
    return left[0] if left else None


def _headed(item: Entity, stops: set[UUID]) -> Entity:
    """Leave an item without a destination when that stop is gone."""
    lost = item.destination is not None and item.destination not in stops
    return msgspec.structs.replace(item, destination=None) if lost else item


async def save(db: Db, before: Whole, after: Whole) -> Whole:
    """Write what differs, and give new stops and items of an order their numbers."""
    new_stops, gone_stops = await _saved(db, WAYPOINTS, before.waypoints, after.waypoints)
    new_items, gone_items = await _saved(db, ENTITIES, before.entities, after.entities)
    payload = await _touched(db, before, after)
    if payload.order_uuid is not None:
        await number(db, payload, [*new_stops, *new_items])
        gone = [*(stop.uuid for stop in gone_stops), *(item.uuid for item in gone_items)]
        await numbers.withdraw(db, payload.company, gone)
    return await queries.whole(db, payload.company, payload)


async def _saved(
    db: Db, table: Table[Row], before: list[Row], after: list[Row]
) -> tuple[list[Row], list[Row]]:
    """Write the rows that differ; answer those that are new, and those that left."""
    known = {row.uuid: row for row in before}
    for row in after:
        if row.uuid in known:
            await table.change(db, known[row.uuid], **msgspec.structs.asdict(row))
    new = [row for row in after if row.uuid not in known]
    await table.insert_all(db, new)
    kept = {row.uuid for row in after}
    gone = [row for row in before if row.uuid not in kept]
    for row in gone:
        await table.remove(db, row)
    return new, gone


async def _touched(db: Db, before: Whole, after: Whole) -> Payload:
    """Write the payload; its version grows also when only its stops or items changed."""
    wanted = msgspec.structs.asdict(after.payload)
    changed, told = await PAYLOADS.change(db, before.payload, **wanted)
    same = (before.waypoints, before.entities) == (after.waypoints, after.entities)
    return changed if told or same else await touch(db, changed)


async def touch(db: Db, payload: Payload) -> Payload:
    """Let a payload's version grow, because what is read with it has changed."""
    changes = {"version": payload.version + 1, "updated_at": db.now}
    await db.update("payloads", payload.uuid, **changes)
    return msgspec.structs.replace(payload, **changes)


async def number(db: Db, payload: Payload, rows: list[Waypoint | Entity]) -> None:
    """Give stops and items of an order their tracking numbers."""
    if payload.order_uuid is None or not rows:
        return
    order_id = await queries.order_name(db, payload.company, payload.order_uuid)
    subjects = [
        Subject("waypoint" if isinstance(row, Waypoint) else "entity", row.uuid, row.public_id)
        for row in rows
    ]
    await numbers.issue(db, payload.company, payload.order_uuid, order_id, subjects)
