"""Changes of a payload that the state of its order allows. Pure rules."""

from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from pannier.errors import Conflict
from pannier.payloads.models import Payload, Waypoint

# Columns of a stop that may change after an activity was recorded there.
CHANGEABLE_AT_BEGUN_STOP: Final = frozenset({"notes", "meta"})


class PayloadBegun(Conflict):
    """The part of a route where an order in progress has work cannot be reordered or replaced."""

    code = "payload_begun"
    title = "The payload's order is in progress."
    remedy = "You can still add, move and remove stops after the current one."


class PayloadClosed(Conflict):
    """The order was completed or canceled."""

    code = "payload_closed"
    title = "The payload's order is closed."
    remedy = "Only `meta` can be changed."


class WaypointBegun(Conflict):
    """An activity was recorded at this stop."""

    code = "waypoint_begun"
    title = "Work at this stop has begun."
    remedy = "Only its `notes` and `meta` can be changed."


class LastWaypoint(Conflict):
    """A payload with stops must keep at least one."""

    code = "last_waypoint"
    title = "This is the payload's only stop."
    remedy = "Add another stop first, or delete the payload."


def check_payload(
    payload: Payload,
    changed_names: Collection[str],
    previous_stops: Sequence[Waypoint],
    stops: Sequence[Waypoint],
    *,
    changes_items: bool,
) -> None:
    """Reject changes of columns, route or items that the order's state forbids."""
    changes_route = stops != previous_stops
    if payload.state == "closed" and (
        set(changed_names) - {"meta"} or changes_route or changes_items
    ):
        raise PayloadClosed
    if payload.state != "begun":
        return
    if previous_stops and stops:
        check_route(payload, previous_stops, stops)
    elif "pickup" in changed_names or changes_route:
        raise PayloadBegun


def check_route(
    payload: Payload, previous_stops: Sequence[Waypoint], stops: Sequence[Waypoint]
) -> None:
    """Reject changes of a route that the order's state forbids.

    In progress, stops with work and the current stop stay, and nothing moves ahead of them.
    """
    if payload.state == "closed":
        raise PayloadClosed
    if payload.state != "begun":
        return
    previous_positions = {stop.uuid: position for position, stop in enumerate(previous_stops)}
    positions = [previous_positions.get(stop.uuid) for stop in stops]
    for position, stop in enumerate(previous_stops):
        if not _has_work(payload, stop):
            continue
        if position not in positions:
            raise PayloadBegun
        earlier = positions[: positions.index(position)]
        if any(other is None or other > position for other in earlier):
            raise PayloadBegun
    for stop, previous_position in zip(stops, positions, strict=True):
        if previous_position is not None:
            previous = previous_stops[previous_position]
            check_waypoint(payload, previous, list_changed_columns(previous, stop) - {"position"})


def _has_work(payload: Payload, stop: Waypoint) -> bool:
    """Return whether the driver was at a stop, or is heading for it."""
    return bool(
        stop.uuid == payload.current_waypoint
        or stop.activity is not None
        or stop.done
        or stop.attempts
        or stop.cash_collected
    )


def list_changed_columns(row: msgspec.Struct, new_row: msgspec.Struct) -> set[str]:
    """List the columns in which two versions of a row differ."""
    return {name for name in row.__struct_fields__ if getattr(row, name) != getattr(new_row, name)}


def check_waypoint(payload: Payload, waypoint: Waypoint, changed_names: Collection[str]) -> None:
    """Reject changes of a stop that the order's state forbids."""
    if payload.state == "closed" and set(changed_names) - {"meta"}:
        raise PayloadClosed
    is_begun = payload.state == "begun" and waypoint.activity is not None
    if is_begun and set(changed_names) - CHANGEABLE_AT_BEGUN_STOP:
        raise WaypointBegun


def check_new_stop(payload: Payload, *, has_stops: bool) -> None:
    """Reject another stop if the order's state forbids it."""
    if payload.state == "closed":
        raise PayloadClosed
    if payload.state == "begun" and not has_stops:
        raise PayloadBegun


def check_not_started(payload: Payload) -> None:
    """Reject an action that is possible only before the order starts."""
    if payload.state == "closed":
        raise PayloadClosed
    if payload.state == "begun":
        raise PayloadBegun


def check_item_change(payload: Payload, changed_names: Collection[str]) -> None:
    """Reject changes of an item after the order has ended."""
    if payload.state == "closed" and set(changed_names) - {"meta"}:
        raise PayloadClosed
