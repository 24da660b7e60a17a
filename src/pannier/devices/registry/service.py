"""Actions on devices: register, change and delete; and devices that are created on first use."""

from typing import Any, NamedTuple
from uuid import UUID

import asyncpg
import msgspec
from msgspec import UNSET

from pannier.alerts import service as alerts
from pannier.db import Db, Where, columns
from pannier.devices.models import Device, Kind
from pannier.devices.registry import attachments, tokens
from pannier.devices.registry.queries import DEVICES
from pannier.devices.registry.schemas import DeviceChange, NewDeviceIn, to_columns
from pannier.errors import Conflict, FieldError, Invalid
from pannier.fleet import whereabouts
from pannier.fleet.models import Driver, Vehicle
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.fleet.temperatures import check_limits
from pannier.kit import ids


class IdentifierTaken(Conflict):
    """A device's identifier is unique within a company."""

    code = "identifier_taken"
    title = "Another device has this identifier."
    remedy = "Use another identifier."


class DriverHasPhone(Conflict):
    """A driver can have only one device of the kind `phone`."""

    code = "driver_has_phone"
    title = "The driver already has a phone."
    remedy = "Delete that device first."


class KindFixed(Conflict):
    """A device's permissions follow from its kind."""

    code = "device_kind_fixed"
    title = "A device's kind cannot be changed."
    remedy = "Create another device."


class DeviceDeleted(Conflict):
    """Another request deleted the device while this one was creating it."""

    code = "device_left"
    title = "The device was deleted during the request."
    remedy = "Send the request again."


class NewDevice(NamedTuple):
    """A device and the text of its token, which is shown once."""

    device: Device
    token: str


async def create(db: Db, company: UUID, data: NewDeviceIn) -> NewDevice:
    """Register a device with a token, and attach it to a vehicle or driver if one is given."""
    new_columns = to_columns(data)
    vehicle, driver = new_columns.pop("vehicle", None), new_columns.pop("driver")
    data = msgspec.structs.replace(data, kind=new_columns["kind"])
    _check_identifier(None, new_columns)
    _check_adopts(data.kind, new_columns)
    check_limits(new_columns, None)
    if driver is not None:
        new_columns["driver"] = (await _get_phone_driver(db, company, data, driver)).uuid
    new_vehicle = None
    if vehicle is not None:
        new_vehicle = await VEHICLES.resolve_reference(db, company, "vehicle", vehicle, lock=True)
    try:
        row = await DEVICES.create(db, company, **new_columns)
    except asyncpg.UniqueViolationError as error:
        raise _to_conflict(error) from None
    token = await tokens.issue(db, row)
    if new_vehicle is not None:
        row = await attachments.attach(db, row, new_vehicle)
    return NewDevice(row, token)


async def _get_phone_driver(db: Db, company: UUID, data: NewDeviceIn, driver: str) -> Driver:
    """Return the driver of a new phone, or raise Invalid if the device cannot have a driver."""
    phone_driver = await DRIVERS.resolve_reference(db, company, "driver", driver)
    if data.kind != "phone" or isinstance(data.vehicle, str):
        raise Invalid(
            fields=[
                FieldError(
                    "driver",
                    "Only a device of the kind `phone` without a `vehicle` can have a driver.",
                )
            ]
        )
    return phone_driver


async def change(db: Db, device: Device, changes: DeviceChange) -> Device:
    new_columns = to_columns(changes)
    vehicle = new_columns.pop("vehicle", UNSET)
    kind = new_columns.get("kind", device.kind)
    if kind != device.kind and ("gateway" in {kind, device.kind} or attachments.is_fixed(device)):
        raise KindFixed
    _check_identifier(device, new_columns)
    _check_adopts(kind, new_columns)
    check_limits(new_columns, device)
    try:
        updated_device, changed_columns = await DEVICES.change(db, device, **new_columns)
    except asyncpg.UniqueViolationError as error:
        raise _to_conflict(error) from None
    if "reporting_interval" in changed_columns:
        await _schedule_status_check(db, updated_device)
    return (
        updated_device if vehicle is UNSET else await _move_to_vehicle(db, updated_device, vehicle)
    )


async def _move_to_vehicle(db: Db, device: Device, vehicle: str | None) -> Device:
    """Attach a device to another vehicle, or detach it."""
    if vehicle is None:
        return device if device.vehicle is None else await attachments.detach(db, device)
    new_vehicle = await VEHICLES.resolve_reference(
        db, device.company, "vehicle", vehicle, lock=True
    )
    if device.vehicle == new_vehicle.uuid:
        return device
    return await attachments.attach(db, device, new_vehicle)


