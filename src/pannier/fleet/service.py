"""Emit assignments of drivers and vehicles."""

from pannier.db import Db
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.fleet.events import Assignment, DriverAssigned, VehicleAssigned
from pannier.fleet.models import Driver, Vehicle


async def emit_driver_assigned(db: Db, driver: Driver, assignment: Assignment) -> None:
    """Emit that a driver was assigned to an order or a fleet."""
    data = DriverAssigned.from_row(driver, assignment)
    # The event belongs to the order's thread as well.
    thread = assignment.id if assignment.type == "order" else None
    await outbox.emit(
        db, driver.company, Name.DRIVER_ASSIGNED, data, subject=driver.public_id, thread=thread
    )


async def emit_vehicle_assigned(db: Db, vehicle: Vehicle, assignment: Assignment) -> None:
    """Emit that a vehicle was assigned to a driver or a fleet."""
    data = VehicleAssigned.from_row(vehicle, assignment)
    await outbox.emit(db, vehicle.company, Name.VEHICLE_ASSIGNED, data, subject=vehicle.public_id)
