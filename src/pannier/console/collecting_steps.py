"""The offer to add arriving and collecting at the pickup to a default flow without these steps.

Companies from before these steps have such a flow. It is offered while nobody has edited the flow.
"""

from typing import Any, Final

import msgspec

from pannier.console.actions import Action
from pannier.orders.activities import Activity
from pannier.orders.default_flow import DEFAULT, PICKUP_STEPS
from pannier.orders.flow import HEAD

_FORMER_FLOW: Final = tuple(activity for activity in DEFAULT if activity not in PICKUP_STEPS)


def _is_former_default(config: Any) -> bool:  # noqa: ANN401 - JSON
    """Return whether a flow is the former default, which was never edited."""
    activities = msgspec.convert(config["flow"], list[Activity])
    own_activities = tuple(
        msgspec.structs.replace(activity, sequence=0)
        for activity in activities
        if activity.code not in HEAD
    )
    return config["flow_version"] == 1 and own_activities == _FORMER_FLOW


ADD_COLLECTING_STEPS: Final = Action(
    name="add-collecting-steps",
    label="Add collecting steps",
    method="PATCH",
    path="/v1/order-configs/{order_config_id}",
    icon="package-check",
    message="Collecting steps added. Existing orders keep their flow.",
    question="Add “Arrived at pickup” and “Collected” to this flow? Drivers can skip them. "
    "Existing orders keep their flow.",
    body={"flow": msgspec.to_builtins(DEFAULT)},
    condition=_is_former_default,
    checks_version=True,
)
