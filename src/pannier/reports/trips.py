"""Figures of a day's trips: kilometres and idle time, for each driver, and their costs.

A trip counts on the day on which it starts. Of trips that several devices on one vehicle report
for the same time, only that of the best device counts.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.devices.trips import queries
from pannier.devices.trips.queries import CarrierTrip
from pannier.devices.trips.service import TRIPS
from pannier.reports.figures import Bounds
from pannier.reports.models import CostFigures, DriverTripFigures, TripFigures

SOURCE: Final = TRIPS.table
# A longer stop between two trips is not work.
MAX_STOP: Final = timedelta(hours=1)
SECONDS_PER_HOUR: Final = 3600
METRES_PER_KILOMETRE: Final = 1000


async def compute_trips(db: Db, company: UUID, bounds: Bounds) -> list[TripFigures]:
    """Compute the trips of a day. A day without any has no row."""
    trips = await _list_trips(db, company, bounds)
    if not trips:
        return []
    return [
        TripFigures(
            trips=len(trips),
            distance=round(sum(trip.distance for trip in trips)),
            moving=round(sum(trip.moving_seconds for trip in trips)),
            idle=round(sum(trip.idle_seconds for trip in trips)),
        )
    ]


async def compute_driver_trips(db: Db, company: UUID, bounds: Bounds) -> list[DriverTripFigures]:
    """Compute the trips of a day for each driver."""
    trips_by_driver: defaultdict[UUID, list[CarrierTrip]] = defaultdict(list)
    for trip in await _list_trips(db, company, bounds):
        if trip.driver is not None:
            trips_by_driver[trip.driver].append(trip)
    return [
        DriverTripFigures(
            driver=driver,
            trips=len(trips),
            distance=round(sum(trip.distance for trip in trips)),
            worked=round(measure_work(trips)),
        )
        for driver, trips in sorted(trips_by_driver.items())
    ]


async def compute_costs(db: Db, company: UUID, bounds: Bounds) -> list[CostFigures]:
    """Compute what the trips of a day cost in each currency, by the present costs."""
    distance_costs: defaultdict[str, Decimal] = defaultdict(Decimal)
    time_costs: defaultdict[str, Decimal] = defaultdict(Decimal)
    trips_by_driver: defaultdict[UUID, list[CarrierTrip]] = defaultdict(list)
    for trip in await _list_trips(db, company, bounds):
        if trip.cost_per_km is not None and trip.distance_currency is not None:
            kilometres = Decimal(trip.distance) / METRES_PER_KILOMETRE
            distance_costs[trip.distance_currency] += kilometres * trip.cost_per_km
        if trip.driver is not None:
            trips_by_driver[trip.driver].append(trip)
    for trips in trips_by_driver.values():
        cost_per_hour, currency = trips[0].cost_per_hour, trips[0].time_currency
        if cost_per_hour is not None and currency is not None:
            hours = Decimal(measure_work(trips)) / SECONDS_PER_HOUR
            time_costs[currency] += hours * cost_per_hour
    return [
        CostFigures(
            currency=currency,
            distance_cost=_round(distance_costs[currency]),
            time_cost=_round(time_costs[currency]),
        )
        for currency in sorted({*distance_costs, *time_costs})
    ]


def measure_work(trips: Sequence[CarrierTrip]) -> float:
    """Return the seconds of a driver's trips, and of the short stops between them."""
    spells = sorted((trip.started_at, _find_end(trip)) for trip in trips)
    seconds, worked_until = 0.0, spells[0][0]
    for start, end in spells:
        if start - worked_until > MAX_STOP:
            worked_until = start
        seconds += max(0.0, (end - worked_until).total_seconds())
        worked_until = max(worked_until, end)
    return seconds


def _find_end(trip: CarrierTrip) -> datetime:
    """Return until when a trip is known to have lasted. It may continue."""
    known_end = trip.started_at + timedelta(seconds=trip.moving_seconds + trip.idle_seconds)
    return trip.ended_at or known_end


def _round(cost: Decimal) -> int:
    return int(cost.to_integral_value(ROUND_HALF_EVEN))


async def _list_trips(db: Db, company: UUID, bounds: Bounds) -> Sequence[CarrierTrip]:
    """List the trips of a day, read once for each transaction."""
    cache_key = (CarrierTrip, company, bounds)
    if cache_key not in db.cache:
        db.cache[cache_key] = await queries.list_trips_of_company(db, company, *bounds)
    trips: Sequence[CarrierTrip] = db.cache[cache_key]
    return trips
