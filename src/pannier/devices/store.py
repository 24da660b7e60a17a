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

from pannier.accounts.company_settings.models import Bounds
from pannier.db import Db
from pannier.devices import effects, lookup, partitions, rejects, rows
from pannier.devices.effects import Heard
from pannier.devices.lookup import Found, Known
from pannier.devices.models import EVENT_COLUMNS
from pannier.devices.outcomes import REASONS, REVOKED, TOO_OLD, UNKNOWN_DEVICE, Outcome, Put
from pannier.devices.readings import Flags, Reading, Refusal
from pannier.devices.registry.adoption import adopt

# Notified when there are new events.
CHANNEL: Final = "device_events"
# Key of the transaction's notes for the trace that identifies a flush after its commit.
TRACE: Final = "device_trace"
# Key of the transaction's notes for the deferred effects, if any.
PUT_OFF: Final = "device_put_off"
# Each event is looked up by its own key, whatever the planner estimates.
_KNOWN: Final = """
    select n.place
    from unnest(:numbers::bigint[], :times::timestamptz[], :keys::bigint[], :classes::smallint[])
        with ordinality as n (device_no, occurred_at, event_key, class, place)
    join lateral (
        select from device_events e
        where e.device_no = n.device_no and e.occurred_at = n.occurred_at
          and e.event_key = n.event_key and e.class = n.class limit 1) e on true"""
_CORRECT: Final = """
    insert into device_corrections (device_no, event_key, occurred_at)
    select * from unnest(:numbers::bigint[], :keys::bigint[], :times::timestamptz[])
    on conflict (device_no, event_key) do update set event_key = excluded.event_key
    returning device_no, event_key, occurred_at"""

# Events whose time we assigned. A plain integer, because each event is tested.
OURS: Final = int(Flags.CLOCK_CORRECTED | Flags.UNTIMED)

# Only the process that locks a deferred batch applies its effects.
_HOLD: Final = """
    select batch from device_put_off where batch = any(:batches) for update skip locked"""

_PUT: Final = attrgetter("put")
# The identity and sort order of an event: device, time in PostgreSQL's microseconds, key and class.
# Plain integers, because thousands are compared and hashed.
Key = tuple[int, int, int, int]
DAY: Final = 86_400_000_000


# A Struct takes a fifth of the time of a named tuple to create, and thousands are created.
class Entry(msgspec.Struct, gc=False):
    """A reading to be stored: its identity, the index of its submission, and its device."""

    key: Key
    put: int
    device: Known
    reading: Reading

    @classmethod
    def of(cls, put: int, device: Known, reading: Reading) -> "Entry":
        at = rows.moment(reading.occurred_at)
        return cls((device.number, at, reading.event_key, reading.class_), put, device, reading)

    def at(self, moment: datetime) -> "Entry":
        """Return the entry moved to another time."""
        if moment == self.reading.occurred_at:
            return self
        reading = msgspec.structs.replace(self.reading, occurred_at=moment)
        return Entry.of(self.put, self.device, reading)


class Trace(NamedTuple):
    """The identity of a flush: its transaction id, and one of its batches, if any.

    The transaction id alone is not enough. A server that crashes before its log is flushed may
    assign the same id to another transaction.
    """

    transaction: int
    batch: int | None
    received_at: datetime


class PutOff(NamedTuple):
    """Stored events whose effects are deferred."""

    batch: int
    entries: Sequence[Entry]
    # Devices that had contact, by number, and the time of contact.
    heard: Mapping[int, Known]
    seen_at: datetime


def _never(_: int) -> bool:
    return False


