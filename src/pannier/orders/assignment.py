"""Assignment of drivers and vehicles to orders."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from pannier.db import Db
from pannier.errors import Conflict
from pannier.fleet import eligibility, whereabouts
from pannier.fleet import service as fleet
from pannier.fleet.events import Assignment
from pannier.fleet.models import Driver
from pannier.fleet.presence import DriverInactive
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.orders import aggregate
from pannier.orders.flow import IllegalMove
from pannier.orders.views import OrderAggregate
from pannier.web.fields import Clearable


class DriverRequired(Conflict):
    """Only an ad-hoc order can be dispatched without a driver."""

    code = "driver_required"
    title = "The order has no driver."
    remedy = "Assign a driver first."


async def assign(
    db: Db, order: OrderAggregate, driver: str | None, vehicle: Clearable[str] = UNSET
) -> OrderAggregate:
    """Assign a driver and a vehicle, or unassign the driver, and emit the change."""
    columns = await resolve_assignment(db, order, driver, vehicle)
    changed_fields = await aggregate.finish_change(db, order, **columns)
    await emit_assignment(db, order, changed_fields)
    # Later steps record the driver's position.
    positions = await whereabouts.load(db, order.row.company, [order.row.driver])
    order.related.whereabouts |= positions
    return order


async def preview_assignment(
    db: Db, order: OrderAggregate, driver: str | None, vehicle: str | None
) -> OrderAggregate:
    """Return an order with another driver or vehicle, without saving the change."""
    company, related = order.row.company, order.related
    columns = dict[str, Any]()
    if driver is not None:
        driver_row = await DRIVERS.resolve_reference(db, company, "driver", driver)
        related.drivers[driver_row.uuid] = driver_row
        columns |= {"driver": driver_row.uuid, "vehicle": driver_row.vehicle}
        vehicle_uuids = [] if driver_row.vehicle is None else [driver_row.vehicle]
        related.vehicles |= await VEHICLES.load_many(db, company, vehicle_uuids)
    if vehicle is not None:
        columns["vehicle"] = await _find_vehicle(db, order, vehicle)
    return OrderAggregate(msgspec.structs.replace(order.row, **columns), related)


async def resolve_assignment(
    db: Db, order: OrderAggregate, driver: Clearable[str], vehicle: Clearable[str]
) -> dict[str, Any]:
    """Resolve the driver and vehicle. A new driver brings their own vehicle."""
    row, columns = order.row, dict[str, Any]()
    if not isinstance(driver, UnsetType):
        new_driver = await _find_driver(db, order, driver)
        columns["driver"] = new_driver and new_driver.uuid
        if columns["driver"] != row.driver:
            columns["vehicle"] = new_driver and new_driver.vehicle
            vehicle_uuids = (
                [] if new_driver is None or new_driver.vehicle is None else [new_driver.vehicle]
            )
            order.related.vehicles |= await VEHICLES.load_many(db, row.company, vehicle_uuids)
    if not isinstance(vehicle, UnsetType):
        columns["vehicle"] = await _find_vehicle(db, order, vehicle)
    return columns


async def _find_driver(db: Db, order: OrderAggregate, identifier: str | None) -> Driver | None:
    """Find the driver to assign, or None to unassign; reject a change that is too late."""
    row = order.row
    if not row.open:
        raise IllegalMove(f"The driver of a {row.status} order cannot be changed.", ())
    if identifier is None:
        if row.started_at is not None or (row.dispatched_at is not None and not row.adhoc):
            message = f"A {row.status} order needs a driver; assign another one instead."
            raise IllegalMove(message, ("assign-driver",))
        return None
    new_driver = await DRIVERS.resolve_reference(db, row.company, "driver", identifier)
    check_eligible(new_driver)
    order.related.drivers[new_driver.uuid] = new_driver
    return new_driver


def check_eligible(driver: Driver) -> None:
    if not eligibility.can_work(driver.status):
        raise DriverInactive


async def _find_vehicle(db: Db, order: OrderAggregate, identifier: str | None) -> UUID | None:
    """Find the vehicle to assign, or return None to unassign it."""
    if identifier is None:
        return None
    vehicle = await VEHICLES.resolve_reference(db, order.row.company, "vehicle", identifier)
    order.related.vehicles[vehicle.uuid] = vehicle
    return vehicle.uuid


async def emit_assignment(db: Db, order: OrderAggregate, changed_fields: Collection[str]) -> None:
    """Emit the assignment event, if the driver is among the changes."""
    row = order.row
    if row.driver is not None and "driver_assigned" in changed_fields:
        assignment = Assignment("order", row.public_id, row.internal_id)
        await fleet.emit_driver_assigned(db, order.related.drivers[row.driver], assignment)


def check_driver_ready(order: OrderAggregate) -> None:
    """Reject the dispatch of an order whose driver is missing, deleted or inactive."""
    row = order.row
    if row.driver is None:
        if not row.adhoc:
            raise DriverRequired
        return
    driver = order.related.drivers[row.driver]
    if driver.deleted_at is not None:
        raise DriverRequired("The driver was deleted. Assign another one.")
    check_eligible(driver)
