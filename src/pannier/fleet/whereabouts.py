"""Current positions of drivers, vehicles and devices: one narrow row each.

Only a newer fix changes a position, so reports may be repeated, delayed or out of order.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

from pannier.accounts.company_settings.models import Locations
from pannier.alerts.service import POSITIONS_CHANNEL
from pannier.db import Db, columns
from pannier.fleet import moves as move_events
from pannier.fleet import positions
from pannier.fleet.fixes import PositionFix
from pannier.fleet.models import Driver, Subject, Vehicle, Whereabouts

# Every statement locks rows in the order of their subjects, to avoid deadlocks.
UPSERT_POSITIONS: Final = f"""
    with moved as (
    insert into whereabouts as w (subject, company, kind, latitude, longitude, heading, altitude,
                                  speed, accuracy, located_at)
    select subject, :company, kind, latitude, longitude, heading, altitude, speed, accuracy,
           located_at
    from unnest(:subjects::uuid[], :kinds::text[], :latitudes::float8[], :longitudes::float8[],
                :headings::float8[], :altitudes::float8[], :speeds::float8[],
                :accuracies::float8[], :times::timestamptz[])
        as new (subject, kind, latitude, longitude, heading, altitude, speed, accuracy, located_at)
    order by subject
    on conflict (subject) do update set
        latitude = excluded.latitude, longitude = excluded.longitude, heading = excluded.heading,
        altitude = excluded.altitude, speed = excluded.speed, accuracy = excluded.accuracy,
        located_at = excluded.located_at
    where w.company = excluded.company and w.located_at <= excluded.located_at
    returning {columns(Whereabouts, "w")})
    select * from moved where kind <> 'device'"""
# Moves devices to the positions in another table, without events. A position is not later than the
# device's last report, even if it is recorded much later.
UPSERT_DEVICE_POSITIONS: Final = """
    insert into whereabouts as w (subject, company, kind, latitude, longitude, heading, altitude,
                                  speed, accuracy, located_at)
    select device, company, 'device', latitude, longitude, heading, altitude, speed, accuracy,
           least(until, seen_at)
    from {} where until is not null and latitude is not null and longitude is not null
    on conflict (subject) do update set
        latitude = excluded.latitude, longitude = excluded.longitude, heading = excluded.heading,
        altitude = excluded.altitude, speed = excluded.speed, accuracy = excluded.accuracy,
        located_at = excluded.located_at
    where w.company = excluded.company and w.located_at <= excluded.located_at"""


class Move(NamedTuple):
    """A reported fix of a driver, vehicle or device."""

    subject: UUID
    kind: Subject
    fix: PositionFix


async def load(db: Db, company: UUID, subjects: Iterable[UUID | None]) -> dict[UUID, Whereabouts]:
    """Load the current positions of subjects, without those that have none."""
    present_subjects = [subject for subject in subjects if subject is not None]
    if not present_subjects:
        return {}
    rows = await db.fetch_all(
        Whereabouts,
        f"""select {columns(Whereabouts)} from whereabouts
            where company = :company and subject = any(:subjects)""",
        company=company,
        subjects=present_subjects,
    )
    return {row.subject: row for row in rows}


async def update_positions(
    db: Db, company: UUID, moves: Sequence[Move], minimum: Locations
) -> set[UUID]:
    """Update the positions of a company's subjects, and emit the moves that are due.

    Return the subjects whose fix was not older than their position, without devices. Devices emit
    nothing. `minimum` is the smallest distance and interval that the installation allows. To avoid
    deadlocks, update several companies in the order of their UUIDs.
    """
    rows = await _upsert_positions(db, company, keep_newest(moves)) if moves else []
    await move_events.emit_or_schedule(db, company, rows, minimum)
    if rows:
        db.notify(POSITIONS_CHANNEL, company)
    return {row.subject for row in rows}


async def record_first_position(db: Db, company: UUID, position: Move) -> None:
    """Record the first position of a new subject."""
    await update_positions(db, company, [position], Locations())


async def check_unmoved(
    db: Db, row: Driver | Vehicle, position: Mapping[str, Any], resource: str
) -> None:
    """Refuse a change whose position differs from the current one."""
    if position:
        current_position = (await load(db, row.company, [row.uuid])).get(row.uuid)
        positions.check_unmoved(position, current_position, resource)


async def delete(db: Db, company: UUID, subject: UUID) -> None:
    """Delete the position of a deleted subject."""
    await db.execute(
        "delete from whereabouts where company = :company and subject = :subject",
        company=company,
        subject=subject,
    )


def keep_newest(moves: Sequence[Move]) -> list[Move]:
    """Keep the newest fix of each subject. If times are equal, keep the later report."""
    newest_moves: dict[UUID, Move] = {}
    for move in moves:
        newest = newest_moves.get(move.subject)
        if newest is None or move.fix.recorded_at >= newest.fix.recorded_at:
            newest_moves[move.subject] = move
    return list(newest_moves.values())


async def _upsert_positions(db: Db, company: UUID, moves: Sequence[Move]) -> list[Whereabouts]:
    """Write positions unless newer ones are stored, and return those that changed."""
    new_fixes = [move.fix for move in moves]
    values: dict[str, Any] = {
        "subjects": [move.subject for move in moves],
        "kinds": [move.kind for move in moves],
        "latitudes": [fix.point.latitude for fix in new_fixes],
        "longitudes": [fix.point.longitude for fix in new_fixes],
        "headings": [fix.heading for fix in new_fixes],
        "altitudes": [fix.altitude for fix in new_fixes],
        "speeds": [fix.speed for fix in new_fixes],
        "accuracies": [fix.accuracy for fix in new_fixes],
        # A position in the future would hide newer reports until then.
        "times": [min(fix.recorded_at, db.now) for fix in new_fixes],
    }
    return await db.fetch_all(Whereabouts, UPSERT_POSITIONS, company=company, **values)
