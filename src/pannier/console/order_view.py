"""An order prepared for its page: next activities, what blocks them, stops, and the map."""

from collections.abc import Mapping
from typing import Any, Final

from pannier.console import maps
from pannier.orders.models import CHANGEABLE_WHEN_CLOSED

CLOSED_STATUSES: Final = frozenset({"completed", "canceled"})
# How a sentence names a missing proof.
PROOF_LABELS: Final[Mapping[str, str]] = {
    "signature": "a signature",
    "photo": "a photo",
    "scan": "a scan",
    "sms": "an SMS code",
}
# Button labels of the activities that every flow has.
ACTIVITY_VERBS: Final[Mapping[str, str]] = {"dispatched": "Dispatch", "started": "Start"}
CONFIRM_COMPLETE: Final = "Complete now? This cannot be undone."
CONFIRM_CANCEL: Final = (
    "Cancel now? The driver and the customer are notified. This cannot be undone."
)
CONFIRM_ACCEPT: Final = "Accept this quote? The amount becomes due."
STOP_COLOURS: Final[Mapping[str, str]] = {"pickup": "blue", "dropoff": "green", "return": "amber"}


def is_open(order: Any) -> bool:  # noqa: ANN401 - JSON
    return order["status"] not in CLOSED_STATUSES


def can_change(order: Any, field: str) -> bool:  # noqa: ANN401 - JSON
    """Return whether a field can still be changed, by the rules of `orders.service`."""
    if not is_open(order):
        return field in CHANGEABLE_WHEN_CLOSED
    if field == "scheduled_at":
        return bool(order["status"] == "created")
    return field != "pickup" or not order["started"]


def list_menu_actions(order: Any) -> list[str]:  # noqa: ANN401 - JSON
    """List the actions in the menu of an order's card."""
    if not is_open(order):
        return []
    return [*(["plan", "dispatch"] if order["status"] == "created" else []), "assign", "cancel"]


def describe_activity(activity: Any, order: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Return the activity with its button label and the sentences on what blocks it."""
    return {
        **activity,
        "verb": ACTIVITY_VERBS.get(activity["code"], activity["status"] or activity["code"]),
        "why": list_blocking_reasons(activity, order),
    }


def list_blocking_reasons(activity: Any, order: Any) -> list[str]:  # noqa: ANN401 - JSON
    """Return the missing requirements of an activity, one sentence each."""
    reasons = [
        f"Requires {PROOF_LABELS[demand['method']]} {_describe_place(demand, activity, order)}."
        for demand in activity["missing"]
    ]
    if order["driver_assigned"] is None and not order["adhoc"]:
        reasons.insert(0, "Requires a driver.")
    return reasons


def _describe_place(demand: Any, activity: Any, order: Any) -> str:  # noqa: ANN401 - JSON
    """Name the stop or item that needs the proof. The order's own is captured at a stop."""
    payload = order["payload"]
    for item in payload["entities"]:
        if item["id"] == demand["subject_id"]:
            return f"{'of' if demand['method'] in {'scan', 'photo'} else 'for'} {item['name']}"
    for stop in payload["waypoints"]:
        if stop["id"] in {demand["subject_id"], activity["waypoint"]}:
            return f"at {stop['name'] or stop['address']}"
    dropoff = payload["dropoff"]
    return f"at {dropoff['name'] or dropoff['address']}" if dropoff else "for the order"


def list_stops(order: Any, tracked: Any) -> list[Mapping[str, Any]]:  # noqa: ANN401 - JSON
    """List the stops with their ETAs. Without waypoints, these are pickup and drop-off."""
    payload = order["payload"]
    etas = {stop["waypoint"]: stop["eta"] for stop in tracked["stops"]}
    if payload["waypoints"]:
        now = tracked["current_waypoint"]
        stops = [
            {**stop, "eta": etas.get(stop["id"]), "current": stop["id"] == now}
            for stop in payload["waypoints"]
        ]
        # As in `orders.flow`: once the current stop has begun, no other one can be chosen.
        current = next((stop for stop in stops if stop["current"]), None)
        can_choose = current is not None and (current["status_code"] is None or current["complete"])
        return [
            {
                **stop,
                "can_be_next": can_choose
                and not (stop["current"] or stop["complete"] or stop["undelivered"]),
            }
            for stop in stops
        ]
    ends = [payload["pickup"], payload["dropoff"]]
    return [
        {
            "id": None, "type": stop["type"], "place": place, "name": place["name"],
            "address": place["address"], "location": place["location"], "contact": None,
            "time_window_start": None, "time_window_end": None, "notes": None,
            "complete": stop["complete"], "completed_at": None, "status_code": None,
            "tracking_number": None, "eta": stop["eta"], "current": False,
            "attempts": stop["attempts"], "undelivered": stop["undelivered"], "can_be_next": False,
        }
        for stop, place in zip(tracked["stops"], [end for end in ends if end], strict=False)
    ]  # fmt: skip


def map_features(order: Any, tracked: Any, route: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Return the stops, the planned and remaining routes and the driver as map features."""
    located_stops = [stop for stop in tracked["stops"] if stop["location"]]
    driver = order["driver_assigned"]
    moving = tracked["position"] and driver and is_open(order)
    return maps.collection(
        [
            _route_feature(
                "planned", "Planned route", route["planned"],
                "grey" if route["remaining"] else "blue",
            ),
            _route_feature("remaining", "Remaining route", route["remaining"], "blue"),
            *(_stop_feature(number, stop) for number, stop in enumerate(located_stops, 1)),
            maps.point(
                driver["id"], driver["name"], tracked["position"], "violet",
                heading=tracked["heading"], href=f"/console/drivers/{driver['id']}",
            )
            if moving
            else None,
        ]
    )  # fmt: skip


def _route_feature(name: str, label: str, line: Any, color: str) -> dict[str, Any] | None:  # noqa: ANN401 - JSON
    return None if line is None else maps.line(name, label, line["coordinates"], color)


def _stop_feature(number: int, stop: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    label = f"{number}. {stop['address'].partition(',')[0]}"
    color = "grey" if stop["complete"] else STOP_COLOURS.get(stop["type"], "blue")
    return maps.point(f"stop-{number}", label, stop["location"], color)
