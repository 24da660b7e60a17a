"""JSON requests for plans."""

from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import UNSET, Meta

from pannier.db import PageIn
from pannier.fleet.drivers.hours import ClockTime
from pannier.fleet.schemas import DriverId, FleetId
from pannier.orders.fields import ContactId, PlaceId, VendorId
from pannier.planning.models import PlanState
from pannier.planning.problem import Aim
from pannier.web.fields import Given
from pannier.web.identifiers import OrderReference, identifier
from pannier.web.times import Day

MAX_ORDERS = 1_000
MAX_DRIVERS = 100
MAX_FLEETS = 20
MAX_MOVES = 100
MAX_SECONDS = 120

StartsFrom = Literal["now", "start"]
PlanId = Annotated[str, identifier("plan_6hTz2WcQ8mYk4RbJ", max_length=100)]
PlanAim = Annotated[
    Aim,
    Meta(
        description="The quantity to minimise, once as many orders as possible are assigned: the "
        "working `time`, the `cost`, the number of `vehicles`, or the difference between drivers "
        "(`balance`).",
        examples=["time"],
    ),
]
Drivers = Annotated[list[DriverId], Meta(min_length=1, max_length=MAX_DRIVERS)]
Fleets = Annotated[list[FleetId], Meta(min_length=1, max_length=MAX_FLEETS)]
StopSeconds = Annotated[int, Meta(ge=0, le=14_400, description="Seconds.", examples=[180])]


class OrderSelectionIn(msgspec.Struct, kw_only=True):
    """Filters for the open orders of the day. Without fields, all of them are planned."""

    unassigned: Annotated[bool, Meta(description="Only orders without a driver.")] = False
    type: Annotated[str, Meta(max_length=100, description="The configuration's key.")] | None = None
    customer: ContactId | None = None
    facilitator: VendorId | None = None
    pickup: Annotated[PlaceId | None, Meta(description="Only orders collected at this place.")] = (
        None
    )


class HoursIn(msgspec.Struct, kw_only=True):
    """Working hours in the company's time zone."""

    start: ClockTime = "08:00"
    end: ClockTime = "18:00"


class FixedOrderIn(msgspec.Struct, kw_only=True):
    """An order that must go to a certain driver."""

    order: OrderReference
    driver: DriverId


class PlanIn(msgspec.Struct, kw_only=True):
    """A request for a plan. By default, it has all open orders of today and all working drivers."""

    example: ClassVar = {
        "aim": "time",
        "service_time": 180,
    }
    day: Annotated[
        Day | None, Meta(description="A day in the company's time zone. Defaults to today.")
    ] = None
    orders: Annotated[
        Annotated[list[OrderReference], Meta(min_length=1, max_length=MAX_ORDERS)] | None,
        Meta(description="The orders. Without it, `filter` selects them."),
    ] = None
    filter: OrderSelectionIn | None = None
    drivers: Annotated[
        Drivers | None,
        Meta(description="The drivers. Defaults to all who work on the day, if `fleets` is empty."),
    ] = None
    fleets: Annotated[Fleets | None, Meta(description="Fleets whose drivers take part.")] = None
    aim: PlanAim = "time"
    from_: Annotated[
        StartsFrom | None,
        Meta(
            description="`now`: routes begin at the drivers' live positions and not before now. "
            "`start`: they begin with the shifts. Defaults to `now` today, if a shift or an "
            "order has started, otherwise to `start`."
        ),
    ] = msgspec.field(default=None, name="from")
    max_seconds: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_SECONDS, examples=[20])] | None,
        Meta(description="Seconds of search. Defaults to 5 to 60, by the number of orders."),
    ] = None
    service_time: Annotated[
        StopSeconds, Meta(description="Seconds at a drop-off that has no `service_time`.")
    ] = 180
    pickup_time: Annotated[
        StopSeconds, Meta(description="Seconds at a pickup that has no `service_time`.")
    ] = 30
    setup_time: Annotated[
        StopSeconds,
        Meta(description="Seconds to park and walk, once for consecutive stops at one place."),
    ] = 0
    default_hours: Annotated[
        HoursIn, Meta(description="Working hours of drivers without shifts.")
    ] = msgspec.field(default_factory=HoursIn)
    start_place: Annotated[
        PlaceId | None, Meta(description="The start place of drivers without a `start_place`.")
    ] = None
    end_place: Annotated[
        PlaceId | None, Meta(description="The end place of drivers without an `end_place`.")
    ] = None
    keep_assigned: Annotated[
        bool, Meta(description="Whether assigned orders stay with their drivers.")
    ] = False
    fixed: Annotated[
        list[FixedOrderIn],
        Meta(max_length=MAX_ORDERS, description="Orders that go to certain drivers."),
    ] = msgspec.field(default_factory=list)
    based_on: Annotated[
        PlanId | None,
        Meta(description="An earlier plan. Its locked orders stay with their drivers."),
    ] = None


class PlanFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing plans."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at",)

    state: Annotated[list[PlanState] | None, Meta(description="Any of these.")] = None
    day: Day | None = None


class OrderMoveIn(msgspec.Struct, kw_only=True):
    """A move of an order to another driver, or within its route."""

    order: OrderReference
    driver: Annotated[DriverId | None, Meta(description="Null leaves the order out.")]
    position: Annotated[
        Annotated[int, Meta(ge=0, le=10_000, examples=[3])] | None,
        Meta(
            description="Index of the order's first stop among the other stops of the route. "
            "Without it, the order goes where it costs least."
        ),
    ] = None


class PlanEditIn(msgspec.Struct, kw_only=True):
    """Edits of a finished plan."""

    example: ClassVar = {
        "moves": [
            {"order": "order_5uJr2EwZ7bQx9KmT", "driver": "driver_4kQ8ZpL0sVxYt2Wn", "position": 2}
        ]
    }
    moves: Annotated[
        list[OrderMoveIn], Meta(max_length=MAX_MOVES, description="Applied one after the other.")
    ] = msgspec.field(default_factory=list)
    locked: Annotated[
        Given[Annotated[list[OrderReference], Meta(max_length=MAX_ORDERS)]],
        Meta(
            description="Orders that stay with their drivers in a plan based on this one. "
            "Replaces the list."
        ),
    ] = UNSET


class BestDriversIn(msgspec.Struct, kw_only=True):
    """The drivers to compare. By default, they are all who work on the order's day."""

    day: Annotated[
        Day | None,
        Meta(description="Defaults to the day of the order's schedule or time window, or today."),
    ] = None
    drivers: Drivers | None = None
    fleets: Fleets | None = None
    aim: PlanAim = "time"
    service_time: StopSeconds = 180
    pickup_time: StopSeconds = 30
    default_hours: HoursIn = msgspec.field(default_factory=HoursIn)
    limit: Annotated[
        int, Meta(ge=1, le=20, description="The number of drivers to return.", examples=[5])
    ] = 5


class RevertIn(msgspec.Struct, kw_only=True):
    """Options for reverting an accepted plan."""

    skip_changed: Annotated[
        bool, Meta(description="Skip orders that have changed since the plan was accepted.")
    ] = False
