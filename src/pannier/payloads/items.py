"""Adding, changing, moving and removing items."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias
from uuid import UUID

import msgspec
from msgspec import UnsetType

from pannier.db import Db
from pannier.errors import FieldError, Invalid, NotFound, join_path
from pannier.payloads import fields, rules
from pannier.payloads.changes import assign_numbers, save, touch, withdraw_numbers
from pannier.payloads.lookup import ReferenceFinder, index_by_name, normalise_identifier
from pannier.payloads.models import Entity, Payload, Waypoint
from pannier.payloads.queries import ENTITIES, PayloadAggregate, PayloadRecords
from pannier.payloads.schemas import (
    MAX_ENTITIES,
    EntityChange,
    EntityFields,
    EntityIn,
    NewEntity,
)
from pannier.payloads.stops import changed_columns

# The payload that holds an item, and the one that it moves to. Either may be None.
MoveEnds: TypeAlias = tuple[PayloadAggregate | None, PayloadAggregate | None]


class ItemDraft(msgspec.Struct):
    """An item from a request: its columns are parsed, its references not yet resolved."""

    given: EntityFields
    row: Entity | None
    columns: dict[str, Any]
    path: str


class DestinationTargets(msgspec.Struct):
    """The stops that may be an item's destination. An index refers to the list `sent`."""

    payload: Payload | None
    stops: Sequence[Waypoint]
    sent: Sequence[Waypoint]
    named: dict[str, Waypoint] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        self.named = index_by_name(self.stops)


def parse_item(data: EntityFields, row: Entity | None, path: str) -> ItemDraft:
    """Parse an item of a request. `row` is the item that it changes."""
    return ItemDraft(data, row, fields.entity_columns(data, row), path)


def parse_listed_item(
    data: EntityIn, items_by_id: Mapping[str, Entity] | None, path: str
) -> ItemDraft:
    """Parse one of a list of items; `items_by_id` are the items that may be sent back."""
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
    data, columns = draft.given, dict(draft.columns)
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
    """Find the stop that an index, a stop's identifier or a place's identifier means."""
    if destination is None:
        return None
    if targets.payload is None:
        raise Invalid(
            fields=[
                FieldError(path, "An item without a payload has no destination. Leave this out.")
            ]
        )
    if isinstance(destination, int):
        if not 0 <= destination < len(targets.sent):
            raise Invalid(
                fields=[
                    FieldError(path, "There is no waypoint with this index. The first one is 0.")
                ]
            )
        return targets.sent[destination].uuid
    stop = targets.named.get(normalise_identifier(destination))
    if stop is not None:
        return stop.uuid
    return _find_stop_at(await references.find_place_uuid(destination, path), targets, path)


def _find_stop_at(place: UUID, targets: DestinationTargets, path: str) -> UUID | None:
    """Find the stop at a place. A dropoff wins over other stops there."""
    stops_here = [stop for stop in targets.stops if stop.place == place]
    if stops_here:
        return next((stop for stop in stops_here if stop.type == "dropoff"), stops_here[0]).uuid
    if targets.payload is not None and not targets.stops and targets.payload.dropoff == place:
        # Without stops, every item goes to the dropoff, so naming it adds nothing.
        return None
    raise Invalid(fields=[FieldError(path, "must be one of the payload's stops.")])


async def add(
    db: Db,
    related: PayloadRecords,
    aggregate: PayloadAggregate | None,
    company: UUID,
    data: NewEntity,
) -> Entity:
    """Create an item, in a payload or in none."""
    draft = parse_item(data, None, "")
    if aggregate is not None:
        _check_capacity(aggregate)
    new = await _resolve_single(db, related, aggregate, company, draft)
    if aggregate is None:
        return await ENTITIES.insert(db, new)
    await save(
        db,
        related,
        aggregate,
        PayloadAggregate(aggregate.payload, aggregate.waypoints, [*aggregate.entities, new]),
    )
    return new


def _check_capacity(aggregate: PayloadAggregate) -> None:
    """Reject an item for a payload that is closed or full."""
    rules.check_items(aggregate.payload, ["payload"])
    if len(aggregate.entities) >= MAX_ENTITIES:
        sentence = f"A payload has at most {MAX_ENTITIES:,} items."
        raise Invalid(fields=[FieldError("payload", sentence)])


async def _resolve_single(
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
    db: Db, related: PayloadRecords, ends: MoveEnds, entity: Entity, data: EntityChange
) -> Entity:
    """Update an item. A different payload moves it there."""
    source, target = ends
    if source is not target:
        return await _move(db, related, ends, entity, data)
    new_row = await _resolve_single(
        db, related, source, entity.company, parse_item(data, entity, "")
    )
    if source is None:
        return (await ENTITIES.change(db, entity, **msgspec.structs.asdict(new_row)))[0]
    rules.check_items(source.payload, changed_columns(entity, new_row))
    items = [new_row if item.uuid == entity.uuid else item for item in source.entities]
    aggregate = await save(
        db, related, source, PayloadAggregate(source.payload, source.waypoints, items)
    )
    return next(item for item in aggregate.entities if item.uuid == entity.uuid)


async def _move(
    db: Db, related: PayloadRecords, ends: MoveEnds, entity: Entity, data: EntityChange
) -> Entity:
    """Move an item from its payload to another one, or to none."""
    source, target = ends
    payload = None if target is None else target.payload
    if target is not None:
        rules.check_not_started(target.payload)
        _check_capacity(target)
    if source is not None:
        rules.check_items(source.payload, ["payload"])
    detached = msgspec.structs.replace(entity, payload=payload and payload.uuid, destination=None)
    new_row = await _resolve_single(
        db, related, target, entity.company, parse_item(data, detached, "")
    )
    moved_item, _ = await ENTITIES.change(db, entity, **msgspec.structs.asdict(new_row))
    if source is not None:
        remaining = [item for item in source.entities if item.uuid != entity.uuid]
        await touch(db, related, PayloadAggregate(source.payload, source.waypoints, remaining))
    if target is not None:
        await touch(
            db,
            related,
            PayloadAggregate(target.payload, target.waypoints, [*target.entities, moved_item]),
        )
    await _renumber(db, related, payload, moved_item)
    return moved_item


async def _renumber(db: Db, related: PayloadRecords, payload: Payload | None, item: Entity) -> None:
    """Move an item's number into its new order, or withdraw it outside of orders."""
    if payload is None or payload.order_uuid is None:
        await withdraw_numbers(db, related, [item])
    else:
        await assign_numbers(db, related, payload, [item], new=False)


async def remove(
    db: Db, related: PayloadRecords, aggregate: PayloadAggregate | None, entity: Entity
) -> None:
    """Delete an item and withdraw its number."""
    if aggregate is None:
        await ENTITIES.remove(db, entity)
        return
    rules.check_items(aggregate.payload, ["payload"])
    remaining = [item for item in aggregate.entities if item.uuid != entity.uuid]
    await save(
        db, related, aggregate, PayloadAggregate(aggregate.payload, aggregate.waypoints, remaining)
    )
