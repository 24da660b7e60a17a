"""Building the jobs of a plan from orders. Pure rules."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from decimal import ROUND_CEILING, Decimal
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.fleet.capacity import Load
from pannier.orders.loads import EMPTY_LOAD, measure_item
from pannier.orders.views import OrderAggregate
from pannier.payloads.models import Waypoint
from pannier.planning.driver_shifts import MAX_AMOUNT
from pannier.planning.material import (
    CUBIC_CENTIMETRES,
    GRAMS,
    OrderMaterial,
    StopMaterial,
)
from pannier.planning.plan_out import UnassignedReason
from pannier.planning.planning_data import PlanningData, PointIndex
from pannier.planning.problem import MAX_TIME, Loads, PlanJob, Visit, VisitKind

# The visits of an order without stops.
_END_KINDS: Final[tuple[VisitKind, ...]] = ("pickup", "dropoff")


class Misfit(Exception):  # noqa: N818 - an expected outcome
    """An order that cannot be planned."""

    def __init__(self, reason: UnassignedReason) -> None:
        super().__init__(reason)
        self.reason = reason


class _Station(NamedTuple):
    """A stop to visit: a waypoint, or the pickup or drop-off of an order without stops."""

    kind: VisitKind
    place: UUID
    waypoint: Waypoint | None
    load: Load

    @property
    def opens(self) -> datetime | None:
        return None if self.waypoint is None else self.waypoint.time_window_start

    @property
    def closes(self) -> datetime | None:
        return None if self.waypoint is None else self.waypoint.time_window_end


def build_job(
    order: OrderAggregate, data: PlanningData, points: PointIndex
) -> tuple[PlanJob, OrderMaterial]:
    """Build the job of an order, or raise Misfit."""
    row = order.row
    if row.undelivered == "hold":
        raise Misfit("on_hold")
    stations = _list_remaining_stations(order)
    if not stations:
        raise Misfit("nothing_left")
    if any(order.related.places[station.place].location is None for station in stations):
        raise Misfit("no_location")
    visit_pairs = [_build_visit(order, data, points, station) for station in stations]
    visits = _delay_first_visit(order, data, [visit for visit, _ in visit_pairs])
    job = PlanJob(key=row.public_id, visits=tuple(visits), skills=frozenset(row.required_skills))
    material = OrderMaterial(
        uuid=row.uuid,
        key=row.public_id,
        driver=row.driver,
        vehicle=row.vehicle,
        fingerprint=make_fingerprint(order),
        stops=tuple(stop for _, stop in visit_pairs),
        is_started=row.started_at is not None,
    )
    return job, material


def make_fingerprint(order: OrderAggregate) -> str:
    """Make a hash that changes with an order's stops, time windows, goods and skills."""
    places = order.related.places
    stops = [
        (
            str(stop.waypoint.uuid if stop.waypoint else stop.kind),
            str(stop.place),
            places[stop.place].longitude,
            places[stop.place].latitude,
            stop.opens,
            stop.closes,
            stop.waypoint.service_time if stop.waypoint else None,
            _to_loads(stop.load),
        )
        for stop in _list_all_stations(order)
    ]
    row = order.row
    parts = (stops, row.time_window_start, row.time_window_end, sorted(row.required_skills))
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:32]


def _list_remaining_stations(order: OrderAggregate) -> list[_Station]:
    """List the stops that are not done."""
    stations = _list_all_stations(order)
    if order.payload_aggregate.waypoints:
        return [
            station
            for station in stations
            if station.waypoint is not None and not station.waypoint.done
        ]
    # Once an order without stops has started, its goods are on board, unless it has steps at the
    # pickup that are left.
    is_collected = order.row.started_at is not None and not order.row.at_pickup
    return stations[1:] if is_collected and len(stations) > 1 else stations


def _list_all_stations(order: OrderAggregate) -> list[_Station]:
    stops, payload = order.payload_aggregate.waypoints, order.payload_aggregate.payload
    if not stops:
        load = _add_loads(order)[None]
        ends = zip(_END_KINDS, (payload.pickup, payload.dropoff), strict=True)
        return [_Station(kind, place, None, load) for kind, place in ends if place is not None]
    loads = _assign_loads(order, stops)
    return [_Station(stop.type, stop.place, stop, loads[stop.uuid]) for stop in stops]


