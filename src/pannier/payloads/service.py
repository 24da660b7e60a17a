"""Creating, changing, attaching and deleting payloads."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from pannier.db import Db
from pannier.db.row import RowReference
from pannier.errors import Conflict, FieldError, Invalid, join_path
from pannier.payloads import fields, items, rules, stops
from pannier.payloads.changes import renumber_stops, save
from pannier.payloads.fields import REQUIRED, FaultCollector
from pannier.payloads.items import DestinationTargets
from pannier.payloads.lookup import PENDING_ORDER, ReferenceFinder, index_by_name, order_owner
from pannier.payloads.models import Waypoint
from pannier.payloads.queries import ENTITIES, PAYLOADS, WAYPOINTS, PayloadAggregate, PayloadRecords
from pannier.payloads.schemas import AnyPlace, PayloadChange, PayloadIn
from pannier.places import queries as places
from pannier.places.models import Owner
from pannier.places.parsing import ParsedPlace, parse
from pannier.web.fields import Given

Part = TypeVar("Part")

ENDS: Final = ("pickup", "dropoff")


class PayloadTaken(Conflict):
    """A payload can belong to only one order."""

    code = "payload_taken"
    title = "The payload belongs to another order."
    remedy = "Create another payload."


class PayloadOrdered(Conflict):
    """A payload that belongs to an order cannot be deleted."""

    code = "payload_ordered"
    title = "The payload belongs to an order."
    remedy = "Cancel or delete the order instead."


class PayloadDraft(msgspec.Struct):
    """A payload from a request: its fields are parsed, its references not yet resolved."""

    given: PayloadChange
    columns: dict[str, Any]
    places: dict[str, ParsedPlace]
    stops: list[stops.StopDraft]
    items: list[items.ItemDraft]
    path: str


async def create(
    db: Db,
    company: UUID,
    data: PayloadIn,
    *,
    path: str = "",
    order: RowReference | None = None,
    place_owner: Owner | None = None,
) -> PayloadRecords:
    """Create a payload, for an order that is inserted next, or for one that comes later.

    `path` is its path in the request. New places belong to `place_owner`, or else to the order.
    """
    related = PayloadRecords()
    row = PAYLOADS.draft(db, company)
    if order is not None:
        row.order_uuid = order.uuid
        related.orders[order.uuid] = order
    empty = PayloadAggregate(row, [], [])
    draft = _parse_payload(empty, data, path, new=True)
    owner = place_owner or order_owner(related, row)
    aggregate = await _resolve_payload(
        db, empty, draft, ReferenceFinder(db, company, related, owner)
    )
    await PAYLOADS.insert_all(db, [aggregate.payload], deferred=True)
    await WAYPOINTS.insert_all(db, aggregate.waypoints, deferred=True)
    await ENTITIES.insert_all(db, aggregate.entities, deferred=True)
    related.put(aggregate)
    return related


async def change(
    db: Db,
    related: PayloadRecords,
    before: PayloadAggregate,
    data: PayloadChange,
    *,
    path: str = "",
) -> PayloadAggregate:
    """Update the given fields of a payload, if the state of its order allows it."""
    payload = before.payload
    draft = _parse_payload(before, data, path, new=False)
    await stops.check_subflows(db, payload, draft.stops)
    references = ReferenceFinder(db, payload.company, related, order_owner(related, payload))
    after = await _resolve_payload(db, before, draft, references)
    if after == before:
        return before
    rules.check_payload(
        payload,
        stops.changed_columns(payload, after.payload),
        route=after.waypoints != before.waypoints,
        items=after.entities != before.entities,
    )
    return await save(db, related, before, after)


async def attach(
    db: Db, related: PayloadRecords, aggregate: PayloadAggregate, order: RowReference
) -> PayloadAggregate:
    """Attach a payload to its order, which starts at the first stop."""
    if aggregate.payload.order_uuid is not None:
        raise PayloadTaken
    first = aggregate.waypoints[0].uuid if aggregate.waypoints else None
    payload, _ = await PAYLOADS.change(
        db, aggregate.payload, order_uuid=order.uuid, current_waypoint=first
    )
    await _assign_places(db, related, payload.company, order)
    attached = PayloadAggregate(payload, aggregate.waypoints, aggregate.entities)
    related.put(attached)
    related.orders[order.uuid] = order
    return attached


async def _assign_places(
    db: Db, related: PayloadRecords, company: UUID, order: RowReference
) -> None:
    """Make the order the owner of the places that were created for its payload."""
    new = [
        row for row in related.places.values() if Owner(row.owner_type, row.owner) == PENDING_ORDER
    ]
    if new:
        await places.assign_order(db, company, [row.uuid for row in new], order.public_id)
    for row in new:
        related.places[row.uuid] = msgspec.structs.replace(row, owner=order.public_id)


async def remove(db: Db, aggregate: PayloadAggregate) -> None:
    """Delete a payload without an order, together with its stops and items."""
    if aggregate.payload.order_uuid is not None:
        raise PayloadOrdered
    await PAYLOADS.remove(db, aggregate.payload)
    for stop in aggregate.waypoints:
        await WAYPOINTS.remove(db, stop)
    for item in aggregate.entities:
        await ENTITIES.remove(db, item)


def _parse_payload(
    before: PayloadAggregate, data: PayloadChange, path: str, *, new: bool
) -> PayloadDraft:
    """Parse the whole request, and report all of its errors together."""
    errors = FaultCollector(path)
    draft = PayloadDraft(data, {}, {}, [], [], path)
    with errors.collect_at():
        draft.columns = fields.payload_columns(data, before.payload)
    with errors.collect_at():
        _check_ends(before, data)
    for name, place in _iterate_places(data):
        with errors.collect_at():
            draft.places[name] = parse(place, name)
    known_stops = None if new else index_by_name(before.waypoints)
    known_items = None if new else index_by_name(before.entities)
    for name, stop in _iterate_parts("waypoints", data.waypoints):
        with errors.collect_at(name):
            draft.stops.append(stops.parse_listed_stop(stop, known_stops, join_path(path, name)))
    for name, item in _iterate_parts("entities", data.entities):
        with errors.collect_at(name):
            draft.items.append(items.parse_listed_item(item, known_items, join_path(path, name)))
    errors.raise_faults()
    _check_duplicates([*draft.stops, *draft.items])
    return draft


def _iterate_parts(name: str, parts: Given[list[Part]]) -> Iterator[tuple[str, Part]]:
    """Yield each part of a list with its path."""
    for index, part in enumerate([] if isinstance(parts, UnsetType) else parts):
        yield f"{name}[{index}]", part


def _iterate_places(data: PayloadChange) -> Iterator[tuple[str, AnyPlace]]:
    """Yield a request's places by their public field names."""
    for name in (*ENDS, "return"):
        place = data.return_ if name == "return" else getattr(data, name)
        if place is not None and not isinstance(place, UnsetType):
            yield name, place


