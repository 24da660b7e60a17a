"""The store of device events: one transaction for the events of many senders, each event once.

Events are copied into their table. If some exist already, those are left out and the others are
copied again.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple

import asyncpg
import msgspec

from pannier.accounts.company_settings.models import InstallationLimits
from pannier.db import Db
from pannier.devices import (
    copy_encoding,
    effects,
    lookup,
    partitions,
    rejects,
    sos,
    temperature_alerts,
)
from pannier.devices.effects import DeviceContact
from pannier.devices.lookup import KnownDevice, LookupResult
from pannier.devices.models import EVENT_COLUMNS
from pannier.devices.outcomes import (
    REASONS,
    REVOKED,
    TOO_OLD,
    UNKNOWN_DEVICE,
    IngestOutcome,
    Submission,
)
from pannier.devices.readings import Flags, ItemRefusal, Reading
from pannier.devices.registry.adoption import adopt

# Notified when there are new events.
CHANNEL: Final = "device_events"
# Key of the transaction's notes for the trace that identifies a flush after its commit.
TRACE_KEY: Final = "device_trace"
# Key of the transaction's notes for the deferred effects, if any.
DEFERRED_KEY: Final = "device_put_off"
# Each event is looked up by its own key, whatever the planner estimates.
_FIND_EXISTING: Final = """
    select n.place
    from unnest(:numbers::bigint[], :times::timestamptz[], :keys::bigint[], :classes::smallint[])
        with ordinality as n (device_no, occurred_at, event_key, class, place)
    join lateral (
        select from device_events e
        where e.device_no = n.device_no and e.occurred_at = n.occurred_at
          and e.event_key = n.event_key and e.class = n.class limit 1) e on true"""
_RECORD_CORRECTIONS: Final = """
    insert into device_corrections (device_no, event_key, occurred_at)
    select * from unnest(:numbers::bigint[], :keys::bigint[], :times::timestamptz[])
    on conflict (device_no, event_key) do update set event_key = excluded.event_key
    returning device_no, event_key, occurred_at"""

# Events whose time we assigned. A plain integer, because each event is tested.
ASSIGNED_TIME_FLAGS: Final = int(Flags.CLOCK_CORRECTED | Flags.UNTIMED)

# Only the process that locks a deferred batch applies its effects.
_LOCK_DEFERRED: Final = """
    select batch from device_put_off where batch = any(:batches) for update skip locked"""

_SUBMISSION_INDEX: Final = attrgetter("submission_index")
# The identity and sort order of an event: device, time in PostgreSQL's microseconds, key and class.
# Plain integers, because thousands are compared and hashed.
Key = tuple[int, int, int, int]
DAY_MICROSECONDS: Final = 86_400_000_000


# A Struct is created five times as fast as a named tuple, and thousands are created.
class ReadingEntry(msgspec.Struct, gc=False):
    """A reading to be stored: its identity, the index of its submission, and its device."""

    key: Key
    submission_index: int
    device: KnownDevice
    reading: Reading

    @classmethod
    def from_reading(
        cls, submission_index: int, device: KnownDevice, reading: Reading
    ) -> "ReadingEntry":
        microseconds = copy_encoding.to_microseconds(reading.occurred_at)
        return cls(
            (device.number, microseconds, reading.event_key, reading.class_),
            submission_index,
            device,
            reading,
        )

    def with_time(self, moment: datetime) -> "ReadingEntry":
        """Return the entry with another time."""
        if moment == self.reading.occurred_at:
            return self
        reading = msgspec.structs.replace(self.reading, occurred_at=moment)
        return ReadingEntry.from_reading(self.submission_index, self.device, reading)


class FlushTrace(NamedTuple):
    """The identity of a flush: its transaction id, and one of its batches, if any.

    The transaction id alone is not enough. A server that crashes before its log is flushed may
    assign the same id to another transaction.
    """

    transaction: int
    batch: int | None
    received_at: datetime


class DeferredEffects(NamedTuple):
    """Stored events whose effects are deferred."""

    batch: int
    entries: Sequence[ReadingEntry]
    # Devices that were in contact, by number, and the time of contact.
    devices: Mapping[int, KnownDevice]
    seen_at: datetime


def _never_defer(_: int) -> bool:
    return False


async def flush(
    db: Db,
    submissions: Sequence[Submission],
    bounds: InstallationLimits,
    should_defer: Callable[[int], bool] = _never_defer,
) -> list[IngestOutcome]:
    """Store submissions, and return the outcome of each. The caller commits.

    The transaction must not have read or written anything before, because partitions may be
    created. If `should_defer` returns True for the number of devices, their effects are deferred,
    and the caller must apply them later.
    """
    oldest_times = _list_oldest_times(bounds, db.now)
    await _ensure_partitions(db, submissions, oldest_times)
    names = [
        {name for reading in submission.readings if (name := reading.device)}
        for submission in submissions
    ]
    await db.prefer_indexes()
    await db.set_savepoint()
    lookup_result = await lookup.load(db, submissions, names)
    if unknown_devices := lookup.list_adoptable_devices(submissions, names, lookup_result):
        await adopt(db, unknown_devices)
        await db.set_savepoint()
        lookup_result = await lookup.load(db, submissions, names, remember=False)
    validities = [lookup_result.has_valid_credential(submission) for submission in submissions]
    matched_devices = [
        lookup_result.match_devices(submission, device_names) if is_valid else None
        for submission, device_names, is_valid in zip(submissions, names, validities, strict=True)
    ]
    rejections = [[*submission.refusals] for submission in submissions]
    matched_entries = await _correct_times(
        db, list(_match_devices(submissions, matched_devices, oldest_times, rejections))
    )
    entries = _drop_duplicates(matched_entries)
    new_entries = await _copy_new_events(db, entries, lookup_result)
    await sos.raise_alerts(db, new_entries)
    matched_counts = Counter(map(_SUBMISSION_INDEX, matched_entries))
    stored_counts = Counter(map(_SUBMISSION_INDEX, new_entries))
    senders = [
        submission for submission, is_valid in zip(submissions, validities, strict=True) if is_valid
    ]
    devices = _find_contacted_devices(senders, lookup_result, entries)
    if devices and should_defer(len(devices)):
        transaction, number = await effects.defer(db, new_entries, devices, lookup_result.batches)
        db.cache[DEFERRED_KEY] = DeferredEffects(number, new_entries, devices, db.now)
    else:
        # By device number, as in every flush, so that two flushes never deadlock.
        contacts = [DeviceContact(devices[number], db.now) for number in sorted(devices)]
        transaction = await effects.apply(
            db, new_entries, contacts, lookup_result.batches, bounds.locations
        )
        await temperature_alerts.update_alerts(db, new_entries)
    batch = lookup_result.batches[new_entries[0].device.company] if new_entries else None
    db.cache[TRACE_KEY] = FlushTrace(transaction, batch, db.now)
    if rejects_by_source := [
        (submission.source, refusals)
        for submission, refusals in zip(submissions, rejections, strict=True)
        if refusals
    ]:
        await rejects.record(db, rejects_by_source)
    for company in {device.company for device in devices.values()}:
        db.notify(CHANNEL, company)
    return [
        IngestOutcome(
            stored_count := stored_counts.get(index, 0),
            matched_counts.get(index, 0) - stored_count,
            _sort_refusals(refusals),
        )
        for index, refusals in enumerate(rejections)
    ]


def _sort_refusals(refusals: list[ItemRefusal]) -> list[ItemRefusal]:
    return sorted(refusals, key=lambda refusal: refusal.index) if refusals else refusals


def _list_oldest_times(bounds: InstallationLimits, now: datetime) -> list[datetime]:
    """Return the oldest time that each retention class keeps."""
    return [now - timedelta(days=days) for days in bounds.retention.device_days]


async def _ensure_partitions(
    db: Db, submissions: Sequence[Submission], oldest_times: Sequence[datetime]
) -> None:
    days = {
        (reading.class_, reading.occurred_at.date()): reading.occurred_at
        for submission in submissions
        for reading in submission.readings
        if reading.occurred_at >= oldest_times[reading.class_]
    }
    for (class_, _), moment in days.items():
        await partitions.create_missing_partitions(db.database, class_, [moment])


def _match_devices(
    submissions: Sequence[Submission],
    devices_by_submission: Sequence[Mapping[str | None, KnownDevice | None] | None],
    oldest_times: Sequence[datetime],
    rejections: Sequence[list[ItemRefusal]],
) -> Iterator[ReadingEntry]:
    """Match each reading to its device; reject readings without one and those that are too old.

    A submission whose credential has ended is rejected as a whole.
    """
    for index, submission in enumerate(submissions):
        devices = devices_by_submission[index]
        if devices is None:
            rejections[index].append(ItemRefusal(0, REVOKED, REASONS[REVOKED]))
            continue
        codes = list[tuple[int, str]]()
        for number, reading in enumerate(submission.readings):
            device = devices.get(reading.device)
            if device is None:
                codes.append((number, UNKNOWN_DEVICE))
            elif reading.occurred_at < oldest_times[reading.class_]:
                codes.append((number, TOO_OLD))
            else:
                yield ReadingEntry.from_reading(index, device, reading)
        if codes:
            rejections[index].extend(_make_refusals(submission, codes))


def _make_refusals(
    submission: Submission, codes: Sequence[tuple[int, str]]
) -> Iterator[ItemRefusal]:
    """Build a refusal for each pair of a reading's number and an error code."""
    indexes = submission.indexes
    for number, code in codes:
        reading = submission.readings[number]
        body = rejects.encode_reading(reading)
        yield ItemRefusal(indexes[number], code, REASONS[code], body, reading.device)


