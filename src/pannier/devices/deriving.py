"""Deriving: the worker's step that lets the rules see new positions, in the order of their time.

However often and in whichever order positions come, they end in the same alerts and trips: what was
derived from a stretch of time is replaced when it is looked at again.

Whoever works on a device has its advisory lock, and writes only at the end: a killed step has done
nothing, and no reader of the feed waits for one that is thinking.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.db import Database, Db
from pannier.devices import checkpoints, derived, stretches
from pannier.devices.checkpoints import EPOCH, EVERY, Save
from pannier.devices.derived import Derived
from pannier.devices.kinds import Class
from pannier.devices.lands import LANDS, Edition, editions
from pannier.devices.readings import AHEAD
from pannier.devices.rules import trips as rules
from pannier.devices.rules.fixes import Fix
from pannier.devices.rules.fold import Folded, Limits, fold
from pannier.devices.stretches import TICK, Line, Outcome, Stretch, Waiting
from pannier.devices.trips import service
from pannier.devices.trips.service import Made
from pannier.parked import service as parking
from pannier.parked.models import Parked, Work

STEP: Final = "rules"
# Of the database's advisory locks, for whoever works on a device.
LOCK: Final = 0x72756C65
_CLAIM: Final = """
    with waiting as materialized (
        select d.uuid, d.company, d.number, d.public_id
        from (select device, min(position) as position from (
                  select device, position from device_backlog order by position limit :rows) b
              group by device order by 2 limit :devices) w
        join devices d on d.uuid = w.device)
    select uuid, company, number, public_id from waiting
    where pg_try_advisory_xact_lock(:lock, hashint8(number))"""
_WAITING: Final = """
    select b.device, b.position, b.since, b.until from unnest(:devices::uuid[]) as d (device)
    cross join lateral (
        select device, position, since, until from device_backlog b
        where b.device = d.device order by b.since, b.position limit :rows) b
    order by b.device, b.since, b.position"""
# A device is in one place at a time: of several positions of one moment, the first key counts.
_POSITIONS: Final = """
    select j.place, p.occurred_at, p.longitude, p.latitude, p.speed, p.accuracy,
           case p.ignition when 'true' then true when 'false' then false end
    from unnest(:numbers::bigint[], :since::timestamptz[], :until::timestamptz[])
        with ordinality as j (number, since, until, place)
    cross join lateral (
        select distinct on (e.occurred_at) e.occurred_at, e.longitude, e.latitude, e.speed,
               e.accuracy, e.data->'ignition' as ignition
        from device_events e
        where e.device_no = j.number and e.class = :class and e.occurred_at > j.since
          and e.occurred_at <= j.until and e.latitude is not null
        order by e.occurred_at, e.event_key limit :most) p
    order by j.place, p.occurred_at"""
_LIMITS: Final = """
    select s.device_no, s.since, s.until, v.speed_limit_kmh
    from device_spans s join vehicles v on v.uuid = s.vehicle and v.company = s.company
    where s.device_no = any(:numbers) and v.speed_limit_kmh is not null
    order by s.device_no, s.since"""


class Pace(NamedTuple):
    """At most so many devices, rows of the backlog, and about so many positions a step.

    Others wait: none of a step's devices gets fewer than `least`. After `checkpoint_every`
    positions a device leaves a checkpoint behind.
    """

    devices: int = 100
    rows: int = 1000
    positions: int = 4000
    least: int = 50
    checkpoint_every: int = EVERY


PACE: Final = Pace()


class Slow(msgspec.Struct, frozen=True):
    """That a device was on a vehicle with a speed limit."""

    device_no: int
    since: datetime
    until: datetime | None
    speed_limit_kmh: int


class Done(msgspec.Struct):
    """A stretch that was looked at."""

    stretch: Stretch
    fixes: Sequence[Fix]
    folded: Folded
    outcome: Outcome


async def step(database: Database, pace: Pace = PACE) -> bool:
    """Look at a stretch of each of some devices that have news; True when there were any."""
    async with database.transaction() as db:
        await db.find_by_index()
        lines = await db.many(Line, _CLAIM, lock=LOCK, rows=pace.rows, devices=pace.devices)
        by_device = {line.uuid: line for line in lines}
        chosen = await _chosen(db, by_device, pace.rows) if lines else []
        if chosen:
            await _write(db, chosen, [done async for done in _looked_at(db, chosen, pace)])
    return bool(chosen)


async def again(db: Db, parked: Parked) -> None:
    """Have all that is kept of a device's positions looked at once more."""
    await _queue(db, [(parked.company, parked.subject_uuid, EPOCH + TICK, db.now + AHEAD)])


async def _chosen(db: Db, lines: Mapping[UUID, Line], most: int) -> list[Stretch]:
    """Choose a stretch of each device: the earliest of which there is news.

    A head goes on only when all before it is known. Else it would keep the trip that it is on, of
    which whoever folds in what came late may know already that it began at another moment.
    """
    heads = await checkpoints.heads(db, list(lines))
    rows = await db.many(Waiting, _WAITING, devices=list(lines), rows=most)
    waiting = {device: list(some) for device, some in groupby(rows, lambda row: row.device)}
    ahead = [device for device, some in waiting.items() if some[0].since > heads[device].at]
    chosen = [stretches.new(lines[each], heads[each], waiting[each]) for each in ahead]
    behind = waiting.keys() - set(ahead)
    earliest = [(device, min(row.since for row in waiting[device])) for device in behind]
    nodes = await checkpoints.around(db, earliest) if earliest else {}
    for device, (before, after) in nodes.items():
        chosen.append(stretches.late(lines[device], heads[device], before, after, waiting[device]))
    return chosen


