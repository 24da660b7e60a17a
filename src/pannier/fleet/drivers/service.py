"""Create, change and delete drivers."""

from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg
import msgspec

from pannier.accounts.company_settings import phones
from pannier.alerts import service as alerts
from pannier.alerts.models import AlertCause
from pannier.db import Db
from pannier.errors import Conflict
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.fleet import (
    costs,
    drives,
    eligibility,
    positions,
    presence,
    queries,
    service,
    signin,
    whereabouts,
)
from pannier.fleet.drivers.queries import load_place_ids
from pannier.fleet.drivers.schemas import DriverChange, DriverIn, parse_columns
from pannier.fleet.events import Assignment, DriverUpdated
from pannier.fleet.models import Driver, Vehicle
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.fleet.whereabouts import Move
from pannier.places.queries import places
from pannier.web.times import to_rfc3339


class DriverPhoneTaken(Conflict):
    """A driver's phone number is unique within a company."""

    code = "phone_taken"
    title = "Another driver has this phone number."
    remedy = "Use another number."


class VehicleTaken(Conflict):
    """A vehicle can have only one driver."""

    code = "vehicle_taken"
    title = "The vehicle is assigned to another driver."
    remedy = "Unassign it first."


async def create(db: Db, company: UUID, data: DriverIn) -> Driver:
    """Create a driver, and emit the same events as a change of vehicle, presence and position."""
    columns, position = positions.split_fields(
        parse_columns(data, await phones.make_parser(db, company, data.phone))
    )
    columns = await _resolve_places_and_cost(db, company, columns)
    fix = positions.parse_first_fix(position, db.now)
    deferred_columns = {"vehicle": columns.pop("vehicle", None), "online": columns.pop("online")}
    try:
        row = await DRIVERS.create(db, company, vehicle=None, online=False, **columns)
    except asyncpg.UniqueViolationError:
        raise DriverPhoneTaken from None
    presence.check_online(row, online=deferred_columns["online"])
    if fix is not None:
        await whereabouts.record_first_position(db, company, Move(row.uuid, "driver", fix))
    vehicle = await _lock_free_vehicle(db, row, deferred_columns["vehicle"])
    if vehicle is not None:
        old_row, row = row, msgspec.structs.replace(row, vehicle=vehicle.uuid)
        await db.update("drivers", row.uuid, vehicle=vehicle.uuid)
        await drives.record_change(db, old_row, row)
        await service.emit_vehicle_assigned(db, vehicle, _make_assignment(row))
    if deferred_columns["online"]:
        row = msgspec.structs.replace(row, online=True)
        await db.update("drivers", row.uuid, online=True)
        await presence.emit_presence(db, row, ["online"])
    return row


async def change(db: Db, driver: Driver, changes: DriverChange) -> Driver:
    """Change a driver's details, and emit the changes."""
    new_columns, position = positions.split_fields(
        parse_columns(changes, await phones.make_parser(db, driver.company, changes.phone))
    )
    new_columns = await _resolve_places_and_cost(db, driver.company, new_columns, driver)
    await whereabouts.check_unmoved(db, driver, position, "drivers")
    vehicle: Vehicle | None = None
    if "vehicle" in new_columns:
        vehicle = await _lock_free_vehicle(db, driver, new_columns["vehicle"])
        new_columns["vehicle"] = vehicle.uuid if vehicle else None
    return await _save_driver(db, driver, _take_barred_offline(driver, new_columns), vehicle)


async def _resolve_places_and_cost(
    db: Db, company: UUID, columns: dict[str, Any], row: Driver | None = None
) -> dict[str, Any]:
    """Resolve the places where work begins and ends, and the currency of the cost."""
    current_ids = {} if row is None else await load_place_ids(db, company, [row])
    for name in ("start_place", "end_place"):
        identifier, current_place = columns.get(name), getattr(row, name, None)
        if identifier is None:
            continue
        # Clients may send back a driver that they read, even if the place was deleted.
        if current_place is not None and identifier in {
            str(current_place),
            current_ids[current_place],
        }:
            columns[name] = current_place
        else:
            columns[name] = (await places.resolve_reference(db, company, name, identifier)).uuid
    return await costs.resolve_currency(db, company, columns, "cost_per_hour", row)


