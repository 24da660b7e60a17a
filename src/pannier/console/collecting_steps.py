"""The offer to add arriving and collecting at the pickup to a default flow without these steps.

Companies from before these steps have such a flow. It is offered while nobody has edited the flow.
"""

from collections.abc import Mapping
from typing import Any, Final

from pannier.console.actions import Action
from pannier.console.flow_templates import HEAD_ACTIVITIES

_STEPS: Final = (
    {
        "code": "arrived_at_pickup",
        "status": "Arrived at pickup",
        "details": "The driver is at the pickup.",
        "at": "pickup",
        "next": ["collected"],
    },
    {
        "code": "collected",
        "status": "Collected",
        "details": "The goods are on board.",
        "at": "pickup",
        "next": ["enroute"],
    },
)
_FORMER_FLOW: Final = (
    {
        "code": "enroute",
        "status": "En route",
        "details": "The driver is en route.",
        "next": ["completed"],
        "complete": False,
        "require_pod": False,
    },
    {
        "code": "completed",
        "status": "Completed",
        "details": "The order was delivered.",
        "next": [],
        "complete": True,
        "require_pod": False,
    },
)
_HEAD_CODES: Final = [activity["code"] for activity in HEAD_ACTIVITIES]


def _is_former_default(config: Mapping[str, Any]) -> bool:
    """Return whether a flow is the former default, which was never edited."""
    activities = [one for one in config["flow"] if one["code"] not in _HEAD_CODES]
    return (
        config["flow_version"] == 1
        and len(activities) == len(_FORMER_FLOW)
        and all(
            former.items() <= activity.items()
            for former, activity in zip(_FORMER_FLOW, activities, strict=True)
        )
    )


ADD_COLLECTING_STEPS: Final = Action(
    name="add-collecting-steps",
    label="Add collecting steps",
    method="PATCH",
    path="/v1/order-configs/{order_config_id}",
    icon="package-check",
    message="Collecting steps added. Existing orders keep their flow.",
    question="Add “Arrived at pickup” and “Collected” to this flow? Drivers can skip them. "
    "Existing orders keep their flow.",
    body={"flow": [*_STEPS, *_FORMER_FLOW]},
    condition=_is_former_default,
    checks_version=True,
)
