"""Reading vehicles with what belongs to them."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from pannier.db import Db, Page
from pannier.fleet import queries
from pannier.fleet.models import Driver, Vehicle
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.fleet.vehicles.schemas import VehicleFilters, VehicleOut


class Shown(msgspec.Struct):
    """Vehicles' drivers and fleets by name, read for a whole page at once."""

    drivers: dict[UUID, str]
    fleets: dict[UUID, list[str]]

    def out(self, row: Vehicle) -> VehicleOut:
        """Spell one of the vehicles."""
        return VehicleOut.of(row, driver=self.drivers.get(row.uuid), fleets=self.fleets[row.uuid])


async def shown(db: Db, company: UUID, rows: Sequence[Vehicle]) -> Shown:
    """Read what belongs to some vehicles."""
    uuids = [row.uuid for row in rows]
    return Shown(
        await queries.drivers_of(db, company, uuids),
        await queries.fleets_of_vehicles(db, company, uuids),
    )


async def out(db: Db, row: Vehicle) -> VehicleOut:
    """Spell a vehicle with what belongs to it."""
    return (await shown(db, row.company, [row])).out(row)


async def vehicles(db: Db, company: UUID, filters: VehicleFilters) -> Page[Vehicle]:
    """List vehicles, the newest first."""
    where = VEHICLES.where(company).equal(
        status=filters.status,
        online=filters.online,
        type=filters.type,
        make=filters.make,
        model=filters.model,
        vin=filters.vin,
        plate_number=filters.plate_number,
        internal_id=filters.internal_id,
    )
    if filters.driver is not None:
        driver = await DRIVERS.get(db, company, filters.driver)
        where.that("uuid = :vehicle", vehicle=driver.vehicle)
    await queries.in_fleet(db, company, where, filters.fleet, "vehicle")
    return await VEHICLES.page(db, where, filters, query=filters.query)


async def take_with_driver(db: Db, company: UUID, identifier: str) -> tuple[Vehicle, Driver | None]:
    """Hold a vehicle and who drives it, the driver first, as everybody does who holds both."""
    found = await VEHICLES.get(db, company, identifier)
    await queries.driver_of(db, company, found.uuid)
    vehicle = await VEHICLES.take(db, company, found.uuid)
    return vehicle, await queries.driver_of(db, company, vehicle.uuid)
