"""Adding, changing, moving and removing items."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias
from uuid import UUID

import msgspec
from msgspec import UnsetType

from pannier.db import Db
from pannier.errors import Field, Invalid, NotFound, below
from pannier.payloads import fields, rules
from pannier.payloads.changes import number, save, touch, withdraw
from pannier.payloads.lookup import Finder, by_name, plain
from pannier.payloads.models import Entity, Payload, Waypoint
from pannier.payloads.queries import ENTITIES, Shown, Whole
from pannier.payloads.schemas import (
    MOST_ENTITIES,
    EntityChange,
    EntityFields,
    EntityIn,
    NewEntity,
)
from pannier.payloads.stops import differing

# The payload that holds an item, and the one that it moves to. Either may be None.
Ends: TypeAlias = tuple[Whole | None, Whole | None]


class Draft(msgspec.Struct):
    """An item as it was sent. Its columns are parsed, its references not yet resolved."""

    given: EntityFields
    row: Entity | None
    columns: dict[str, Any]
    path: str


class Targets(msgspec.Struct):
    """The stops that may be an item's destination. An index refers to the list `sent`."""

    payload: Payload | None
    stops: Sequence[Waypoint]
    sent: Sequence[Waypoint]
    named: dict[str, Waypoint] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        self.named = by_name(self.stops)


def drafted(given: EntityFields, row: Entity | None, path: str) -> Draft:
    """Parse an item as it was sent; `row` is the item that it changes."""
    return Draft(given, row, fields.of_entity(given, row), path)


def sent(given: EntityIn, among: Mapping[str, Entity] | None, path: str) -> Draft:
    """Parse one of a list of items; `known` are the items that may be sent back."""
    return drafted(given, None if among is None else _known(given, among, path), path)


def _known(given: EntityIn, among: Mapping[str, Entity], path: str) -> Entity | None:
    """Find the item that is sent back; None if it is a new one."""
    if not isinstance(given.id, str):
        return None
    item = among.get(plain(given.id))
    if item is None:
        raise NotFound(fields=[Field(below(path, "id"), "The payload has no such item.")])
    return item


async def made(db: Db, company: UUID, draft: Draft, finder: Finder, targets: Targets) -> Entity:
    """Resolve the references of an item and return its row, without writing it."""
    given, columns = draft.given, dict(draft.columns)
    if not isinstance(given.customer, UnsetType):
        path = below(draft.path, "customer")
        columns["customer"] = given.customer and await finder.contact(given.customer, path)
    if not isinstance(given.supplier, UnsetType):
        path = below(draft.path, "supplier")
        columns["supplier"] = given.supplier and await finder.vendor(given.supplier, path)
    if not isinstance(given.destination, UnsetType):
        path = below(draft.path, "destination")
        columns["destination"] = await _destination(given.destination, finder, targets, path)
    if draft.row is not None:
        return msgspec.structs.replace(draft.row, **columns)
    payload = None if targets.payload is None else targets.payload.uuid
    return ENTITIES.draft(db, company, payload=payload, **columns)


async def _destination(
    given: int | str | None, finder: Finder, targets: Targets, path: str
) -> UUID | None:
    """Find the stop that an index, a stop's identifier or a place's identifier means."""
    if given is None:
        return None
    if targets.payload is None:
        raise Invalid(
            fields=[Field(path, "An item without a payload has no destination. Leave this out.")]
        )
    if isinstance(given, int):
        if not 0 <= given < len(targets.sent):
            raise Invalid(
                fields=[Field(path, "There is no waypoint with this index. The first one is 0.")]
            )
        return targets.sent[given].uuid
    stop = targets.named.get(plain(given))
    if stop is not None:
        return stop.uuid
    return _stop_at(await finder.existing_place(given, path), targets, path)


