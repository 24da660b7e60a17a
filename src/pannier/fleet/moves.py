"""Events about moves: rarely enough to store and deliver, and never without the last position.

A fix changes the current position at once. It emits an event if the subject is far enough from the
position in the last event, and that event is old enough. If it is too recent, the worker emits the
latest position once the interval has passed. So there is at most one event per interval, and the
last event has the place where the subject stopped.

Every event is stored, and a device may report each second. If no webhook of the company receives
moves, and the company has not chosen an interval, they are stored less often. Live positions do
not depend on events.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter
from typing import Final
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import Locations
from pannier.db import Database, Db, columns
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.fleet import fixes
from pannier.fleet.events import DriverLocationChanged, VehicleUpdated
from pannier.fleet.models import Whereabouts
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.kit.hooks import Hook

# Seconds between two events of a subject that no webhook receives.
UNRECEIVED_INTERVAL: Final = 300
# Moves that a worker emits in one transaction.
BATCH_SIZE: Final = 500
# Returns whether a webhook of the company receives one of these events.
has_receiver: Final = Hook[[Db, UUID, Sequence[Name]], bool]("pannier.webhooks.fanout")

MOVE_EVENTS: Final = (Name.DRIVER_LOCATION_CHANGED, Name.VEHICLE_UPDATED)
_MARK_EMITTED: Final = """
    update whereabouts
    set told_latitude = latitude, told_longitude = longitude,
        told_at = greatest(located_at, :told_at::timestamptz), announce_at = null
    where company = :company and subject = any(:subjects)"""
_SCHEDULE: Final = """
    update whereabouts w set announce_at = pannier_now() + wait
    from unnest(:subjects::uuid[], :waits::interval[]) as due (due_subject, wait)
    where company = :company and subject = due_subject"""
_CANCEL: Final = """
    update whereabouts set announce_at = null
    where company = :company and subject = any(:subjects)"""
# Rows that a report is changing are skipped: the report emits them itself, or they are due again.
_LOCK_DUE: Final = f"""
    select {columns(Whereabouts)} from whereabouts where announce_at <= pannier_now()
    order by announce_at limit :limit for update skip locked"""


async def emit_or_schedule(
    db: Db, company: UUID, rows: Sequence[Whereabouts], minimum: Locations
) -> None:
    """Emit the moves that are due, and schedule those whose last event is too recent.

    `rows` are current positions that the transaction has written, without devices.
    """
    if not any(_has_moved(row, fixes.MIN_MOVE_METRES) for row in rows):
        return
    thresholds = await _load_thresholds(db, company, minimum)
    moved_rows = [row for row in rows if _has_moved(row, thresholds.distance)]
    due_rows = [
        row
        for row in moved_rows
        if fixes.has_interval_passed(row.told_at, row.located_at, thresholds.interval)
    ]
    await _emit(db, company, due_rows)
    due_subjects = {row.subject for row in due_rows}
    waits = {
        row.subject: timedelta(seconds=thresholds.interval) - (row.located_at - row.told_at)
        for row in moved_rows
        if row.told_at is not None and row.announce_at is None and row.subject not in due_subjects
    }
    if waits:
        await db.execute(
            _SCHEDULE, company=company, subjects=list(waits), waits=list(waits.values())
        )


async def step(database: Database, minimum: Locations) -> bool:
    """Emit the latest positions of subjects whose last event is old enough now."""
    async with database.transaction() as db:
        await db.prefer_indexes()
        rows = await db.fetch_all(Whereabouts, _LOCK_DUE, limit=BATCH_SIZE)
        for company, group in groupby(
            sorted(rows, key=attrgetter("company")), key=attrgetter("company")
        ):
            await _emit_scheduled(db, company, list(group), minimum)
    return bool(rows)


async def _emit_scheduled(
    db: Db, company: UUID, rows: Sequence[Whereabouts], minimum: Locations
) -> None:
    """Emit scheduled moves, unless the subject has returned to its last position."""
    settings = await company_settings.load(db, company)
    distance = minimum.apply_minimum(settings.locations).distance
    moved_rows = [row for row in rows if _has_moved(row, distance)]
    await _emit(db, company, moved_rows, told_at=db.now)
    moved_subjects = {row.subject for row in moved_rows}
    if returned := [row.subject for row in rows if row.subject not in moved_subjects]:
        await db.execute(_CANCEL, company=company, subjects=returned)


async def _load_thresholds(db: Db, company: UUID, minimum: Locations) -> Locations:
    """Load the distance and interval between two events of a subject.

    In a test company every event is received, because `pannier listen` stands in for a webhook.
    """
    settings = await company_settings.load(db, company)
    thresholds = minimum.apply_minimum(settings.locations)
    if (
        settings.has_location_interval
        or settings.mode == "test"
        or await has_receiver(db, company, MOVE_EVENTS)
    ):
        return thresholds
    return thresholds.apply_minimum(Locations(interval=UNRECEIVED_INTERVAL, distance=5))


def _has_moved(row: Whereabouts, metres: float) -> bool:
    return fixes.has_moved(row.last_emitted, row.location, metres)


async def _emit(
    db: Db, company: UUID, rows: Sequence[Whereabouts], *, told_at: datetime | None = None
) -> None:
    """Emit the current positions of drivers and vehicles.

    An interval begins with the time of the position, or with `told_at` if that is later.
    """
    if not rows:
        return
    subjects = sorted(row.subject for row in rows)
    await db.execute(_MARK_EMITTED, company=company, subjects=subjects, told_at=told_at)
    positions = {row.subject: row for row in rows}
    drivers = [row.subject for row in rows if row.kind == "driver"]
    vehicles = [row.subject for row in rows if row.kind == "vehicle"]
    for driver in (await DRIVERS.load_many(db, company, drivers)).values():
        data = DriverLocationChanged.from_row(driver, positions[driver.uuid])
        await outbox.emit(db, company, Name.DRIVER_LOCATION_CHANGED, data, subject=driver.public_id)
    for vehicle in (await VEHICLES.load_many(db, company, vehicles)).values():
        update = VehicleUpdated.from_row(vehicle, ["location"])
        await outbox.emit(db, company, Name.VEHICLE_UPDATED, update, subject=vehicle.public_id)
