"""What may change of a payload while its order is open, under way or over. Pure rules."""

from collections.abc import Collection
from typing import Final

from pannier.errors import Conflict
from pannier.payloads.models import Payload, Waypoint

# What may change of a stop at which something has happened already.
FREE_AT_A_BEGUN_STOP: Final = frozenset({"notes", "meta"})


class PayloadBegun(Conflict):
    """The order is under way: its route may grow, but not be turned round."""

    code = "payload_begun"
    title = "The order of this payload has begun, so its route cannot be changed."


class PayloadClosed(Conflict):
    """The order is over; its payload is history, and only `meta` may change."""

    code = "payload_closed"
    title = "The order of this payload is over, so the payload cannot be changed."


class WaypointBegun(Conflict):
    """Something has happened at the stop; only its notes and `meta` may change."""

    code = "waypoint_begun"
    title = "Something has happened at this stop already; only its notes and meta may change."


class LastWaypoint(Conflict):
    """A payload that has stops keeps at least one."""

    code = "last_waypoint"
    title = "This is the payload's only stop; delete the payload, or give it other stops first."


def check_payload(payload: Payload, changed: Collection[str], *, route: bool, items: bool) -> None:
    """Refuse to change these columns, the route or the items of a payload, when it is too late."""
    if payload.state == "closed" and (set(changed) - {"meta"} or route or items):
        raise PayloadClosed
    if payload.state == "begun" and ("pickup" in changed or route):
        raise PayloadBegun


def check_waypoint(payload: Payload, waypoint: Waypoint, changed: Collection[str]) -> None:
    """Refuse to change these columns of a stop, when it is too late."""
    if payload.state == "closed" and set(changed) - {"meta"}:
        raise PayloadClosed
    begun = payload.state == "begun" and waypoint.activity is not None
    if begun and set(changed) - FREE_AT_A_BEGUN_STOP:
        raise WaypointBegun


def check_growth(payload: Payload, *, stops: bool) -> None:
    """Refuse another stop, when it is too late; `stops` tells whether there are any."""
    if payload.state == "closed":
        raise PayloadClosed
    if payload.state == "begun" and not stops:
        raise PayloadBegun


def check_open(payload: Payload) -> None:
    """Refuse what is possible only before the order begins."""
    if payload.state == "closed":
        raise PayloadClosed
    if payload.state == "begun":
        raise PayloadBegun


def check_items(payload: Payload, changed: Collection[str]) -> None:
    """Refuse to change these columns of an item, when it is too late."""
    if payload.state == "closed" and set(changed) - {"meta"}:
        raise PayloadClosed