def _check_ends(before: PayloadAggregate, data: PayloadChange) -> None:
    """Reject a payload that would have neither stops nor both a pickup and a dropoff."""
    stops = before.waypoints if isinstance(data.waypoints, UnsetType) else data.waypoints
    missing_ends = [name for name in ENDS if not _has_end(before, data, name)]
    if stops or not missing_ends:
        return
    sentence = (
        REQUIRED if len(missing_ends) == 1 else "Send a `pickup` and a `dropoff`, or `waypoints`."
    )
    raise Invalid(fields=[FieldError(missing_ends[0], sentence)])


def _has_end(before: PayloadAggregate, data: PayloadChange, name: str) -> bool:
    """Return whether the payload will have this end. The ends of a route depend on its stops."""
    value = getattr(data, name)
    if isinstance(value, UnsetType):
        return not before.waypoints and getattr(before.payload, name) is not None
    return value is not None


def _check_duplicates(drafts: Sequence[stops.StopDraft | items.ItemDraft]) -> None:
    uuids: set[UUID] = set()
    for draft in drafts:
        if draft.row is not None and draft.row.uuid in uuids:
            raise Invalid(
                fields=[FieldError(join_path(draft.path, "id"), "must not be in the list twice.")]
            )
        uuids |= set() if draft.row is None else {draft.row.uuid}


async def _resolve_payload(
    db: Db, before: PayloadAggregate, draft: PayloadDraft, references: ReferenceFinder
) -> PayloadAggregate:
    """Resolve all references, and return the payload as it will be."""
    data, payload = draft.given, before.payload
    await _prefetch(references, draft)
    places_by_field = {
        name: await references.find_or_build_place(one, draft.path)
        for name, one in draft.places.items()
    }
    uuids = {name: place.uuid for name, place in places_by_field.items()}
    pickup, dropoff = (uuids.get(name) for name in ENDS)
    new_stops = [await stops.resolve_stop(db, payload, stop, references) for stop in draft.stops]
    route = _plan_route(db, before, new_stops, pickup, dropoff, keeps_stops=data.waypoints is UNSET)
    columns = {"pickup": pickup or payload.pickup, "dropoff": dropoff or payload.dropoff}
    if data.return_ is not UNSET:
        columns["return_place"] = uuids.get("return")
    payload = msgspec.structs.replace(payload, **columns, **draft.columns)
    targets = DestinationTargets(payload, route, route if data.waypoints is UNSET else new_stops)
    company = payload.company
    new_items = [
        await items.resolve_item(db, company, item, references, targets) for item in draft.items
    ]
    await references.save()
    entities = before.entities if data.entities is UNSET else new_items
    return renumber_stops(before, PayloadAggregate(payload, route, entities))


async def _prefetch(references: ReferenceFinder, draft: PayloadDraft) -> None:
    """Look up everything that the payload refers to, in one query for each table."""
    stop_places = [stop.place for stop in draft.stops if stop.place is not None]
    people = [
        *(stop.given.contact for stop in draft.stops),
        *(item.given.customer for item in draft.items),
    ]
    suppliers = [item.given.supplier for item in draft.items]
    await references.prefetch([*draft.places.values(), *stop_places], people, suppliers)


def _plan_route(
    db: Db,
    before: PayloadAggregate,
    new_stops: list[Waypoint],
    pickup: UUID | None,
    dropoff: UUID | None,
    *,
    keeps_stops: bool,
) -> list[Waypoint]:
    """Return the stops as they will be; `keeps_stops` says that no list of stops was sent."""
    payload, sent_places = before.payload, {stop.place for stop in new_stops}
    if keeps_stops and before.waypoints:
        return stops.move_ends(db, payload, before.waypoints, stops.RouteEnds(pickup, dropoff))
    if before.waypoints:
        # A caller who reorders the stops sends the old ends back with them. Ignore those.
        pickup = None if pickup == payload.pickup and pickup in sent_places else pickup
        dropoff = None if dropoff == payload.dropoff and dropoff in sent_places else dropoff
    return (
        stops.add_ends(db, payload, new_stops, stops.RouteEnds(pickup, dropoff))
        if new_stops
        else []
    )
