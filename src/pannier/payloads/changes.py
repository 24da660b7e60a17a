"""Saving of the differences between two versions of a payload with its stops and items."""

from collections.abc import Sequence
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

import msgspec

from pannier.db import Db, Table
from pannier.payloads import cash, numbers
from pannier.payloads.models import Entity, Payload, SubjectType, Waypoint
from pannier.payloads.numbers import NumberSubject
from pannier.payloads.queries import ENTITIES, PAYLOADS, WAYPOINTS, PayloadAggregate, PayloadRecords

Row = TypeVar("Row", Waypoint, Entity)


def renumber_stops(
    previous_aggregate: PayloadAggregate, aggregate: PayloadAggregate
) -> PayloadAggregate:
    """Renumber the stops, and drop references to removed stops."""
    if not aggregate.waypoints:
        payload = msgspec.structs.replace(aggregate.payload, current_waypoint=None)
        return PayloadAggregate(
            payload, [], [_clear_lost_destination(item, set()) for item in aggregate.entities]
        )
    stops = [
        msgspec.structs.replace(stop, position=position)
        for position, stop in enumerate(aggregate.waypoints)
    ]
    payload = msgspec.structs.replace(
        aggregate.payload, pickup=stops[0].place, dropoff=stops[-1].place
    )
    if payload.state == "open":
        payload.current_waypoint = _choose_current_stop(previous_aggregate, stops)
    stop_uuids = {stop.uuid for stop in stops}
    return PayloadAggregate(
        payload, stops, [_clear_lost_destination(item, stop_uuids) for item in aggregate.entities]
    )


def _choose_current_stop(
    previous_aggregate: PayloadAggregate, stops: list[Waypoint]
) -> UUID | None:
    """Return the first unfinished stop, unless the caller chose another one."""
    open_stops = [stop.uuid for stop in stops if not stop.done]
    default_stops = [stop.uuid for stop in previous_aggregate.waypoints if not stop.done][:1]
    current_uuid = previous_aggregate.payload.current_waypoint
    if current_uuid in open_stops and current_uuid not in default_stops:
        return current_uuid
    return open_stops[0] if open_stops else None


def _clear_lost_destination(item: Entity, stop_uuids: set[UUID]) -> Entity:
    """Clear the destination of an item whose stop was removed."""
    is_lost = item.destination is not None and item.destination not in stop_uuids
    return msgspec.structs.replace(item, destination=None) if is_lost else item


async def save_aggregate(
    db: Db,
    related: PayloadRecords,
    previous_aggregate: PayloadAggregate,
    aggregate: PayloadAggregate,
) -> PayloadAggregate:
    """Write the differences, assign tracking numbers to new parts, and update the records."""
    _check_cash(previous_aggregate, aggregate)
    stops = await _save_rows(db, WAYPOINTS, previous_aggregate.waypoints, aggregate.waypoints)
    items = await _save_rows(db, ENTITIES, previous_aggregate.entities, aggregate.entities)
    payload = await _save_payload(db, previous_aggregate, aggregate)
    saved_aggregate = PayloadAggregate(payload, stops.rows, sorted(items.rows, key=_creation_key))
    related.put(saved_aggregate)
    if payload.order_uuid is not None:
        await assign_numbers(db, related, payload, [*stops.new_rows, *items.new_rows], are_new=True)
        await withdraw_numbers(db, related, [*stops.removed_rows, *items.removed_rows])
    return saved_aggregate


def _check_cash(previous_aggregate: PayloadAggregate, aggregate: PayloadAggregate) -> None:
    cash.check_cash(aggregate.payload, aggregate.waypoints, aggregate.entities)
    cash.check_collected_cash(previous_aggregate.cash, aggregate.cash)


def _creation_key(item: Entity) -> tuple[datetime, UUID]:
    """Return the key that sorts items by creation, not by their order in the request."""
    return item.created_at, item.uuid


class SavedRows(msgspec.Struct, Generic[Row]):
    """The saved rows, with the new and the deleted ones."""

    rows: list[Row]
    new_rows: list[Row]
    removed_rows: list[Row]


async def _save_rows(
    db: Db, table: Table[Row], previous_rows: list[Row], rows: list[Row]
) -> SavedRows[Row]:
    """Insert, update and delete rows so that the table matches `rows`."""
    rows_by_uuid, kept_uuids = {row.uuid: row for row in previous_rows}, {row.uuid for row in rows}
    new_rows = [row for row in rows if row.uuid not in rows_by_uuid]
    removed_rows = [row for row in previous_rows if row.uuid not in kept_uuids]
    saved_rows = []
    for row in rows:
        previous_row = rows_by_uuid.get(row.uuid)
        saved_rows.append(
            row if previous_row is None else await _update_row(db, table, previous_row, row)
        )
    await table.insert_all(db, new_rows)
    for row in removed_rows:
        await table.remove(db, row)
    return SavedRows(saved_rows, new_rows, removed_rows)


async def _update_row(db: Db, table: Table[Row], previous_row: Row, row: Row) -> Row:
    if previous_row == row:
        return previous_row
    return (await table.change(db, previous_row, **msgspec.structs.asdict(row)))[0]


async def _save_payload(
    db: Db, previous_aggregate: PayloadAggregate, aggregate: PayloadAggregate
) -> Payload:
    """Save the payload. Its version also grows if only stops or items changed."""
    columns = msgspec.structs.asdict(aggregate.payload)
    payload, changed_columns = await PAYLOADS.change(db, previous_aggregate.payload, **columns)
    has_same_parts = (previous_aggregate.waypoints, previous_aggregate.entities) == (
        aggregate.waypoints,
        aggregate.entities,
    )
    return payload if changed_columns or has_same_parts else await PAYLOADS.touch(db, payload)


async def bump_version(db: Db, related: PayloadRecords, aggregate: PayloadAggregate) -> None:
    """Bump the version of a payload whose items were already written."""
    _check_cash(related.payload_aggregates[aggregate.payload.uuid], aggregate)
    payload = await PAYLOADS.touch(db, aggregate.payload)
    related.put(PayloadAggregate(payload, aggregate.waypoints, aggregate.entities))


async def assign_numbers(
    db: Db,
    related: PayloadRecords,
    payload: Payload,
    rows: Sequence[Waypoint | Entity],
    *,
    are_new: bool,
) -> None:
    """Assign tracking numbers to stops and items of an order.

    Set `are_new` for rows that cannot have a number yet.
    """
    if payload.order_uuid is None or not rows:
        return
    order = related.orders[payload.order_uuid]
    subjects = [to_subject(row, is_new=are_new) for row in rows]
    related.numbers |= await numbers.issue(
        db, payload.company, order.uuid, order.public_id, subjects
    )


def to_subject(row: Waypoint | Entity, *, is_new: bool) -> NumberSubject:
    """Return a stop or an item as the subject of a tracking number."""
    kind: SubjectType = "waypoint" if isinstance(row, Waypoint) else "entity"
    return NumberSubject(kind, row.uuid, row.public_id, is_new=is_new)


async def withdraw_numbers(
    db: Db, related: PayloadRecords, rows: Sequence[Waypoint | Entity]
) -> None:
    """Withdraw the numbers of stops and items that have left their order."""
    numbered_uuids = [row.uuid for row in rows if related.numbers.pop(row.uuid, None) is not None]
    if numbered_uuids:
        await numbers.withdraw(db, rows[0].company, numbered_uuids)
