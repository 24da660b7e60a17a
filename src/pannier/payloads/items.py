"""Verbs of entities: take an item in, change it, move it, let it go."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from pannier.db import Db
from pannier.errors import Field, Invalid, NotFound
from pannier.kit import ids
from pannier.payloads import changes, fields, numbers, queries, rules
from pannier.payloads.fields import below
from pannier.payloads.lookup import Finder, by_name, plain
from pannier.payloads.models import Entity, Payload, Waypoint
from pannier.payloads.queries import ENTITIES
from pannier.payloads.schemas import (
    MOST_ENTITIES,
    EntityChange,
    EntityFields,
    EntityIn,
    NewEntity,
)
from pannier.payloads.stops import differing


class Draft(msgspec.Struct):
    """An item as it was sent: its columns are read, what it names is not looked up yet."""

    given: EntityFields
    row: Entity | None
    columns: dict[str, Any]
    path: str


class Targets(msgspec.Struct):
    """The stops that an item may be handed over at; an index counts those in `sent`."""

    payload: Payload | None
    stops: Sequence[Waypoint]
    sent: Sequence[Waypoint]
    named: dict[str, Waypoint] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        self.named = by_name(self.stops)


def drafted(given: EntityFields, row: Entity | None, path: str) -> Draft:
    """Read an item as it was sent; `row` is the one that it changes."""
    return Draft(given, row, fields.of_entity(given, row), path)


def sent(given: EntityIn, among: Mapping[str, Entity] | None, path: str) -> Draft:
    """Read one of a list of items; `among` are those that may be sent back, if any may."""
    return drafted(given, None if among is None else _known(given, among, path), path)


def _known(given: EntityIn, among: Mapping[str, Entity], path: str) -> Entity | None:
    """Find the item that is sent back; None when it is a new one."""
    if not isinstance(given.id, str):
        return None
    item = among.get(plain(given.id))
    if item is None:
        raise NotFound(fields=[Field(below(path, "id"), "The payload has no such item.")])
    return item


async def made(db: Db, company: UUID, draft: Draft, finder: Finder, targets: Targets) -> Entity:
    """Look up what an item names, and answer its row; nothing of it is written yet."""
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
    return Entity(
        uuid=db.new_uuid(),
        public_id=ids.new_public_id("entity"),
        company=company,
        payload=None if targets.payload is None else targets.payload.uuid,
        created_at=db.now,
        updated_at=db.now,
        **columns,
    )


async def _destination(
    given: int | str | None, finder: Finder, targets: Targets, path: str
) -> UUID | None:
    """Find the stop that an index, a stop's identifier or a place's identifier means."""
    if given is None:
        return None
    if targets.payload is None:
        raise Invalid(fields=[Field(path, "An item without a payload has no destination.")])
    if isinstance(given, int):
        if not 0 <= given < len(targets.sent):
            raise Invalid(fields=[Field(path, "There is no waypoint with this index.")])
        return targets.sent[given].uuid
    stop = targets.named.get(plain(given))
    if stop is not None:
        return stop.uuid
    return _stop_at(await finder.existing_place(given, path), targets, path)


def _stop_at(place: UUID, targets: Targets, path: str) -> UUID | None:
    """Find the stop at a place; where there are several, one that is a dropoff."""
    here = [stop for stop in targets.stops if stop.place == place]
    if here:
        return next((stop for stop in here if stop.type == "dropoff"), here[0]).uuid
    if targets.payload is not None and not targets.stops and targets.payload.dropoff == place:
        # Without stops everything goes to the dropoff, so naming it says nothing more.
        return None
    raise Invalid(fields=[Field(path, "None of the payload's stops is there.")])


async def add(db: Db, company: UUID, given: NewEntity) -> Entity:
    """Take an item in, into a payload or into none yet."""
    draft = drafted(given, None, "")
    payload = None
    if isinstance(given.payload, str):
        payload = await queries.payload_named(db, company, given.payload)
        await _check_room(db, payload)
    targets = await _targets(db, payload)
    new = await ENTITIES.insert(db, await made(db, company, draft, Finder(db, company), targets))
    if payload is not None:
        await changes.touch(db, payload)
        await changes.number(db, payload, [new])
    return new


async def _check_room(db: Db, payload: Payload) -> None:
    """Refuse an item for a payload that is history, or full."""
    rules.check_items(payload, ["payload"])
    if await queries.item_count(db, payload.company, payload.uuid) >= MOST_ENTITIES:
        sentence = f"A payload has {MOST_ENTITIES:,} items at the most."
        raise Invalid(fields=[Field("payload", sentence)])


async def _targets(db: Db, payload: Payload | None) -> Targets:
    stops = [] if payload is None else await queries.stops(db, payload.company, payload.uuid)
    return Targets(payload, stops, stops)


async def change(db: Db, payload: Payload | None, entity: Entity, given: EntityChange) -> Entity:
    """Change an item; naming another payload moves it there."""
    target = await _target(db, payload, entity, given)
    if target != payload:
        return await _move(db, payload, entity, given, target)
    wanted = await _wanted(db, entity, given, target)
    changed = differing(entity, wanted)
    if target is not None:
        rules.check_items(target, changed)
    if not changed:
        return entity
    entity, _ = await ENTITIES.change(db, entity, **msgspec.structs.asdict(wanted))
    if target is not None:
        await changes.touch(db, target)
    return entity


async def _target(
    db: Db, payload: Payload | None, entity: Entity, given: EntityChange
) -> Payload | None:
    """Find and hold the payload that the item will be in."""
    if isinstance(given.payload, UnsetType) or given.payload is None:
        return payload if given.payload is UNSET else None
    if payload is not None and plain(given.payload) in by_name([payload]):
        return payload
    return await queries.payload_named(db, entity.company, given.payload)


async def _wanted(db: Db, entity: Entity, given: EntityChange, target: Payload | None) -> Entity:
    shown = await queries.shown_entities(db, entity.company, [entity])
    finder = Finder(db, entity.company, shown)
    draft = drafted(given, entity, "")
    return await made(db, entity.company, draft, finder, await _targets(db, target))


async def _move(
    db: Db, payload: Payload | None, entity: Entity, given: EntityChange, target: Payload | None
) -> Entity:
    """Take an item out of its payload and put it into another, or into none."""
    leaving = msgspec.structs.replace(
        entity, payload=None if target is None else target.uuid, destination=None
    )
    if target is not None:
        rules.check_open(target)
        await _check_room(db, target)
    if payload is not None:
        rules.check_items(payload, ["payload"])
        await changes.touch(db, payload)
    wanted = await _wanted(db, leaving, given, target)
    entity, _ = await ENTITIES.change(db, entity, **msgspec.structs.asdict(wanted))
    await _renumber(db, entity, target)
    return entity


async def _renumber(db: Db, entity: Entity, target: Payload | None) -> None:
    """Let an item's number follow it into another order; outside of orders it has none."""
    order = None if target is None else target.order_uuid
    if order is None:
        await numbers.withdraw(db, entity.company, [entity.uuid])
    elif target is not None and not await numbers.follow(db, entity.company, entity.uuid, order):
        await changes.number(db, target, [entity])
    if target is not None:
        await changes.touch(db, target)


async def remove(db: Db, payload: Payload | None, entity: Entity) -> None:
    """Let an item go, with its number."""
    if payload is not None:
        rules.check_items(payload, ["payload"])
        await changes.touch(db, payload)
    await ENTITIES.remove(db, entity)
    await numbers.withdraw(db, entity.company, [entity.uuid])
