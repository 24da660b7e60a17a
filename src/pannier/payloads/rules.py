"""Changes of a payload that the state of its order allows. Pure rules."""

from collections.abc import Collection
from typing import Final

from pannier.errors import Conflict
from pannier.payloads.models import Payload, Waypoint

# Columns of a stop that may change after an activity was recorded there.
CHANGEABLE_AT_BEGUN_STOP: Final = frozenset({"notes", "meta"})


class PayloadBegun(Conflict):
    """The route of an order in progress cannot be reordered or replaced."""

    code = "payload_begun"
    title = "The payload's order is in progress."
    remedy = "You can still add stops."


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
    payload: Payload, changed_names: Collection[str], *, changes_route: bool, changes_items: bool
) -> None:
    """Reject changes of columns, route or items that the order's state forbids."""
    if payload.state == "closed" and (
        set(changed_names) - {"meta"} or changes_route or changes_items
    ):
        raise PayloadClosed
    if payload.state == "begun" and ("pickup" in changed_names or changes_route):
        raise PayloadBegun


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
