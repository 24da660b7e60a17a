"""Saving the differences between two versions of a payload with its stops and items."""

from collections.abc import Sequence
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

import msgspec

from pannier.db import Db, Table
from pannier.payloads import numbers
from pannier.payloads.models import Entity, Payload, SubjectType, Waypoint
from pannier.payloads.numbers import NumberSubject
from pannier.payloads.queries import ENTITIES, PAYLOADS, WAYPOINTS, PayloadAggregate, PayloadRecords

Row = TypeVar("Row", Waypoint, Entity)


def renumber_stops(before: PayloadAggregate, aggregate: PayloadAggregate) -> PayloadAggregate:
    """Renumber the stops, and drop references to removed stops."""
    if not aggregate.waypoints:
        payload = msgspec.structs.replace(aggregate.payload, current_waypoint=None)
        return PayloadAggregate(
            payload, [], [_clear_lost_destination(item, set()) for item in aggregate.entities]
        )
    stops = [
        msgspec.structs.replace(stop, position=number)
        for number, stop in enumerate(aggregate.waypoints)
    ]
    payload = msgspec.structs.replace(
        aggregate.payload, pickup=stops[0].place, dropoff=stops[-1].place
    )
    if payload.state == "open":
        payload.current_waypoint = _choose_current_stop(before, stops)
    stop_uuids = {stop.uuid for stop in stops}
    return PayloadAggregate(
        payload, stops, [_clear_lost_destination(item, stop_uuids) for item in aggregate.entities]
    )


def _choose_current_stop(before: PayloadAggregate, stops: list[Waypoint]) -> UUID | None:
    """Return the first unfinished stop, unless the caller chose another one."""
    open_stops = [stop.uuid for stop in stops if not stop.done]
    default_stops = [stop.uuid for stop in before.waypoints if not stop.done][:1]
    current = before.payload.current_waypoint
    if current in open_stops and current not in default_stops:
        return current
    return open_stops[0] if open_stops else None


def _clear_lost_destination(item: Entity, stops: set[UUID]) -> Entity:
    """Clear the destination of an item whose stop was removed."""
    is_lost = item.destination is not None and item.destination not in stops
    return msgspec.structs.replace(item, destination=None) if is_lost else item


async def save(
    db: Db, related: PayloadRecords, before: PayloadAggregate, after: PayloadAggregate
) -> PayloadAggregate:
    """Write the differences, assign tracking numbers to new parts, and update the records."""
    stops = await _save_rows(db, WAYPOINTS, before.waypoints, after.waypoints)
    items = await _save_rows(db, ENTITIES, before.entities, after.entities)
    payload = await _save_payload(db, before, after)
    aggregate = PayloadAggregate(payload, stops.rows, sorted(items.rows, key=_creation_key))
    related.put(aggregate)
    if payload.order_uuid is not None:
        await assign_numbers(db, related, payload, [*stops.new, *items.new], new=True)
        await withdraw_numbers(db, related, [*stops.gone, *items.gone])
    return aggregate


def _creation_key(item: Entity) -> tuple[datetime, UUID]:
    """Return the key that sorts items by creation, whatever their order in the request."""
    return item.created_at, item.uuid


class SavedRows(msgspec.Struct, Generic[Row]):
    """The rows as saved, with those that are new and those that were deleted."""

    rows: list[Row]
    new: list[Row]
    gone: list[Row]


async def _save_rows(
    db: Db, table: Table[Row], before: list[Row], after: list[Row]
) -> SavedRows[Row]:
    """Insert, update and delete rows until the table matches `after`."""
    existing, kept_uuids = {row.uuid: row for row in before}, {row.uuid for row in after}
    new = [row for row in after if row.uuid not in existing]
    removed = [row for row in before if row.uuid not in kept_uuids]
    rows = []
    for row in after:
        old = existing.get(row.uuid)
        rows.append(row if old is None else await _update_row(db, table, old, row))
    await table.insert_all(db, new)
    for row in removed:
        await table.remove(db, row)
    return SavedRows(rows, new, removed)


async def _update_row(db: Db, table: Table[Row], old: Row, row: Row) -> Row:
    if old == row:
        return old
    return (await table.change(db, old, **msgspec.structs.asdict(row)))[0]


async def _save_payload(db: Db, before: PayloadAggregate, after: PayloadAggregate) -> Payload:
    """Save the payload. Its version also grows if only stops or items changed."""
    columns = msgspec.structs.asdict(after.payload)
    payload, changed_columns = await PAYLOADS.change(db, before.payload, **columns)
    has_same_parts = (before.waypoints, before.entities) == (after.waypoints, after.entities)
    return payload if changed_columns or has_same_parts else await PAYLOADS.touch(db, payload)


async def touch(db: Db, related: PayloadRecords, aggregate: PayloadAggregate) -> None:
    """Bump the version of a payload whose stops or items were already written."""
    payload = await PAYLOADS.touch(db, aggregate.payload)
    related.put(PayloadAggregate(payload, aggregate.waypoints, aggregate.entities))


async def assign_numbers(
    db: Db,
    related: PayloadRecords,
    payload: Payload,
    rows: Sequence[Waypoint | Entity],
    *,
    new: bool,
) -> None:
    """Assign tracking numbers to stops and items of an order.

    Only those that are not `new` can already have one.
    """
    if payload.order_uuid is None or not rows:
        return
    order = related.orders[payload.order_uuid]
    subjects = [to_subject(row, new=new) for row in rows]
    related.numbers |= await numbers.issue(
        db, payload.company, order.uuid, order.public_id, subjects
    )


def to_subject(row: Waypoint | Entity, *, new: bool) -> NumberSubject:
    """Return a stop or an item as the subject of a tracking number."""
    kind: SubjectType = "waypoint" if isinstance(row, Waypoint) else "entity"
    return NumberSubject(kind, row.uuid, row.public_id, new=new)


async def withdraw_numbers(
    db: Db, related: PayloadRecords, rows: Sequence[Waypoint | Entity]
) -> None:
    """Withdraw the numbers of stops and items that have left their order."""
    withdrawn = [row.uuid for row in rows if related.numbers.pop(row.uuid, None) is not None]
    if withdrawn:
        await numbers.withdraw(db, rows[0].company, withdrawn)
