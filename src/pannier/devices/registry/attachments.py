"""Actions on attachments: attach and detach devices, with their history."""

from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from pannier.accounts.audit import record_by_operator
from pannier.db import Db
from pannier.devices.models import Attachment, Device
from pannier.devices.registry import attachment_plans, queries
from pannier.devices.registry.attachment_plans import AttachmentPlan
from pannier.devices.registry.queries import DEVICES
from pannier.errors import Conflict, FieldError, Invalid
from pannier.fleet.models import Vehicle
from pannier.fleet.queries import VEHICLES
from pannier.kit import ids

# Start of attachments that have always existed.
EARLIEST_START: Final = datetime(1970, 1, 1, tzinfo=UTC)


class DeviceFixed(Conflict):
    """A driver's phone is always attached to the driver's vehicle.

    A virtual device is always attached to its own vehicle.
    """

    code = "device_fixed"
    title = "This device's vehicle is managed elsewhere."
    remedy = "Change the driver's vehicle, or the vehicle itself."


async def attach(db: Db, device: Device, vehicle: Vehicle, since: datetime | None = None) -> Device:
    """Attach a device to a vehicle, which ends its attachment to another one."""
    _check_attachable(device)
    moment = _require_past_or_now(db, "since", since)
    latest_attachments = await queries.load_latest_attachments(db, device.company, device.uuid)
    plan = attachment_plans.plan_attachment(
        latest_attachments,
        vehicle.uuid,
        moment,
        await _load_vehicle_deleted_at(db, latest_attachments),
    )
    await _apply_plan(db, latest_attachments, plan)
    if plan.begins:
        await _insert_attachment(db, device, vehicle, moment)
    await _queue_positions(db, device, moment)
    details = {"vehicle": vehicle.public_id, "since": moment}
    return await _save_vehicle(db, device, vehicle.uuid, "attached", details)


async def detach(db: Db, device: Device, until: datetime | None = None) -> Device:
    _check_attachable(device)
    moment = _require_past_or_now(db, "until", until)
    latest_attachments = await queries.load_latest_attachments(db, device.company, device.uuid)
    await _apply_plan(
        db,
        latest_attachments,
        attachment_plans.plan_detachment(
            latest_attachments, moment, await _load_vehicle_deleted_at(db, latest_attachments)
        ),
    )
    await _queue_positions(db, device, moment)
    return await _save_vehicle(db, device, None, "detached", {"until": moment})


async def end_attachment(db: Db, device: Device) -> None:
    """End the attachment of a device that is being deleted."""
    latest_attachments = await queries.load_latest_attachments(db, device.company, device.uuid)
    if latest_attachments and latest_attachments[0].until is None:
        await _apply_plan(
            db,
            latest_attachments,
            attachment_plans.plan_detachment(
                latest_attachments, max(db.now, latest_attachments[0].since)
            ),
        )


async def attach_permanently(db: Db, device: Device, vehicle: Vehicle) -> None:
    """Attach a virtual device to its vehicle for all time."""
    await _insert_attachment(db, device, vehicle, EARLIEST_START)


async def _insert_attachment(db: Db, device: Device, vehicle: Vehicle, since: datetime) -> None:
    row = Attachment(
        uuid=db.new_uuid(),
        company=device.company,
        device=device.uuid,
        vehicle=vehicle.uuid,
        since=since,
    )
    await db.insert("attachments", row)


async def _queue_positions(db: Db, device: Device, since: datetime) -> None:
    """Queue the device's events since that time, because they now belong to another vehicle."""
    if since < db.now:
        await db.execute(
            """insert into device_backlog (company, device, since, until)
               values (:company, :device, :since, :until)""",
            company=device.company,
            device=device.uuid,
            since=since,
            until=db.now,
        )


async def _save_vehicle(
    db: Db, device: Device, vehicle: UUID | None, action: str, details: dict[str, Any]
) -> Device:
    """Save the device's vehicle, and log the action even if the vehicle is the same."""
    updated_device, changed_columns = await DEVICES.change(
        db, device, log_action=action, log_details=details, vehicle=vehicle
    )
    if not changed_columns:
        record_by_operator(db, device.company, f"device.{action}", device.public_id, **details)
    return updated_device


def is_fixed(device: Device) -> bool:
    """Return whether a device cannot be attached freely."""
    return device.driver is not None or ids.is_public_id(device.identifier or "")


def _check_attachable(device: Device) -> None:
    if is_fixed(device):
        raise DeviceFixed


def _require_past_or_now(db: Db, field: str, moment: datetime | None) -> datetime:
    """Return the given time or now; reject a time in the future."""
    if moment is not None and moment > db.now:
        raise Invalid(fields=[FieldError(field, "must not be in the future.")])
    return moment or db.now


async def _load_vehicle_deleted_at(db: Db, latest_attachments: list[Attachment]) -> datetime | None:
    """Return when the vehicle of the last attachment was deleted, if it was."""
    if not latest_attachments:
        return None
    vehicles = await VEHICLES.load_many(
        db, latest_attachments[0].company, [latest_attachments[0].vehicle]
    )
    return vehicles[latest_attachments[0].vehicle].deleted_at


async def _apply_plan(db: Db, latest_attachments: list[Attachment], plan: AttachmentPlan) -> None:
    """Apply a plan to the last attachment."""
    if plan.removes_last:
        await db.execute(
            "delete from attachments where uuid = :uuid", uuid=latest_attachments[0].uuid
        )
    if plan.last_since is not None:
        await db.update("attachments", latest_attachments[0].uuid, since=plan.last_since)
    if plan.last_until is not None:
        await db.update("attachments", latest_attachments[0].uuid, until=plan.last_until)