def _add_loads(order: OrderAggregate) -> dict[UUID | None, Load]:
    """Add up the goods by destination. Goods without a destination have the key None."""
    stop_uuids = {stop.uuid for stop in order.payload_aggregate.waypoints}
    sums: defaultdict[UUID | None, Load] = defaultdict(lambda: EMPTY_LOAD)
    for item in order.payload_aggregate.entities:
        destination = item.destination if item.destination in stop_uuids else None
        sums[destination] += measure_item(item)
    return sums


def _assign_loads(order: OrderAggregate, stops: Sequence[Waypoint]) -> dict[UUID, Load]:
    """Return the load that is picked up or dropped off at each stop.

    Goods without a destination go to the last drop-off. All goods count from the last pickup before
    their drop-off, because an order does not say where they are collected.
    """
    sums, loads = _add_loads(order), {stop.uuid: EMPTY_LOAD for stop in stops}
    dropoffs = [stop.uuid for stop in stops if stop.type == "dropoff"]
    last_pickup: UUID | None = None
    for stop in stops:
        if stop.type == "pickup":
            last_pickup = stop.uuid
            continue
        load = sums.get(stop.uuid, EMPTY_LOAD)
        if stop.uuid == dropoffs[-1]:
            load += sums.get(None, EMPTY_LOAD)
        loads[stop.uuid] += load
        if last_pickup is not None:
            loads[last_pickup] += load
    return loads


def _build_visit(
    order: OrderAggregate, data: PlanningData, points: PointIndex, station: _Station
) -> tuple[Visit, StopMaterial]:
    row, stop = order.row, station.waypoint
    opens, closes = station.opens, station.closes
    if opens is None and closes is None and station.kind == "dropoff":
        opens, closes = row.time_window_start, row.time_window_end
    promised_seconds = None if closes is None else data.to_seconds(closes)
    begin = 0 if opens is None else max(0, data.to_seconds(opens))
    end = MAX_TIME if promised_seconds is None else min(promised_seconds, MAX_TIME)
    # An overdue stop has no window: it comes as soon as possible.
    if end < max(begin, _find_earliest(data)):
        begin, end = 0, MAX_TIME
    location = order.related.places[station.place].location
    assert location is not None  # noqa: S101 - build_job has checked
    key = station.kind if stop is None else stop.public_id
    visit = Visit(
        key=key,
        point=points.add(location),
        kind=station.kind,
        loads=_to_loads(station.load),
        service=min(_choose_service_time(data, station), MAX_TIME),
        setup=data.request.setup_time,
        opens=min(begin, MAX_TIME),
        closes=end,
    )
    material = StopMaterial(
        key=key,
        waypoint=None if stop is None else stop.uuid,
        waypoint_id=None if stop is None else stop.public_id,
        kind=station.kind,
        place=station.place,
        opens=None if opens is None else data.to_seconds(opens),
        promised=promised_seconds,
    )
    return visit, material


def _choose_service_time(data: PlanningData, station: _Station) -> int:
    stop, request = station.waypoint, data.request
    if stop is not None and stop.service_time is not None:
        return stop.service_time
    return request.pickup_time if station.kind == "pickup" else request.service_time


def _find_earliest(data: PlanningData) -> int:
    """Find the time at which work can begin."""
    return data.to_seconds(data.now) if data.starts_from == "now" else 0


def _delay_first_visit(
    order: OrderAggregate, data: PlanningData, visits: list[Visit]
) -> list[Visit]:
    """Delay the first visit until the order's schedule, if the visit's time window allows that."""
    scheduled_at, first_visit = order.row.scheduled_at, visits[0]
    if scheduled_at is None or order.row.dispatched_at is not None:
        return visits
    opens = max(first_visit.opens, min(data.to_seconds(scheduled_at), MAX_TIME))
    if opens > first_visit.closes:
        return visits
    return [msgspec.structs.replace(first_visit, opens=opens), *visits[1:]]


def _to_loads(load: Load) -> Loads:
    """Return a load in whole units of the problem, rounded up."""
    return (
        _round_up(load.weight * GRAMS),
        _round_up(load.volume * CUBIC_CENTIMETRES),
        load.items,
    )


def _round_up(amount: Decimal) -> int:
    return int(min(amount, Decimal(MAX_AMOUNT)).to_integral_value(ROUND_CEILING))
