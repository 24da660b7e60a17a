"""JSON responses for plans."""

from datetime import date
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from pannier.fleet.schemas import DriverId, PointOut, VehicleId
from pannier.orders.fields import PlaceId, WaypointId
from pannier.orders.route_lines.schemas import RouteLineOut
from pannier.planning.models import FailureCode, PlanState
from pannier.planning.plan import Reason
from pannier.planning.problem import VisitKind
from pannier.planning.schemas import PlanAim, PlanId
from pannier.routing.route import Source
from pannier.web.former_names import former_name
from pannier.web.identifiers import OrderId
from pannier.web.resource_out import ResourceOut
from pannier.web.times import Time

# Reasons found by the solver, and those found before it runs.
UnassignedReason = (
    Reason | Literal["no_location", "on_hold", "nothing_left", "other_driver", "fixed_driver"]
)
Metres = Annotated[int, Meta(description="Metres.", examples=[15230])]
Seconds = Annotated[int, Meta(description="Seconds.", examples=[1097])]
OrderNumber = Annotated[
    str,
    Meta(
        description="The order's number: `internal_id`, or else its tracking number.",
        examples=["SO-2041"],
    ),
]
Cost = Annotated[int, Meta(description="Minor units of `currency`.", examples=[4250])]


class PlanFailureOut(msgspec.Struct):
    """The reason why a plan could not be made."""

    code: FailureCode
    message: Annotated[str, Meta(examples=["No driver works on this day."])]


class PlanFiguresOut(msgspec.Struct, kw_only=True):
    """The figures of a plan."""

    orders: Annotated[int, Meta(description="Assigned orders.", examples=[42])]
    unassigned: Annotated[int, Meta(description="Orders without a driver.", examples=[1])]
    drivers: Annotated[int, Meta(description="Drivers with work.", examples=[5])]
    distance: Metres
    drive_time: Annotated[int, Meta(description="Seconds on the road.", examples=[21600])]
    time: Annotated[int, Meta(description="Seconds from start to end.", examples=[86400])]
    cost: Cost
    currency: Annotated[str | None, Meta(examples=["SGD"])]
    late_stops: Annotated[int, Meta(description="Stops after their time windows.", examples=[0])]
    lateness: Annotated[int, Meta(description="Seconds after time windows.", examples=[0])]


class PlanOut(ResourceOut, kw_only=True):
    """A plan without its routes."""

    id: PlanId
    state: Annotated[
        PlanState,
        Meta(
            description="`queued` and `running` plans are being made; `done` ones can be edited "
            "and accepted."
        ),
    ]
    day: Annotated[date, Meta(examples=["2026-01-31"])]
    aim: PlanAim
    max_seconds: Annotated[int, Meta(description="Seconds of search.", examples=[20])]
    progress: Annotated[int, Meta(ge=0, le=100, description="Per cent.", examples=[75])]
    based_on: PlanId | None
    locked: Annotated[list[OrderId], Meta(description="Orders that a later plan keeps.")]
    summary: Annotated[PlanFiguresOut | None, Meta(description="Null until the plan is done.")]
    present: Annotated[
        PlanFiguresOut | None, Meta(description="The assignment when the plan was made.")
    ]
    failure: PlanFailureOut | None
    started_at: Time | None
    finished_at: Time | None
    accepted_at: Time | None
    reverted_at: Time | None


class PlanDriverOut(msgspec.Struct):
    """A driver of a plan."""

    id: DriverId
    name: Annotated[str, Meta(examples=["Ada Lovelace"])]


class PlanVehicleOut(msgspec.Struct):
    """A vehicle of a plan."""

    id: VehicleId
    plate_number: Annotated[str | None, Meta(examples=["SGX 1234 A"])]


class PlanPlaceOut(msgspec.Struct, kw_only=True):
    """A place of a plan."""

    id: PlaceId
    name: Annotated[str | None, Meta(examples=["Raffles Place"])]
    address: Annotated[str, Meta(examples=["1 Raffles Place, Singapore 048616, SG"])]
    location: PointOut | None


