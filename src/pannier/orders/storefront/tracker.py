"""Tracking for customers: the driver is visible only on the way to the customer's own stop."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.fleet.models import Driver, Whereabouts
from pannier.fleet.schemas import PointOut
from pannier.kit.structs import convert_struct
from pannier.orders import tracker
from pannier.orders.models import DeliveryAttempt
from pannier.orders.progress import load_progress
from pannier.orders.stages import OPEN
from pannier.orders.storefront.schemas import (
    CustomerAttempt,
    CustomerTracked,
    CustomerTrackedStop,
)
from pannier.orders.storefront.share import CustomerShare
from pannier.orders.tracker import TrackedLeg, TrackingSnapshot
from pannier.orders.views import OrderAggregate
from pannier.payloads.models import Waypoint
from pannier.routing.route import Route
from pannier.web.serialization import to_schema
from pannier.web.times import to_rfc3339

# Whether the driver has started another order since.
HAS_STARTED_ANOTHER: Final = f"""
    select exists (select from orders
        where company = :company and driver = :driver and started_at > :since
          and {OPEN} and deleted_at is null)"""


async def load_snapshot(db: Db, order: OrderAggregate) -> TrackingSnapshot:
    """Load the tracking data of an order, with a driver only if one is on the way."""
    progress, legs = await load_progress(db, order), tracker.list_legs(order)
    driver, ahead = await _find_driver_under_way(db, order), tracker.list_legs_ahead(order, legs)
    driver_position = None if driver is None else order.related.whereabouts.get(driver.uuid)
    points = (
        [] if driver_position is None else tracker.points_ahead(driver_position.location, ahead)
    )
    return TrackingSnapshot(order, progress, driver, driver_position, legs, ahead, points)


class Approach(msgspec.Struct):
    """What a customer may know about a driver's way to their own stops."""

    own: list[TrackedLeg]
    # Seconds until each remaining leg is reached, by the leg's identity.
    seconds: dict[int, int | None]
    nearest: TrackedLeg | None
    # The driver's position, while the next stop is one of these.
    whereabouts: Whereabouts | None

    @property
    def seconds_left(self) -> int | None:
        """The seconds until the nearest own stop is reached."""
        return self.seconds.get(id(self.nearest))


def compute_approach(
    snapshot: TrackingSnapshot, route: Route | None, stops: Iterable[Waypoint]
) -> Approach:
    """Compute how far the driver is from a customer's stops.

    The position is included only if the next stop is one of them.
    """
    own_legs, ahead = _own_legs(snapshot.legs, stops), snapshot.ahead
    seconds = dict(zip(map(id, ahead), tracker.arrivals(route, ahead), strict=True))
    nearest = next((leg for leg in ahead if leg in own_legs), None)
    driver_position = snapshot.whereabouts if nearest is not None and nearest is ahead[0] else None
    return Approach(own_legs, seconds, nearest, driver_position)


def to_tracking(
    now: datetime,
    snapshot: TrackingSnapshot,
    route: Route | None,
    contact: UUID,
    link: str,
    failed: Mapping[UUID | None, DeliveryAttempt],
) -> CustomerTracked:
    """Build the customer's view of the progress and ETA of an order."""
    order = snapshot.order.row
    approach = compute_approach(
        snapshot, route, CustomerShare.from_payload(snapshot.order.whole, contact).stops
    )
    own_legs, driver_position, seconds = approach.own, approach.whereabouts, approach.seconds
    return CustomerTracked(
        order=order.public_id,
        status=order.status,
        progress=tracker.progress_percent(snapshot.progress),
        stops=[
            _to_tracked_stop(leg, tracker.format_moment(now, seconds.get(id(leg))), failed)
            for leg in own_legs
        ],
        completed_stops=sum(leg.done for leg in own_legs),
        total_stops=len(own_legs),
        eta=tracker.format_moment(now, approach.seconds_left),
        time_remaining=approach.seconds_left,
        distance_remaining=round(route.legs[0].distance)
        if driver_position and route and route.legs
        else None,
        position=PointOut.from_point(driver_position.location) if driver_position else None,
        heading=driver_position.heading if driver_position else None,
        speed=driver_position.speed if driver_position else None,
        located_at=to_rfc3339(driver_position.located_at if driver_position else None),
        tracking_url=link,
    )


def _own_legs(legs: Sequence[TrackedLeg], stops: Iterable[Waypoint]) -> list[TrackedLeg]:
    """List a customer's legs; of an order without stops, that is the dropoff."""
    stop_uuids = {stop.uuid for stop in stops}
    return [
        leg
        for leg in legs
        if (leg.waypoint.uuid in stop_uuids if leg.waypoint else leg.type == "dropoff")
    ]


async def _find_driver_under_way(db: Db, order: OrderAggregate) -> Driver | None:
    """Find the driver who is under way with an order, between its start and its end.

    A driver who has started another order since is on the way to someone else.
    """
    row = order.row
    is_under_way = row.open and row.dispatched_at is not None and row.started_at is not None
    if not is_under_way or row.driver is None:
        return None
    has_started_another = await db.fetch_value(
        HAS_STARTED_ANOTHER, company=row.company, driver=row.driver, since=row.started_at
    )
    return None if has_started_another else order.related.drivers[row.driver]


def _to_tracked_stop(
    leg: TrackedLeg, eta: str | None, failed: Mapping[UUID | None, DeliveryAttempt]
) -> CustomerTrackedStop:
    last = failed.get(leg.waypoint.uuid if leg.waypoint else None)
    attempt = None if last is None else to_schema(last, CustomerAttempt, then=last.outcome)
    return convert_struct(
        tracker.to_stop_summary(leg), CustomerTrackedStop, failed=attempt, eta=eta
    )
