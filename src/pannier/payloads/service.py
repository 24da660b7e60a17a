"""Creation, changes, attachment to orders and deletion of payloads."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from pannier.db import Db
from pannier.db.row import RowReference
from pannier.errors import Conflict, FieldError, Invalid, join_path, prefix_fields
from pannier.payloads import cash, fields, items, rules, stops
from pannier.payloads.changes import renumber_stops, save_aggregate
from pannier.payloads.fields import REQUIRED, FaultCollector
from pannier.payloads.items import DestinationTargets
from pannier.payloads.lookup import (
    PENDING_ORDER,
    ReferenceFinder,
    get_place_owner,
    index_by_identifier,
)
from pannier.payloads.models import Waypoint
from pannier.payloads.place_field import AnyPlace
from pannier.payloads.queries import ENTITIES, PAYLOADS, WAYPOINTS, PayloadAggregate, PayloadRecords
from pannier.payloads.schemas import PayloadChange, PayloadIn
from pannier.places import queries as places
from pannier.places.models import Owner
from pannier.places.parsing import ParsedPlace, parse
from pannier.web.fields import Given

Part = TypeVar("Part")

ENDPOINT_FIELDS: Final = ("pickup", "dropoff")


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

    data: PayloadChange
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
    """Create a payload. If it belongs to `order`, the caller inserts the order afterwards.

    `path` is the payload's path in the request. New places belong to `place_owner`, or else to
    the order.
    """
    related = PayloadRecords()
    row = PAYLOADS.draft(db, company)
    if order is not None:
        row.order_uuid = order.uuid
        related.orders[order.uuid] = order
    empty_aggregate = PayloadAggregate(row, [], [])
    draft = _parse_payload(empty_aggregate, data, path, is_new=True)
    owner = place_owner or get_place_owner(related, row)
    aggregate = await _resolve_payload(
        db, empty_aggregate, draft, ReferenceFinder(db, company, related, owner)
    )
    with prefix_fields(path):
        cash.check_cash(aggregate.payload, aggregate.waypoints, aggregate.entities)
    await PAYLOADS.insert_all(db, [aggregate.payload], deferred=True)
    await WAYPOINTS.insert_all(db, aggregate.waypoints, deferred=True)
    await ENTITIES.insert_all(db, aggregate.entities, deferred=True)
    related.put(aggregate)
    return related


async def change(
    db: Db,
    related: PayloadRecords,
    previous_aggregate: PayloadAggregate,
    data: PayloadChange,
    *,
    path: str = "",
) -> PayloadAggregate:
    """Update the given fields of a payload, if the state of its order allows it."""
    payload = previous_aggregate.payload
    draft = _parse_payload(previous_aggregate, data, path, is_new=False)
    await stops.check_subflows(db, payload, draft.stops)
    references = ReferenceFinder(db, payload.company, related, get_place_owner(related, payload))
    aggregate = await _resolve_payload(db, previous_aggregate, draft, references)
    if aggregate == previous_aggregate:
        return previous_aggregate
    rules.check_payload(
        payload,
        rules.list_changed_columns(payload, aggregate.payload),
        previous_aggregate.waypoints,
        aggregate.waypoints,
        changes_items=aggregate.entities != previous_aggregate.entities,
    )
    return await save_aggregate(db, related, previous_aggregate, aggregate)


async def attach(
    db: Db, related: PayloadRecords, aggregate: PayloadAggregate, order: RowReference
) -> PayloadAggregate:
    """Attach a payload to its order, which starts at the first stop."""
    if aggregate.payload.order_uuid is not None:
        raise PayloadTaken
    first_stop = aggregate.waypoints[0].uuid if aggregate.waypoints else None
    payload, _ = await PAYLOADS.change(
        db, aggregate.payload, order_uuid=order.uuid, current_waypoint=first_stop
    )
    await _assign_places(db, related, payload.company, order)
    new_aggregate = PayloadAggregate(payload, aggregate.waypoints, aggregate.entities)
    related.put(new_aggregate)
    related.orders[order.uuid] = order
    return new_aggregate


async def _assign_places(
    db: Db, related: PayloadRecords, company: UUID, order: RowReference
) -> None:
    """Make the order the owner of the places that were created for its payload."""
    new_places = [
        row for row in related.places.values() if Owner(row.owner_type, row.owner) == PENDING_ORDER
    ]
    if new_places:
        await places.assign_order(db, company, [row.uuid for row in new_places], order.public_id)
    for row in new_places:
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
    previous_aggregate: PayloadAggregate, data: PayloadChange, path: str, *, is_new: bool
) -> PayloadDraft:
    """Parse the whole request, and report all of its errors together."""
    errors = FaultCollector(path)
    draft = PayloadDraft(data, {}, {}, [], [], path)
    with errors.collect_at():
        draft.columns = fields.parse_payload_columns(data, previous_aggregate.payload)
    with errors.collect_at():
        _check_endpoints(previous_aggregate, data)
    for name, place in _iterate_places(data):
        with errors.collect_at():
            draft.places[name] = parse(place, name)
    stops_by_id = None if is_new else index_by_identifier(previous_aggregate.waypoints)
    items_by_id = None if is_new else index_by_identifier(previous_aggregate.entities)
    for name, stop in _iterate_parts("waypoints", data.waypoints):
        with errors.collect_at(name):
            draft.stops.append(stops.parse_listed_stop(stop, stops_by_id, join_path(path, name)))
    for name, item in _iterate_parts("entities", data.entities):
        with errors.collect_at(name):
            draft.items.append(items.parse_listed_item(item, items_by_id, join_path(path, name)))
    errors.raise_faults()
    _check_duplicates([*draft.stops, *draft.items])
    return draft


def _iterate_parts(name: str, parts: Given[list[Part]]) -> Iterator[tuple[str, Part]]:
    """Yield each stop or item of a list with its path."""
    for index, part in enumerate([] if isinstance(parts, UnsetType) else parts):
        yield f"{name}[{index}]", part


def _iterate_places(data: PayloadChange) -> Iterator[tuple[str, AnyPlace]]:
    """Yield a request's places by their public field names."""
    for name in (*ENDPOINT_FIELDS, "return"):
        place = data.return_ if name == "return" else getattr(data, name)
        if place is not None and not isinstance(place, UnsetType):
            yield name, place