def _stop_at(place: UUID, targets: Targets, path: str) -> UUID | None:
    """Find the stop at a place. A dropoff wins over other stops there."""
    here = [stop for stop in targets.stops if stop.place == place]
    if here:
        return next((stop for stop in here if stop.type == "dropoff"), here[0]).uuid
    if targets.payload is not None and not targets.stops and targets.payload.dropoff == place:
        # Without stops, every item goes to the dropoff, so naming it adds nothing.
        return None
    raise Invalid(fields=[Field(path, "must be one of the payload's stops.")])


async def add(db: Db, shown: Shown, into: Whole | None, company: UUID, given: NewEntity) -> Entity:
    """Create an item, in a payload or in none."""
    draft = drafted(given, None, "")
    if into is not None:
        _check_room(into)
    new = await _found(db, shown, into, company, draft)
    if into is None:
        return await ENTITIES.insert(db, new)
    await save(db, shown, into, Whole(into.payload, into.waypoints, [*into.entities, new]))
    return new


def _check_room(into: Whole) -> None:
    """Reject an item for a payload that is closed or full."""
    rules.check_items(into.payload, ["payload"])
    if len(into.entities) >= MOST_ENTITIES:
        sentence = f"A payload has at most {MOST_ENTITIES:,} items."
        raise Invalid(fields=[Field("payload", sentence)])


async def _found(db: Db, shown: Shown, whole: Whole | None, company: UUID, draft: Draft) -> Entity:
    """Resolve the references of a single item and return its row."""
    stops = [] if whole is None else whole.waypoints
    targets = Targets(None if whole is None else whole.payload, stops, stops)
    return await made(db, company, draft, Finder(db, company, shown), targets)


async def change(db: Db, shown: Shown, ends: Ends, entity: Entity, given: EntityChange) -> Entity:
    """Update an item. A different payload moves it there."""
    source, target = ends
    if source is not target:
        return await _move(db, shown, ends, entity, given)
    wanted = await _found(db, shown, source, entity.company, drafted(given, entity, ""))
    if source is None:
        return (await ENTITIES.change(db, entity, **msgspec.structs.asdict(wanted)))[0]
    rules.check_items(source.payload, differing(entity, wanted))
    items = [wanted if item.uuid == entity.uuid else item for item in source.entities]
    saved = await save(db, shown, source, Whole(source.payload, source.waypoints, items))
    return next(item for item in saved.entities if item.uuid == entity.uuid)


async def _move(db: Db, shown: Shown, ends: Ends, entity: Entity, given: EntityChange) -> Entity:
    """Move an item from its payload to another one, or to none."""
    source, target = ends
    payload = None if target is None else target.payload
    if target is not None:
        rules.check_open(target.payload)
        _check_room(target)
    if source is not None:
        rules.check_items(source.payload, ["payload"])
    leaving = msgspec.structs.replace(entity, payload=payload and payload.uuid, destination=None)
    wanted = await _found(db, shown, target, entity.company, drafted(given, leaving, ""))
    moved, _ = await ENTITIES.change(db, entity, **msgspec.structs.asdict(wanted))
    if source is not None:
        left = [item for item in source.entities if item.uuid != entity.uuid]
        await touch(db, shown, Whole(source.payload, source.waypoints, left))
    if target is not None:
        await touch(db, shown, Whole(target.payload, target.waypoints, [*target.entities, moved]))
    await _renumber(db, shown, payload, moved)
    return moved


async def _renumber(db: Db, shown: Shown, payload: Payload | None, item: Entity) -> None:
    """Move an item's number into its new order, or withdraw it outside of orders."""
    if payload is None or payload.order_uuid is None:
        await withdraw(db, shown, [item])
    else:
        await number(db, shown, payload, [item], new=False)


async def remove(db: Db, shown: Shown, whole: Whole | None, entity: Entity) -> None:
    """Delete an item and withdraw its number."""
    if whole is None:
        await ENTITIES.remove(db, entity)
        return
    rules.check_items(whole.payload, ["payload"])
    left = [item for item in whole.entities if item.uuid != entity.uuid]
    await save(db, shown, whole, Whole(whole.payload, whole.waypoints, left))
