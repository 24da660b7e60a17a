"""Data for an order's page: its activities and their requirements, its stops, and its map."""

from collections.abc import Mapping
from typing import Any, Final

from pannier.console import maps
from pannier.orders.models import CHANGEABLE_WHEN_CLOSED

CLOSED_STATUSES: Final = frozenset({"completed", "canceled"})
# The words for a missing proof in a sentence.
PROOF_LABELS: Final[Mapping[str, str]] = {
    "signature": "a signature",
    "photo": "a photo",
    "scan": "a scan",
    "sms": "an SMS code",
}
# Button labels of the activities that every flow has.
ACTIVITY_VERBS: Final[Mapping[str, str]] = {"dispatched": "Dispatch", "started": "Start"}
RETURN_PATH: Final = "/v1/orders/{order_id}/return"
RETURNABLE_PATH: Final = "/v1/orders/{order_id}/returnable-items"
CONFIRM_COMPLETE: Final = "Complete now? This cannot be undone."
CONFIRM_CANCEL: Final = (
    "Cancel now? The driver and the customer are notified. This cannot be undone."
)
CONFIRM_ACCEPT: Final = "Accept this quote? The amount becomes due."
STOP_COLOURS: Final[Mapping[str, str]] = {"pickup": "blue", "dropoff": "green", "return": "amber"}


def is_open(order: Any) -> bool:  # noqa: ANN401 - JSON
    return order["status"] not in CLOSED_STATUSES


def can_reopen(order: Any) -> bool:  # noqa: ANN401 - JSON
    return bool(order["status"] == "canceled" and order["undelivered"] != "return")


def can_change(order: Any, field: str) -> bool:  # noqa: ANN401 - JSON
    """Return whether a field can still be changed, by the rules of `orders.service`."""
    if not is_open(order):
        return field in CHANGEABLE_WHEN_CLOSED
    if field == "scheduled_at":
        return bool(order["status"] == "created")
    return field != "pickup" or not order["started"]


def list_begun_stops(order: Any) -> list[str]:  # noqa: ANN401 - JSON
    """List the stops at which work has begun, by the rules of `payloads.rules`."""
    return [
        stop["id"]
        for stop in order["payload"]["waypoints"]
        if order["payload"]["state"] == "begun" and stop["status_code"] is not None
    ]


def list_fixed_stops(order: Any) -> list[str]:  # noqa: ANN401 - JSON
    """List the stops that cannot be moved or removed, by the rules of `payloads.rules`."""
    payload = order["payload"]
    return [
        stop["id"]
        for stop in payload["waypoints"]
        if payload["state"] == "begun"
        and (
            stop["id"] == payload["current_waypoint"]
            or stop["status_code"] is not None
            or stop["attempts"]
            or (stop["cash_to_collect"] or {}).get("collected")
        )
    ]


def list_menu_actions(order: Any) -> list[str]:  # noqa: ANN401 - JSON
    """List the actions in the menu of an order's card."""
    if not is_open(order):
        return []
    return [*(["plan", "dispatch"] if order["status"] == "created" else []), "assign", "cancel"]


def describe_activity(activity: Any, order: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Return the activity with its button label and its missing requirements."""
    return {
        **activity,
        "verb": ACTIVITY_VERBS.get(activity["code"], activity["status"] or activity["code"]),
        "why": list_missing_requirements(activity, order),
    }


def list_missing_requirements(activity: Any, order: Any) -> list[str]:  # noqa: ANN401 - JSON
    """List the missing requirements of an activity, one sentence each."""
    reasons = [
        f"Requires {PROOF_LABELS[proof['method']]} {_describe_subject(proof, activity, order)}."
        for proof in activity["missing"]
    ]
    if order["driver_assigned"] is None and not order["adhoc"]:
        reasons.insert(0, "Requires a driver.")
    return reasons


def _describe_subject(proof: Any, activity: Any, order: Any) -> str:  # noqa: ANN401 - JSON
    """Name the stop or item that needs the proof. A proof for an order is captured at a stop."""
    payload = order["payload"]
    for item in payload["entities"]:
        if item["id"] == proof["subject_id"]:
            return f"{'of' if proof['method'] in {'scan', 'photo'} else 'for'} {item['name']}"
    for stop in payload["waypoints"]:
        if stop["id"] in {proof["subject_id"], activity["waypoint"]}:
            return f"at {stop['name'] or stop['address']}"
    dropoff = payload["dropoff"]
    return f"at {dropoff['name'] or dropoff['address']}" if dropoff else "for the order"


def list_stops(order: Any, tracker: Any) -> list[Mapping[str, Any]]:  # noqa: ANN401 - JSON
    """List the stops with their ETAs. Without waypoints, list the pickup and the drop-off."""
    payload = order["payload"]
    etas = {stop["waypoint"]: stop["eta"] for stop in tracker["stops"]}
    if payload["waypoints"]:
        current_id = tracker["current_waypoint"]
        stops = [
            {**stop, "eta": etas.get(stop["id"]), "current": stop["id"] == current_id}
            for stop in payload["waypoints"]
        ]
        # As in `orders.flow`: once work at the current stop has begun, no other can be chosen.
        current_stop = next((stop for stop in stops if stop["current"]), None)
        can_choose = current_stop is not None and (
            current_stop["status_code"] is None or current_stop["complete"]
        )
        return [
            {
                **stop,
                "can_be_next": can_choose
                and not (stop["current"] or stop["complete"] or stop["undelivered"]),
            }
            for stop in stops
        ]
    places = [payload["pickup"], payload["dropoff"]]
    return [
        {
            "id": None, "type": stop["type"], "place": place, "name": place["name"],
            "address": place["address"], "location": place["location"], "contact": None,
            "time_window_start": None, "time_window_end": None, "notes": None,
            "complete": stop["complete"], "completed_at": None, "status_code": None,
            "tracking_number": None, "eta": stop["eta"], "current": False,
            "attempts": stop["attempts"], "undelivered": stop["undelivered"], "can_be_next": False,
            **{
                name: order[name] if stop["type"] == "dropoff" else None
                for name in ("delivery_instructions", "rating")
            },
        }
        for stop, place in zip(tracker["stops"], [place for place in places if place], strict=False)
    ]  # fmt: skip


def make_map_features(order: Any, tracker: Any, route: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Return the stops, the planned and remaining routes and the driver as map features."""
    located_stops = [stop for stop in tracker["stops"] if stop["location"]]
    driver = order["driver_assigned"]
    shows_driver = tracker["position"] and driver and is_open(order)
    return maps.collection(
        [
            _make_route_feature(
                "planned", "Planned route", route["planned"],
                "grey" if route["remaining"] else "blue",
            ),
            _make_route_feature("remaining", "Remaining route", route["remaining"], "blue"),
            *(_make_stop_feature(number, stop) for number, stop in enumerate(located_stops, 1)),
            maps.point(
                driver["id"], driver["name"], tracker["position"], "violet",
                heading=tracker["heading"], href=f"/console/drivers/{driver['id']}",
            )
            if shows_driver
            else None,
        ]
    )  # fmt: skip


def _make_route_feature(name: str, label: str, line: Any, color: str) -> dict[str, Any] | None:  # noqa: ANN401 - JSON
    return None if line is None else maps.line(name, label, line["coordinates"], color)


def _make_stop_feature(number: int, stop: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    label = f"{number}. {stop['address'].partition(',')[0]}"
    color = "grey" if stop["complete"] else STOP_COLOURS.get(stop["type"], "blue")
    return maps.point(f"stop-{number}", label, stop["location"], color)
