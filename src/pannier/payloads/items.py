"""Adding, changing, moving and removing items."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias
from uuid import UUID

import msgspec
from msgspec import UnsetType

from pannier.db import Db
from pannier.errors import FieldError, Invalid, NotFound, join_path
from pannier.payloads import fields, rules
from pannier.payloads.changes import assign_numbers, bump_version, save_aggregate, withdraw_numbers
from pannier.payloads.lookup import ReferenceFinder, index_by_identifier, normalise_identifier
from pannier.payloads.models import Entity, Payload, Waypoint
from pannier.payloads.queries import ENTITIES, PayloadAggregate, PayloadRecords
from pannier.payloads.schemas import (
    MAX_ENTITIES,
    EntityChange,
    EntityFields,
    EntityIn,
    NewEntity,
)

# The source and the target payload of an item. Either may be None.
PayloadMove: TypeAlias = tuple[PayloadAggregate | None, PayloadAggregate | None]


class ItemDraft(msgspec.Struct):
    """An item from a request: its columns are parsed, its references not yet resolved."""

    data: EntityFields
    row: Entity | None
    columns: dict[str, Any]
    path: str


class DestinationTargets(msgspec.Struct):
    """The stops that may be an item's destination. An index refers to `sent_stops`."""

    payload: Payload | None
    stops: Sequence[Waypoint]
    sent_stops: Sequence[Waypoint]
    stops_by_id: dict[str, Waypoint] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        self.stops_by_id = index_by_identifier(self.stops)


def parse_item(data: EntityFields, row: Entity | None, path: str) -> ItemDraft:
    """Parse an item of a request. `row` is the existing item, if any."""
    return ItemDraft(data, row, fields.parse_entity_columns(data, row), path)


def parse_listed_item(
    data: EntityIn, items_by_id: Mapping[str, Entity] | None, path: str
) -> ItemDraft:
    """Parse an item of a list; `items_by_id` are the existing items that it may refer to."""
    return parse_item(
        data, None if items_by_id is None else _find_known_item(data, items_by_id, path), path
    )


def _find_known_item(data: EntityIn, items_by_id: Mapping[str, Entity], path: str) -> Entity | None:
    """Find the existing item that the caller sent back. Return None for a new one."""
    if not isinstance(data.id, str):
        return None
    item = items_by_id.get(normalise_identifier(data.id))
    if item is None:
        raise NotFound(fields=[FieldError(join_path(path, "id"), "The payload has no such item.")])
    return item


async def resolve_item(
    db: Db,
    company: UUID,
    draft: ItemDraft,
    references: ReferenceFinder,
    targets: DestinationTargets,
) -> Entity:
    """Resolve the references of an item and return its row, without writing it."""
    data, columns = draft.data, dict(draft.columns)
    if not isinstance(data.customer, UnsetType):
        path = join_path(draft.path, "customer")
        columns["customer"] = data.customer and await references.find_or_create_contact(
            data.customer, path
        )
    if not isinstance(data.supplier, UnsetType):
        path = join_path(draft.path, "supplier")
        columns["supplier"] = data.supplier and await references.find_vendor(data.supplier, path)
    if not isinstance(data.destination, UnsetType):
        path = join_path(draft.path, "destination")
        columns["destination"] = await _find_destination(
            data.destination, references, targets, path
        )
    if draft.row is not None:
        return msgspec.structs.replace(draft.row, **columns)
    payload = None if targets.payload is None else targets.payload.uuid
    return ENTITIES.draft(db, company, payload=payload, **columns)


async def _find_destination(
    destination: int | str | None,
    references: ReferenceFinder,
    targets: DestinationTargets,
    path: str,
) -> UUID | None:
    """Find a stop by its index, its identifier or the identifier of its place."""
    if destination is None:
        return None
    if targets.payload is None:
        raise Invalid(
            fields=[
                FieldError(path, "An item without a payload has no destination. Leave this out.")
            ]
        )
    if isinstance(destination, int):
        if not 0 <= destination < len(targets.sent_stops):
            raise Invalid(
                fields=[
                    FieldError(path, "There is no waypoint with this index. The first one is 0.")
                ]
            )
        return targets.sent_stops[destination].uuid
    stop = targets.stops_by_id.get(normalise_identifier(destination))
    if stop is not None:
        return stop.uuid
    return _find_stop_at_place(await references.find_place_uuid(destination, path), targets, path)


def _find_stop_at_place(place: UUID, targets: DestinationTargets, path: str) -> UUID | None:
    """Find the stop at a place. Prefers a drop-off to other stops at the place."""
    stops_at_place = [stop for stop in targets.stops if stop.place == place]
    if stops_at_place:
        return next(
            (stop for stop in stops_at_place if stop.type == "dropoff"), stops_at_place[0]
        ).uuid
    if targets.payload is not None and not targets.stops and targets.payload.dropoff == place:
        # Without stops, every item goes to the drop-off, so the destination stays empty.
        return None
    raise Invalid(fields=[FieldError(path, "must be one of the payload's stops.")])


