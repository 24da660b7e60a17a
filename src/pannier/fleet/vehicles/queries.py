"""Queries of vehicles with related records."""

from collections.abc import Sequence
from uuid import UUID

from pannier.db import Db, Page
from pannier.fleet import queries, whereabouts
from pannier.fleet.models import Vehicle
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.fleet.vehicles.schemas import VehicleFilters, VehicleOut


async def shown(db: Db, company: UUID, rows: Sequence[Vehicle]) -> list[VehicleOut]:
    uuids = [row.uuid for row in rows]
    drivers = await queries.drivers_of(db, company, uuids)
    fleets = await queries.fleets_of_vehicles(db, company, uuids)
    known = await whereabouts.of(db, company, uuids)
    return [
        VehicleOut.of(
            row, known.get(row.uuid), driver=drivers.get(row.uuid), fleets=fleets[row.uuid]
        )
        for row in rows
    ]


async def vehicles(db: Db, company: UUID, filters: VehicleFilters) -> Page[Vehicle]:
    """List vehicles, the newest first."""
    own = ("status", "online", "type", "make", "model", "vin", "plate_number", "internal_id")
    where = VEHICLES.where(company).known_as(filters.id).like(filters, *own)
    if filters.driver is not None:
        driver = await DRIVERS.named(db, company, "driver", filters.driver)
        where.that("uuid = :vehicle", vehicle=driver.vehicle)
    await queries.in_fleet(db, company, where, filters.fleet, "vehicle")
    return await VEHICLES.page(db, where, filters, query=filters.query)


async def take_with_driver(db: Db, company: UUID, identifier: str) -> Vehicle:
    """Lock a vehicle and its driver, always the driver first, to avoid deadlocks."""
    found = await VEHICLES.get(db, company, identifier)
    await queries.driver_of(db, company, found.uuid)
    return await VEHICLES.take(db, company, found.uuid)
