"""Verbs of presence: being online, and being somewhere."""

from typing import Any
from uuid import UUID

from pannier.accounts.company_settings.models import Locations
from pannier.db import Db
from pannier.errors import Conflict
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.fleet import eligibility, whereabouts
from pannier.fleet.events import DriverPresence
from pannier.fleet.fixes import Fix
from pannier.fleet.models import Driver, Position, Vehicle
from pannier.fleet.queries import DRIVERS
from pannier.fleet.whereabouts import Move


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
        known = await whereabouts.of(db, driver.company, [driver.uuid])
        data = DriverPresence.of(driver, known.get(driver.uuid))
        await outbox.emit(db, driver.company, name, data, subject=driver.public_id)


async def track_driver(db: Db, driver: Driver, fix: Fix, least: Locations | None = None) -> None:
    """Keep where a driver was, and move the driver and the vehicle there unless it is old news.

    `least` is how far and how long the installation has events of it apart.
    """
    await _keep(db, driver.company, fix, driver=driver.uuid, vehicle=driver.vehicle)
    moves = [Move(driver.uuid, "driver", fix)]
    if driver.vehicle is not None:
        moves.append(Move(driver.vehicle, "vehicle", fix))
    await whereabouts.move(db, driver.company, moves, least or Locations())


async def track_vehicle(db: Db, vehicle: Vehicle, fix: Fix, least: Locations | None = None) -> None:
    """Keep where a vehicle was, and move it there unless it is old news."""
    await _keep(db, vehicle.company, fix, driver=None, vehicle=vehicle.uuid)
    moves = [Move(vehicle.uuid, "vehicle", fix)]
    await whereabouts.move(db, vehicle.company, moves, least or Locations())


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


def _measured(fix: Fix) -> dict[str, Any]:
    """Name the columns that say where something is, and how it moves."""
    return {
        "latitude": fix.point.latitude,
        "longitude": fix.point.longitude,
        "heading": fix.heading,
        "altitude": fix.altitude,
        "speed": fix.speed,
    }