async def _correct_times(db: Db, entries: list[ReadingEntry]) -> list[ReadingEntry]:
    """Set events whose time we assigned to the time of their first arrival."""
    assigned_times = {
        (entry.device.number, entry.reading.event_key): entry.reading.occurred_at
        for entry in entries
        if entry.reading.flags & ASSIGNED_TIME_FLAGS
    }
    if not assigned_times:
        return entries
    keys = sorted(assigned_times)
    corrections = await db.fetch_tuples(
        _RECORD_CORRECTIONS,
        numbers=[number for number, _ in keys],
        keys=[key for _, key in keys],
        times=[assigned_times[key] for key in keys],
    )
    await db.set_savepoint()
    first_times = {(number, key): moment for number, key, moment in corrections}
    return [
        entry.with_time(first_times[entry.device.number, entry.reading.event_key])
        if entry.reading.flags & ASSIGNED_TIME_FLAGS
        else entry
        for entry in entries
    ]


def _drop_duplicates(entries: Sequence[ReadingEntry]) -> list[ReadingEntry]:
    """Return each event once, sorted by key."""
    entries_by_key: dict[Key, ReadingEntry] = {}
    for entry in entries:
        entries_by_key.setdefault(entry.key, entry)
    # Every flush stores in this order, so that two never deadlock. Most readings arrive in
    # chronological order, so sorting by device first leaves little for the second sort.
    sorted_keys = sorted(entries_by_key, key=itemgetter(0))
    sorted_keys.sort()
    return [entries_by_key[key] for key in sorted_keys]