async def add(
    db: Db,
    related: PayloadRecords,
    aggregate: PayloadAggregate | None,
    company: UUID,
    data: NewEntity,
) -> Entity:
    """Create an item, with or without a payload."""
    draft = parse_item(data, None, "")
    if aggregate is not None:
        _check_accepts_item(aggregate)
    item = await _resolve_single_item(db, related, aggregate, company, draft)
    if aggregate is None:
        return await ENTITIES.insert(db, item)
    await save_aggregate(
        db,
        related,
        aggregate,
        PayloadAggregate(aggregate.payload, aggregate.waypoints, [*aggregate.entities, item]),
    )
    return item


def _check_accepts_item(aggregate: PayloadAggregate) -> None:
    """Reject an item for a payload that is closed or full."""
    rules.check_item_change(aggregate.payload, ["payload"])
    if len(aggregate.entities) >= MAX_ENTITIES:
        message = f"A payload can have at most {MAX_ENTITIES:,} items."
        raise Invalid(fields=[FieldError("payload", message)])


async def _resolve_single_item(
    db: Db,
    related: PayloadRecords,
    aggregate: PayloadAggregate | None,
    company: UUID,
    draft: ItemDraft,
) -> Entity:
    """Resolve the references of a single item and return its row."""
    stops = [] if aggregate is None else aggregate.waypoints
    targets = DestinationTargets(None if aggregate is None else aggregate.payload, stops, stops)
    return await resolve_item(db, company, draft, ReferenceFinder(db, company, related), targets)


async def change(
    db: Db, related: PayloadRecords, move: PayloadMove, entity: Entity, data: EntityChange
) -> Entity:
    """Update an item, or move it to another payload."""
    source, target = move
    if source is not target:
        return await _move_item(db, related, move, entity, data)
    new_row = await _resolve_single_item(
        db, related, source, entity.company, parse_item(data, entity, "")
    )
    if source is None:
        return (await ENTITIES.change(db, entity, **msgspec.structs.asdict(new_row)))[0]
    rules.check_item_change(source.payload, rules.list_changed_columns(entity, new_row))
    items = [new_row if item.uuid == entity.uuid else item for item in source.entities]
    aggregate = await save_aggregate(
        db, related, source, PayloadAggregate(source.payload, source.waypoints, items)
    )
    return next(item for item in aggregate.entities if item.uuid == entity.uuid)


async def _move_item(
    db: Db, related: PayloadRecords, move: PayloadMove, entity: Entity, data: EntityChange
) -> Entity:
    """Move an item to another payload, or out of its payload."""
    source, target = move
    payload = None if target is None else target.payload
    if target is not None:
        rules.check_not_started(target.payload)
        _check_accepts_item(target)
    if source is not None:
        rules.check_item_change(source.payload, ["payload"])
    detached_item = msgspec.structs.replace(
        entity, payload=payload and payload.uuid, destination=None
    )
    new_row = await _resolve_single_item(
        db, related, target, entity.company, parse_item(data, detached_item, "")
    )
    moved_item, _ = await ENTITIES.change(db, entity, **msgspec.structs.asdict(new_row))
    if source is not None:
        remaining_items = [item for item in source.entities if item.uuid != entity.uuid]
        await bump_version(
            db, related, PayloadAggregate(source.payload, source.waypoints, remaining_items)
        )
    if target is not None:
        await bump_version(
            db,
            related,
            PayloadAggregate(target.payload, target.waypoints, [*target.entities, moved_item]),
        )
    await _move_number(db, related, payload, moved_item)
    return moved_item


async def _move_number(
    db: Db, related: PayloadRecords, payload: Payload | None, item: Entity
) -> None:
    """Move an item's tracking number to its new order, or withdraw it if there is none."""
    if payload is None or payload.order_uuid is None:
        await withdraw_numbers(db, related, [item])
    else:
        await assign_numbers(db, related, payload, [item], are_new=False)


async def remove(
    db: Db, related: PayloadRecords, aggregate: PayloadAggregate | None, entity: Entity
) -> None:
    """Delete an item and withdraw its number."""
    if aggregate is None:
        await ENTITIES.remove(db, entity)
        return
    rules.check_item_change(aggregate.payload, ["payload"])
    remaining_items = [item for item in aggregate.entities if item.uuid != entity.uuid]
    await save_aggregate(
        db,
        related,
        aggregate,
        PayloadAggregate(aggregate.payload, aggregate.waypoints, remaining_items),
    )
