"""Adding, changing and removing stops of a payload."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec
from msgspec import UnsetType

from pannier.db import Db
from pannier.errors import Field, Invalid, NotFound, below
from pannier.kit.hooks import Hook
from pannier.payloads import fields, rules
from pannier.payloads.changes import routed, save
from pannier.payloads.fields import REQUIRED
from pannier.payloads.lookup import Finder, order_owner, plain
from pannier.payloads.models import Payload, StopType, Waypoint
from pannier.payloads.queries import WAYPOINTS, Shown, Whole
from pannier.payloads.schemas import (
    MOST_WAYPOINTS,
    PLACE_FIELDS,
    NewWaypoint,
    WaypointChange,
    WaypointIn,
)
from pannier.places.parsing import ParsedPlace, parse
from pannier.places.references import check_fields
from pannier.web.fields import given_fields


class Draft(msgspec.Struct):
    """A stop as it was sent. Its fields are parsed, its references not yet resolved."""

    given: WaypointChange
    row: Waypoint | None
    columns: dict[str, Any]
    path: str
    # None if the stop keeps its place.
    place: ParsedPlace | None
    # Place fields that the request sent besides the place itself.
    beside: dict[str, Any]


def drafted(given: WaypointChange, row: Waypoint | None, path: str) -> Draft:
    """Parse a stop as it was sent; `row` is the stop that it changes."""
    columns = fields.of_waypoint(given, row)
    own = {name: value for name, value in given_fields(given).items() if name in PLACE_FIELDS}
    inline = {name: value for name, value in own.items() if value is not None}
    if not isinstance(given.place, UnsetType):
        return Draft(given, row, columns, path, parse(given.place, "place"), own)
    if row is not None:
        return Draft(given, row, columns, path, None, own)
    if isinstance(given, WaypointIn) and _names_place(given):
        return Draft(given, row, columns, path, parse(given.id, "id"), own)
    if isinstance(given, WaypointIn) and inline:
        return Draft(given, row, columns, path, parse(inline, ""), {})
    raise Invalid(fields=[Field("place", REQUIRED)])


def _names_place(given: WaypointIn) -> bool:
    """Return whether the identifier of a stop is that of its place."""
    return isinstance(given.id, str) and given.id.startswith("place_")


def sent(given: WaypointIn | str, among: Mapping[str, Waypoint] | None, path: str) -> Draft:
    """Parse one of a list of stops; `known` are the stops that may be sent back."""
    stop = WaypointIn(place=given) if isinstance(given, str) else given
    return drafted(stop, None if among is None else _known(stop, among, path), path)


def _known(given: WaypointIn, among: Mapping[str, Waypoint], path: str) -> Waypoint | None:
    """Find the stop that is sent back; None if it is a new one."""
    if not isinstance(given.id, str) or _names_place(given):
        return None
    stop = among.get(plain(given.id))
    if stop is None:
        raise NotFound(fields=[Field(below(path, "id"), "The payload has no such stop.")])
    return stop


async def made(db: Db, payload: Payload, draft: Draft, finder: Finder) -> Waypoint:
    """Resolve the references of a stop and return its row, without writing it."""
    columns, contact = dict(draft.columns), draft.given.contact
    known = [] if draft.row is None else [finder.known_place(draft.row.place)]
    if draft.place is not None:
        known.append(await finder.place(draft.place, draft.path))
        columns["place"] = known[-1].uuid
    if draft.beside:
        await check_fields(db, payload.company, draft.beside, known, path=draft.path)
    if not isinstance(contact, UnsetType):
        path = below(draft.path, "contact")
        columns["contact"] = contact and await finder.contact(contact, path)
    if draft.row is not None:
        return msgspec.structs.replace(draft.row, **columns)
    return _new(db, payload, **columns)


def _new(db: Db, payload: Payload, **columns: Any) -> Waypoint:  # noqa: ANN401 - columns
    return WAYPOINTS.draft(db, payload.company, payload=payload.uuid, position=0, **columns)


# Implemented by the orders package: returns the sub-flows that stops of an order may use.
load_subflows: Final = Hook[[Db, UUID, UUID], set[str]]("pannier.orders.configs.queries")


async def check_subflows(db: Db, payload: Payload, drafts: Sequence[Draft]) -> None:
    """Reject sub-flows that the order does not have.

    A payload without an order accepts any name.
    """
    new = [draft for draft in drafts if _new_subflow(draft) is not None]
    if payload.order_uuid is None or not new:
        return
    allowed = await load_subflows(db, payload.company, payload.order_uuid)
    wrong = [
        Field(below(draft.path, "subflow"), "The order's flow has no such sub-flow.")
        for draft in new
        if _new_subflow(draft) not in allowed
    ]
    if wrong:
        raise Invalid(fields=wrong)


def _new_subflow(draft: Draft) -> str | None:
    named: str | None = draft.columns.get("subflow")
    return None if draft.row is not None and draft.row.subflow == named else named


class Ends(NamedTuple):
    """The places where a route starts and ends, where they are given."""

    pickup: UUID | None
    dropoff: UUID | None


def with_ends(db: Db, payload: Payload, stops: list[Waypoint], ends: Ends) -> list[Waypoint]:
    """Add the pickup before the stops and the dropoff after them, unless they are there.

    A first stop at the pickup's place is the pickup, although stops are dropoffs by default.
    """
    kinds: tuple[StopType, ...] = ("pickup", "dropoff")
    if stops and stops[0].place == ends.pickup:
        stops = [msgspec.structs.replace(stops[0], type="pickup"), *stops[1:]]
    for place, kind in zip(ends, kinds, strict=True):
        index = 0 if kind == "pickup" else -1
        if place is None or (stops and stops[index].place == place):
            continue
        new = _new(db, payload, place=place, type=kind)
        stops = [new, *stops] if kind == "pickup" else [*stops, new]
    return stops


def moved_ends(db: Db, payload: Payload, stops: list[Waypoint], ends: Ends) -> list[Waypoint]:
    """Move the pickup and the dropoff of a route to other places."""
    stops = list(stops)
    pickup, dropoff = ends
    if pickup is not None and stops[0].type == "pickup":
        stops[0] = msgspec.structs.replace(stops[0], place=pickup)
    if dropoff is not None and stops[-1].type == "dropoff":
        stops[-1] = msgspec.structs.replace(stops[-1], place=dropoff)
    return with_ends(db, payload, stops, ends)


async def add(db: Db, shown: Shown, before: Whole, given: NewWaypoint) -> Waypoint:
    """Add a stop at the end of the route.

    Without other stops, it goes between the pickup and the dropoff.
    """
    payload = before.payload
    rules.check_growth(payload, stops=bool(before.waypoints))
    if len(before.waypoints) >= MOST_WAYPOINTS:
        sentence = f"A payload has at most {MOST_WAYPOINTS} stops."
        raise Invalid(fields=[Field("payload", sentence)])
    draft = drafted(given, None, "")
    await check_subflows(db, payload, [draft])
    new = await _found(db, shown, payload, draft)
    stops = [*before.waypoints, new]
    if not before.waypoints:
        stops = with_ends(db, payload, [new], Ends(payload.pickup, payload.dropoff))
    await save(db, shown, before, routed(before, Whole(payload, stops, before.entities)))
    return shown.stops[new.uuid]


async def change(
    db: Db, shown: Shown, before: Whole, stop: Waypoint, given: WaypointChange
) -> Waypoint:
    """Update a stop, if the state of its order allows it."""
    payload = before.payload
    draft = drafted(given, stop, "")
    wanted = await _found(db, shown, payload, draft)
    rules.check_waypoint(payload, stop, differing(stop, wanted))
    await check_subflows(db, payload, [draft])
    stops = [wanted if one.uuid == stop.uuid else one for one in before.waypoints]
    await save(db, shown, before, routed(before, Whole(payload, stops, before.entities)))
    return shown.stops[stop.uuid]


async def _found(db: Db, shown: Shown, payload: Payload, draft: Draft) -> Waypoint:
    """Resolve the references of a single stop, and insert its new place."""
    finder = Finder(db, payload.company, shown, order_owner(shown, payload))
    row = await made(db, payload, draft, finder)
    await finder.save()
    return row


def differing(row: msgspec.Struct, wanted: msgspec.Struct) -> set[str]:
    """Return the names of the columns in which two versions of a row differ."""
    return {name for name in row.__struct_fields__ if getattr(row, name) != getattr(wanted, name)}


async def remove(db: Db, shown: Shown, before: Whole, stop: Waypoint) -> None:
    """Remove a stop from a payload that has others, before its order starts."""
    rules.check_open(before.payload)
    stops = [one for one in before.waypoints if one.uuid != stop.uuid]
    if not stops:
        raise rules.LastWaypoint
    await save(db, shown, before, routed(before, Whole(before.payload, stops, before.entities)))
