"""One order: its details, its status, the next activities and what blocks them."""

from collections.abc import Mapping
from typing import Any, Final

from pannier.console import journeys, units
from pannier.console.columns import Column
from pannier.console.confirm import Question
from pannier.console.desk import Desk
from pannier.console.forms import Field, Form
from pannier.console.records import Action, Records
from pannier.console.screens import order_attempts
from pannier.console.screens.order_acts import ONE
from pannier.console.screens.proofs import SIGNS, picture

METHODS: Final = (
    ("signature", "Signature"),
    ("photo", "Photo"),
    ("scan", "Scan"),
    ("sms", "SMS code"),
)
EVENTS: Final = "20"
MESSAGES: Final = "20"

EDIT: Final = Form(
    (
        Field(name="internal_id", label="Internal ID", placeholder="SO-2041"),
        Field(
            name="customer", label="Customer", kind="record", resource="contacts vendors",
            shown="customer.id",
        ),
        Field(
            name="facilitator", label="Facilitator", kind="record", resource="vendors contacts",
            shown="facilitator.id", help="The vendor that fulfills the order.",
        ),
        Field(
            name="pickup", label="Pickup", kind="record", resource="places", nullable=False,
            free=True, shown="payload.pickup.id",
            help="A place, an address or coordinates: 1.2966,103.8520",
        ),
        Field(
            name="dropoff", label="Drop-off", kind="record", resource="places", nullable=False,
            free=True, shown="payload.dropoff.id",
        ),
        Field(
            name="scheduled_at", label="Auto-dispatch at", kind="moment",
            help="Can be changed until the order is dispatched.",
        ),
        Field(name="time_window_start", label="Earliest time", kind="moment"),
        Field(name="time_window_end", label="Latest time", kind="moment"),
        Field(name="pod_required", label="Proof of delivery required", kind="switch"),
        Field(name="pod_method", label="Proof method", kind="choice", options=METHODS),
        Field(
            name="adhoc", label="Ad-hoc: offer to nearby drivers", kind="switch",
        ),
        Field(name="notes", label="Notes for the driver", kind="area"),
        Field(name="meta", label="Metadata", kind="json"),
    )
)  # fmt: skip
ASSIGN: Final = Form(
    (
        Field(name="driver", label="Driver", kind="record", resource="drivers", required=True,
              help="Type a name or a phone number."),
        Field(name="vehicle", label="Vehicle", kind="record", resource="vehicles",
              help="Defaults to the driver's vehicle."),
    )
)  # fmt: skip
SCHEDULE: Final = Form(
    (Field(name="scheduled_at", label="Auto-dispatch at", kind="moment", required=True,
           help="In the company's time zone."),)
)  # fmt: skip
CANCEL: Final = Form(
    (Field(name="reason", label="Reason", kind="area", placeholder="Customer changed their mind"),)
)


def _waits(order: Any) -> bool:  # noqa: ANN401 - JSON
    return bool(order["status"] == "created")


ACTIONS: Final = (
    Action("assign", "Assign", "POST", f"{ONE}/assign-driver", "user-plus", "Driver assigned.",
           form=ASSIGN, when=journeys.is_open),
    Action("schedule", "Schedule", "POST", f"{ONE}/schedule", "calendar-clock", "Order scheduled.",
           form=SCHEDULE, when=_waits),
    Action("unschedule", "Remove schedule", "POST", f"{ONE}/schedule", "calendar-clock",
           "Schedule removed.", body={"scheduled_at": None},
           when=lambda order: _waits(order) and order["scheduled_at"]),
    Action("unassign", "Unassign driver", "DELETE", f"{ONE}/assign-driver", "user-x",
           "Driver unassigned.", when=lambda order: _waits(order) and order["driver_assigned"]),
    Action("complete", "Complete", "POST", f"{ONE}/complete", "circle-check", "Order completed.",
           when=lambda order: journeys.is_open(order) and order["started"],
           sure="Complete the order now? This cannot be undone."),
    Action("cancel", "Cancel order", "POST", f"{ONE}/cancel", "ban", "Order canceled.",
           danger=True, form=CANCEL, when=journeys.is_open,
           sure="The driver and the customer are notified. This cannot be undone."),
)  # fmt: skip


async def beside(desk: Desk, order: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Load everything that an order's page shows about it."""
    named: Mapping[str, str] = {"order_id": order["id"]}
    tracked = await desk.get(f"{ONE}/tracker", **named)
    proofs = await desk.get(f"{ONE}/proofs", **named)
    statuses = await desk.rows("/v1/tracking-statuses", {"order": order["id"], "limit": "100"})
    numbers = await desk.rows("/v1/tracking-numbers", {"order": order["id"], "limit": "100"})
    coming = await desk.get(f"{ONE}/next-activity", **named) if journeys.is_open(order) else []
    shown = [{**proof, "picture": picture(proof)} for proof in proofs]
    return {
        "attempts": await order_attempts.told(desk, order, shown),
        "failing": await order_attempts.failing(desk, order, coming),
        "thens": order_attempts.THENS,
        "next": [journeys.spoken(activity, order) for activity in coming],
        "tracked": tracked,
        "stops": journeys.stops(order, tracked),
        "statuses": statuses.rows,
        "followed": {row["tracking_number"]: row["tracking_url"] for row in numbers.rows},
        "proofs": shown,
        "quotes": (await desk.rows("/int/v1/orders/{order_id}/service-quotes", **named)).rows,
        "transactions": (await desk.rows("/int/v1/transactions", {"order": order["id"]})).rows,
        "events": (
            await desk.rows("/int/v1/events", {"subject": order["id"], "limit": EVENTS})
        ).rows,
        "messages": (
            await desk.rows("/int/v1/messages", {"order": order["id"], "limit": MESSAGES})
        ).rows,
        "features": journeys.features(order, tracked),
        "open": journeys.is_open(order),
        "issues": await units.issues(desk, "order", order["id"]),
        "completing": journeys.COMPLETING,
        "signs": SIGNS,
        "base_url": desk.exchange.edge.settings.base_url.rstrip("/"),
    }


ORDER: Final = Records(
    "/v1/orders",
    columns=(Column("Tracking number", "tracking_number.tracking_number", "link"),),
    form=EDIT,
    actions=ACTIONS,
    titled="tracking_number.tracking_number",
    reading="orders/order.html",
    beside=beside,
    deleting=Question("Delete this order? An open order is canceled first.", "Delete"),
    editable=journeys.can_change,
)


handlers: Final = ORDER.handlers("read", "edit", "delete", "act")
