"""Create, change and delete vehicles."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.fleet import costs, drives, positions, queries, whereabouts
from pannier.fleet.drivers import service as drivers
from pannier.fleet.events import VehicleUpdated
from pannier.fleet.models import Vehicle
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.fleet.vehicles.schemas import VehicleChange, VehicleIn, to_columns
from pannier.fleet.whereabouts import Move

# API names of columns.
PUBLIC_NAMES: Final[Mapping[str, str]] = {
    "capacity_volume": "capacity",
    "capacity_items": "capacity",
}


async def create(db: Db, company: UUID, data: VehicleIn) -> Vehicle:
    """Create a vehicle, with its first position if there is one."""
    columns, position = positions.split_fields(to_columns(data))
    columns = await costs.resolve_currency(db, company, columns, "cost_per_km")
    fix = positions.parse_first_fix(position, db.now)
    row = await VEHICLES.create(db, company, **columns)
    if fix is not None:
        await whereabouts.record_first_position(db, company, Move(row.uuid, "vehicle", fix))
    return row


async def change(db: Db, vehicle: Vehicle, changes: VehicleChange) -> Vehicle:
    """Change a vehicle's details, and emit the changes."""
    columns, position = positions.split_fields(to_columns(changes, vehicle))
    columns = await costs.resolve_currency(db, vehicle.company, columns, "cost_per_km", vehicle)
    await whereabouts.check_unmoved(db, vehicle, position, "vehicles")
    updated_vehicle, changed_columns = await VEHICLES.change(db, vehicle, **columns)
    if changed_columns:
        changed_fields = dict.fromkeys(PUBLIC_NAMES.get(name, name) for name in changed_columns)
        data = VehicleUpdated.from_row(updated_vehicle, list(changed_fields))
        await outbox.emit(
            db,
            updated_vehicle.company,
            Name.VEHICLE_UPDATED,
            data,
            subject=updated_vehicle.public_id,
        )
    return updated_vehicle


async def delete(db: Db, vehicle: Vehicle) -> None:
    """Delete a vehicle and its memberships. Its driver stays."""
    driver = await queries.lock_driver(db, vehicle.company, vehicle.uuid)
    if driver is not None:
        updated_driver, changed_columns = await DRIVERS.change(db, driver, vehicle=None)
        await drives.record_change(db, driver, updated_driver)
        await drivers.emit_driver_updated(db, updated_driver, changed_columns)
    await VEHICLES.remove(db, vehicle)
    await whereabouts.delete(db, vehicle.company, vehicle.uuid)
    await db.execute(
        "delete from fleet_members where company = :company and vehicle = :vehicle",
        company=vehicle.company,
        vehicle=vehicle.uuid,
    )
