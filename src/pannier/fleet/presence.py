"""Verbs of presence: being online, and being somewhere."""

from typing import Any
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import Locations
from pannier.db import Db
from pannier.errors import Conflict
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.fleet import eligibility, fixes
from pannier.fleet.events import DriverLocationChanged, DriverPresence
from pannier.fleet.fixes import Fix
from pannier.fleet.models import Driver, Position, Vehicle
from pannier.fleet.queries import DRIVERS, VEHICLES


class DriverInactive(Conflict):
    """A driver who is inactive, suspended or terminated cannot be online."""

    code = "driver_inactive"
    title = "The driver is not active; change the status first."


async def set_online(db: Db, driver: Driver, *, online: bool | None) -> Driver:
    """Bring a driver online or offline; into the other state, when none is named."""
    wanted = not driver.online if online is None else online
    check_online(driver, online=wanted)
    saved, changed = await DRIVERS.change(db, driver, online=wanted)
    await tell_presence(db, saved, changed)
    return saved


def check_online(driver: Driver, *, online: bool) -> None:
    """Refuse to bring somebody online who may not work."""
    if online and not eligibility.may_work(driver.status):
        raise DriverInactive


async def tell_presence(db: Db, driver: Driver, changed: list[str]) -> None:
    """Tell that a driver went online or offline, if that changed."""
    if "online" in changed:
        name = Name.DRIVER_ONLINE if driver.online else Name.DRIVER_OFFLINE
        data = DriverPresence.of(driver)
        await outbox.emit(db, driver.company, name, data, subject=driver.public_id)


async def track_driver(db: Db, driver: Driver, fix: Fix, least: Locations | None = None) -> Driver:
    """Keep where a driver was, and move the driver and the vehicle there unless it is old news.

    `least` is how far and how long the installation has events of it apart.
    """
    vehicle = None
    if driver.vehicle is not None:
        vehicle = await VEHICLES.take(db, driver.company, driver.vehicle)
    await _keep(db, driver.company, fix, driver=driver.uuid, vehicle=driver.vehicle)
    if vehicle is not None:
        await _move_vehicle(db, vehicle, fix)
    return await _move_driver(db, driver, fix, least or Locations())


async def track_vehicle(db: Db, vehicle: Vehicle, fix: Fix) -> Vehicle:
    """Keep where a vehicle was, and move it there unless it is old news."""
    await _keep(db, vehicle.company, fix, driver=None, vehicle=vehicle.uuid)
    return await _move_vehicle(db, vehicle, fix)


async def _keep(
    db: Db, company: UUID, fix: Fix, *, driver: UUID | None, vehicle: UUID | None
) -> None:
    row = Position(
        uuid=db.new_uuid(),
        company=company,
        driver=driver,
        vehicle=vehicle,
        accuracy=fix.accuracy,
        recorded_at=fix.recorded_at,
        created_at=db.now,
        **_measured(fix),
    )
    await db.insert("positions", row)


async def _move_vehicle(db: Db, vehicle: Vehicle, fix: Fix) -> Vehicle:
    if not fixes.newer(fix.recorded_at, vehicle.located_at):
        return vehicle
    live = _measured(fix) | {"located_at": fix.recorded_at}
    await db.update("vehicles", vehicle.uuid, **live)
    return msgspec.structs.replace(vehicle, **live)


async def _move_driver(db: Db, driver: Driver, fix: Fix, least: Locations) -> Driver:
    if not fixes.newer(fix.recorded_at, driver.located_at):
        return driver
    moved = await _worth_telling(db, driver, fix, least)
    live = _measured(fix) | {"located_at": fix.recorded_at}
    if moved:
        live |= {
            "told_latitude": fix.point.latitude,
            "told_longitude": fix.point.longitude,
            "told_at": fix.recorded_at,
        }
    # Not `DRIVERS.change`: a moving driver's profile stays editable by whoever has its version.
    await db.update("drivers", driver.uuid, **live)
    saved = msgspec.structs.replace(driver, **live)
    if moved:
        data = DriverLocationChanged.of(saved)
        await outbox.emit(
            db, saved.company, Name.DRIVER_LOCATION_CHANGED, data, subject=saved.public_id
        )
    return saved


async def _worth_telling(db: Db, driver: Driver, fix: Fix, least: Locations) -> bool:
    """Tell whether a driver went so far, and so long after the last time, that others hear of it.

    Each event is a row that is kept and sent: a device that reports each second must not fill
    the log of all.
    """
    if not fixes.moved(driver.told, fix.point, fixes.LEAST_MOVE):
        return False
    apart = least.within((await company_settings.of(db, driver.company)).locations)
    return fixes.moved(driver.told, fix.point, apart.distance) and fixes.rested(
        driver.told_at, fix.recorded_at, apart.interval
    )


def _measured(fix: Fix) -> dict[str, Any]:
    """Name the columns that say where something is, and how it moves."""
    return {
        "latitude": fix.point.latitude,
        "longitude": fix.point.longitude,
        "heading": fix.heading,
        "altitude": fix.altitude,
        "speed": fix.speed,
    }
