"""The page of an order: its details, its status, and its next activities."""

from collections.abc import Mapping
from typing import Any, Final

from pannier.console import conversations, fleet_data, order_account, order_cash, order_view
from pannier.console.actions import Action
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.confirmation import Question
from pannier.console.forms import Field, Form
from pannier.console.record_names import load_by_ids, load_labels
from pannier.console.records import Records
from pannier.console.screens import order_attempts
from pannier.console.screens.order_actions import ORDER_PATH
from pannier.console.screens.proofs import METHOD_ICONS, picture_path
from pannier.console.undo import UndoStep
from pannier.errors import NotFound

METHODS: Final = (
    ("signature", "Signature"),
    ("photo", "Photo"),
    ("scan", "Scan"),
    ("sms", "SMS code"),
)
MAX_EVENTS: Final = "20"
SIMULATE_PATH: Final = f"{ORDER_PATH}/simulate"
MAX_MESSAGES: Final = "20"

EDIT_FORM: Final = Form(
    (
        Field(name="internal_id", label="Internal ID", placeholder="SO-2041"),
        Field(
            name="customer", label="Customer", kind="record", resource="contacts vendors",
            value_path="customer.id",
        ),
        Field(
            name="facilitator", label="Vendor", kind="record", resource="vendors contacts",
            value_path="facilitator.id", help="The vendor that fulfills the order.",
        ),
        Field(
            name="pickup", label="Pickup", kind="record", resource="places", nullable=False,
            free=True, addresses="whole", value_path="payload.pickup.id",
            help="A place, an address or coordinates: 1.2966,103.8520",
        ),
        Field(
            name="dropoff", label="Drop-off", kind="record", resource="places", nullable=False,
            free=True, addresses="whole", value_path="payload.dropoff.id",
        ),
        Field(
            name="scheduled_at", label="Auto-dispatch at", kind="moment",
            help="Can be changed until the order is dispatched.",
        ),
        Field(name="time_window_start", label="Earliest delivery", kind="moment"),
        Field(name="time_window_end", label="Latest delivery", kind="moment"),
        Field(name="pod_required", label="Proof of delivery required", kind="switch"),
        Field(name="pod_method", label="Proof method", kind="choice", options=METHODS,
              placeholder="Set by the order flow"),
        Field(
            name="adhoc", label="Ad-hoc offer to nearby drivers", kind="switch",
        ),
        Field(name="required_skills", label="Required skills", kind="list",
              help="One per line, spelled as in the drivers' skills."),
        Field(name="notes", label="Notes for the driver", kind="area"),
        Field(name="meta", label="Metadata", kind="json"),
    )
)  # fmt: skip
ASSIGN_FORM: Final = Form(
    (
        Field(name="driver", label="Driver", kind="record", resource="drivers", required=True,
              help="Type a name or a phone number."),
        Field(name="vehicle", label="Vehicle", kind="record", resource="vehicles",
              help="Defaults to the driver's vehicle."),
    )
)  # fmt: skip
SCHEDULE_FORM: Final = Form(
    (Field(name="scheduled_at", label="Auto-dispatch at", kind="moment", required=True,
           help="In the company's time zone."),)
)  # fmt: skip
CANCEL_FORM: Final = Form(
    (Field(name="reason", label="Reason", kind="area", placeholder="Customer changed their mind"),)
)


def _is_created(order: Any) -> bool:  # noqa: ANN401 - JSON
    return bool(order["status"] == "created")


