"""Events that are copied in by the thousand read as they were told, whatever they leave out."""

from datetime import UTC, datetime
from itertools import product
from typing import Any
from uuid import UUID, uuid4

import msgspec

from devices.gear import device, flush, position
from pannier.devices import copy_encoding
from pannier.devices.copy_encoding import CopyRows
from pannier.devices.event_types import RetentionClass
from pannier.devices.lookup import KnownDevice
from pannier.devices.models import EVENT_COLUMNS, DeviceEventRow
from pannier.devices.outcomes import IngestOutcome, Submission
from pannier.devices.readings import Reading
from pannier.devices.store import ReadingEntry
from stage import NOON, Firm, House

MEASURES = ("speed", "heading", "altitude", "accuracy")
LONG_AGO = datetime(1999, 12, 31, 23, 59, 59, 1000, tzinfo=UTC)


def told() -> list[Reading]:
    """Readings of which each leaves out something else."""
    numbers = iter(range(1, 1000))
    measured = [
        position(next(numbers), **{name: value for name, value in given if value is not None})
        for given in product(*(((name, 7.25), (name, None)) for name in MEASURES))
    ]
    others: list[dict[str, Any]] = [
        {
            "latitude": None,
            "longitude": None,
            "class_": RetentionClass.ALERT,
            "kind": 5,
            "severity": 3,
        },
        {"class_": RetentionClass.OTHER, "kind": 0, "type": "Überlauf"},
        {"data": {"ignition": True, "note": "größer"}, "flags": 1},
        {"latitude": -90.0, "longitude": 180.0, "speed": 0.0, "heading": 359.999},
    ]
    return [*measured, *(position(-next(numbers), **each) for each in others)]


async def test_what_is_copied_reads_as_it_was_told(acme: Firm, house: House) -> None:
    one = await device(acme)
    readings = told()
    assert await flush(house, Submission(one.own, readings)) == [
        IngestOutcome(len(readings), 0, [])
    ]
    async with house.database.reading() as db:
        stored = await db.fetch_all(
            DeviceEventRow, f"select {', '.join(EVENT_COLUMNS)} from device_events"
        )
    told_of = msgspec.to_builtins(stored, builtin_types=(UUID, datetime))
    spelled = [tuple(row[name] for name in EVENT_COLUMNS) for row in told_of]
    assert sorted(spelled, key=lambda row: row[2]) == [
        (
            one.number, each.occurred_at, each.event_key, stored[0].batch, acme.uuid,
            each.latitude, each.longitude, each.speed, each.heading, each.altitude, each.accuracy,
            each.class_, each.kind, each.severity, each.flags, each.type, each.data,
        )
        for each in sorted(readings, key=lambda each: each.event_key)
    ]  # fmt: skip


async def test_moments_are_kept_to_the_microsecond_before_and_after_the_turn_of_the_century(
    house: House,
) -> None:
    moments = [LONG_AGO, NOON, NOON.replace(microsecond=123_456)]
    known = KnownDevice(company=uuid4(), uuid=uuid4(), number=1, public_id="device_1")
    entries = [ReadingEntry.from_reading(0, known, position(1, at=moment)) for moment in moments]
    async with house.database.transaction() as db:
        await db.execute("create temporary table copied (like device_events) on commit drop")
        await db.copy_encoded_rows(
            "copied", EVENT_COLUMNS, copy_encoding.encode_events(entries, {known.company: 1})
        )
        found = await db.fetch_tuples("select occurred_at from copied order by 1")
    assert [moment for (moment,) in found] == moments


def test_whoever_shows_what_went_wrong_shows_no_rows() -> None:
    assert repr(CopyRows(b"12345")) == "<5 bytes of rows>"