def _take_barred_offline(driver: Driver, new_columns: dict[str, Any]) -> dict[str, Any]:
    """Set a driver offline if the new status bars work. Refuse to set a barred driver online."""
    status = new_columns.get("status", driver.status)
    if eligibility.can_work(status):
        return new_columns
    if status == driver.status:
        presence.check_online(driver, online=new_columns.get("online", False))
    return {**new_columns, "online": False}


async def _save_driver(
    db: Db, driver: Driver, new_columns: dict[str, Any], vehicle: Vehicle | None
) -> Driver:
    try:
        updated_driver, changed_columns = await DRIVERS.change(db, driver, **new_columns)
    except asyncpg.UniqueViolationError:
        # We hold the vehicle's lock, so only the phone can violate a constraint.
        raise DriverPhoneTaken from None
    await drives.record_change(db, driver, updated_driver)
    if "phone" in changed_columns or not eligibility.can_work(updated_driver.status):
        await signin.sign_out_everywhere(
            db, driver, reason="phone" if "phone" in changed_columns else "status"
        )
    await emit_driver_updated(
        db, updated_driver, [name for name in changed_columns if name != "online"]
    )
    if vehicle is not None and "vehicle" in changed_columns:
        await service.emit_vehicle_assigned(db, vehicle, _make_assignment(updated_driver))
    await presence.emit_presence(db, updated_driver, changed_columns)
    return updated_driver


async def _lock_free_vehicle(db: Db, driver: Driver, identifier: str | None) -> Vehicle | None:
    """Lock a driver's new vehicle. Refuse one that has another driver."""
    if identifier is None:
        return None
    vehicle = await VEHICLES.resolve_reference(db, driver.company, "vehicle", identifier, lock=True)
    driver_ids = await queries.load_driver_ids(db, driver.company, [vehicle.uuid])
    if driver_ids.get(vehicle.uuid, driver.public_id) != driver.public_id:
        raise VehicleTaken(
            f"The vehicle is assigned to {driver_ids[vehicle.uuid]}. Unassign it first."
        )
    return vehicle


def _make_assignment(driver: Driver) -> Assignment:
    return Assignment("driver", driver.public_id, driver.name)


async def emit_driver_updated(db: Db, driver: Driver, changed_columns: list[str]) -> None:
    """Emit the changed details of a driver, if there are any."""
    if not changed_columns:
        return
    vehicles = await queries.load_public_ids(db, driver.company, VEHICLES, [driver.vehicle])
    place_ids = await load_place_ids(db, driver.company, [driver])
    data = DriverUpdated.from_row(
        driver,
        changed_columns,
        vehicle=driver.vehicle and vehicles[driver.vehicle],
        start_place=driver.start_place and place_ids[driver.start_place],
        end_place=driver.end_place and place_ids[driver.end_place],
    )
    await outbox.emit(db, driver.company, Name.DRIVER_UPDATED, data, subject=driver.public_id)


async def call_for_help(db: Db, driver: Driver, occurred_at: datetime | None) -> None:
    """Alert the operators that a locked driver calls for help. Each call counts."""
    details = {} if occurred_at is None else {"occurred_at": to_rfc3339(occurred_at)}
    cause = AlertCause(
        kind="sos",
        subject=driver.public_id,
        subject_uuid=driver.uuid,
        id=str(db.new_uuid()),
        details=details,
    )
    await alerts.raise_alert(db, driver.company, cause)


async def delete(db: Db, driver: Driver) -> Driver:
    """Delete a driver with sessions, presence, position and memberships. The vehicle stays."""
    deleted_driver, changed_columns = await DRIVERS.change(
        db, driver, deleted_at=db.now, online=False, vehicle=None
    )
    await drives.record_change(db, driver, deleted_driver)
    await signin.sign_out_everywhere(db, driver, reason="let go")
    await db.execute(
        "delete from fleet_members where company = :company and driver = :driver",
        company=driver.company,
        driver=driver.uuid,
    )
    await presence.emit_presence(db, deleted_driver, changed_columns)
    await whereabouts.delete(db, driver.company, driver.uuid)
    return deleted_driver
