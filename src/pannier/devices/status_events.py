"""The worker step that reports once when a device falls silent or reports again.

Storing a reading only updates the last contact and the time of the next check. Status events are
emitted here alone.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.alerts import service as alerts
from pannier.alerts.models import AlertCause
from pannier.db import Database, Db
from pannier.devices import derived, event_types
from pannier.devices.derived import DerivedEvent
from pannier.devices.models import Kind, Status
from pannier.devices.registry import queries as registry
from pannier.devices.rules import silence
from pannier.web.times import to_rfc3339

DEVICES_PER_STEP: Final = 500
_LOCK_DUE: Final = """
    select s.device, s.company, d.public_id, d.kind, d.number, d.reporting_interval,
           s.last_seen_at, s.status, d.deleted_at is not null as is_deleted
    from device_states s join devices d on d.uuid = s.device
    where s.status_due_at <= :now
    order by s.status_due_at limit :batch for update of s skip locked"""
_UPDATE_STATUSES: Final = """
    update device_states s set status = n.status, status_due_at = n.due_at
    from unnest(:devices::uuid[], :statuses::text[], :due::timestamptz[])
        as n (device, status, due_at)
    where s.device = n.device"""
# Kinds whose silence is no alert.
UNWATCHED_KINDS: Final = frozenset({"phone", "virtual"})
# Severity of the event for each status.
STATUS_SEVERITIES: Final = {"online": "info", "stale": "warning", "offline": "high"}


class DueDevice(msgspec.Struct, frozen=True):
    """A device whose status is due for a check: its reported status and its last contact."""

    device: UUID
    company: UUID
    public_id: str
    kind: Kind
    number: int
    reporting_interval: int
    last_seen_at: datetime
    status: Status
    is_deleted: bool

    def current_status(self, now: datetime) -> Status:
        """Return the current status. A deleted device keeps its last one."""
        if self.is_deleted:
            return self.status
        return silence.status(self.last_seen_at, self.reporting_interval, now)

    def next_check_at(self, now: datetime) -> datetime | None:
        """Return when the status can change next, or None."""
        if self.is_deleted:
            return None
        status = self.current_status(now)
        return silence.next_check_at(status, self.last_seen_at, self.reporting_interval, now)

    def derive_events(self, now: datetime) -> Iterator[DerivedEvent]:
        """Yield an event for each status since the last check, at the time when it began."""
        for status in silence.list_statuses_to_report(self.status, self.current_status(now)):
            yield DerivedEvent(
                company=self.company,
                number=self.number,
                type=event_types.HEARTBEAT,
                at=silence.status_start(status, self.last_seen_at, self.reporting_interval),
                data={"status": status, "last_seen_at": to_rfc3339(self.last_seen_at)},
                severity=event_types.SEVERITIES.index(STATUS_SEVERITIES[status]),
            )


async def step(database: Database) -> bool:
    """Check the devices that are due; return whether there were any."""
    async with database.transaction() as db:
        # Contacts later than this may still be deferred.
        now = await registry.load_recorded_until(db)
        due_devices = await db.fetch_all(DueDevice, _LOCK_DUE, now=now, batch=DEVICES_PER_STEP)
        if due_devices:
            await _report_changes(db, due_devices, now)
    return bool(due_devices)


async def _report_changes(db: Db, due_devices: Sequence[DueDevice], now: datetime) -> None:
    await db.execute(
        _UPDATE_STATUSES,
        devices=[device.device for device in due_devices],
        statuses=[device.current_status(now) for device in due_devices],
        due=[device.next_check_at(now) for device in due_devices],
    )
    for device in sorted(due_devices, key=lambda device: device.device):
        await _update_alert(db, device, device.current_status(now))
    events = [event for device in due_devices for event in device.derive_events(now)]
    await derived.store_events(db, events)


async def _update_alert(db: Db, device: DueDevice, status: Status) -> None:
    """Alert the operators of a device that is offline. Phones are silent after each shift."""
    if device.is_deleted or (status != "offline" and device.status == "offline"):
        await alerts.close_alerts(db, device.company, "device_silent", [device.device])
    elif status == "offline" and device.kind not in UNWATCHED_KINDS:
        cause = AlertCause(
            kind="device_silent",
            subject=device.public_id,
            subject_uuid=device.device,
            details={"last_seen_at": to_rfc3339(device.last_seen_at)},
        )
        await alerts.raise_alert(db, device.company, cause)
