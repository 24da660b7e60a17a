"""Sorting the stops of one order that has not started."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import Pace
from pannier.db import Db
from pannier.errors import Conflict, Invalid
from pannier.kit.geo import Point
from pannier.maps.folder import Profile
from pannier.orders import service
from pannier.orders.aggregate import OrderClosed
from pannier.orders.schemas import OrderChange
from pannier.orders.views import OrderAggregate
from pannier.payloads.models import Waypoint
from pannier.payloads.rules import PayloadBegun
from pannier.payloads.schemas import WaypointIn
from pannier.places.queries import places
from pannier.planning.order_jobs import make_fingerprint
from pannier.planning.plan_out import REASON_MESSAGES
from pannier.planning.schemas import PlanIn
from pannier.planning.stop_order import SortableStop, StopSorter
from pannier.routing.router import Router


class OrderChanged(Conflict):
    """The order was changed during the search for the best sequence of its stops."""

    code = "order_changed"
    title = "The order has changed during the request."
    remedy = "Read the order again, then retry."


class StopProblem(msgspec.Struct):
    """The stops of an order, and the points between them to measure."""

    fingerprint: str
    uuids: list[UUID]
    stops: list[SortableStop]
    # The driver's start place comes first, if it is known.
    points: list[Point]
    begin: int
    pace: Pace
    profile: Profile


async def load_problem(db: Db, order: OrderAggregate) -> StopProblem:
    """Load the stops of an order that has not started."""
    row, stops = order.row, order.payload_aggregate.waypoints
    if not row.open:
        raise OrderClosed
    if order.payload_aggregate.payload.state != "open":
        raise PayloadBegun
    locations = [order.related.places[stop.place].location for stop in stops]
    points = [location for location in locations if location is not None]
    if len(points) < len(stops):
        raise Invalid(REASON_MESSAGES["no_location"])
    start = await _find_start(db, order)
    moment = max(db.now, row.scheduled_at or db.now)
    return StopProblem(
        make_fingerprint(order),
        [stop.uuid for stop in stops],
        [_to_sortable(stop) for stop in stops],
        points if start is None else [start, *points],
        int(moment.timestamp()),
        (await company_settings.load(db, row.company)).routing,
        order.profile,
    )


async def _find_start(db: Db, order: OrderAggregate) -> Point | None:
    """Find the location of the driver's start place."""
    driver = None if order.row.driver is None else order.related.drivers[order.row.driver]
    if driver is None or driver.start_place is None:
        return None
    rows = await places.load_many(db, order.row.company, [driver.start_place])
    return rows[driver.start_place].location if driver.start_place in rows else None


def _to_sortable(stop: Waypoint) -> SortableStop:
    service_time = PlanIn().service_time if stop.service_time is None else stop.service_time
    return SortableStop(
        stop.type == "pickup",
        service_time,
        _to_seconds(stop.time_window_start),
        _to_seconds(stop.time_window_end),
    )


def _to_seconds(moment: datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp())


async def sort_stops(router: Router, problem: StopProblem) -> list[UUID]:
    """Sort the stops. It waits for the routing engine: never call it inside a transaction."""
    if len(problem.stops) < 2:  # noqa: PLR2004 - nothing to sort
        return problem.uuids
    matrix = await router.measure_matrix(problem.points, problem.pace, problem.profile)
    has_start = len(problem.points) > len(problem.stops)
    times, start_times = matrix.times, None
    if has_start:
        start_times, times = times[0][1:], tuple(row[1:] for row in times[1:])
    sorter = StopSorter(problem.stops, times, problem.begin, start_times)
    return [problem.uuids[number] for number in await asyncio.to_thread(sorter.sort)]


async def save(
    db: Db, order: OrderAggregate, problem: StopProblem, uuids: Sequence[UUID]
) -> OrderAggregate:
    """Store a new sequence of a locked order's stops."""
    if make_fingerprint(order) != problem.fingerprint:
        raise OrderChanged
    stop_ids = {stop.uuid: stop.public_id for stop in order.payload_aggregate.waypoints}
    stops = [WaypointIn(id=stop_ids[uuid]) for uuid in uuids]
    if not stops:
        return order
    return await service.change(db, order, OrderChange(waypoints=list(stops)))