async def flush(
    db: Db, puts: Sequence[Put], bounds: Bounds, much: Callable[[int], bool] = _never
) -> list[Outcome]:
    """Store submissions, and return the outcome of each. The caller commits.

    The transaction must not have read or written anything before, because partitions may be
    created. If `should_defer` is true for the number of devices, their effects are deferred, and
    the caller must have them applied.
    """
    oldest = _oldest(bounds, db.now)
    await _make_room(db, puts, oldest)
    names = [{name for reading in put.readings if (name := reading.device)} for put in puts]
    await db.find_by_index()
    await db.mark()
    found = await lookup.find(db, puts, names)
    if strangers := lookup.strangers(puts, names, found):
        await adopt(db, strangers)
        await db.mark()
        found = await lookup.find(db, puts, names, remember=False)
    alive = [found.lives(put) for put in puts]
    named = [
        found.devices(put, some) if lives else None
        for put, some, lives in zip(puts, names, alive, strict=True)
    ]
    refused = [[*put.refusals] for put in puts]
    known = await _corrected(db, list(_entries(puts, named, oldest, refused)))
    entries = _once(known)
    new = await _store(db, entries, found)
    told, accepted = Counter(map(_PUT, known)), Counter(map(_PUT, new))
    senders = [put for put, lives in zip(puts, alive, strict=True) if lives]
    heard = _heard(senders, found, entries)
    if heard and much(len(heard)):
        transaction, number = await effects.put_off(db, new, heard, found.batches)
        db.known[PUT_OFF] = PutOff(number, new, heard, db.now)
    else:
        # By device number, as in every flush, so that two flushes never deadlock.
        signs = [Heard(heard[number], db.now) for number in sorted(heard)]
        transaction = await effects.follow(db, new, signs, found.batches, bounds.locations)
    batch = found.batches[new[0].device.company] if new else None
    db.known[TRACE] = Trace(transaction, batch, db.now)
    if wrong := [(put.source, some) for put, some in zip(puts, refused, strict=True) if some]:
        await rejects.keep(db, wrong)
    db.ring(CHANNEL)
    return [
        Outcome(stored := accepted.get(at, 0), told.get(at, 0) - stored, _in_order(some))
        for at, some in enumerate(refused)
    ]


def _in_order(refusals: list[Refusal]) -> list[Refusal]:
    return sorted(refusals, key=lambda refusal: refusal.index) if refusals else refusals


def _oldest(bounds: Bounds, now: datetime) -> list[datetime]:
    """Return the oldest time that is kept, for each class."""
    return [now - timedelta(days=days) for days in bounds.retention.of_devices]


async def _make_room(db: Db, puts: Sequence[Put], oldest: Sequence[datetime]) -> None:
    days = {
        (reading.class_, reading.occurred_at.date()): reading.occurred_at
        for put in puts
        for reading in put.readings
        if reading.occurred_at >= oldest[reading.class_]
    }
    for (class_, _), moment in days.items():
        await partitions.ensure(db.database, class_, [moment])


def _entries(
    puts: Sequence[Put],
    named: Sequence[Mapping[str | None, Known | None] | None],
    oldest: Sequence[datetime],
    refused: Sequence[list[Refusal]],
) -> Iterator[Entry]:
    """Match each reading to its device; reject readings without one and those that are too old.

    A submission whose credential has ended is rejected as a whole.
    """
    for at, put in enumerate(puts):
        devices = named[at]
        if devices is None:
            refused[at].append(Refusal(0, REVOKED, REASONS[REVOKED]))
            continue
        wrong = list[tuple[int, str]]()
        for number, reading in enumerate(put.readings):
            device = devices.get(reading.device)
            if device is None:
                wrong.append((number, UNKNOWN_DEVICE))
            elif reading.occurred_at < oldest[reading.class_]:
                wrong.append((number, TOO_OLD))
            else:
                yield Entry.of(at, device, reading)
        if wrong:
            refused[at].extend(_refusals(put, wrong))


def _refusals(put: Put, wrong: Sequence[tuple[int, str]]) -> Iterator[Refusal]:
    places = put.places
    for number, code in wrong:
        reading = put.readings[number]
        body = rejects.spelled(reading)
        yield Refusal(places[number], code, REASONS[code], body, reading.device)