class PlanLoadOut(msgspec.Struct, kw_only=True):
    """Goods on board."""

    weight: Annotated[float, Meta(description="Kilograms.", examples=[12.5])]
    volume: Annotated[float, Meta(description="Cubic metres.", examples=[0.3])]
    items: Annotated[int, Meta(examples=[4])]


class PlanStopOut(msgspec.Struct, kw_only=True):
    """A stop of a route."""

    order: OrderId
    internal_id: Annotated[str | None, Meta(description="The order's.", examples=["SO-2041"])]
    number: OrderNumber
    waypoint: Annotated[WaypointId | None, Meta(description="Null if the order has no stops.")]
    type: VisitKind
    place: PlanPlaceOut
    arrives_at: Time
    starts_at: Annotated[Time, Meta(description="After waiting for the time window.")]
    begins_at: Annotated[Time, former_name("starts_at")]
    leaves_at: Time
    time_window_start: Time | None
    time_window_end: Time | None
    late: Annotated[int, Meta(description="Seconds after the time window.", examples=[0])]
    drive_time: Annotated[int, Meta(description="Seconds from the previous stop.", examples=[540])]
    distance: Annotated[int, Meta(description="Metres from the previous stop.", examples=[5230])]
    load: Annotated[PlanLoadOut, Meta(description="On board on departure.")]
    fixed: Annotated[bool, Meta(description="Whether the order must stay with this driver.")]
    started: Annotated[bool, Meta(description="Whether the order has started.")]


class PlanBreakOut(msgspec.Struct, kw_only=True):
    """A break of a route."""

    before: Annotated[int, Meta(description="Index of the stop that follows.", examples=[7])]
    starts_at: Time
    begins_at: Annotated[Time, former_name("starts_at")]
    ends_at: Time


class PlanRouteOut(msgspec.Struct, kw_only=True):
    """The work of a driver's shift."""

    driver: PlanDriverOut
    vehicle: PlanVehicleOut | None
    shift_start: Time
    shift_end: Time
    starts_at: Time
    ends_at: Time
    start: Annotated[
        PointOut | None, Meta(description="Where the route begins. Null: at the first stop.")
    ]
    end: Annotated[
        PointOut | None, Meta(description="Where the route ends. Null: at the last stop.")
    ]
    from_position: Annotated[bool, Meta(description="Whether `start` is a live position.")]
    distance: Metres
    drive_time: Annotated[int, Meta(description="Seconds on the road.", examples=[5400])]
    time: Annotated[int, Meta(description="Seconds from start to end.", examples=[14400])]
    cost: Cost
    late_stops: int
    lateness: Annotated[int, Meta(description="Seconds after time windows.", examples=[0])]
    overtime: Annotated[int, Meta(description="Seconds after the shift.", examples=[0])]
    overloaded: Annotated[
        bool, Meta(description="Whether the load exceeds the vehicle's capacity.")
    ]
    stops: list[PlanStopOut]
    breaks: list[PlanBreakOut]


class UnassignedOut(msgspec.Struct, kw_only=True):
    """An order without a driver, and the reason."""

    order: OrderId
    internal_id: Annotated[str | None, Meta(examples=["SO-2041"])]
    number: OrderNumber
    reason: UnassignedReason
    message: Annotated[str, Meta(examples=["No driver has the required skills."])]


class IdleDriverOut(msgspec.Struct, kw_only=True):
    """A driver's shift without work."""

    driver: PlanDriverOut
    vehicle: PlanVehicleOut | None
    shift_start: Time
    shift_end: Time


class PlanMoveOut(msgspec.Struct, kw_only=True):
    """An order that gets another driver when the plan is accepted."""

    order: OrderId
    internal_id: Annotated[str | None, Meta(examples=["SO-2041"])]
    number: OrderNumber
    from_: Annotated[PlanDriverOut | None, Meta(description="Null if it has no driver yet.")] = (
        msgspec.field(name="from")
    )
    to: PlanDriverOut


