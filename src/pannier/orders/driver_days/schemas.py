"""JSON schemas of drivers' days and of forecasts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Self

import msgspec
from msgspec import Meta

from pannier.fleet.schemas import DriverId
from pannier.orders.driver_days.stops import (
    DayStop,
    ForecastState,
    StopEta,
    StopKey,
    find_worst_eta,
)
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
    """Whether an order will be late, judged by its stop with the worst delay."""

    state: State
    late_seconds: LateSeconds
    waypoint: WaypointId | None
    type: StopType
    eta: Time
    time_window_end: Time

    @classmethod
    def from_etas(cls, etas: Iterable[StopEta], waypoints: Mapping[StopKey, str]) -> Self | None:
        """Build the forecast of an order from the ETAs at its stops; None without a window."""
        worst_eta = find_worst_eta(etas)
        if worst_eta is None or worst_eta.closes is None or worst_eta.late_seconds is None:
            return None
        return cls(
            state="on_time" if worst_eta.state is None else worst_eta.state,
            late_seconds=worst_eta.late_seconds,
            waypoint=waypoints.get(worst_eta.key),
            type=worst_eta.type,
            eta=to_rfc3339(worst_eta.eta),
            time_window_end=to_rfc3339(worst_eta.closes),
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
    dispatch_phone: Annotated[
        str | None,
        Meta(description="The number on which drivers reach dispatch.", examples=["+6561234567"]),
    ]
    stops: list[DriverStopOut]


class ForecastCounts(msgspec.Struct, kw_only=True):
    """Numbers of open orders whose ETAs are late or at risk, each counted up to 1,000."""

    late: Annotated[int, Meta(ge=0, examples=[2])]
    at_risk: Annotated[int, Meta(ge=0, examples=[1])]


def match_etas(stops: Sequence[DayStop], etas: Sequence[StopEta]) -> list[StopEta | None]:
    """Return the last ETA of each stop, or None.

    ETAs from an earlier sequence are left out, so that they never decrease.
    """
    etas_by_stop = {eta.key: eta for eta in etas}
    matched_etas: list[StopEta | None] = []
    latest_eta = None
    for stop in stops:
        eta = etas_by_stop.get(stop.key) if stop.is_dispatched else None
        if eta is not None and latest_eta is not None and eta.eta < latest_eta:
            eta = None
        latest_eta = latest_eta if eta is None else eta.eta
        matched_etas.append(eta)
    return matched_etas
