"""JSON schemas of order actions."""

from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import UNSET, Meta

from pannier.fleet.schemas import AnyPoint, DriverId, Occurred, VehicleId
from pannier.kit.wording import MESSAGE
from pannier.orders.activities import PodMethod, ScanMismatch
from pannier.orders.fields import WaypointId
from pannier.web.compatibility import ACCEPTED
from pannier.web.fields import Clearable
from pannier.web.former_names import former_name
from pannier.web.times import Day, Moment

ZoneName = Annotated[
    str, Meta(max_length=60, description="An IANA time zone.", examples=["Asia/Singapore"])
]


class ScheduleIn(msgspec.Struct):
    """The auto-dispatch time: a moment, or a date and time in a time zone.

    The time zone defaults to the company's.
    """

    accepts: ClassVar = ACCEPTED["action"]
    scheduled_at: Clearable[Moment] = UNSET
    date: Day | None = None
    time: (
        Annotated[
            str,
            Meta(
                pattern=r"^\d{1,2}:\d{2}(:\d{2})?\Z",
                extra={MESSAGE: "must be a time of day, such as 09:30."},
            ),
        ]
        | None
    ) = None
    time_zone: Annotated[str, Meta(max_length=60)] | None = None
    timezone: Annotated[
        Clearable[Annotated[str, Meta(max_length=60)]], former_name("time_zone")
    ] = UNSET


class AssignIn(msgspec.Struct):
    """The driver and vehicle of an order. Null unassigns the driver."""

    accepts: ClassVar = ACCEPTED["action"]
    driver: DriverId | None
    vehicle: Annotated[
        Clearable[VehicleId], Meta(description="The vehicle. Defaults to the driver's own.")
    ] = UNSET


class WarningFilters(msgspec.Struct, frozen=True, kw_only=True):
    """The driver and vehicle to check. They default to the assigned ones."""

    driver: Annotated[
        DriverId | None, Meta(description="The driver. Defaults to the assigned one.")
    ] = None
    vehicle: Annotated[
        VehicleId | None,
        Meta(description="The vehicle. Defaults to the driver's or the assigned one."),
    ] = None


class DispatchIn(msgspec.Struct):
    """Dispatch of an order."""

    accepts: ClassVar = ACCEPTED["action"]
    driver: Annotated[DriverId | None, Meta(description="The driver to assign first.")] = None


class CompleteIn(msgspec.Struct):
    """Completion of an order."""

    accepts: ClassVar = ACCEPTED["action"]
    occurred_at: Occurred | None = None


class StartIn(msgspec.Struct):
    """Start of an order."""

    accepts: ClassVar = ACCEPTED["action"]
    skip_dispatch: Annotated[
        bool, Meta(description="Dispatch the order first, if necessary.", examples=[False])
    ] = False
    assign: Annotated[
        DriverId | None, Meta(description="The driver to assign first.", examples=[None])
    ] = None
    occurred_at: Occurred | None = None


# Where something happened, according to the reporter.
ReportedStop = Annotated[
    WaypointId | None, Meta(description="The stop. Defaults to the current one.")
]
ReportedPoint = Annotated[
    AnyPoint | None,
    Meta(description="The point where it happened. Defaults to the driver's position."),
]


class ActivityNamed(msgspec.Struct):
    """An activity as `next-activity` returns it. Only its code is read."""

    takes_any_name: ClassVar = True
    code: Annotated[str, Meta(max_length=60, examples=["enroute"])]


class ActivityIn(msgspec.Struct):
    """An activity to fire."""

    accepts: ClassVar = ACCEPTED["activity report"]
    activity: Annotated[str, Meta(max_length=60, examples=["enroute"])] | ActivityNamed
    waypoint: ReportedStop = None
    location: ReportedPoint = None
    skip_dispatch: Annotated[bool, Meta(examples=[False])] = False
    occurred_at: Occurred | None = None

    @property
    def code(self) -> str:
        """The activity's code, sent as text or inside an object."""
        return self.activity if isinstance(self.activity, str) else self.activity.code


class CancelIn(msgspec.Struct):
    """Cancellation of an order."""

    accepts: ClassVar = ACCEPTED["action"]
    reason: (
        Annotated[str, Meta(max_length=2000, examples=["The customer changed their mind."])] | None
    ) = None


class DemandOut(msgspec.Struct):
    """A proof that is still missing."""

    subject_type: Literal["order", "waypoint", "entity"]
    subject_id: Annotated[str, Meta(examples=["waypoint_1mBf6XvR8dNs3TgH"])]
    method: PodMethod


class NextActivity(msgspec.Struct, kw_only=True):
    """An activity that may fire now, and the proofs it still needs."""

    code: Annotated[str, Meta(examples=["enroute"])]
    status: Annotated[str, Meta(examples=["On the way"])]
    details: Annotated[str, Meta(examples=["The driver is on the way."])]
    sequence: int
    complete: bool
    pod_method: PodMethod | None
    require_pod: bool
    pod_scope: Literal["order", "waypoint", "entity"]
    scan_mismatch: ScanMismatch | None
    color: str | None
    waypoint: Annotated[WaypointId | None, Meta(description="The stop of the activity.")]
    missing: Annotated[list[DemandOut], Meta(description="Proofs to capture first.")]


class NextFilters(msgspec.Struct, frozen=True, kw_only=True):
    """Filters for the next activities."""

    waypoint: Annotated[WaypointId | None, Meta(description="Only activities at this stop.")] = None