class PlanDetailOut(PlanOut, kw_only=True):
    """A plan with its routes. The lists are empty until the plan is done."""

    routes: list[PlanRouteOut]
    idle: Annotated[list[IdleDriverOut], Meta(description="Shifts without work.")]
    unassigned: list[UnassignedOut]
    moves: Annotated[
        list[PlanMoveOut], Meta(description="Orders that get another driver on acceptance.")
    ]
    present_routes: Annotated[
        list[PlanRouteOut],
        Meta(description="The timetable of the assignment when the plan was made."),
    ]
    roads: Annotated[
        Source | None, Meta(description="`great_circle` if no routing engine was available.")
    ]
    request: Annotated[dict[str, Any], Meta(description="The request.")]


class BestDriverOut(msgspec.Struct, kw_only=True):
    """A driver who could take an order, with the work that it adds."""

    driver: PlanDriverOut
    vehicle: PlanVehicleOut | None
    time: Annotated[int, Meta(description="Seconds added.", examples=[840])]
    drive_time: Annotated[int, Meta(description="Seconds on the road added.", examples=[600])]
    distance: Annotated[int, Meta(description="Metres added.", examples=[5200])]
    cost: Annotated[int, Meta(description="Minor units of `currency` added.", examples=[350])]
    currency: Annotated[str | None, Meta(examples=["SGD"])]
    lateness: Annotated[
        int, Meta(description="Seconds of lateness added, over all orders.", examples=[0])
    ]
    overtime: Annotated[int, Meta(description="Seconds after the shift.", examples=[0])]
    on_time: Annotated[bool, Meta(description="Whether no stop gets later than its time window.")]
    in_time: Annotated[bool, former_name("on_time")]
    position: Annotated[
        int,
        Meta(description="Index of the order's first stop among the driver's stops.", examples=[3]),
    ]
    arrives_at: Annotated[Time, Meta(description="At the order's first stop.")]
    completes_at: Annotated[Time, Meta(description="At the order's last stop.")]
    stops: Annotated[
        int, Meta(description="The driver's stops, with those of the order.", examples=[12])
    ]
    roads: Annotated[Source, Meta(description="The source of the distances and times.")]


class PlanLineOut(msgspec.Struct, kw_only=True):
    """The line of a route."""

    driver: DriverId
    line: Annotated[RouteLineOut | None, Meta(description="Null for a single point.")]


class RouteChangeOut(msgspec.Struct, kw_only=True):
    """The differences of a route. Negative numbers are savings."""

    distance: Annotated[int, Meta(description="Metres.", examples=[-1200])]
    drive_time: Annotated[int, Meta(description="Seconds.", examples=[-90])]
    time: Annotated[int, Meta(description="Seconds.", examples=[-60])]
    cost: Annotated[int, Meta(description="Minor units of the currency.", examples=[-150])]
    late_stops: int
    lateness: Annotated[int, Meta(description="Seconds.", examples=[0])]


class RoutePreviewOut(msgspec.Struct, kw_only=True):
    """A route before and after a change. Null is a shift without work."""

    driver: PlanDriverOut
    before: PlanRouteOut | None
    after: PlanRouteOut | None
    change: RouteChangeOut


class PlanPreviewOut(msgspec.Struct, kw_only=True):
    """A plan before and after an edit."""

    before: PlanFiguresOut
    after: PlanFiguresOut
    routes: Annotated[list[RoutePreviewOut], Meta(description="The routes that change.")]
    unassigned: list[UnassignedOut]


REASON_MESSAGES: dict[UnassignedReason, str] = {
    "no_road": "No road leads to one of the stops.",
    "skill": "No driver has the required skills.",
    "too_large": "No vehicle is large enough for the items.",
    "window": "No driver can arrive within the time windows.",
    "outside_shifts": "No driver works during the time windows.",
    "capacity": "All suitable drivers are fully booked.",
    "removed": "A dispatcher removed the order from the plan.",
    "no_location": "A place of the order has no coordinates.",
    "on_hold": "The order is on hold after a failed attempt.",
    "nothing_left": "The order has no stops left.",
    "other_driver": "A driver who is not in the plan has started the order.",
    "fixed_driver": "The order's driver cannot take it.",
}
