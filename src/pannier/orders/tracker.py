"""Order tracking: the position, the progress and the ETA."""

from collections.abc import Sequence
from datetime import datetime
from itertools import takewhile
from typing import Annotated, Final
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import Db
from pannier.fleet.models import Driver, Whereabouts
from pannier.fleet.schemas import DriverId, PointOut
from pannier.kit.geo import Point
from pannier.kit.structs import convert_struct
from pannier.orders import flow
from pannier.orders.driver_days import queries as driver_days
from pannier.orders.driver_days.schemas import Forecast, LateSeconds, State
from pannier.orders.driver_days.stops import (
    DayStop,
    StopEta,
    StopKey,
    compute_etas,
    is_fresh,
    list_points,
)
from pannier.orders.fields import Status, TrackingUrl, WaypointId
from pannier.orders.flow import Progress
from pannier.orders.pickup_steps import split_steps
from pannier.orders.progress import load_progress
from pannier.orders.views import OrderAggregate
from pannier.payloads.models import StopType, Waypoint
from pannier.payloads.schemas import Undelivered
from pannier.places.models import PlaceRow
from pannier.routing.route import Route, Source
from pannier.web.identifiers import OrderId
from pannier.web.times import Time, to_rfc3339

# Limit of the stops that a request measures, because strangers may open tracking pages.
MAX_MEASURED_STOPS: Final = 30


class StopSummary(msgspec.Struct, kw_only=True):
    """The public data of a stop."""

    waypoint: WaypointId | None
    type: Annotated[str, Meta(examples=["dropoff"])]
    address: Annotated[str, Meta(examples=["1 Raffles Place, Singapore 048616, SG"])]
    location: PointOut | None
    complete: bool
    attempts: Annotated[int, Meta(description="Number of failed attempts.", examples=[0])]


class TrackedStop(StopSummary, kw_only=True):
    """A stop with its ETA."""

    undelivered: Undelivered | None
    eta: Time | None
    forecast: State | None
    late_seconds: LateSeconds | None


class Tracked(msgspec.Struct, kw_only=True):
    """The position, progress and ETA of an order."""

    order: OrderId
    status: Status
    driver: DriverId | None
    position: Annotated[PointOut | None, Meta(description="The driver's latest position.")]
    heading: Annotated[float | None, Meta(description="Degrees from north.", examples=[90])]
    speed: Annotated[float | None, Meta(description="Metres per second.", examples=[8.3])]
    located_at: Time | None
    progress: Annotated[int, Meta(ge=0, le=100, description="Per cent.", examples=[75])]
    current_waypoint: WaypointId | None
    stops: list[TrackedStop]
    completed_stops: int
    total_stops: int
    distance_remaining: Annotated[int | None, Meta(description="Metres.", examples=[4200])]
    time_remaining: Annotated[int | None, Meta(description="Seconds.", examples=[302])]
    eta: Annotated[
        Time | None,
        Meta(
            description="ETA at the last stop, after the driver's stops for other orders. Null "
            "while the driver's position is older than ten minutes."
        ),
    ]
    forecast: Annotated[Forecast | None, Meta(description="Null without an ETA or a time window.")]
    route_source: Annotated[Source | None, Meta(description="Source of the remaining distance.")]
    tracking_url: TrackingUrl | None


class TrackedLeg(msgspec.Struct):
    """A place on the route, whether it is done, and its failed attempts."""

    place: PlaceRow
    type: StopType
    done: bool
    waypoint: Waypoint | None = None
    attempts: int = 0
    undelivered: Undelivered | None = None

    @property
    def is_ahead(self) -> bool:
        """Whether the driver has yet to come: the leg is neither done nor on hold."""
        return not self.done and self.undelivered is None


def progress_percent(progress: Progress) -> int:
    """Compute the progress in per cent, of the stops or else of the flow's activities."""
    if progress.status == flow.COMPLETED:
        return 100
    if progress.stops:
        return 100 * sum(stop.done for stop in progress.stops) // len(progress.stops)
    steps, other_activities = split_steps(progress.flow.values())
    activity = progress.flow[progress.activity]
    position = other_activities.index(
        progress.flow[flow.STARTED] if activity in steps else activity
    )
    return 100 * position // (len(other_activities) - 1)


