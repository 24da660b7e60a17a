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
from pannier.orders.driver_days.stops import is_fresh
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

# Whether the driver has since started another order.
HAS_STARTED_ANOTHER: Final = f"""
    select exists (select from orders
        where company = :company and driver = :driver and started_at > :since
          and {OPEN} and deleted_at is null)"""


async def load_snapshot(db: Db, order: OrderAggregate) -> TrackingSnapshot:
    """Load the tracking data of an order, with a driver only if one is on the way."""
    progress, legs = await load_progress(db, order), tracker.list_legs(order)
    driver = await _find_driver_under_way(db, order)
    position = None if driver is None else order.related.whereabouts.get(driver.uuid)
    return await tracker.build_snapshot(db, order, progress, legs, driver, position, position)


class Approach(msgspec.Struct):
    """The part of a driver's approach that a customer may see."""

    own_legs: list[TrackedLeg]
    # By the leg's identity.
    etas: dict[int, datetime]
    nearest_leg: TrackedLeg | None
    # The driver's position, while the driver's next stop is one of the customer's.
    whereabouts: Whereabouts | None

    @property
    def eta(self) -> datetime | None:
        """The ETA at the nearest own stop."""
        return self.etas.get(id(self.nearest_leg))

    def find_fresh_position(self, now: datetime) -> Whereabouts | None:
        """Return the position, unless it is old: an old one may be the driver's home."""
        position = self.whereabouts
        return position if position is not None and is_fresh(position.located_at, now) else None


def compute_approach(
    now: datetime, snapshot: TrackingSnapshot, route: Route | None, stops: Iterable[Waypoint]
) -> Approach:
    """Compute how far the driver is from a customer's stops.

    The position is included only if the driver's next stop is one of them.
    """
    own_legs = _list_own_legs(snapshot.legs, stops)
    etas_by_stop = snapshot.compute_etas(now, route)
    etas = {
        id(leg): etas_by_stop[snapshot.make_stop_key(leg)].eta
        for leg in own_legs
        if snapshot.make_stop_key(leg) in etas_by_stop
    }
    nearest_leg = next((leg for leg in snapshot.remaining_legs if leg in own_legs), None)
    is_next = nearest_leg is not None and _is_next_stop(snapshot, nearest_leg)
    return Approach(own_legs, etas, nearest_leg, snapshot.whereabouts if is_next else None)


def _is_next_stop(snapshot: TrackingSnapshot, leg: TrackedLeg) -> bool:
    """Return whether a leg is the driver's next stop, over all orders.

    An order beyond the loaded stops is not among the driver's stops.
    """
    is_first = any(stop.key == snapshot.make_stop_key(leg) for stop in snapshot.driver_stops[:1])
    return leg is snapshot.remaining_legs[0] and is_first


def to_tracking(
    now: datetime,
    snapshot: TrackingSnapshot,
    route: Route | None,
    contact: UUID,
    link: str,
    latest_attempts: Mapping[UUID | None, DeliveryAttempt],
) -> CustomerTracked:
    """Build the customer's view of the progress and ETA of an order."""
    order = snapshot.order.row
    approach = compute_approach(
        now,
        snapshot,
        route,
        CustomerShare.from_payload(snapshot.order.payload_aggregate, contact).stops,
    )
    own_legs, driver_position, etas = (
        approach.own_legs,
        approach.find_fresh_position(now),
        approach.etas,
    )
    return CustomerTracked(
        order=order.public_id,
        status=order.status,
        progress=tracker.progress_percent(snapshot.progress),
        stops=[
            _to_tracked_stop(leg, to_rfc3339(etas.get(id(leg))), latest_attempts)
            for leg in own_legs
        ],
        completed_stops=sum(leg.done for leg in own_legs),
        total_stops=len(own_legs),
        eta=to_rfc3339(approach.eta),
        time_remaining=tracker.count_seconds(now, approach.eta),
        distance_remaining=round(route.legs[0].distance)
        if driver_position and route and route.legs
        else None,
        position=PointOut.from_point(driver_position.location) if driver_position else None,
        heading=driver_position.heading if driver_position else None,
        speed=driver_position.speed if driver_position else None,
        located_at=to_rfc3339(driver_position.located_at if driver_position else None),
        tracking_url=link,
    )


def _list_own_legs(legs: Sequence[TrackedLeg], stops: Iterable[Waypoint]) -> list[TrackedLeg]:
    """List the legs to a customer's stops, or to the drop-off of an order without stops."""
    stop_uuids = {stop.uuid for stop in stops}
    return [
        leg
        for leg in legs
        if (leg.waypoint.uuid in stop_uuids if leg.waypoint else leg.type == "dropoff")
    ]


async def _find_driver_under_way(db: Db, order: OrderAggregate) -> Driver | None:
    """Find the driver who is under way with an order, between its start and its end.

    A driver who has since started another order is on the way to someone else.
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
    leg: TrackedLeg, eta: str | None, latest_attempts: Mapping[UUID | None, DeliveryAttempt]
) -> CustomerTrackedStop:
    last_attempt = latest_attempts.get(leg.waypoint.uuid if leg.waypoint else None)
    attempt = (
        None
        if last_attempt is None
        else to_schema(last_attempt, CustomerAttempt, then=last_attempt.outcome)
    )
    return convert_struct(
        tracker.to_stop_summary(leg), CustomerTrackedStop, failed=attempt, eta=eta
    )
