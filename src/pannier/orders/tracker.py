"""Order tracking: the position, the progress and the ETA."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Annotated

import msgspec
from msgspec import Meta

from pannier.db import Db
from pannier.fleet.models import Driver, Whereabouts
from pannier.fleet.schemas import DriverId, Spot
from pannier.kit.geo import Point
from pannier.kit.structs import remade
from pannier.orders import flow
from pannier.orders.fields import Status, TrackingUrl, WaypointId
from pannier.orders.flow import Progress
from pannier.orders.progress import load_progress
from pannier.orders.views import Aggregate
from pannier.payloads.models import Waypoint
from pannier.payloads.schemas import Undelivered
from pannier.places.models import Place
from pannier.routing.route import Route, Source
from pannier.web.identifiers import OrderId
from pannier.web.times import Time, stamp


class SightedStop(msgspec.Struct, kw_only=True):
    """The public data of a stop."""

    waypoint: WaypointId | None
    type: Annotated[str, Meta(examples=["dropoff"])]
    address: Annotated[str, Meta(examples=["1 Raffles Place, Singapore 048616, SG"])]
    location: Spot | None
    complete: bool
    attempts: Annotated[int, Meta(description="How many attempts failed.", examples=[0])]


class TrackedStop(SightedStop, kw_only=True):
    """A stop with its ETA."""

    undelivered: Undelivered | None
    eta: Time | None


class Tracked(msgspec.Struct, kw_only=True):
    """The position, progress and ETA of an order."""

    order: OrderId
    status: Status
    driver: DriverId | None
    position: Annotated[Spot | None, Meta(description="Where the driver was seen last.")]
    heading: Annotated[float | None, Meta(description="Degrees from north.", examples=[90])]
    speed: Annotated[float | None, Meta(description="Metres a second.", examples=[8.3])]
    located_at: Time | None
    progress: Annotated[int, Meta(ge=0, le=100, description="Per cent.", examples=[75])]
    current_waypoint: WaypointId | None
    stops: list[TrackedStop]
    completed_stops: int
    total_stops: int
    distance_remaining: Annotated[int | None, Meta(description="Metres.", examples=[4200])]
    time_remaining: Annotated[int | None, Meta(description="Seconds.", examples=[302])]
    eta: Annotated[Time | None, Meta(description="When the last stop should be reached.")]
    route_source: Annotated[Source | None, Meta(description="Who measured the way that is left.")]
    tracking_url: TrackingUrl | None


class Leg(msgspec.Struct):
    """A place on the route, whether it is done, and its failed attempts."""

    place: Place
    type: str
    done: bool
    waypoint: Waypoint | None = None
    attempts: int = 0
    undelivered: Undelivered | None = None

    @property
    def ahead(self) -> bool:
        """Whether the driver is still to come: it is neither done nor on hold."""
        return not self.done and self.undelivered is None


def share(progress: Progress) -> int:
    """Compute the progress in per cent, of the stops or else of the flow's activities."""
    if progress.status == flow.COMPLETED:
        return 100
    if progress.stops:
        return 100 * sum(stop.done for stop in progress.stops) // len(progress.stops)
    last = max(activity.sequence for activity in progress.flow.values())
    return 100 * progress.flow[progress.activity].sequence // last


def points_ahead(begin: Point | None, legs: Sequence[Leg]) -> list[Point]:
    """List the points from here, up to the first place without coordinates."""
    points = takewhile(bool, (begin, *(leg.place.location for leg in legs)))
    return [point for point in points if point is not None]


def arrivals(way: Route | None, legs: Sequence[Leg]) -> list[int | None]:
    """Compute the seconds until each place is reached, including service times."""
    found: list[int | None] = []
    passed = 0
    for leg, piece in zip(legs, () if way is None else way.legs, strict=False):
        passed += round(piece.time)
        found.append(passed)
        passed += (leg.waypoint.service_time or 0) if leg.waypoint else 0
    return found + [None] * (len(legs) - len(found))