async def _looked_at(db: Db, chosen: Sequence[Stretch], pace: Pace) -> AsyncIterator[Done]:
    """Fold each stretch; a device whose positions the rules fail at is set aside."""
    most = max(pace.least, pace.positions // len(chosen))
    fixes = await _positions(db, chosen, most)
    present = await editions(db, {stretch.line.company for stretch in chosen})
    slow = await db.many(Slow, _LIMITS, numbers=[stretch.line.number for stretch in chosen])
    vehicles = {number: list(rows) for number, rows in groupby(slow, lambda row: row.device_no)}
    for stretch, some in zip(chosen, fixes, strict=True):
        line = stretch.line
        land = await LANDS.of(db, present[line.company])
        limits = _limits(vehicles.get(line.number, []), present[line.company])
        # Others have their turn in between.
        await asyncio.sleep(0)
        try:
            folded = fold(stretch.start.state, some, land, limits)
        except Exception as failure:
            if not parking.blames_the_work(failure):
                raise
            work = Work(line.company, STEP, line.public_id, line.uuid)
            await parking.park(db, work, failure)
            continue
        outcome = stretches.outcome(
            stretch, some, folded.state, full=len(some) >= most, every=pace.checkpoint_every
        )
        yield Done(stretch, some, folded, outcome)


async def _positions(db: Db, chosen: Sequence[Stretch], most: int) -> list[list[Fix]]:
    rows = await db.tuples(
        _POSITIONS,
        numbers=[stretch.line.number for stretch in chosen],
        since=[stretch.start.at for stretch in chosen],
        until=[stretch.end for stretch in chosen],
        most=most,
        **{"class": int(Class.POSITION)},
    )
    found: list[list[Fix]] = [[] for _ in chosen]
    for place, some in groupby(rows, itemgetter(0)):
        found[place - 1] = [Fix(*row[1:]) for row in some]
    return found


def _limits(slow: Sequence[Slow], edition: Edition) -> Limits:
    """Tell how fast a device may go at a moment: as the vehicle of then says, or the company."""

    def limit(at: datetime) -> float | None:
        for row in reversed(slow):
            if row.since <= at and (row.until is None or at < row.until):
                return row.speed_limit_kmh
        return edition.speed_limit_kmh

    return limit


async def _write(db: Db, chosen: Sequence[Stretch], done: Sequence[Done]) -> None:
    """Write all that follows, and what is left."""
    await db.execute(
        "delete from device_backlog where position = any(:rows)",
        rows=[row for stretch in chosen for row in stretch.rows],
    )
    left = [(each.stretch.line, each.outcome.left) for each in done]
    await _queue(db, [(line.company, line.uuid, *rest) for line, rest in left if rest])
    await checkpoints.save_heads(db, list(_saves(done, "head")))
    await checkpoints.save(db, list(_saves(done, "checkpoint")))
    await _write_alerts(db, done)
    await _write_trips(db, done)


def _saves(done: Iterable[Done], which: str) -> Iterable[Save]:
    for each in done:
        node = getattr(each.outcome, which)
        if node is not None:
            yield Save(each.stretch.line.company, each.stretch.line.uuid, node)


async def _write_alerts(db: Db, done: Sequence[Done]) -> None:
    """Replace what was decided in a stretch; after the head nothing was yet."""
    # Where positions were forgotten, what was derived from them stays.
    windows = [
        derived.Window(each.stretch.line.number, each.fixes[0].at, each.outcome.reached)
        for each in done
        if each.stretch.late and each.fixes
    ]
    alerts = [
        Derived.of(each.stretch.line.company, each.stretch.line.number, alert)
        for each in done
        for alert in each.folded.alerts
    ]
    await derived.replace(db, windows, alerts)


async def _write_trips(db: Db, done: Sequence[Done]) -> None:
    windows: list[service.Window] = []
    made: list[Made] = []
    for each in done:
        line, motion = each.stretch.line, each.folded.state.motion
        trips, at_head = list(each.folded.trips), _at_head(each)
        if at_head and (going_on := rules.going_on(motion)) is not None:
            trips.append(going_on)
        made += [Made(line.company, line.uuid, trip) for trip in trips]
        if each.stretch.late and each.fixes:
            since = rules.final_until(each.stretch.start.state.motion) or each.fixes[0].at
            until = None if at_head else rules.final_until(motion) or since
            windows.append(service.Window(line.uuid, since, until))
    await service.replace(db, windows, made)


def _at_head(done: Done) -> bool:
    """Tell whether a stretch ended with the last that is known of its device."""
    stretch = done.stretch
    return not stretch.late or done.outcome.reached == stretch.head.at


async def _queue(db: Db, rows: Sequence[tuple[UUID, UUID, datetime, datetime]]) -> None:
    """Have stretches looked at later."""
    if rows:
        await db.execute(
            """insert into device_backlog (company, device, since, until)
               select * from unnest(:companies::uuid[], :devices::uuid[], :since::timestamptz[],
                                    :until::timestamptz[])""",
            companies=[company for company, _, _, _ in rows],
            devices=[device for _, device, _, _ in rows],
            since=[since for _, _, since, _ in rows],
            until=[until for _, _, _, until in rows],
        )
