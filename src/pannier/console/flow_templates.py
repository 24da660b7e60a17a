"""Templates of order flows for common kinds of deliveries."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple


class FlowTemplate(NamedTuple):
    """A template: its purpose, and the flow."""

    purpose: str
    config: Mapping[str, Any]


def _make_activity(code: str, status: str, *next_codes: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of an activity
    default_fields = {"complete": False, "require_pod": False, "pod_method": None, "details": ""}
    return {"code": code, "status": status, "next": list(next_codes), **default_fields, **fields}


def _make_proof_fields(method: str, scope: str = "order") -> dict[str, Any]:
    return {"require_pod": True, "pod_method": method, "pod_scope": scope}


# The activities that begin every flow. Their labels can be changed.
HEAD_ACTIVITIES: Final = (
    _make_activity("created", "Order created", details="The order was created."),
    _make_activity("dispatched", "Order dispatched", details="The order was sent to the driver."),
    _make_activity("started", "Order started", details="The driver started the order."),
)


# They may be skipped.
PICKUP_STEPS: Final = (
    _make_activity("arrived_at_pickup", "Arrived at pickup", "collected", at="pickup"),
    _make_activity("collected", "Collected", "enroute", at="pickup"),
)


def _make_template(
    purpose: str, name: str, *steps: dict[str, Any], **subflows: list[dict[str, Any]]
) -> FlowTemplate:
    config = {"name": name, "flow": [*HEAD_ACTIVITIES, *steps]}
    return FlowTemplate(purpose, {**config, "subflows": subflows} if subflows else config)


TEMPLATES: Final[Mapping[str, FlowTemplate]] = {
    "plain": _make_template(
        "En route, then completed. No proof.",
        "Simple delivery",
        *PICKUP_STEPS,
        _make_activity("enroute", "En route", "completed"),
        _make_activity("completed", "Completed", complete=True),
    ),
    "signature": _make_template(
        "Delivered with a signature, or refused by the recipient.",
        "Signed delivery",
        *PICKUP_STEPS,
        _make_activity("enroute", "En route", "handed_over", "refused"),
        _make_activity(
            "handed_over", "Handed over", complete=True, **_make_proof_fields("signature")
        ),
        _make_activity(
            "refused", "Refused by recipient", complete=True, **_make_proof_fields("photo")
        ),
    ),
    "photo": _make_template(
        "Left at the door, with a photo as proof.",
        "Leave at the door",
        *PICKUP_STEPS,
        _make_activity("enroute", "En route", "left_at_door"),
        _make_activity(
            "left_at_door", "Left at the door", complete=True, **_make_proof_fields("photo")
        ),
    ),
    "scan": _make_template(
        "Every item is scanned at loading and at delivery.",
        "Scanned parcels",
        _make_activity("loaded", "Loaded", "enroute", **_make_proof_fields("scan", "entity")),
        _make_activity("enroute", "En route", "delivered"),
        _make_activity(
            "delivered", "Delivered", complete=True, **_make_proof_fields("scan", "entity")
        ),
    ),
    "sms": _make_template(
        "Requires the recipient's SMS code before handover.",
        "Pharmacy",
        _make_activity("collected", "Collected", "enroute", **_make_proof_fields("scan", "entity")),
        _make_activity("enroute", "En route", "identified"),
        _make_activity(
            "identified", "Recipient identified", "handed_over", **_make_proof_fields("sms")
        ),
        _make_activity(
            "handed_over", "Handed over", complete=True, **_make_proof_fields("signature")
        ),
    ),
    "stops": _make_template(
        "Several stops: a photo at each pickup, a signature at each drop-off.",
        "Multi-stop route",
        _make_activity("arrived", "Arrived", "delivered"),
        _make_activity(
            "delivered", "Delivered", complete=True, **_make_proof_fields("signature", "waypoint")
        ),
        pickup=[
            _make_activity("at_pickup", "At pickup", "picked_up"),
            _make_activity(
                "picked_up", "Picked up", complete=True, **_make_proof_fields("photo", "waypoint")
            ),
        ],
    ),
}
