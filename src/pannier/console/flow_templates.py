"""Templates of order flows for common kinds of deliveries."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple


class Template(NamedTuple):
    """A template: its purpose, and the flow."""

    purpose: str
    config: Mapping[str, Any]


def _step(code: str, status: str, *after: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of an activity
    plain = {"complete": False, "require_pod": False, "pod_method": None, "details": ""}
    return {"code": code, "status": status, "next": list(after), **plain, **more}


def _proved(method: str, scope: str = "order") -> dict[str, Any]:
    return {"require_pod": True, "pod_method": method, "pod_scope": scope}


# The activities that begin every flow. Their labels can be changed.
HEAD: Final = (
    _step("created", "Order created", details="The order was created."),
    _step("dispatched", "Order dispatched", details="The order was sent to the driver."),
    _step("started", "Order started", details="The driver started the order."),
)


def _template(
    purpose: str, name: str, *steps: dict[str, Any], **subflows: list[dict[str, Any]]
) -> Template:
    config = {"name": name, "flow": [*HEAD, *steps]}
    return Template(purpose, {**config, "subflows": subflows} if subflows else config)


TEMPLATES: Final[Mapping[str, Template]] = {
    "plain": _template(
        "En route, then completed. No proof.",
        "Simple delivery",
        _step("enroute", "En route", "completed"),
        _step("completed", "Completed", complete=True),
    ),
    "signature": _template(
        "Delivered against a signature, or refused by the recipient.",
        "Signed delivery",
        _step("enroute", "En route", "handed_over", "refused"),
        _step("handed_over", "Handed over", complete=True, **_proved("signature")),
        _step("refused", "Refused by recipient", complete=True, **_proved("photo")),
    ),
    "photo": _template(
        "Left at the door, with a photo as proof.",
        "Leave at the door",
        _step("enroute", "En route", "left_at_door"),
        _step("left_at_door", "Left at the door", complete=True, **_proved("photo")),
    ),
    "scan": _template(
        "Every item is scanned at loading and at delivery.",
        "Scanned parcels",
        _step("loaded", "Loaded", "enroute", **_proved("scan", "entity")),
        _step("enroute", "En route", "delivered"),
        _step("delivered", "Delivered", complete=True, **_proved("scan", "entity")),
    ),
    "sms": _template(
        "Requires the recipient's SMS code before the handover.",
        "Pharmacy",
        _step("collected", "Collected", "enroute", **_proved("scan", "entity")),
        _step("enroute", "En route", "identified"),
        _step("identified", "Recipient identified", "handed_over", **_proved("sms")),
        _step("handed_over", "Handed over", complete=True, **_proved("signature")),
    ),
    "stops": _template(
        "Several stops: a photo at each pickup, a signature at each drop-off.",
        "Multi-stop route",
        _step("arrived", "Arrived", "delivered"),
        _step("delivered", "Delivered", complete=True, **_proved("signature", "waypoint")),
        pickup=[
            _step("at_pickup", "At pickup", "picked_up"),
            _step("picked_up", "Picked up", complete=True, **_proved("photo", "waypoint")),
        ],
    ),
}