def _check_identifier(device: Device | None, new_columns: dict[str, Any]) -> None:
    """Reject an identifier that looks like a public id: it could name another record."""
    current_identifier = None if device is None else device.identifier
    if new_columns.get("identifier", current_identifier) == current_identifier:
        return
    if device is not None and device.driver is None and attachments.is_fixed(device):
        raise attachments.DeviceFixed
    if ids.is_public_id(new_columns["identifier"] or ""):
        message = "must not look like an id of Pannier, such as device_…"
        raise Invalid(fields=[FieldError("identifier", message)])


def _check_adopts(kind: Kind, new_columns: dict[str, Any]) -> None:
    if new_columns.get("adopts") and kind != "gateway":
        raise Invalid(
            fields=[FieldError("adopts", "Only a gateway can adopt devices. Leave this out.")]
        )


def _to_conflict(violation: asyncpg.UniqueViolationError) -> Conflict:
    return DriverHasPhone() if violation.constraint_name == "devices_phone" else IdentifierTaken()


async def delete(db: Db, device: Device) -> Device:
    """Delete a device and end its tokens and attachment. Its events stay."""
    await tokens.revoke_all(db, device)
    await attachments.end_attachment(db, device)
    await whereabouts.delete(db, device.company, device.uuid)
    removed_device = await DEVICES.remove(db, device)
    await alerts.close_all_alerts(db, device.company, device.uuid)
    return removed_device


async def _schedule_status_check(db: Db, device: Device) -> None:
    """Schedule a device's status check for now."""
    await db.execute(
        """update device_states set status_due_at = :now
           where company = :company and device = :device""",
        now=db.now,
        company=device.company,
        device=device.uuid,
    )


async def get_or_create_phone(db: Db, driver: Driver) -> Device:
    """Return a driver's phone; create it on first use. Concurrent requests create it once."""
    device = await find_phone(db, driver)
    if device is None:
        # Without the driver's name, because the phone's events outlive the driver.
        name = f"Phone of {driver.public_id}"
        await _create_device(db, driver.company, name, "phone", driver=driver.uuid)
        device = await find_phone(db, driver)
    return _require_device(device)


async def find_phone(db: Db, driver: Driver) -> Device | None:
    """Return a driver's phone, if it exists."""
    return await _find_device(db, DEVICES.where(driver.company).add_equal(driver=driver.uuid))


async def get_or_create_virtual_device(db: Db, vehicle: Vehicle) -> Device:
    """Return the virtual device for a vehicle's own reports; create it on first use.

    It is attached to the vehicle for all time.
    """
    device = await find_virtual_device(db, vehicle)
    if device is None:
        name = f"Reports of {vehicle.plate_number or vehicle.public_id}"
        is_created = await _create_device(
            db,
            vehicle.company,
            name,
            "virtual",
            vehicle=vehicle.uuid,
            identifier=vehicle.public_id,
        )
        device = _require_device(await find_virtual_device(db, vehicle))
        if is_created:
            await attachments.attach_permanently(db, device, vehicle)
    return device


async def find_virtual_device(db: Db, vehicle: Vehicle) -> Device | None:
    """Return the virtual device for a vehicle's own reports, if it exists."""
    where = DEVICES.where(vehicle.company).add_equal(identifier=vehicle.public_id)
    return await _find_device(db, where)


async def _find_device(db: Db, where: Where) -> Device | None:
    return await db.find(Device, f"select {columns(Device)} from devices {where}", **where.values)


def _require_device(device: Device | None) -> Device:
    """Return a device that was just created, or raise DeviceDeleted if it was deleted meanwhile."""
    if device is None:
        raise DeviceDeleted
    return device


async def _create_device(
    db: Db,
    company: UUID,
    name: str,
    kind: Kind,
    *,
    identifier: str | None = None,
    vehicle: UUID | None = None,
    driver: UUID | None = None,
) -> bool:
    """Create a device unless another transaction does; return whether it was created here."""
    inserted_rows = await db.execute(
        """insert into devices (uuid, public_id, company, name, kind, identifier, vehicle, driver,
               meta, created_at, updated_at)
           values (:uuid, :public_id, :company, :name, :kind, :identifier, :vehicle, :driver,
               '{}', :now, :now)
           on conflict do nothing""",
        uuid=db.new_uuid(),
        public_id=ids.new_public_id("device"),
        company=company,
        name=name,
        kind=kind,
        identifier=identifier,
        vehicle=vehicle,
        driver=driver,
        now=db.now,
    )
    return inserted_rows > 0
