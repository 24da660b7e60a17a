"""Creating, changing, attaching and deleting payloads."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from pannier.db import Db
from pannier.db.row import Named
from pannier.errors import Conflict, Field, Invalid, below
from pannier.payloads import fields, items, rules, stops
from pannier.payloads.changes import routed, save
from pannier.payloads.fields import REQUIRED, Faults
from pannier.payloads.items import Targets
from pannier.payloads.lookup import ORDERLESS, Finder, by_name, order_owner
from pannier.payloads.models import Waypoint
from pannier.payloads.queries import ENTITIES, PAYLOADS, WAYPOINTS, Shown, Whole
from pannier.payloads.schemas import AnyPlace, PayloadChange, PayloadIn
from pannier.places import queries as places
from pannier.places.models import Owner
from pannier.places.parsing import ParsedPlace, parse
from pannier.web.fields import Given

Part = TypeVar("Part")

ENDS: Final = ("pickup", "dropoff")


class PayloadTaken(Conflict):
    """A payload belongs to at most one order."""

    code = "payload_taken"
    title = "The payload belongs to another order."
    remedy = "Create another payload."


class PayloadOrdered(Conflict):
    """A payload that belongs to an order cannot be deleted."""

    code = "payload_ordered"
    title = "The payload belongs to an order."
    remedy = "Cancel or delete the order instead."


class Draft(msgspec.Struct):
    """A payload as it was sent. Its fields are parsed, its references not yet resolved."""

    given: PayloadChange
    columns: dict[str, Any]
    places: dict[str, ParsedPlace]
    stops: list[stops.Draft]
    items: list[items.Draft]
    path: str


async def create(
    db: Db,
    company: UUID,
    given: PayloadIn,
    *,
    path: str = "",
    order: Named | None = None,
    place_owner: Owner | None = None,
) -> Shown:
    """Create a payload, for an order that is inserted next, or for one that comes later.

    `path` is its path in the request. New places belong to `place_owner`, or else to the order.
    """
    shown = Shown()
    row = PAYLOADS.draft(db, company)
    if order is not None:
        row.order_uuid = order.uuid
        shown.orders[order.uuid] = order
    empty = Whole(row, [], [])
    draft = _drafted(empty, given, path, new=True)
    owner = place_owner or order_owner(shown, row)
    made = await _planned(db, empty, draft, Finder(db, company, shown, owner))
    await PAYLOADS.insert_all(db, [made.payload], soon=True)
    await WAYPOINTS.insert_all(db, made.waypoints, soon=True)
    await ENTITIES.insert_all(db, made.entities, soon=True)
    shown.put(made)
    return shown


async def change(
    db: Db, shown: Shown, before: Whole, given: PayloadChange, *, path: str = ""
) -> Whole:
    """Update the given fields of a payload, if the state of its order allows it."""
    payload = before.payload
    draft = _drafted(before, given, path, new=False)
    await stops.check_subflows(db, payload, draft.stops)
    finder = Finder(db, payload.company, shown, order_owner(shown, payload))
    after = await _planned(db, before, draft, finder)
    if after == before:
        return before
    rules.check_payload(
        payload,
        stops.differing(payload, after.payload),
        route=after.waypoints != before.waypoints,
        items=after.entities != before.entities,
    )
    return await save(db, shown, before, after)


async def attach(db: Db, shown: Shown, whole: Whole, order: Named) -> Whole:
    """Attach a payload to its order, which starts at the first stop."""
    if whole.payload.order_uuid is not None:
        raise PayloadTaken
    first = whole.waypoints[0].uuid if whole.waypoints else None
    payload, _ = await PAYLOADS.change(
        db, whole.payload, order_uuid=order.uuid, current_waypoint=first
    )
    await _own_places(db, shown, payload.company, order)
    attached = Whole(payload, whole.waypoints, whole.entities)
    shown.put(attached)
    shown.orders[order.uuid] = order
    return attached


async def _own_places(db: Db, shown: Shown, company: UUID, order: Named) -> None:
    """Make the order the owner of the places that were created for its payload."""
    new = [row for row in shown.places.values() if Owner(row.owner_type, row.owner) == ORDERLESS]
    if new:
        await places.assign_order(db, company, [row.uuid for row in new], order.public_id)
    for row in new:
        shown.places[row.uuid] = msgspec.structs.replace(row, owner=order.public_id)


async def remove(db: Db, whole: Whole) -> None:
    """Delete a payload without an order, together with its stops and items."""
    if whole.payload.order_uuid is not None:
        raise PayloadOrdered
    await PAYLOADS.remove(db, whole.payload)
    for stop in whole.waypoints:
        await WAYPOINTS.remove(db, stop)
    for item in whole.entities:
        await ENTITIES.remove(db, item)


def _drafted(before: Whole, given: PayloadChange, path: str, *, new: bool) -> Draft:
    """Parse the whole request, and report all of its errors together."""
    faults = Faults(path)
    draft = Draft(given, {}, {}, [], [], path)
    with faults.at():
        draft.columns = fields.of_payload(given, before.payload)
    with faults.at():
        _check_ends(before, given)
    for name, place in _places(given):
        with faults.at():
            draft.places[name] = parse(place, name)
    known_stops = None if new else by_name(before.waypoints)
    known_items = None if new else by_name(before.entities)
    for name, stop in _parts("waypoints", given.waypoints):
        with faults.at(name):
            draft.stops.append(stops.sent(stop, known_stops, below(path, name)))
    for name, item in _parts("entities", given.entities):
        with faults.at(name):
            draft.items.append(items.sent(item, known_items, below(path, name)))
    faults.refuse()
    _check_twice([*draft.stops, *draft.items])
    return draft


def _parts(name: str, given: Given[list[Part]]) -> Iterator[tuple[str, Part]]:
    """Yield each part of a list with its path."""
    for index, part in enumerate([] if isinstance(given, UnsetType) else given):
        yield f"{name}[{index}]", part


def _places(given: PayloadChange) -> Iterator[tuple[str, AnyPlace]]:
    """Yield the given places by their public field names."""
    for name in (*ENDS, "return"):
        place = given.return_ if name == "return" else getattr(given, name)
        if place is not None and not isinstance(place, UnsetType):
            yield name, place


def _check_ends(before: Whole, given: PayloadChange) -> None:
    """Reject a payload that would have neither stops nor both a pickup and a dropoff."""
    stopping = before.waypoints if isinstance(given.waypoints, UnsetType) else given.waypoints
    missing = [name for name in ENDS if not _has(before, given, name)]
    if stopping or not missing:
        return
    sentence = REQUIRED if len(missing) == 1 else "Send a `pickup` and a `dropoff`, or `waypoints`."
    raise Invalid(fields=[Field(missing[0], sentence)])


def _has(before: Whole, given: PayloadChange, name: str) -> bool:
    """Return whether an end is given or kept. The ends of a route depend on its stops."""
    sent = getattr(given, name)
    if isinstance(sent, UnsetType):
        return not before.waypoints and getattr(before.payload, name) is not None
    return sent is not None


def _check_twice(drafts: Sequence[stops.Draft | items.Draft]) -> None:
    seen: set[UUID] = set()
    for draft in drafts:
        if draft.row is not None and draft.row.uuid in seen:
            raise Invalid(fields=[Field(below(draft.path, "id"), "must not be in the list twice.")])
        seen |= set() if draft.row is None else {draft.row.uuid}


async def _planned(db: Db, before: Whole, draft: Draft, finder: Finder) -> Whole:
    """Resolve all references, and return the payload as it will be."""
    given, payload = draft.given, before.payload
    await _prepare(finder, draft)
    found = {name: await finder.place(one, draft.path) for name, one in draft.places.items()}
    uuids = {name: place.uuid for name, place in found.items()}
    pickup, dropoff = (uuids.get(name) for name in ENDS)
    sent = [await stops.made(db, payload, stop, finder) for stop in draft.stops]
    route = _route(db, before, sent, pickup, dropoff, kept=given.waypoints is UNSET)
    columns = {"pickup": pickup or payload.pickup, "dropoff": dropoff or payload.dropoff}
    if given.return_ is not UNSET:
        columns["return_place"] = uuids.get("return")
    payload = msgspec.structs.replace(payload, **columns, **draft.columns)
    targets = Targets(payload, route, route if given.waypoints is UNSET else sent)
    company = payload.company
    listed = [await items.made(db, company, item, finder, targets) for item in draft.items]
    await finder.save()
    kept = before.entities if given.entities is UNSET else listed
    return routed(before, Whole(payload, route, kept))


async def _prepare(finder: Finder, draft: Draft) -> None:
    """Look up everything that the payload refers to, in one query for each table."""
    stopping = [stop.place for stop in draft.stops if stop.place is not None]
    people = [
        *(stop.given.contact for stop in draft.stops),
        *(item.given.customer for item in draft.items),
    ]
    suppliers = [item.given.supplier for item in draft.items]
    await finder.prepare([*draft.places.values(), *stopping], people, suppliers)


def _route(
    db: Db,
    before: Whole,
    sent: list[Waypoint],
    pickup: UUID | None,
    dropoff: UUID | None,
    *,
    kept: bool,
) -> list[Waypoint]:
    """Return the stops as they will be; `kept` says that no list of stops was sent."""
    payload, there = before.payload, {stop.place for stop in sent}
    if kept and before.waypoints:
        return stops.moved_ends(db, payload, before.waypoints, stops.Ends(pickup, dropoff))
    if before.waypoints:
        # A caller who reorders the stops sends the old ends back with them. Ignore those.
        pickup = None if pickup == payload.pickup and pickup in there else pickup
        dropoff = None if dropoff == payload.dropoff and dropoff in there else dropoff
    return stops.with_ends(db, payload, sent, stops.Ends(pickup, dropoff)) if sent else []