TEMPLATE_FORM: Final = Form(
    (
        Field(
            name="name", label="Name", required=True, placeholder="Bakery, mornings",
            help="The driver, the number and the price are not copied.",
        ),
    )
)  # fmt: skip
SIMULATE_FORM: Final = Form(
    (
        Field(name="speed", label="Speed", kind="number", required=True, default="60",
              help="How much faster than a real driver: 1 to 1000."),
        Field(name="outcome", label="Outcome", kind="choice", nullable=False,
              options=(("delivered", "Delivered"), ("failed", "Failed attempt"))),
    )
)  # fmt: skip
ACTIONS: Final = (
    Action(
        "assign",
        "Assign",
        "POST",
        f"{ORDER_PATH}/assign-driver",
        "user-plus",
        "Driver assigned.",
        form=ASSIGN_FORM,
        condition=order_view.is_open,
        make_undo=UndoStep.from_change,
    ),
    Action(
        "schedule",
        "Schedule",
        "POST",
        f"{ORDER_PATH}/schedule",
        "calendar-clock",
        "Order scheduled.",
        form=SCHEDULE_FORM,
        condition=_is_created,
        make_undo=UndoStep.from_change,
    ),
    Action(
        "unschedule",
        "Remove schedule",
        "POST",
        f"{ORDER_PATH}/schedule",
        "calendar-clock",
        "Schedule removed.",
        body={"scheduled_at": None},
        condition=lambda order: _is_created(order) and order["scheduled_at"],
        make_undo=UndoStep.from_change,
    ),
    Action(
        "unassign",
        "Unassign driver",
        "DELETE",
        f"{ORDER_PATH}/assign-driver",
        "user-x",
        "Driver unassigned.",
        condition=lambda order: _is_created(order) and order["driver_assigned"],
        make_undo=UndoStep.from_change,
    ),
    Action(
        "complete",
        "Complete",
        "POST",
        f"{ORDER_PATH}/complete",
        "circle-check",
        "Order completed.",
        condition=lambda order: order_view.is_open(order) and order["started"],
        question="Complete the order now? This cannot be undone.",
    ),
    Action(
        "cancel",
        "Cancel order",
        "POST",
        f"{ORDER_PATH}/cancel",
        "ban",
        "Order canceled.",
        danger=True,
        form=CANCEL_FORM,
        condition=order_view.is_open,
        question="The driver and the customer are notified. This cannot be undone.",
    ),
    Action(
        "reopen",
        "Reopen",
        "POST",
        f"{ORDER_PATH}/reopen",
        "rotate-ccw",
        "Order reopened. Dispatch it again when it is ready.",
        condition=order_view.can_reopen,
        checks_version=True,
    ),
    Action(
        "save-template",
        "Save as template",
        "POST",
        "/v1/order-templates",
        "list",
        "Template saved.",
        form=TEMPLATE_FORM,
        on_demand=True,
        record_field="order",
        make_url=lambda template: f"/console/order-templates/{template['id']}",
    ),
    Action(
        "simulate",
        "Simulate delivery",
        "POST",
        SIMULATE_PATH,
        "play",
        "A robot delivers the order.",
        form=SIMULATE_FORM,
        on_demand=True,
        condition=order_view.is_open,
    ),
    Action(
        "stop-simulation",
        "Stop simulation",
        "DELETE",
        SIMULATE_PATH,
        "pause",
        "Simulation stopped.",
        on_demand=True,
        condition=order_view.is_open,
    ),
    order_account.CHARGE_ACTION,
    order_cash.COLLECT_ACTION,
)


