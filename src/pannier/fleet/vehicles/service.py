"""Create, change and delete vehicles."""

from uuid import UUID

from pannier.db import Db
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.fleet import drives, positions, queries, whereabouts
from pannier.fleet.drivers import service as drivers
from pannier.fleet.events import VehicleUpdated
from pannier.fleet.models import Vehicle
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.fleet.schemas import sent
from pannier.fleet.vehicles.schemas import VehicleChange, VehicleIn
from pannier.fleet.whereabouts import Move


async def add(db: Db, company: UUID, data: VehicleIn) -> Vehicle:
    """Create a vehicle, with its first position if that is known."""
    columns, position = positions.split(sent(data))
    fix = positions.first_fix(position, db.now)
    row = await VEHICLES.create(db, company, **columns)
    if fix is not None:
        await whereabouts.place(db, company, Move(row.uuid, "vehicle", fix))
    return row


async def change(db: Db, vehicle: Vehicle, wish: VehicleChange) -> Vehicle:
    """Change a vehicle's details, and emit the changes."""
    columns, position = positions.split(sent(wish))
    await whereabouts.check_unmoved(db, vehicle, position, "vehicles")
    saved, changed = await VEHICLES.change(db, vehicle, **columns)
    if changed:
        data = VehicleUpdated.of(saved, changed)
        await outbox.emit(db, saved.company, Name.VEHICLE_UPDATED, data, subject=saved.public_id)
    return saved


async def remove(db: Db, vehicle: Vehicle) -> None:
    """Delete a vehicle and its memberships; its driver stays, without a vehicle."""
    driver = await queries.driver_of(db, vehicle.company, vehicle.uuid)
    if driver is not None:
        saved, changed = await DRIVERS.change(db, driver, vehicle=None)
        await drives.note(db, driver, saved)
        await drivers.tell_updated(db, saved, changed)
    await VEHICLES.remove(db, vehicle)
    await whereabouts.forget(db, vehicle.company, vehicle.uuid)
    await db.execute(
        "delete from fleet_members where company = :company and vehicle = :vehicle",
        company=vehicle.company,
        vehicle=vehicle.uuid,
    )
