"""The worker's step that reports, once, when a device falls silent or is back.

Storing a reading only updates the last contact and the time of the next check. Status events are
emitted here alone.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Database, Db
from pannier.devices import derived, kinds
from pannier.devices.derived import Derived
from pannier.devices.models import Status
from pannier.devices.registry import queries as registry
from pannier.devices.rules import silence
from pannier.web.times import stamp

BATCH: Final = 500
_DUE: Final = """
    select s.device, s.company, d.number, d.reporting_interval, s.last_seen_at, s.status,
           d.deleted_at is not null as gone
    from device_states s join devices d on d.uuid = s.device
    where s.status_due_at <= :now
    order by s.status_due_at limit :batch for update of s skip locked"""
_NOTE: Final = """
    update device_states s set status = n.status, status_due_at = n.due_at
    from unnest(:devices::uuid[], :statuses::text[], :due::timestamptz[])
        as n (device, status, due_at)
    where s.device = n.device"""
# Severity of the event for each status.
SEVERITIES: Final = {"online": "info", "stale": "warning", "offline": "high"}


class Due(msgspec.Struct, frozen=True):
    """A device whose status is due for a check: its reported status and its last contact."""

    device: UUID
    company: UUID
    number: int
    reporting_interval: int
    last_seen_at: datetime
    status: Status
    gone: bool

    def present(self, now: datetime) -> Status:
        """Return the current status. A deleted device keeps its last one."""
        if self.gone:
            return self.status
        return silence.status(self.last_seen_at, self.reporting_interval, now)

    def look_again(self, now: datetime) -> datetime | None:
        """Return when the status can change next, or None."""
        if self.gone:
            return None
        told = self.present(now)
        return silence.look_again(told, self.last_seen_at, self.reporting_interval, now)

    def events(self, now: datetime) -> Iterator[Derived]:
        """Yield an event for each status since the last check, at the time when it began."""
        for status in silence.told_next(self.status, self.present(now)):
            yield Derived(
                company=self.company,
                number=self.number,
                type=kinds.HEARTBEAT,
                at=silence.became(status, self.last_seen_at, self.reporting_interval),
                data={"status": status, "last_seen_at": stamp(self.last_seen_at)},
                severity=kinds.SEVERITIES.index(SEVERITIES[status]),
            )


async def step(database: Database) -> bool:
    """Check the devices that are due; return whether there were any."""
    async with database.transaction() as db:
        # Contacts later than this may still be deferred.
        now = await registry.noted(db)
        due = await db.many(Due, _DUE, now=now, batch=BATCH)
        if due:
            await _look(db, due, now)
    return bool(due)


async def _look(db: Db, due: Sequence[Due], now: datetime) -> None:
    await db.execute(
        _NOTE,
        devices=[each.device for each in due],
        statuses=[each.present(now) for each in due],
        due=[each.look_again(now) for each in due],
    )
    await derived.tell(db, [event for each in due for event in each.events(now)])
