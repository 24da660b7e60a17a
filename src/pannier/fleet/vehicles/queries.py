"""Queries of vehicles with related records."""

from collections.abc import Sequence
from uuid import UUID

from pannier.db import Db, Page
from pannier.fleet import queries, whereabouts
from pannier.fleet.models import Vehicle
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.fleet.vehicles.schemas import VehicleFilters, VehicleOut


async def load_vehicles_out(db: Db, company: UUID, rows: Sequence[Vehicle]) -> list[VehicleOut]:
    uuids = [row.uuid for row in rows]
    drivers = await queries.load_driver_ids(db, company, uuids)
    fleets = await queries.load_vehicle_fleets(db, company, uuids)
    positions = await whereabouts.load(db, company, uuids)
    return [
        VehicleOut.from_row(
            row, positions.get(row.uuid), driver=drivers.get(row.uuid), fleets=fleets[row.uuid]
        )
        for row in rows
    ]


async def list_vehicles(db: Db, company: UUID, filters: VehicleFilters) -> Page[Vehicle]:
    """List vehicles, newest first."""
    filter_names = (
        "status",
        "online",
        "type",
        "make",
        "model",
        "vin",
        "plate_number",
        "internal_id",
    )
    where = VEHICLES.where(company).add_public_ids(filters.id).add_filters(filters, *filter_names)
    if filters.driver is not None:
        driver = await DRIVERS.resolve_reference(db, company, "driver", filters.driver)
        where.add("uuid = :vehicle", vehicle=driver.vehicle)
    await queries.filter_by_fleet(db, company, where, filters.fleet, "vehicle")
    return await VEHICLES.load_page(db, where, filters, query=filters.query)


async def lock_with_driver(db: Db, company: UUID, identifier: str) -> Vehicle:
    """Lock a vehicle's driver, then the vehicle. This order avoids deadlocks."""
    vehicle = await VEHICLES.get(db, company, identifier)
    await queries.lock_driver(db, company, vehicle.uuid)
    return await VEHICLES.lock(db, company, vehicle.uuid)
