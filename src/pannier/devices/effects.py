"""What follows at once from new events: signs of life, the last readings, work for the rules."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple, Protocol
from uuid import UUID

from pannier.accounts.company_settings.models import Locations
from pannier.db import Db
from pannier.devices.kinds import Class
from pannier.devices.lookup import Known
from pannier.devices.readings import Reading, data_of
from pannier.fleet import whereabouts
from pannier.fleet.fixes import Fix
from pannier.fleet.whereabouts import Move
from pannier.kit.geo import Point

# How many types of a device that have names of its own are remembered, or a few more.
MOST_TYPES: Final = 100
# All of it in one statement; rows are locked in the order of their devices. What was told of a
# device stays, until whoever tells has looked: at once when it was silent.
_NOTE: Final = """
    with batches as (
        insert into device_batches
            (batch, company, xid, received_at, earliest, latest, events) overriding system value
        select batch, company, pg_current_xact_id()::text::bigint, :now, earliest, latest, events
        from unnest(:batches::bigint[], :companies::uuid[], :earliest::timestamptz[],
                    :latest::timestamptz[], :events::integer[])
            as b (batch, company, earliest, latest, events)),
    states as (
        insert into device_states as s
            (device, company, last_seen_at, last_event_at, status, status_due_at)
        select device, company, :now, last_event_at, 'online',
               :now::timestamptz + make_interval(secs => 2 * reporting_interval)
        from unnest(:heard::uuid[], :owners::uuid[], :last_events::timestamptz[],
                    :intervals::integer[])
            as h (device, company, last_event_at, reporting_interval)
        on conflict (device) do update set
            last_seen_at = greatest(s.last_seen_at, excluded.last_seen_at),
            last_event_at = greatest(s.last_event_at, excluded.last_event_at),
            status_due_at = case s.status when 'online' then s.status_due_at else :now end),
    lasting as (
        insert into device_latest as l
            (device, company, kind, type, occurred_at, event_key, severity, data)
        select * from unnest(:last_devices::uuid[], :last_owners::uuid[], :kinds::smallint[],
            :types::text[], :moments::timestamptz[], :keys::bigint[], :severities::smallint[],
            :data::jsonb[])
            as n (device, company, kind, type, occurred_at, event_key, severity, data)
        where kind > 0 or exists (
            select from device_latest k
            where k.device = n.device and k.kind = n.kind and k.type = n.type)
        or :most_types > (select count(*) from (
            select from device_latest k
            where k.device = n.device and k.kind = n.kind limit :most_types) k)
        on conflict (device, kind, type) do update set
            occurred_at = excluded.occurred_at, event_key = excluded.event_key,
            severity = excluded.severity, data = excluded.data
        where (l.occurred_at, l.event_key) < (excluded.occurred_at, excluded.event_key)),
    backlog as (
        insert into device_backlog (company, device, since, until)
        select * from unnest(:moved_owners::uuid[], :moved::uuid[], :moved_since::timestamptz[],
            :moved_until::timestamptz[]))
    select pg_current_xact_id()::text::bigint"""


class Fresh(Protocol):
    """A reading that was not there before, and its device."""

    @property
    def number(self) -> int:
        """The device's."""

    @property
    def device(self) -> Known:
        """Whose it is."""

    @property
    def reading(self) -> Reading:
        """What was read."""


class Device(NamedTuple):
    """What one device brought: from its first new event to its last."""

    device: Known
    readings: Sequence[Reading]

    @property
    def latest(self) -> list[Reading]:
        """The last reading of each type; of a device that makes up types, of some."""
        by_type = {(each.kind, each.type): each for each in self.readings}
        last = sorted(by_type.values(), key=lambda each: (each.kind, each.type or ""))
        made_up = sum(not each.kind for each in last)
        return last[max(0, made_up - MOST_TYPES) :]

    @property
    def positions(self) -> list[Reading]:
        """Where it was."""
        return [each for each in self.readings if each.class_ == Class.POSITION]


async def follow(
    db: Db,
    fresh: Sequence[Fresh],
    heard: Sequence[Known],
    batches: Mapping[UUID, int],
    least: Locations,
) -> int:
    """Note what new events say of the present; they come by device, and in their own order.

    Tell the transaction's number.
    """
    brought = list(_by_device(fresh))
    last = {each.device.uuid: each.readings[-1].occurred_at for each in brought}
    latest = [(each.device, reading) for each in brought for reading in each.latest]
    moved = [(each.device, where) for each in brought if (where := each.positions)]
    sums = list(_sums(brought))
    transaction: int = await db.value(
        _NOTE,
        now=db.now,
        batches=[batches[company] for company, *_ in sums],
        companies=[company for company, *_ in sums],
        earliest=[earliest for _, earliest, _, _ in sums],
        latest=[newest for _, _, newest, _ in sums],
        events=[events for *_, events in sums],
        heard=[device.uuid for device in heard],
        owners=[device.company for device in heard],
        last_events=[last.get(device.uuid) for device in heard],
        intervals=[device.reporting_interval for device in heard],
        last_devices=[device.uuid for device, _ in latest],
        last_owners=[device.company for device, _ in latest],
        kinds=[reading.kind for _, reading in latest],
        types=[reading.type or "" for _, reading in latest],
        moments=[reading.occurred_at for _, reading in latest],
        keys=[reading.event_key for _, reading in latest],
        severities=[reading.severity for _, reading in latest],
        data=[data_of(reading) or None for _, reading in latest],
        most_types=MOST_TYPES,
        moved_owners=[device.company for device, _ in moved],
        moved=[device.uuid for device, _ in moved],
        moved_since=[where[0].occurred_at for _, where in moved],
        moved_until=[where[-1].occurred_at for _, where in moved],
    )
    for company in sorted(batches):
        moves = [
            move
            for device, where in moved
            if device.company == company
            for move in _moves(device, where[-1])
        ]
        await whereabouts.move(db, company, moves, least)
    return transaction


def _moves(device: Known, last: Reading) -> Iterator[Move]:
    """Tell who is where a device is: itself, its driver, and the vehicle it was on by then."""
    if last.latitude is None or last.longitude is None:
        return
    # Devices speak of kilometres an hour, the fleet of metres a second.
    speed = None if last.speed is None else round(last.speed / 3.6, 6)
    fix = Fix(
        Point(longitude=last.longitude, latitude=last.latitude),
        last.occurred_at,
        last.heading,
        last.altitude,
        speed,
        last.accuracy,
    )
    yield Move(device.uuid, "device", fix)
    driving = device.driving_since is None or device.driving_since <= last.occurred_at
    if device.driver is not None and driving:
        yield Move(device.driver, "driver", fix)
    if device.vehicle is not None and device.since is not None and device.since <= last.occurred_at:
        yield Move(device.vehicle, "vehicle", fix)


def _by_device(fresh: Sequence[Fresh]) -> Iterator[Device]:
    for _, group in groupby(fresh, key=attrgetter("number")):
        together = list(group)
        yield Device(together[0].device, [each.reading for each in together])


def _sums(brought: Sequence[Device]) -> Iterator[tuple[UUID, datetime, datetime, int]]:
    """Add up for each company: from when, until when, how many."""
    by_company: dict[UUID, list[Sequence[Reading]]] = {}
    for device, readings in brought:
        by_company.setdefault(device.company, []).append(readings)
    for company, all_ in by_company.items():
        earliest = min(readings[0].occurred_at for readings in all_)
        latest = max(readings[-1].occurred_at for readings in all_)
        yield company, earliest, latest, sum(map(len, all_))