def list_points_ahead(start: Point | None, legs: Sequence[TrackedLeg]) -> list[Point]:
    """List the start and the points of the legs, up to the first place without coordinates."""
    points = takewhile(bool, (start, *(leg.place.location for leg in legs)))
    return [point for point in points if point is not None]


class TrackingSnapshot(msgspec.Struct):
    """The tracking data of an order before its remaining route is measured."""

    order: OrderAggregate
    progress: Progress
    driver: Driver | None
    # The driver's last position, if it is known.
    whereabouts: Whereabouts | None
    legs: list[TrackedLeg]
    remaining_legs: list[TrackedLeg]
    # The driver's stops up to the last one of this order, including other orders' stops. Empty
    # while no driver is under way.
    driver_stops: list[DayStop] = msgspec.field(default_factory=list)
    # Points from the driver through the remaining legs; empty while no driver is under way.
    remaining_points: list[Point] = msgspec.field(default_factory=list)
    # From the driver along these stops, to be measured: only to the first one if there are too
    # many. Empty if the position is not recent.
    points: list[Point] = msgspec.field(default_factory=list)
    # The ETAs that the worker computed last, used if there are too many stops to measure.
    stored_etas: list[StopEta] = msgspec.field(default_factory=list)

    @property
    def number(self) -> str:
        """The tracking number of the order."""
        return self.order.related.numbers[self.order.row.uuid].number

    def make_stop_key(self, leg: TrackedLeg) -> StopKey:
        """Return the key of a leg among the driver's stops."""
        waypoint = leg.waypoint.uuid if leg.waypoint else None
        return StopKey.create(self.order.row.uuid, waypoint, leg.type)

    def compute_etas(self, now: datetime, route: Route | None) -> dict[StopKey, StopEta]:
        """Compute the ETAs at the order's stops from the measured route."""
        own_keys = {
            stop.key for stop in self.driver_stops if stop.order_uuid == self.order.row.uuid
        }
        legs = () if route is None else route.legs
        etas = self.stored_etas or compute_etas(now, self.driver_stops, legs)
        return {eta.key: eta for eta in etas if eta.key in own_keys}


async def load_snapshot(db: Db, order: OrderAggregate) -> TrackingSnapshot:
    """Load the position, progress and remaining stops of an order."""
    row, progress, legs = order.row, await load_progress(db, order), list_legs(order)
    driver = None if row.driver is None else order.related.drivers[row.driver]
    driver_position = None if driver is None else order.related.whereabouts.get(driver.uuid)
    is_moving = row.open and row.dispatched_at is not None
    active_position = driver_position if is_moving else None
    return await build_snapshot(db, order, progress, legs, driver, driver_position, active_position)


async def build_snapshot(
    db: Db,
    order: OrderAggregate,
    progress: Progress,
    legs: list[TrackedLeg],
    driver: Driver | None,
    position: Whereabouts | None,
    active_position: Whereabouts | None,
) -> TrackingSnapshot:
    """Build a snapshot. `active_position` is the position of a driver who is on the way."""
    snapshot = TrackingSnapshot(
        order=order,
        progress=progress,
        driver=driver,
        whereabouts=position,
        legs=legs,
        remaining_legs=list_legs_ahead(order, legs),
    )
    if active_position is None or not snapshot.remaining_legs:
        return snapshot
    company, driver_uuid = order.row.company, active_position.subject
    day_stops = (await driver_days.load_days(db, company, [driver_uuid])).get(driver_uuid, [])
    snapshot.remaining_points = list_points_ahead(active_position.location, snapshot.remaining_legs)
    snapshot.driver_stops = _cut_after_order(day_stops, order.row.uuid)
    is_too_long = len(snapshot.driver_stops) > MAX_MEASURED_STOPS
    if is_too_long:
        driver_etas = (await driver_days.load_etas(db, company, [driver_uuid], db.now)).get(
            driver_uuid
        )
        snapshot.stored_etas = driver_etas.stops if driver_etas else []
    if is_fresh(active_position.located_at, db.now):
        measured_stops = snapshot.driver_stops[:1] if is_too_long else snapshot.driver_stops
        snapshot.points = list_points(active_position.location, measured_stops)
    return snapshot


def _cut_after_order(day_stops: list[DayStop], order: UUID) -> list[DayStop]:
    """Return a driver's stops up to the last one of an order."""
    last_index = max(
        (index for index, stop in enumerate(day_stops) if stop.order_uuid == order), default=-1
    )
    return day_stops[: last_index + 1]


