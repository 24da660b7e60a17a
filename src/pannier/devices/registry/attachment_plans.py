"""Pure rules for the attachments of devices to vehicles.

Attachments of a device never overlap. A new one ends the previous one. One that would start before
another started or ended is rejected, because it is unclear which one is correct.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from pannier.devices.models import Attachment
from pannier.errors import Conflict


class AttachmentOverlaps(Conflict):
    """A device cannot be attached to two vehicles at the same time."""

    code = "attachment_overlaps"
    title = "The device was attached to another vehicle at that time."
    remedy = "Choose a time after it was detached."


class DeviceNotAttached(Conflict):
    """Only a device that is attached to a vehicle can be detached."""

    code = "device_not_attached"
    title = "The device is not attached to a vehicle."
    remedy = "Attach it first."


class AttachmentPlan(NamedTuple):
    """The changes to write: to the last attachment, and whether a new one begins."""

    begins: bool = False
    last_since: datetime | None = None
    last_until: datetime | None = None
    removes_last: bool = False


def plan_attachment(
    latest_attachments: Sequence[Attachment],
    vehicle: UUID,
    since: datetime,
    vehicle_deleted_at: datetime | None = None,
) -> AttachmentPlan:
    """Plan an attachment; `latest_attachments` has the last two, latest first.

    `vehicle_deleted_at` is when the vehicle of the last one was deleted, if it was.
    """
    last_attachment = latest_attachments[0] if latest_attachments else None
    if last_attachment is None:
        return AttachmentPlan(begins=True)
    if last_attachment.until is not None:
        _check_not_before(since, last_attachment.until)
        return AttachmentPlan(begins=True)
    if last_attachment.vehicle == vehicle:
        return _plan_earlier_start(latest_attachments, since)
    _check_not_before(since, last_attachment.since)
    if since == last_attachment.since:
        return AttachmentPlan(begins=True, removes_last=True)
    return AttachmentPlan(begins=True, last_until=min(since, vehicle_deleted_at or since))


def _plan_earlier_start(
    latest_attachments: Sequence[Attachment], since: datetime
) -> AttachmentPlan:
    """Move the start of the current attachment back, unless it would overlap another one."""
    last_attachment, *previous_attachments = latest_attachments
    if since >= last_attachment.since:
        return AttachmentPlan()
    for attachment in previous_attachments:
        _check_not_before(since, attachment.until or attachment.since)
    return AttachmentPlan(last_since=since)


def plan_detachment(
    latest_attachments: Sequence[Attachment],
    until: datetime,
    vehicle_deleted_at: datetime | None = None,
) -> AttachmentPlan:
    """Plan the end of the current attachment."""
    if not latest_attachments or latest_attachments[0].until is not None:
        raise DeviceNotAttached
    _check_not_before(until, latest_attachments[0].since)
    if until == latest_attachments[0].since:
        return AttachmentPlan(removes_last=True)
    return AttachmentPlan(last_until=min(until, vehicle_deleted_at or until))


def _check_not_before(moment: datetime, earliest: datetime) -> None:
    if moment < earliest:
        raise AttachmentOverlaps(
            f"Choose {earliest.isoformat()} or later. Until then another vehicle had it."
        )
