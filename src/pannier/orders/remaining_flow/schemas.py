"""JSON schemas of an order's remaining flow."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from pannier.orders.activities import PodMethod, PodScope, ScanMismatch
from pannier.orders.fields import Status, WaypointId
from pannier.orders.reasons import FailureReason
from pannier.payloads.models import StopType, SubjectType
from pannier.payloads.schemas import Undelivered
from pannier.web.identifiers import OrderId

Codes = Annotated[list[str], Meta(examples=[["enroute"]])]


class DemandAhead(msgspec.Struct, kw_only=True):
    """A proof that an activity requires."""

    subject_type: SubjectType
    subject_id: Annotated[str, Meta(examples=["waypoint_1mBf6XvR8dNs3TgH"])]
    method: PodMethod
    met: Annotated[bool, Meta(description="Whether a suitable proof exists.", examples=[False])]


class ActivityAhead(msgspec.Struct, kw_only=True):
    """An activity of the order or of a stop, and the proofs it requires."""

    code: Annotated[str, Meta(examples=["enroute"])]
    status: Annotated[str, Meta(examples=["On the way"])]
    details: Annotated[str, Meta(examples=["The driver is on the way."])]
    sequence: int
    next: Annotated[
        list[str],
        Meta(description="Codes of the activities that may follow.", examples=[["completed"]]),
    ]
    complete: Annotated[bool, Meta(description="Whether it ends the order or stop.")]
    pod_method: PodMethod | None
    require_pod: bool
    pod_scope: PodScope
    scan_mismatch: ScanMismatch | None
    at: Annotated[Literal["pickup"] | None, Meta(description="`pickup` for a step at the pickup.")]
    color: str | None
    demands: list[DemandAhead]


class StopAhead(msgspec.Struct, kw_only=True):
    """A stop with its progress and all of its activities."""

    id: WaypointId
    type: StopType
    activity: Annotated[
        str | None, Meta(description="The latest activity at the stop.", examples=[None])
    ]
    done: Annotated[bool, Meta(examples=[False])]
    attempts: Annotated[int, Meta(description="Number of failed attempts.", examples=[0])]
    undelivered: Undelivered | None
    next: Annotated[
        Codes, Meta(description="Activities that are possible once the driver is at the stop.")
    ]
    begin: Annotated[Codes, Meta(description="Activities that may happen first at the stop.")]
    activities: list[ActivityAhead]


class FlowOut(msgspec.Struct, kw_only=True):
    """The flow of an order, and its current position.

    The activities that follow the order's latest one may fire. Once an order with stops has
    started, the next activities of its current stop may fire too. When a stop is done, the order
    returns to `started`, and the first stop that is not done becomes current. When the last stop is
    done, so is the order.
    """

    order: OrderId
    status: Status
    activity: Annotated[
        str, Meta(description="The latest activity of the order.", examples=["started"])
    ]
    open: Annotated[bool, Meta(description="Whether the order is open.", examples=[True])]
    current_waypoint: WaypointId | None
    next: Annotated[Codes, Meta(description="Activities that are possible now.")]
    collecting: Annotated[
        bool,
        Meta(
            description="Whether steps at the pickup of an order without stops are left.",
            examples=[False],
        ),
    ]
    activities: Annotated[
        list[ActivityAhead],
        Meta(
            description="For an order with stops: only created, dispatched and started, and also "
            "returned if goods are sent back."
        ),
    ]
    waypoints: list[StopAhead]
    undelivered: Undelivered | None
    held: Annotated[
        bool,
        Meta(description="Whether the order waits for a dispatcher's decision.", examples=[False]),
    ]
    failure_reasons: Annotated[
        list[FailureReason], Meta(description="Reasons for failed attempts, and what happens next.")
    ]
    expected: Annotated[
        dict[str, list[str]],
        Meta(
            description="Codes of each order, stop or item whose items declare codes. Any other "
            "scan is rejected.",
            examples=[{"waypoint_1mBf6XvR8dNs3TgH": ["4006381333931"]}],
        ),
    ]
    known: Annotated[
        dict[str, list[str]],
        Meta(
            description="The codes of every order, stop or item that is to be scanned: declared "
            "codes, tracking number, internal id, id and UUID. Any other scan is unmatched.",
            examples=[{"waypoint_1mBf6XvR8dNs3TgH": ["4006381333931", "DEM-7K4M-2QXA"]}],
        ),
    ]
