"""Remaining stops of a driver, their ETAs, and the forecast for an order. Pure rules."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Final, Literal, NamedTuple
from uuid import UUID

import msgspec

from pannier.db.row import to_point
from pannier.kit.geo import Point
from pannier.maps.folder import Profile
from pannier.payloads.models import StopType
from pannier.routing.route import RouteLeg

# ETAs from an older position are not shown: the driver may have switched the phone off.
MAX_POSITION_AGE: Final = timedelta(minutes=10)
# A stop whose ETA is this close to the end of its time window is at risk.
RISK_MARGIN: Final = timedelta(minutes=10)
# Plans count in whole seconds.
ROUNDING: Final = timedelta(seconds=1)
# Stops of a driver for which ETAs are computed.
MAX_STOPS: Final = 250

ForecastState = Literal["on_time", "at_risk", "late"]
LateState = Literal["late", "at_risk"]
SEVERITY: Final[dict[ForecastState, int]] = {"on_time": 0, "at_risk": 1, "late": 2}


class StopKey(NamedTuple):
    """Identifies a stop: a waypoint, or the pickup or drop-off of an order without stops."""

    order: UUID
    waypoint: UUID | None
    type: StopType | None

    @classmethod
    def create(cls, order: UUID, waypoint: UUID | None, type_: StopType) -> "StopKey":
        return cls(order, waypoint, None if waypoint else type_)


class DayStop(msgspec.Struct, kw_only=True):
    """A remaining stop of a driver.

    If it has no waypoint, it is the pickup or drop-off of an order without stops.
    """

    driver: UUID
    order_uuid: UUID
    order_id: str
    created_at: datetime
    scheduled_at: datetime | None
    is_dispatched: bool
    waypoint: UUID | None
    waypoint_id: str | None
    type: StopType
    position: int
    # Whether it is the order's next stop, and whether an activity has happened there.
    is_current: bool
    has_begun: bool
    # The time window of the stop, or else that of its order if it is a drop-off.
    opens: datetime | None
    closes: datetime | None
    # Seconds.
    service_time: int
    latitude: float | None
    longitude: float | None
    profile: Profile
    # Arrival by the accepted plan.
    planned_at: datetime | None = None

    @property
    def key(self) -> StopKey:
        return StopKey.create(self.order_uuid, self.waypoint, self.type)

    @property
    def location(self) -> Point | None:
        return to_point(self.latitude, self.longitude)

    def may_begin_at(self, moment: datetime) -> bool:
        """Return whether neither the time window nor the order's schedule begins later."""
        scheduled_at = None if self.is_dispatched else self.scheduled_at
        starts = [start for start in (self.opens, scheduled_at) if start is not None]
        return all(start <= moment + ROUNDING for start in starts)

    @property
    def due_at(self) -> datetime:
        """The time by which the stop is sorted into the day."""
        return self.planned_at or self.closes or self.opens or self.scheduled_at or self.created_at


class StopEta(msgspec.Struct, frozen=True, kw_only=True):
    """The ETA of a driver at a stop."""

    order: UUID
    waypoint: UUID | None
    type: StopType
    eta: datetime
    closes: datetime | None

    @property
    def key(self) -> StopKey:
        return StopKey.create(self.order, self.waypoint, self.type)

    @property
    def state(self) -> ForecastState | None:
        """Compare the ETA with the end of the time window; None without one."""
        if self.closes is None:
            return None
        if self.eta > self.closes:
            return "late"
        return "at_risk" if self.eta > self.closes - RISK_MARGIN else "on_time"

    @property
    def late_seconds(self) -> int | None:
        """The seconds by which the ETA is after the time window; None without one."""
        if self.closes is None:
            return None
        return max(0, round((self.eta - self.closes).total_seconds()))


def is_fresh(located_at: datetime, now: datetime) -> bool:
    """Return whether a position is recent. A time far in the future comes from a wrong clock."""
    return abs(now - located_at) <= MAX_POSITION_AGE


def list_points(start: Point, stops: Iterable[DayStop]) -> list[Point]:
    """List the start and the stops' points, up to the first stop without coordinates."""
    points = takewhile(bool, (stop.location for stop in stops))
    return [start, *(point for point in points if point is not None)]


def compute_etas(
    start: datetime, stops: Sequence[DayStop], legs: Sequence[RouteLeg]
) -> list[StopEta]:
    """Compute the ETA at each stop, up to the last known leg.

    Service at a stop starts when its time window opens, so the later stops are delayed too. This
    does not apply to a stop where work has begun.
    """
    etas: list[StopEta] = []
    moment = start
    for stop, leg in zip(stops, legs, strict=False):
        moment += timedelta(seconds=round(leg.time))
        if stop.opens is not None and not stop.has_begun:
            moment = max(moment, stop.opens)
        etas.append(
            StopEta(
                order=stop.order_uuid,
                waypoint=stop.waypoint,
                type=stop.type,
                eta=moment,
                closes=stop.closes,
            )
        )
        moment += timedelta(seconds=stop.service_time)
    return etas


def find_worst_eta(etas: Iterable[StopEta]) -> StopEta | None:
    """Find the ETA with the worst delay; None if no stop has a time window."""
    etas_with_window = [eta for eta in etas if eta.closes is not None]
    return max(etas_with_window, key=lambda eta: eta.eta - (eta.closes or eta.eta), default=None)


def list_orders_by_state(etas: Iterable[StopEta], state: ForecastState) -> list[UUID]:
    """List the orders whose worst stop is in a state."""
    state_by_order: dict[UUID, ForecastState] = {}
    for eta in etas:
        if eta.state is not None:
            previous_state = state_by_order.get(eta.order, "on_time")
            state_by_order[eta.order] = max(previous_state, eta.state, key=SEVERITY.__getitem__)
    return [order for order, worst_state in state_by_order.items() if worst_state == state]
