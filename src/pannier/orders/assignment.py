"""Verbs of assignment: who carries an order, with what."""

from typing import Any
from uuid import UUID

from msgspec import UNSET, UnsetType

from pannier.db import Db
from pannier.errors import Conflict, Field, NotFound
from pannier.fleet import eligibility
from pannier.fleet import service as fleet
from pannier.fleet.events import Assignment
from pannier.fleet.models import Driver
from pannier.fleet.presence import DriverInactive
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.orders import events, queries
from pannier.orders.flow import IllegalMove
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS


class DriverRequired(Conflict):
    """Only an ad-hoc order goes out without a driver."""

    code = "driver_required"
    title = "Assign a driver first."


async def assign(
    db: Db, order: Order, driver: str | None, vehicle: str | UnsetType | None = UNSET
) -> Order:
    """Give an order to a driver, or take it back, and tell."""
    columns, found = await columns_of(db, order, driver, vehicle)
    saved, changed = await ORDERS.change(db, order, **columns)
    if changed:
        links = await queries.links(db, saved.company, saved.uuid)
        told = [f"{name}_assigned" for name in changed]
        await events.tell(db, events.OrderUpdated, saved, links, changed=told)
    if "driver" in changed and found is not None:
        await tell_driver(db, saved, found)
    return saved


async def columns_of(
    db: Db, order: Order, driver: str | None, vehicle: str | UnsetType | None
) -> tuple[dict[str, Any], Driver | None]:
    """Find whom and what an order is to get; a driver brings their own vehicle along."""
    found = await _driver(db, order, driver)
    columns: dict[str, Any] = {"driver": found.uuid if found else None}
    if not isinstance(vehicle, UnsetType):
        columns["vehicle"] = await vehicle_of(db, order.company, vehicle)
    elif columns["driver"] != order.driver:
        columns["vehicle"] = found.vehicle if found else None
    return columns, found


async def _driver(db: Db, order: Order, identifier: str | None) -> Driver | None:
    if not order.open:
        raise IllegalMove(f"A {order.status} order keeps its driver.", ())
    if identifier is None:
        if order.started_at is not None or (order.dispatched_at is not None and not order.adhoc):
            sentence = f"A {order.status} order needs a driver; assign another one instead."
            raise IllegalMove(sentence, ("assign-driver",))
        return None
    found = await DRIVERS.find(db, order.company, identifier)
    if found is None:
        raise NotFound(fields=[Field("driver", "There is no such driver.")])
    check_eligible(found)
    return found


def check_eligible(driver: Driver) -> None:
    """Refuse a driver who may not work."""
    if not eligibility.may_work(driver.status):
        raise DriverInactive


async def vehicle_of(db: Db, company: UUID, identifier: str | None) -> UUID | None:
    """Find the vehicle that a field names, or refuse the field."""
    if identifier is None:
        return None
    found = await VEHICLES.find(db, company, identifier)
    if found is None:
        raise NotFound(fields=[Field("vehicle", "There is no such vehicle.")])
    return found.uuid


async def tell_driver(db: Db, order: Order, driver: Driver) -> None:
    """Tell that a driver got an order."""
    to = Assignment("order", order.public_id, order.internal_id)
    await fleet.tell_driver_assigned(db, driver, to)


async def check_ready(db: Db, order: Order) -> None:
    """Refuse to hand out an order that nobody can carry."""
    if order.driver is None:
        if not order.adhoc:
            raise DriverRequired
        return
    driver = await DRIVERS.find(db, order.company, order.driver)
    if driver is None:
        raise DriverRequired("The driver has left; assign another one.")
    check_eligible(driver)