async def _list_warnings(client: ApiClient, order: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """List warnings about the driver and the vehicle of an open order."""
    if not order_view.is_open(order) or not (order["driver_assigned"] or order["vehicle_assigned"]):
        return []
    warnings: list[Any] = await client.get(
        f"{ORDER_PATH}/assignment-warnings", order_id=order["id"]
    )
    return warnings


async def _is_simulating(client: ApiClient, order: Any) -> bool:  # noqa: ANN401 - JSON
    """Return whether a robot works on an order."""
    if not order_view.is_open(order):
        return False
    try:
        simulation = await client.get(SIMULATE_PATH, order_id=order["id"])
    except NotFound:
        return False
    return bool(simulation["state"] == "running")


async def _load_linked_orders(client: ApiClient, order: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load the returns of an order, and the order that it returns. Deleted ones are left out."""
    ids = [*filter(None, [order["return_of"]]), *order["returns"]]
    rows = await load_by_ids(client, "orders", ids) if ids else []
    return {row["id"]: row for row in rows}


async def load_related(client: ApiClient, order: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Load the template variables of an order's page."""
    path_params: Mapping[str, str] = {"order_id": order["id"]}
    tracker = await client.get(f"{ORDER_PATH}/tracker", **path_params)
    route = await client.get(f"{ORDER_PATH}/route", **path_params)
    proofs = await client.get(f"{ORDER_PATH}/proofs", **path_params)
    statuses = await client.list_rows(
        "/v1/tracking-statuses", {"order": order["id"], "limit": "100"}
    )
    numbers = await client.list_rows("/v1/tracking-numbers", {"order": order["id"], "limit": "100"})
    next_activities = (
        await client.get(f"{ORDER_PATH}/next-activity", **path_params)
        if order_view.is_open(order)
        else []
    )
    proof_rows = [{**proof, "picture": picture_path(proof)} for proof in proofs]
    cash = await order_cash.list_cash(client, order)
    account = await order_account.load_account(client, order)
    attempts = await order_attempts.list_attempts(client, order, proof_rows)
    return {
        "attempts": attempts,
        # Their names are shown in the forms for another attempt.
        "subjects": [value for row in attempts for value in row["retry"]["values"].values()],
        "failing": await order_attempts.list_failure_reasons(client, order, next_activities),
        "next_steps": order_attempts.NEXT_STEPS,
        "next": [order_view.describe_activity(activity, order) for activity in next_activities],
        "tracked": tracker,
        "stops": order_view.list_stops(order, tracker),
        "statuses": statuses.rows,
        "followed": {row["tracking_number"]: row["tracking_url"] for row in numbers.rows},
        "proofs": proof_rows,
        "quotes": (
            await client.list_rows("/int/v1/orders/{order_id}/service-quotes", **path_params)
        ).rows,
        **account,
        "action_fields": {
            **account["action_fields"],
            order_cash.COLLECT_ACTION.name: order_cash.make_collect_fields(order),
        },
        "events": (
            await client.list_rows("/int/v1/events", {"subject": order["id"], "limit": MAX_EVENTS})
        ).rows,
        "messages": (
            await client.list_rows(
                "/int/v1/messages", {"order": order["id"], "limit": MAX_MESSAGES}
            )
        ).rows,
        "features": order_view.make_map_features(order, tracker, route),
        "open": order_view.is_open(order),
        "linked_orders": await _load_linked_orders(client, order),
        "can_return": order["status"] == "completed"
        and client.is_allowed("POST", order_view.RETURN_PATH),
        "issues": await fleet_data.list_open_issues(client, "order", order["id"]),
        "conversation": await conversations.load_conversation(
            client, "order", order["id"], has_driver=order["driver_assigned"] is not None
        ),
        "warnings": await _list_warnings(client, order),
        "simulating": await _is_simulating(client, order),
        "completing": order_view.CONFIRM_COMPLETE,
        "signs": METHOD_ICONS,
        "flow_name": (await load_labels(client, [order["order_config"]])).get(
            order["order_config"]
        ),
        "cash": cash,
        "cash_names": await load_labels(
            client, [row["collection"]["driver"] for row in cash if row["collection"]]
        ),
        "base_url": client.exchange.edge.settings.base_url.rstrip("/"),
    }


ORDER: Final = Records(
    "/v1/orders",
    columns=(Column("Tracking number", "tracking_number.tracking_number", "link"),),
    form=EDIT_FORM,
    actions=ACTIONS,
    title_path="internal_id",
    record_template="orders/order.html",
    load_related=load_related,
    delete_question=Question("Delete this order? An open order is canceled first.", "Delete"),
    is_editable=order_view.can_change,
)


handlers: Final = ORDER.make_handlers("read", "delete", "act")