class Sight(msgspec.Struct):
    """The tracking data of an order before its remaining route is measured."""

    read: Aggregate
    progress: Progress
    driver: Driver | None
    # The driver's last position, if it is known.
    seen: Whereabouts | None
    legs: list[Leg]
    ahead: list[Leg]
    # From the driver onwards. Empty while no driver is under way.
    points: list[Point]

    @property
    def number(self) -> str:
        """The tracking number of the order."""
        return self.read.shown.numbers[self.read.order.uuid].number


async def look(db: Db, read: Aggregate) -> Sight:
    """Load the position, progress and remaining stops of an order."""
    order, progress, legs = read.order, await load_progress(db, read), legs_of(read)
    driver = None if order.driver is None else read.shown.drivers[order.driver]
    seen = None if driver is None else read.shown.whereabouts.get(driver.uuid)
    ahead = legs_ahead(read, legs)
    moving = order.open and order.dispatched_at is not None
    points = points_ahead(seen.location, ahead) if seen and moving else []
    return Sight(read, progress, driver, seen, legs, ahead, points)


def tracked(now: datetime, sight: Sight, way: Route | None, link: str | None) -> Tracked:
    """Build the tracking output of an order from its snapshot and measured route."""
    order, driver, seen = sight.read.order, sight.driver, sight.seen
    seconds = arrivals(way, sight.ahead)
    etas = {id(leg): moment(now, after) for leg, after in zip(sight.ahead, seconds, strict=True)}
    complete = way is not None and len(way.legs) == len(sight.ahead) > 0
    last = seconds[-1] if seconds else None
    stop = sight.read.whole.stop
    return Tracked(
        order=order.public_id,
        status=order.status,
        driver=driver.public_id if driver else None,
        position=Spot.of(seen.location) if seen else None,
        heading=seen.heading if seen else None,
        speed=seen.speed if seen else None,
        located_at=stamp(seen.located_at if seen else None),
        progress=share(sight.progress),
        current_waypoint=stop.public_id if stop else None,
        stops=[_spelled(leg, etas.get(id(leg))) for leg in sight.legs],
        completed_stops=sum(leg.done for leg in sight.legs),
        total_stops=len(sight.legs),
        distance_remaining=way.distance if way and complete else None,
        time_remaining=last,
        eta=moment(now, last),
        route_source=way.source if way else None,
        tracking_url=link,
    )


def moment(now: datetime, after: int | None) -> str | None:
    """Format the moment `after` seconds from now."""
    return None if after is None else stamp(now + timedelta(seconds=after))


def sighted(leg: Leg) -> SightedStop:
    return SightedStop(
        waypoint=leg.waypoint.public_id if leg.waypoint else None,
        type=leg.type,
        address=leg.place.address,
        location=Spot.of(leg.place.location),
        complete=leg.done,
        attempts=leg.attempts,
    )


def _spelled(leg: Leg, eta: str | None) -> TrackedStop:
    return remade(sighted(leg), TrackedStop, undelivered=leg.undelivered, eta=eta)


def legs_of(read: Aggregate) -> list[Leg]:
    """List the places on the route: the stops, or the pickup and the dropoff."""
    order, found = read.order, read.shown.places
    if read.whole.waypoints:
        return [
            Leg(
                found[stop.place],
                stop.type,
                stop.completed_at is not None,
                stop,
                stop.attempts,
                stop.undelivered,
            )
            for stop in read.whole.waypoints
        ]
    # Without stops, an order that was started has been picked up.
    passed = (order.started_at is not None, order.completed_at is not None)
    ends = zip(read.whole.stations, ("pickup", "dropoff"), passed, strict=False)
    legs = [Leg(found[uuid], kind, done) for uuid, kind, done in ends]
    legs[-1:] = [
        msgspec.structs.replace(leg, attempts=order.attempts, undelivered=order.undelivered)
        for leg in legs[-1:]
    ]
    return legs


def legs_ahead(read: Aggregate, legs: list[Leg]) -> list[Leg]:
    """List the remaining legs in the order of the visits, the current stop first."""
    stop = read.whole.stop
    present = [leg for leg in legs if stop is not None and leg.waypoint == stop and leg.ahead]
    return present + [leg for leg in legs if leg.ahead and leg not in present]
