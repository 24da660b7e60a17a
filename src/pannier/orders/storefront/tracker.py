"""Tracking for customers: the driver is visible only on the way to the customer's own stop."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.fleet.models import Driver, Whereabouts
from pannier.fleet.schemas import Spot
from pannier.kit.structs import remade
from pannier.orders import tracker
from pannier.orders.models import DeliveryAttempt
from pannier.orders.progress import load_progress
from pannier.orders.stages import OPEN
from pannier.orders.storefront.schemas import (
    CustomerAttempt,
    CustomerTracked,
    CustomerTrackedStop,
)
from pannier.orders.storefront.share import Share
from pannier.orders.tracker import Leg, Sight
from pannier.orders.views import Aggregate
from pannier.payloads.models import Waypoint
from pannier.routing.route import Route
from pannier.web.spelling import spelled
from pannier.web.times import stamp

# Whether the driver has started another order since.
ELSEWHERE: Final = f"""
    select exists (select from orders
        where company = :company and driver = :driver and started_at > :since
          and {OPEN} and deleted_at is null)"""


async def look(db: Db, read: Aggregate) -> Sight:
    """Load the tracking data of an order, with a driver only if one is on the way."""
    progress, legs = await load_progress(db, read), tracker.legs_of(read)
    driver, ahead = await _on_the_way(db, read), tracker.legs_ahead(read, legs)
    seen = None if driver is None else read.shown.whereabouts.get(driver.uuid)
    points = [] if seen is None else tracker.points_ahead(seen.location, ahead)
    return Sight(read, progress, driver, seen, legs, ahead, points)


class Approach(msgspec.Struct):
    """What a customer may know about a driver's way to their own stops."""

    own: list[Leg]
    # Seconds until each remaining leg is reached, by the leg's identity.
    seconds: dict[int, int | None]
    nearest: Leg | None
    # The driver's position, while the next stop is one of these.
    seen: Whereabouts | None

    @property
    def left(self) -> int | None:
        """The seconds until the nearest own stop is reached."""
        return self.seconds.get(id(self.nearest))


def approach(sight: Sight, way: Route | None, stops: Iterable[Waypoint]) -> Approach:
    """Compute how far the driver is from a customer's stops.

    The position is included only if the next stop is one of them.
    """
    own, ahead = _own(sight.legs, stops), sight.ahead
    seconds = dict(zip(map(id, ahead), tracker.arrivals(way, ahead), strict=True))
    nearest = next((leg for leg in ahead if leg in own), None)
    seen = sight.seen if nearest is not None and nearest is ahead[0] else None
    return Approach(own, seconds, nearest, seen)


def tracked(
    now: datetime,
    sight: Sight,
    way: Route | None,
    contact: UUID,
    link: str,
    failed: Mapping[UUID | None, DeliveryAttempt],
) -> CustomerTracked:
    """Build the customer's view of the progress and ETA of an order."""
    order = sight.read.order
    near = approach(sight, way, Share.of(sight.read.whole, contact).stops)
    own, seen, seconds = near.own, near.seen, near.seconds
    return CustomerTracked(
        order=order.public_id,
        status=order.status,
        progress=tracker.share(sight.progress),
        stops=[_spelled(leg, tracker.moment(now, seconds.get(id(leg))), failed) for leg in own],
        completed_stops=sum(leg.done for leg in own),
        total_stops=len(own),
        eta=tracker.moment(now, near.left),
        time_remaining=near.left,
        distance_remaining=round(way.legs[0].distance) if seen and way and way.legs else None,
        position=Spot.of(seen.location) if seen else None,
        heading=seen.heading if seen else None,
        speed=seen.speed if seen else None,
        located_at=stamp(seen.located_at if seen else None),
        tracking_url=link,
    )


def _own(legs: Sequence[Leg], stops: Iterable[Waypoint]) -> list[Leg]:
    """List a customer's legs; of an order without stops, that is the dropoff."""
    own = {stop.uuid for stop in stops}
    return [
        leg for leg in legs if (leg.waypoint.uuid in own if leg.waypoint else leg.type == "dropoff")
    ]


async def _on_the_way(db: Db, read: Aggregate) -> Driver | None:
    """Find the driver who is under way with an order, between its start and its end.

    A driver who has started another order since is on the way to someone else.
    """
    order = read.order
    under_way = order.open and order.dispatched_at is not None and order.started_at is not None
    if not under_way or order.driver is None:
        return None
    elsewhere = await db.value(
        ELSEWHERE, company=order.company, driver=order.driver, since=order.started_at
    )
    return None if elsewhere else read.shown.drivers[order.driver]


def _spelled(
    leg: Leg, eta: str | None, failed: Mapping[UUID | None, DeliveryAttempt]
) -> CustomerTrackedStop:
    last = failed.get(leg.waypoint.uuid if leg.waypoint else None)
    told = None if last is None else spelled(last, CustomerAttempt, then=last.outcome)
    return remade(tracker.sighted(leg), CustomerTrackedStop, failed=told, eta=eta)
