"""Adding, changing and removing stops of a payload."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec
from msgspec import UnsetType

from pannier.db import Db
from pannier.errors import FieldError, Invalid, NotFound, join_path
from pannier.kit.hooks import Hook
from pannier.payloads import fields, rules
from pannier.payloads.changes import renumber_stops, save_aggregate
from pannier.payloads.fields import REQUIRED
from pannier.payloads.lookup import ReferenceFinder, get_place_owner, normalise_identifier
from pannier.payloads.models import Payload, StopType, Waypoint
from pannier.payloads.queries import WAYPOINTS, PayloadAggregate, PayloadRecords
from pannier.payloads.schemas import (
    MAX_WAYPOINTS,
    PLACE_FIELDS,
    NewWaypoint,
    StopContact,
    WaypointChange,
    WaypointIn,
)
from pannier.places.parsing import ParsedPlace, parse
from pannier.places.references import check_fields
from pannier.web.fields import get_sent_fields


class StopDraft(msgspec.Struct):
    """A stop from a request: its fields are parsed, its references not yet resolved."""

    data: WaypointChange
    row: Waypoint | None
    columns: dict[str, Any]
    path: str
    # None if the stop keeps its place.
    place: ParsedPlace | None
    # Place fields that the request sent besides the place itself.
    place_fields: dict[str, Any]


def parse_stop(data: WaypointChange, row: Waypoint | None, path: str) -> StopDraft:
    """Parse a stop of a request. `row` is the existing stop, if any."""
    columns = fields.parse_waypoint_columns(data, row)
    place_values = {
        name: value for name, value in get_sent_fields(data).items() if name in PLACE_FIELDS
    }
    inline_place = {name: value for name, value in place_values.items() if value is not None}
    if not isinstance(data.place, UnsetType):
        return StopDraft(data, row, columns, path, parse(data.place, "place"), place_values)
    if row is not None:
        return StopDraft(data, row, columns, path, None, place_values)
    if isinstance(data, WaypointIn) and _is_place_id(data):
        return StopDraft(data, row, columns, path, parse(data.id, "id"), place_values)
    if isinstance(data, WaypointIn) and inline_place:
        return StopDraft(data, row, columns, path, parse(inline_place, ""), {})
    raise Invalid(fields=[FieldError("place", REQUIRED)])


def _is_place_id(data: WaypointIn) -> bool:
    """Return whether a stop is identified by its place."""
    return isinstance(data.id, str) and data.id.startswith("place_")


def parse_listed_stop(
    data: WaypointIn | str, stops_by_id: Mapping[str, Waypoint] | None, path: str
) -> StopDraft:
    """Parse a stop of a list; `stops_by_id` are the existing stops that it may refer to."""
    stop = WaypointIn(place=data) if isinstance(data, str) else data
    return parse_stop(
        stop, None if stops_by_id is None else _find_known_stop(stop, stops_by_id, path), path
    )


def _find_known_stop(
    data: WaypointIn, stops_by_id: Mapping[str, Waypoint], path: str
) -> Waypoint | None:
    """Find the existing stop that the caller sent back. Return None for a new one."""
    if not isinstance(data.id, str) or _is_place_id(data):
        return None
    stop = stops_by_id.get(normalise_identifier(data.id))
    if stop is None:
        raise NotFound(fields=[FieldError(join_path(path, "id"), "The payload has no such stop.")])
    return stop


async def resolve_stop(
    db: Db, payload: Payload, draft: StopDraft, references: ReferenceFinder
) -> Waypoint:
    """Resolve the references of a stop and return its row, without writing it."""
    columns, contact = dict(draft.columns), draft.data.contact
    candidates = [] if draft.row is None else [references.get_known_place(draft.row.place)]
    if draft.place is not None:
        candidates.append(await references.find_or_build_place(draft.place, draft.path))
        columns["place"] = candidates[-1].uuid
    if draft.place_fields:
        await check_fields(db, payload.company, draft.place_fields, candidates, path=draft.path)
    if not isinstance(contact, UnsetType):
        path = join_path(draft.path, "contact")
        columns["contact"] = contact and await references.find_or_create_contact(contact, path)
        columns["contact_name"] = _get_contact_name(draft, contact, columns["contact"])
    if draft.row is not None:
        return msgspec.structs.replace(draft.row, **columns)
    return _draft_row(db, payload, **columns)


def _get_contact_name(
    draft: StopDraft, contact: str | StopContact | None, uuid: UUID | None
) -> str | None:
    """Return the name that the request gives the contact; keep that of an unchanged contact."""
    if isinstance(contact, StopContact) and contact.id is None and contact.name is not None:
        return contact.name.strip()
    is_same = draft.row is not None and draft.row.contact == uuid
    return draft.row.contact_name if draft.row is not None and is_same else None


def _draft_row(db: Db, payload: Payload, **columns: Any) -> Waypoint:  # noqa: ANN401 - columns
    return WAYPOINTS.draft(db, payload.company, payload=payload.uuid, position=0, **columns)


# Implemented by the orders package: returns the sub-flows that stops of an order may use.
load_subflows: Final = Hook[[Db, UUID, UUID], set[str]]("pannier.orders.configs.queries")


async def check_subflows(db: Db, payload: Payload, drafts: Sequence[StopDraft]) -> None:
    """Reject sub-flows that the order does not have.

    A payload without an order accepts any name.
    """
    changed_drafts = [draft for draft in drafts if _get_new_subflow(draft) is not None]
    if payload.order_uuid is None or not changed_drafts:
        return
    subflows = await load_subflows(db, payload.company, payload.order_uuid)
    errors = [
        FieldError(
            join_path(draft.path, "subflow"), "The order configuration has no such stop flow."
        )
        for draft in changed_drafts
        if _get_new_subflow(draft) not in subflows
    ]
    if errors:
        raise Invalid(fields=errors)


def _get_new_subflow(draft: StopDraft) -> str | None:
    subflow: str | None = draft.columns.get("subflow")
    return None if draft.row is not None and draft.row.subflow == subflow else subflow


class RouteEndpoints(NamedTuple):
    """The places where a route starts and ends, if they were sent."""

    pickup: UUID | None
    dropoff: UUID | None


def add_endpoints(
    db: Db, payload: Payload, stops: list[Waypoint], endpoints: RouteEndpoints
) -> list[Waypoint]:
    """Add the pickup before the stops and the drop-off after them, unless they are there.

    A first stop at the pickup's place is the pickup, although stops are drop-offs by default.
    """
    kinds: tuple[StopType, ...] = ("pickup", "dropoff")
    if stops and stops[0].place == endpoints.pickup:
        stops = [msgspec.structs.replace(stops[0], type="pickup"), *stops[1:]]
    for place, kind in zip(endpoints, kinds, strict=True):
        index = 0 if kind == "pickup" else -1
        if place is None or (stops and stops[index].place == place):
            continue
        end_stop = _draft_row(db, payload, place=place, type=kind)
        stops = [end_stop, *stops] if kind == "pickup" else [*stops, end_stop]
    return stops


def move_endpoints(
    db: Db, payload: Payload, stops: list[Waypoint], endpoints: RouteEndpoints
) -> list[Waypoint]:
    """Move the pickup and the drop-off of a route to other places."""
    stops = list(stops)
    pickup, dropoff = endpoints
    if pickup is not None and stops[0].type == "pickup":
        stops[0] = msgspec.structs.replace(stops[0], place=pickup)
    if dropoff is not None and stops[-1].type == "dropoff":
        stops[-1] = msgspec.structs.replace(stops[-1], place=dropoff)
    return add_endpoints(db, payload, stops, endpoints)


async def add(
    db: Db, related: PayloadRecords, previous_aggregate: PayloadAggregate, data: NewWaypoint
) -> Waypoint:
    """Add a stop at the end of the route.

    Without other stops, it goes between the pickup and the drop-off.
    """
    payload = previous_aggregate.payload
    rules.check_new_stop(payload, has_stops=bool(previous_aggregate.waypoints))
    if len(previous_aggregate.waypoints) >= MAX_WAYPOINTS:
        message = f"A payload can have at most {MAX_WAYPOINTS} stops."
        raise Invalid(fields=[FieldError("payload", message)])
    draft = parse_stop(data, None, "")
    await check_subflows(db, payload, [draft])
    new_stop = await _resolve_single_stop(db, related, payload, draft)
    stops = [*previous_aggregate.waypoints, new_stop]
    if not previous_aggregate.waypoints:
        stops = add_endpoints(
            db, payload, [new_stop], RouteEndpoints(payload.pickup, payload.dropoff)
        )
    await save_aggregate(
        db,
        related,
        previous_aggregate,
        renumber_stops(
            previous_aggregate, PayloadAggregate(payload, stops, previous_aggregate.entities)
        ),
    )
    return related.stops[new_stop.uuid]


async def change(
    db: Db,
    related: PayloadRecords,
    previous_aggregate: PayloadAggregate,
    stop: Waypoint,
    data: WaypointChange,
) -> Waypoint:
    """Update a stop, if the state of its order allows it."""
    payload = previous_aggregate.payload
    draft = parse_stop(data, stop, "")
    new_row = await _resolve_single_stop(db, related, payload, draft)
    rules.check_waypoint(payload, stop, rules.list_changed_columns(stop, new_row))
    await check_subflows(db, payload, [draft])
    stops = [
        new_row if waypoint.uuid == stop.uuid else waypoint
        for waypoint in previous_aggregate.waypoints
    ]
    await save_aggregate(
        db,
        related,
        previous_aggregate,
        renumber_stops(
            previous_aggregate, PayloadAggregate(payload, stops, previous_aggregate.entities)
        ),
    )
    return related.stops[stop.uuid]


async def _resolve_single_stop(
    db: Db, related: PayloadRecords, payload: Payload, draft: StopDraft
) -> Waypoint:
    """Resolve the references of a single stop, and insert its new place."""
    references = ReferenceFinder(db, payload.company, related, get_place_owner(related, payload))
    row = await resolve_stop(db, payload, draft, references)
    await references.save()
    return row


async def remove(
    db: Db, related: PayloadRecords, previous_aggregate: PayloadAggregate, stop: Waypoint
) -> None:
    """Remove a stop from a payload that has others, before work there begins."""
    stops = [waypoint for waypoint in previous_aggregate.waypoints if waypoint.uuid != stop.uuid]
    rules.check_route(previous_aggregate.payload, previous_aggregate.waypoints, stops)
    if not stops:
        raise rules.LastWaypoint
    await save_aggregate(
        db,
        related,
        previous_aggregate,
        renumber_stops(
            previous_aggregate,
            PayloadAggregate(previous_aggregate.payload, stops, previous_aggregate.entities),
        ),
    )