def _check_endpoints(previous_aggregate: PayloadAggregate, data: PayloadChange) -> None:
    """Reject a payload without stops unless it has both a pickup and a drop-off."""
    stops = (
        previous_aggregate.waypoints if isinstance(data.waypoints, UnsetType) else data.waypoints
    )
    missing_endpoints = [
        name for name in ENDPOINT_FIELDS if not _has_endpoint(previous_aggregate, data, name)
    ]
    if stops or not missing_endpoints:
        return
    message = (
        REQUIRED
        if len(missing_endpoints) == 1
        else "Send a `pickup` and a `dropoff`, or `waypoints`."
    )
    raise Invalid(fields=[FieldError(missing_endpoints[0], message)])


def _has_endpoint(
    previous_aggregate: PayloadAggregate, data: PayloadChange, field_name: str
) -> bool:
    """Return whether the changed payload has this pickup or drop-off.

    A payload with stops has neither: its first and last stops replace them.
    """
    place = getattr(data, field_name)
    if isinstance(place, UnsetType):
        return (
            not previous_aggregate.waypoints
            and getattr(previous_aggregate.payload, field_name) is not None
        )
    return place is not None


def _check_duplicates(drafts: Sequence[stops.StopDraft | items.ItemDraft]) -> None:
    uuids: set[UUID] = set()
    for draft in drafts:
        if draft.row is not None and draft.row.uuid in uuids:
            raise Invalid(
                fields=[FieldError(join_path(draft.path, "id"), "must not be in the list twice.")]
            )
        uuids |= set() if draft.row is None else {draft.row.uuid}


async def _resolve_payload(
    db: Db, previous_aggregate: PayloadAggregate, draft: PayloadDraft, references: ReferenceFinder
) -> PayloadAggregate:
    """Resolve all references, insert new places and return the changed payload."""
    data, payload = draft.data, previous_aggregate.payload
    await _prefetch_references(references, draft)
    places_by_field = {
        name: await references.find_or_build_place(parsed_place, draft.path)
        for name, parsed_place in draft.places.items()
    }
    uuids = {name: place.uuid for name, place in places_by_field.items()}
    pickup, dropoff = (uuids.get(name) for name in ENDPOINT_FIELDS)
    new_stops = [await stops.resolve_stop(db, payload, stop, references) for stop in draft.stops]
    route = _plan_route(
        db, previous_aggregate, new_stops, pickup, dropoff, keeps_stops=data.waypoints is UNSET
    )
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
    entities = previous_aggregate.entities if data.entities is UNSET else new_items
    return renumber_stops(previous_aggregate, PayloadAggregate(payload, route, entities))


async def _prefetch_references(references: ReferenceFinder, draft: PayloadDraft) -> None:
    """Look up all records that the payload refers to, in one query for each table."""
    stop_places = [stop.place for stop in draft.stops if stop.place is not None]
    contacts = [
        *(stop.data.contact for stop in draft.stops),
        *(item.data.customer for item in draft.items),
    ]
    suppliers = [item.data.supplier for item in draft.items]
    await references.prefetch([*draft.places.values(), *stop_places], contacts, suppliers)


def _plan_route(
    db: Db,
    previous_aggregate: PayloadAggregate,
    new_stops: list[Waypoint],
    pickup: UUID | None,
    dropoff: UUID | None,
    *,
    keeps_stops: bool,
) -> list[Waypoint]:
    """Return the changed route; `keeps_stops` if the request contains no list of stops."""
    payload, sent_places = previous_aggregate.payload, {stop.place for stop in new_stops}
    if keeps_stops and previous_aggregate.waypoints:
        return stops.move_endpoints(
            db, payload, previous_aggregate.waypoints, stops.RouteEndpoints(pickup, dropoff)
        )
    if previous_aggregate.waypoints:
        # A caller who reorders the stops sends the old endpoints back with them. Ignore those.
        pickup = None if pickup == payload.pickup and pickup in sent_places else pickup
        dropoff = None if dropoff == payload.dropoff and dropoff in sent_places else dropoff
    return (
        stops.add_endpoints(db, payload, new_stops, stops.RouteEndpoints(pickup, dropoff))
        if new_stops
        else []
    )