def to_tracking(
    now: datetime, snapshot: TrackingSnapshot, route: Route | None, link: str | None
) -> Tracked:
    """Build the tracking output of an order from its snapshot and measured route."""
    order, driver, driver_position = snapshot.order.row, snapshot.driver, snapshot.whereabouts
    etas = snapshot.compute_etas(now, route)
    whole_route = route if route and len(route.legs) == len(snapshot.driver_stops) else None
    is_complete = (
        len(etas) == sum(stop.order_uuid == order.uuid for stop in snapshot.driver_stops) > 0
    )
    last_eta = max((eta.eta for eta in etas.values()), default=None) if is_complete else None
    stop = snapshot.order.payload_aggregate.stop
    waypoints = {
        snapshot.make_stop_key(leg): leg.waypoint.public_id for leg in snapshot.legs if leg.waypoint
    }
    return Tracked(
        order=order.public_id,
        status=order.status,
        driver=driver.public_id if driver else None,
        position=PointOut.from_point(driver_position.location) if driver_position else None,
        heading=driver_position.heading if driver_position else None,
        speed=driver_position.speed if driver_position else None,
        located_at=to_rfc3339(driver_position.located_at if driver_position else None),
        progress=progress_percent(snapshot.progress),
        current_waypoint=stop.public_id if stop else None,
        stops=[
            _to_tracked_stop(leg, etas.get(snapshot.make_stop_key(leg))) for leg in snapshot.legs
        ],
        completed_stops=sum(leg.done for leg in snapshot.legs),
        total_stops=len(snapshot.legs),
        distance_remaining=whole_route.distance if whole_route and is_complete else None,
        time_remaining=count_seconds(now, last_eta),
        eta=to_rfc3339(last_eta),
        forecast=Forecast.from_etas(etas.values(), waypoints),
        route_source=whole_route.source if whole_route else None,
        tracking_url=link,
    )


def count_seconds(now: datetime, moment: datetime | None) -> int | None:
    """Count the seconds until a moment."""
    return None if moment is None else round((moment - now).total_seconds())


def to_stop_summary(leg: TrackedLeg) -> StopSummary:
    return StopSummary(
        waypoint=leg.waypoint.public_id if leg.waypoint else None,
        type=leg.type,
        address=leg.place.address,
        location=PointOut.from_point(leg.place.location),
        complete=leg.done,
        attempts=leg.attempts,
    )


def _to_tracked_stop(leg: TrackedLeg, eta: StopEta | None) -> TrackedStop:
    return convert_struct(
        to_stop_summary(leg),
        TrackedStop,
        undelivered=leg.undelivered,
        eta=to_rfc3339(eta.eta if eta else None),
        forecast=eta.state if eta else None,
        late_seconds=eta.late_seconds if eta else None,
    )


def list_legs(order: OrderAggregate) -> list[TrackedLeg]:
    """List the places on the route: the stops, or the pickup and the drop-off."""
    row, places_by_uuid = order.row, order.related.places
    if order.payload_aggregate.waypoints:
        return [
            TrackedLeg(
                places_by_uuid[stop.place],
                stop.type,
                stop.completed_at is not None,
                stop,
                stop.attempts,
                stop.undelivered,
            )
            for stop in order.payload_aggregate.waypoints
        ]
    # Without stops, a started order has been picked up, unless steps at the pickup are left.
    payload = order.payload_aggregate.payload
    end_places: tuple[tuple[UUID | None, StopType, bool], ...] = (
        (payload.pickup, "pickup", row.started_at is not None and not row.at_pickup),
        (payload.dropoff, "dropoff", row.completed_at is not None),
    )
    legs = [TrackedLeg(places_by_uuid[uuid], kind, done) for uuid, kind, done in end_places if uuid]
    legs[-1:] = [
        msgspec.structs.replace(leg, attempts=row.attempts, undelivered=row.undelivered)
        for leg in legs[-1:]
    ]
    return legs


def list_legs_ahead(order: OrderAggregate, legs: list[TrackedLeg]) -> list[TrackedLeg]:
    """List the remaining legs in the order of the visits, the current stop first."""
    stop = order.payload_aggregate.stop
    current_legs = [
        leg for leg in legs if stop is not None and leg.waypoint == stop and leg.is_ahead
    ]
    return current_legs + [leg for leg in legs if leg.is_ahead and leg not in current_legs]
