"""Create, change and delete drivers."""

from typing import Any
from uuid import UUID

import asyncpg
import msgspec

from pannier.accounts.company_settings import phones
from pannier.db import Db
from pannier.errors import Conflict
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.fleet import (
    drives,
    eligibility,
    positions,
    presence,
    queries,
    service,
    signin,
    whereabouts,
)
from pannier.fleet.drivers.schemas import DriverChange, DriverIn, parsed
from pannier.fleet.events import Assignment, DriverUpdated
from pannier.fleet.models import Driver, Vehicle
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.fleet.whereabouts import Move


class PhoneTaken(Conflict):
    """Phone numbers of drivers are unique within a company."""

    code = "phone_taken"
    title = "Another driver has this phone number."
    remedy = "Use another number."


class VehicleTaken(Conflict):
    """A vehicle has at most one driver."""

    code = "vehicle_taken"
    title = "The vehicle is assigned to another driver."
    remedy = "Unassign it first."


async def take_in(db: Db, company: UUID, data: DriverIn) -> Driver:
    """Create a driver, and emit its vehicle, presence and position as any change does."""
    columns, position = positions.split(parsed(data, await phones.reader(db, company, data.phone)))
    fix = positions.first_fix(position, db.now)
    later = {"vehicle": columns.pop("vehicle", None), "online": columns.pop("online")}
    try:
        row = await DRIVERS.create(db, company, vehicle=None, online=False, **columns)
    except asyncpg.UniqueViolationError:
        raise PhoneTaken from None
    presence.check_online(row, online=later["online"])
    if fix is not None:
        await whereabouts.place(db, company, Move(row.uuid, "driver", fix))
    vehicle = await _vehicle(db, row, later["vehicle"])
    if vehicle is not None:
        before, row = row, msgspec.structs.replace(row, vehicle=vehicle.uuid)
        await db.update("drivers", row.uuid, vehicle=vehicle.uuid)
        await drives.note(db, before, row)
        await service.tell_vehicle_assigned(db, vehicle, _to(row))
    if later["online"]:
        row = msgspec.structs.replace(row, online=True)
        await db.update("drivers", row.uuid, online=True)
        await presence.tell_presence(db, row, ["online"])
    return row


async def change(db: Db, driver: Driver, wish: DriverChange) -> Driver:
    """Change a driver's details, and emit the changes."""
    wanted, position = positions.split(
        parsed(wish, await phones.reader(db, driver.company, wish.phone))
    )
    await whereabouts.check_unmoved(db, driver, position, "drivers")
    vehicle: Vehicle | None = None
    if "vehicle" in wanted:
        vehicle = await _vehicle(db, driver, wanted["vehicle"])
        wanted["vehicle"] = vehicle.uuid if vehicle else None
    return await _saved(db, driver, _fit(driver, wanted), vehicle)


def _fit(driver: Driver, wanted: dict[str, Any]) -> dict[str, Any]:
    """Set a driver offline whose new status bars work; refuse to set a barred driver online."""
    status = wanted.get("status", driver.status)
    if eligibility.may_work(status):
        return wanted
    if status == driver.status:
        presence.check_online(driver, online=wanted.get("online", False))
    return {**wanted, "online": False}


async def _saved(db: Db, driver: Driver, wanted: dict[str, Any], vehicle: Vehicle | None) -> Driver:
    try:
        saved, changed = await DRIVERS.change(db, driver, **wanted)
    except asyncpg.UniqueViolationError:
        # We hold the vehicle's lock, so only the phone can violate a constraint.
        raise PhoneTaken from None
    await drives.note(db, driver, saved)
    if "phone" in changed or not eligibility.may_work(saved.status):
        await signin.sign_out_everywhere(db, driver, by="phone" if "phone" in changed else "status")
    await tell_updated(db, saved, [name for name in changed if name != "online"])
    if vehicle is not None and "vehicle" in changed:
        await service.tell_vehicle_assigned(db, vehicle, _to(saved))
    await presence.tell_presence(db, saved, changed)
    return saved


async def _vehicle(db: Db, driver: Driver, identifier: str | None) -> Vehicle | None:
    """Lock the vehicle that a driver gets; refuse one that has another driver."""
    if identifier is None:
        return None
    vehicle = await VEHICLES.named(db, driver.company, "vehicle", identifier, hold=True)
    present = await queries.drivers_of(db, driver.company, [vehicle.uuid])
    if present.get(vehicle.uuid, driver.public_id) != driver.public_id:
        raise VehicleTaken(
            f"The vehicle is assigned to {present[vehicle.uuid]}. Unassign it first."
        )
    return vehicle


def _to(driver: Driver) -> Assignment:
    return Assignment("driver", driver.public_id, driver.name)


async def tell_updated(db: Db, driver: Driver, changed: list[str]) -> None:
    """Emit which details of a driver changed, if any did."""
    if not changed:
        return
    names = await queries.public_ids(db, driver.company, VEHICLES, [driver.vehicle])
    vehicle = None if driver.vehicle is None else names[driver.vehicle]
    data = DriverUpdated.of(driver, vehicle, changed)
    await outbox.emit(db, driver.company, Name.DRIVER_UPDATED, data, subject=driver.public_id)


async def let_go(db: Db, driver: Driver) -> Driver:
    """Delete a driver: end sessions, presence, position and memberships; the vehicle stays."""
    gone, changed = await DRIVERS.change(db, driver, deleted_at=db.now, online=False, vehicle=None)
    await drives.note(db, driver, gone)
    await signin.sign_out_everywhere(db, driver, by="let go")
    await db.execute(
        "delete from fleet_members where company = :company and driver = :driver",
        company=driver.company,
        driver=driver.uuid,
    )
    await presence.tell_presence(db, gone, changed)
    await whereabouts.forget(db, driver.company, driver.uuid)
    return gone
