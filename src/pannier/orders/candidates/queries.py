"""Database reads of the drivers who could take an order."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db, columns
from pannier.db.table import escape_like
from pannier.fleet import shifts
from pannier.fleet.capacity import Load
from pannier.fleet.eligibility import BARRED_STATUSES
from pannier.fleet.models import Driver, Vehicle
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.kit import geo
from pannier.kit.geo import Point
from pannier.orders.candidates.schemas import (
    CandidateFilters,
    CandidateLoadOut,
    CandidateOut,
    CandidateShiftOut,
)
from pannier.orders.loads import measure_item, measure_load
from pannier.orders.schemas import OrderDriverOut, OrderVehicleOut
from pannier.orders.suitability import check_capacity, check_hours, check_skills, list_periods
from pannier.orders.views import OrderAggregate
from pannier.payloads.models import Entity
from pannier.web.serialization import to_schema
from pannier.web.times import to_rfc3339

# Items of all listed drivers that are added up.
MAX_ITEMS: Final = 10_000
# Square degrees of latitude; those of longitude are scaled by the latitude.
_BY_DISTANCE: Final = """order by power(w.latitude - :latitude, 2)
    + power((mod((w.longitude - :longitude + 540)::numeric, 360) - 180) * :scale, 2) nulls last,
    d.online desc, d.name, d.uuid"""
_BY_NAME: Final = "order by d.online desc, d.name, d.uuid"


class NearDriver(msgspec.Struct):
    """A driver and their last position."""

    uuid: UUID
    latitude: float | None
    longitude: float | None
    located_at: datetime | None

    @property
    def location(self) -> Point | None:
        if self.latitude is None or self.longitude is None:
            return None
        return Point(self.longitude, self.latitude)


async def list_candidates(
    db: Db, order: OrderAggregate, filters: CandidateFilters
) -> list[CandidateOut]:
    """List the drivers who could take an order, nearest to its next stop first."""
    company, target = order.row.company, find_next_point(order)
    near_drivers = await _find_near_drivers(db, company, target, filters)
    uuids = [near_driver.uuid for near_driver in near_drivers]
    drivers = await DRIVERS.load_many(db, company, uuids)
    vehicles = await VEHICLES.load_many(
        db, company, [driver.vehicle for driver in drivers.values() if driver.vehicle is not None]
    )
    payloads = await _list_open_payloads(db, company, uuids)
    order_counts = Counter(payloads.values())
    loads = await _measure_loads(db, company, payloads)
    zone = (await company_settings.load(db, company)).zone
    periods = list_periods(order.row, order.payload_aggregate.waypoints, db.now)
    day = periods[0][0].astimezone(zone).date()
    load = measure_load(order.payload_aggregate.entities)

    def to_candidate(near_driver: NearDriver, driver: Driver) -> CandidateOut:
        vehicle: Vehicle | None = vehicles.get(driver.vehicle) if driver.vehicle else None
        location = near_driver.location
        hours = shifts.list_hours(driver.shifts, driver.shift_exceptions, day)
        intervals = shifts.list_working_intervals(driver.shifts, driver.shift_exceptions, day, zone)
        return CandidateOut(
            driver=to_schema(driver, OrderDriverOut),
            vehicle=None if vehicle is None else to_schema(vehicle, OrderVehicleOut),
            distance=None
            if location is None or target is None
            else round(geo.distance(location, target)),
            located_at=None
            if near_driver.located_at is None
            else to_rfc3339(near_driver.located_at),
            open_orders=order_counts[driver.uuid],
            load=None if loads is None else _to_load_out(loads.get(driver.uuid, Load())),
            shifts=None
            if hours is None
            else [
                CandidateShiftOut(start=to_rfc3339(shift.start), end=to_rfc3339(shift.end))
                for shift in intervals
            ],
            warnings=[
                *check_hours(driver, periods, zone, db.now),
                *check_skills(driver, order.row.required_skills),
                *(() if vehicle is None else check_capacity(vehicle, load)),
            ],
        )

    return [
        to_candidate(near_driver, drivers[near_driver.uuid])
        for near_driver in near_drivers
        if near_driver.uuid in drivers
    ]


def find_next_point(order: OrderAggregate) -> Point | None:
    """Return the point where the driver goes first: the current stop, or the pickup."""
    payload_aggregate = order.payload_aggregate
    stop = payload_aggregate.stop
    place = payload_aggregate.payload.pickup if stop is None else stop.place
    return None if place is None else order.related.places[place].location


async def _find_near_drivers(
    db: Db, company: UUID, target: Point | None, filters: CandidateFilters
) -> Sequence[NearDriver]:
    values: dict[str, object] = {
        "company": company,
        "barred": sorted(BARRED_STATUSES),
        "limit": filters.limit,
    }
    matches = "true"
    if filters.query:
        matches = "(d.name ilike :query or d.phone ilike :query)"
        values["query"] = f"%{escape_like(filters.query.strip())}%"
    if target is not None:
        values |= {
            "latitude": target.latitude,
            "longitude": target.longitude,
            "scale": math.cos(math.radians(target.latitude)),
        }
    sql = f"""select d.uuid, w.latitude, w.longitude, w.located_at from drivers d
              left join whereabouts w on w.subject = d.uuid
              where d.company = :company and d.deleted_at is null
                  and d.status <> all(:barred) and {matches}
              {_BY_NAME if target is None else _BY_DISTANCE} limit :limit"""
    return await db.fetch_all(NearDriver, sql, of_tables=None, **values)


async def _list_open_payloads(db: Db, company: UUID, drivers: list[UUID]) -> dict[UUID, UUID]:
    """List the drivers of open orders, by payload."""
    rows = await db.fetch_tuples(
        """select payload, driver from orders
           where company = :company and driver = any(:drivers) and driver is not null
               and completed_at is null and canceled_at is null and deleted_at is null""",
        company=company,
        drivers=drivers,
    )
    return dict(rows)


async def _measure_loads(
    db: Db, company: UUID, drivers: Mapping[UUID, UUID]
) -> dict[UUID, Load] | None:
    """Add up the items of open orders by driver, or return None if there are too many."""
    items = await db.fetch_all(
        Entity,
        f"""select {columns(Entity)} from entities
            where company = :company and payload = any(:payloads) and deleted_at is null
            limit {MAX_ITEMS + 1}""",
        company=company,
        payloads=list(drivers),
    )
    if len(items) > MAX_ITEMS:
        return None
    loads: dict[UUID, Load] = defaultdict(Load)
    for item in items:
        if item.payload is not None:
            loads[drivers[item.payload]] += measure_item(item)
    return loads


def _to_load_out(load: Load) -> CandidateLoadOut:
    return CandidateLoadOut(
        weight=float(round(load.weight, 3)), volume=float(round(load.volume, 6)), items=load.items
    )