async def _corrected(db: Db, entries: list[Entry]) -> list[Entry]:
    """Move events whose time we assigned to the time of their first arrival."""
    wrong = {
        (entry.device.number, entry.reading.event_key): entry.reading.occurred_at
        for entry in entries
        if entry.reading.flags & OURS
    }
    if not wrong:
        return entries
    keys = sorted(wrong)
    corrected = await db.tuples(
        _CORRECT,
        numbers=[number for number, _ in keys],
        keys=[key for _, key in keys],
        times=[wrong[each] for each in keys],
    )
    await db.mark()
    first = {(number, key): moment for number, key, moment in corrected}
    return [
        entry.at(first[entry.device.number, entry.reading.event_key])
        if entry.reading.flags & OURS
        else entry
        for entry in entries
    ]


def _once(entries: Sequence[Entry]) -> list[Entry]:
    """Return each event once, in the order of its key."""
    taken: dict[Key, Entry] = {}
    for entry in entries:
        taken.setdefault(entry.key, entry)
    # Every flush stores in this order, so that two never deadlock. Most readings arrive in the
    # order of time: sorting by device first leaves little for the second sort.
    in_order = sorted(taken, key=itemgetter(0))
    in_order.sort()
    return [taken[key] for key in in_order]


async def _store(db: Db, entries: Sequence[Entry], found: Found) -> Sequence[Entry]:
    """Copy events into their table, and return those that are new.

    COPY fails as a whole if one event exists, and the transaction returns to its savepoint.
    Existing events are left out and the others are copied again. Other transactions may have stored
    some meanwhile, so this repeats with fewer events each time.
    """
    missed = False
    while entries:
        spelled = rows.copied(_by_partition(entries), found.batches)
        try:
            await db.copy_spelled("device_events", EVENT_COLUMNS, spelled)
        except asyncpg.UniqueViolationError:
            await db.undo_to_mark()
            new = await _leave_out_known(db, entries)
            # The conflicting event may have been deleted meanwhile. That can happen once at most.
            if missed and len(new) == len(entries):
                raise
            missed, entries = len(new) == len(entries), new
        else:
            break
    return entries


def _by_partition(entries: Sequence[Entry]) -> Sequence[Entry]:
    """Sort events by partition.

    COPY fills partitions in the order of their first rows. All flushes must use the same order,
    or two flushes with the same events could deadlock.
    """
    days = {_day(entry) for entry in entries}
    return entries if len(days) == 1 else sorted(entries, key=_day)


def _day(entry: Entry) -> tuple[int, int]:
    """Return the class and the day of an event. No partition is shorter than a day."""
    return entry.key[3], entry.key[1] // DAY


async def _leave_out_known(db: Db, entries: Sequence[Entry]) -> Sequence[Entry]:
    """Return the events that are not in the table yet."""
    known = await db.tuples(
        _KNOWN,
        numbers=[entry.key[0] for entry in entries],
        times=[entry.reading.occurred_at for entry in entries],
        keys=[entry.key[2] for entry in entries],
        classes=[entry.key[3] for entry in entries],
    )
    places = {place for (place,) in known}
    return [entry for place, entry in enumerate(entries, 1) if place not in places]


def _heard(senders: Sequence[Put], found: Found, entries: Sequence[Entry]) -> dict[int, Known]:
    """Return the devices that had contact: the senders, and those they reported for."""
    heard = {entry.key[0]: entry.device for entry in entries}
    for put in senders:
        if (sender := found.device(put, None)) is not None:
            heard[sender.number] = sender
    return heard


async def note(db: Db, put_off: Sequence[PutOff], bounds: Bounds) -> None:
    """Apply deferred effects, unless another process has done so or is about to."""
    await db.find_by_index()
    held = {batch for (batch,) in await db.tuples(_HOLD, batches=[each.batch for each in put_off])}
    ours = [each for each in put_off if each.batch in held]
    if not ours:
        return
    fresh = sorted((entry for each in ours for entry in each.entries), key=attrgetter("key"))
    devices: dict[int, Known] = {}
    seen: dict[int, datetime] = {}
    for each in sorted(ours, key=attrgetter("seen_at")):
        devices.update(each.heard)
        seen.update(dict.fromkeys(each.heard, each.seen_at))
    heard = [Heard(devices[number], seen[number]) for number in sorted(devices)]
    await effects.follow(db, fresh, heard, {}, bounds.locations, sorted(held))
    db.ring(CHANNEL)