async def _copy_new_events(
    db: Db, entries: Sequence[ReadingEntry], lookup_result: LookupResult
) -> Sequence[ReadingEntry]:
    """Copy events into their table, and return those that are new.

    COPY fails as a whole if one event exists, and the transaction returns to its savepoint.
    Existing events are left out and the others are copied again. Other transactions may have stored
    some meanwhile, so this repeats with fewer events each time.
    """
    was_conflict_gone = False
    while entries:
        encoded_rows = copy_encoding.encode_events(
            _sort_by_partition(entries), lookup_result.batches
        )
        try:
            await db.copy_encoded_rows("device_events", EVENT_COLUMNS, encoded_rows)
        except asyncpg.UniqueViolationError:
            await db.roll_back_to_savepoint()
            missing_entries = await _exclude_existing_events(db, entries)
            # The conflicting event may have been deleted meanwhile. That can happen once at most.
            is_conflict_gone = len(missing_entries) == len(entries)
            if is_conflict_gone and was_conflict_gone:
                raise
            was_conflict_gone, entries = is_conflict_gone, missing_entries
        else:
            break
    return entries


def _sort_by_partition(entries: Sequence[ReadingEntry]) -> Sequence[ReadingEntry]:
    """Sort events by partition.

    COPY fills partitions in the order of their first rows. All flushes must use the same order,
    or two flushes with the same events could deadlock.
    """
    days = {_partition_day(entry) for entry in entries}
    return entries if len(days) == 1 else sorted(entries, key=_partition_day)


