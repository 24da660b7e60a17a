"""Assigning drivers and vehicles to orders."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

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
from pannier.orders.views import Aggregate
from pannier.web.fields import Clearable


class DriverRequired(Conflict):
    """Only an ad-hoc order can be dispatched without a driver."""

    code = "driver_required"
    title = "The order has no driver."
    remedy = "Assign a driver first."


async def assign(
    db: Db, held: Aggregate, driver: str | None, vehicle: Clearable[str] = UNSET
) -> Aggregate:
    """Assign a driver and a vehicle, or unassign the driver, and emit the change."""
    columns = await columns_of(db, held, driver, vehicle)
    told = await aggregate.changed(db, held, **columns)
    await tell_driver(db, held, told)
    # Later steps record the driver's position.
    seen = await whereabouts.of(db, held.order.company, [held.order.driver])
    held.shown.whereabouts |= seen
    return held


async def columns_of(
    db: Db, held: Aggregate, driver: Clearable[str], vehicle: Clearable[str]
) -> dict[str, Any]:
    """Resolve the driver and vehicle. A new driver brings their own vehicle."""
    order, columns = held.order, dict[str, Any]()
    if not isinstance(driver, UnsetType):
        found = await _driver(db, held, driver)
        columns["driver"] = found and found.uuid
        if columns["driver"] != order.driver:
            columns["vehicle"] = found and found.vehicle
            own = [] if found is None or found.vehicle is None else [found.vehicle]
            held.shown.vehicles |= await VEHICLES.among(db, order.company, own)
    if not isinstance(vehicle, UnsetType):
        columns["vehicle"] = await _vehicle(db, held, vehicle)
    return columns


async def _driver(db: Db, held: Aggregate, identifier: str | None) -> Driver | None:
    order = held.order
    if not order.open:
        raise IllegalMove(f"The driver of a {order.status} order cannot be changed.", ())
    if identifier is None:
        if order.started_at is not None or (order.dispatched_at is not None and not order.adhoc):
            sentence = f"A {order.status} order needs a driver; assign another one instead."
            raise IllegalMove(sentence, ("assign-driver",))
        return None
    found = await DRIVERS.named(db, order.company, "driver", identifier)
    check_eligible(found)
    held.shown.drivers[found.uuid] = found
    return found


def check_eligible(driver: Driver) -> None:
    if not eligibility.may_work(driver.status):
        raise DriverInactive


async def _vehicle(db: Db, held: Aggregate, identifier: str | None) -> UUID | None:
    """Find the vehicle that a field names, or reject the field."""
    if identifier is None:
        return None
    found = await VEHICLES.named(db, held.order.company, "vehicle", identifier)
    held.shown.vehicles[found.uuid] = found
    return found.uuid


async def tell_driver(db: Db, held: Aggregate, told: Collection[str]) -> None:
    """Emit the assignment event, if the driver is among the changes."""
    order = held.order
    if order.driver is not None and "driver_assigned" in told:
        to = Assignment("order", order.public_id, order.internal_id)
        await fleet.tell_driver_assigned(db, held.shown.drivers[order.driver], to)


def check_ready(held: Aggregate) -> None:
    """Reject the dispatch of an order whose driver is missing, deleted or inactive."""
    order = held.order
    if order.driver is None:
        if not order.adhoc:
            raise DriverRequired
        return
    driver = held.shown.drivers[order.driver]
    if driver.deleted_at is not None:
        raise DriverRequired("The driver was deleted. Assign another one.")
    check_eligible(driver)
