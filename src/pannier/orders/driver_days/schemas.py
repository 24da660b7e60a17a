"""JSON schemas of drivers' days and of forecasts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Self

import msgspec
from msgspec import Meta

from pannier.fleet.schemas import DriverId
from pannier.orders.driver_days.stops import DayStop, ForecastState, StopEta, StopKey, find_worst
from pannier.orders.fields import WaypointId
from pannier.payloads.models import StopType
from pannier.web.identifiers import OrderId
from pannier.web.times import Time, to_rfc3339

State = Annotated[
    ForecastState,
    Meta(
        description="`late` if the ETA is after the time window, `at_risk` if it is less than ten "
        "minutes before its end."
    ),
]
LateSeconds = Annotated[
    int, Meta(ge=0, description="Seconds from the end of the time window to the ETA.", examples=[0])
]


class Forecast(msgspec.Struct, kw_only=True):
    """Whether an order will be late: its stop that is the latest, by its time window."""

    state: State
    late_seconds: LateSeconds
    waypoint: WaypointId | None
    type: StopType
    eta: Time
    time_window_end: Time

    @classmethod
    def from_etas(cls, etas: Iterable[StopEta], waypoints: Mapping[StopKey, str]) -> Self | None:
        """Build the forecast of an order from the ETAs at its stops; None without a window."""
        worst = find_worst(etas)
        if worst is None or worst.closes is None or worst.late_seconds is None:
            return None
        return cls(
            state="on_time" if worst.state is None else worst.state,
            late_seconds=worst.late_seconds,
            waypoint=waypoints.get(worst.key),
            type=worst.type,
            eta=to_rfc3339(worst.eta),
            time_window_end=to_rfc3339(worst.closes),
        )


class DriverStopOut(msgspec.Struct, kw_only=True):
    """A remaining stop of a driver, with the ETA that was last computed."""

    order: OrderId
    waypoint: Annotated[
        WaypointId | None, Meta(description="Null for an end of an order without stops.")
    ]
    type: StopType
    dispatched: Annotated[bool, Meta(description="Whether its order is dispatched.")]
    time_window_start: Time | None
    time_window_end: Time | None
    planned_at: Annotated[Time | None, Meta(description="Arrival by the accepted plan.")]
    eta: Annotated[Time | None, Meta(description="Null while it is unknown.")]
    forecast: State | None
    late_seconds: LateSeconds | None

    @classmethod
    def from_stop(cls, stop: DayStop, eta: StopEta | None) -> Self:
        return cls(
            order=stop.order_id,
            waypoint=stop.waypoint_id,
            type=stop.type,
            dispatched=stop.is_dispatched,
            time_window_start=to_rfc3339(stop.opens),
            time_window_end=to_rfc3339(stop.closes),
            planned_at=to_rfc3339(stop.planned_at),
            eta=to_rfc3339(eta.eta if eta else None),
            forecast=eta.state if eta else None,
            late_seconds=eta.late_seconds if eta else None,
        )


class DriverStopsOut(msgspec.Struct, kw_only=True):
    """The remaining stops of a driver, in the sequence of the visits."""

    driver: DriverId
    located_at: Annotated[
        Time | None, Meta(description="Time of the position from which the ETAs were computed.")
    ]
    computed_at: Annotated[Time | None, Meta(description="Time at which they were computed.")]
    stops: list[DriverStopOut]


class ForecastCounts(msgspec.Struct, kw_only=True):
    """Numbers of open orders whose ETAs are late or at risk, each counted up to 1,000."""

    late: Annotated[int, Meta(ge=0, examples=[2])]
    at_risk: Annotated[int, Meta(ge=0, examples=[1])]


def match_etas(stops: Sequence[DayStop], etas: Sequence[StopEta]) -> list[StopEta | None]:
    """Match the last ETAs to the present stops.

    An ETA of a former sequence is left out, so that the ETAs never decrease.
    """
    by_key = {eta.key: eta for eta in etas}
    matched: list[StopEta | None] = []
    latest = None
    for stop in stops:
        eta = by_key.get(stop.key) if stop.is_dispatched else None
        if eta is not None and latest is not None and eta.eta < latest:
            eta = None
        latest = latest if eta is None else eta.eta
        matched.append(eta)
    return matched