def _partition_day(entry: ReadingEntry) -> tuple[int, int]:
    """Return the class and the day of an event. No partition is shorter than a day."""
    return entry.key[3], entry.key[1] // DAY_MICROSECONDS


async def _exclude_existing_events(
    db: Db, entries: Sequence[ReadingEntry]
) -> Sequence[ReadingEntry]:
    """Return the events that are not in the table yet."""
    existing_rows = await db.fetch_tuples(
        _FIND_EXISTING,
        numbers=[entry.key[0] for entry in entries],
        times=[entry.reading.occurred_at for entry in entries],
        keys=[entry.key[2] for entry in entries],
        classes=[entry.key[3] for entry in entries],
    )
    ordinals = {ordinal for (ordinal,) in existing_rows}
    return [entry for ordinal, entry in enumerate(entries, 1) if ordinal not in ordinals]


def _find_contacted_devices(
    senders: Sequence[Submission], lookup_result: LookupResult, entries: Sequence[ReadingEntry]
) -> dict[int, KnownDevice]:
    """Return the devices in contact: the senders, and the devices they reported for."""
    devices = {entry.key[0]: entry.device for entry in entries}
    for submission in senders:
        if (sender := lookup_result.match_device(submission, None)) is not None:
            devices[sender.number] = sender
    return devices


async def apply_deferred_effects(
    db: Db, deferred_effects: Sequence[DeferredEffects], bounds: InstallationLimits
) -> None:
    """Apply deferred effects, unless another process has done so or is about to."""
    await db.prefer_indexes()
    batches = [batch_effects.batch for batch_effects in deferred_effects]
    locked_batches = {batch for (batch,) in await db.fetch_tuples(_LOCK_DEFERRED, batches=batches)}
    claimed_effects = [
        batch_effects for batch_effects in deferred_effects if batch_effects.batch in locked_batches
    ]
    if not claimed_effects:
        return
    sorted_entries = sorted(
        (entry for batch_effects in claimed_effects for entry in batch_effects.entries),
        key=attrgetter("key"),
    )
    devices: dict[int, KnownDevice] = {}
    contact_times: dict[int, datetime] = {}
    for batch_effects in sorted(claimed_effects, key=attrgetter("seen_at")):
        devices.update(batch_effects.devices)
        contact_times.update(dict.fromkeys(batch_effects.devices, batch_effects.seen_at))
    contacts = [DeviceContact(devices[number], contact_times[number]) for number in sorted(devices)]
    await effects.apply(db, sorted_entries, contacts, {}, bounds.locations, sorted(locked_batches))
    await temperature_alerts.update_alerts(db, sorted_entries)
    for company in {device.company for device in devices.values()}:
        db.notify(CHANNEL, company)
