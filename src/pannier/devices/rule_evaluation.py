"""The worker's step that applies the rules to new positions, in the order of their time.

Positions may arrive repeatedly and in any order; the resulting alerts and trips are the same. When
a period is evaluated again, its earlier results are replaced.

A worker holds an advisory lock on each device it processes and writes only at the end. A killed
step has changed nothing, and no reader of the feed waits for a long computation.

Companies take turns. A step serves one device of each company before a second device of any, and
ends after a fraction of a second. The next step begins with the company after the last one served.
A flood of positions from one company therefore delays others by one step only.
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
from pannier.devices import checkpoints, derived, metrics, stretches
from pannier.devices.checkpoints import EPOCH, POSITIONS_PER_CHECKPOINT, NodeToSave
from pannier.devices.derived import DerivedEvent
from pannier.devices.event_types import RetentionClass
from pannier.devices.geofence_cache import GeofenceVersion, load_geofences, load_versions
from pannier.devices.readings import MAX_CLOCK_AHEAD
from pannier.devices.rules import trips as rules
from pannier.devices.rules.fixes import Fix
from pannier.devices.rules.fold import MAX_ALERTS_PER_HOUR, FoldResult, SpeedLimits, fold
from pannier.devices.stretches import (
    CLOCK_TICK,
    BacklogRow,
    ClaimedDevice,
    EvaluationStretch,
    StretchOutcome,
)
from pannier.devices.trips import service
from pannier.devices.trips.service import DeviceTrip
from pannier.parked import service as parking
from pannier.parked.models import ParkedWork, WorkKey
from pannier.web.logs import log

STEP_NAME: Final = "rules"
# Namespace of the advisory locks on devices.
LOCK_NAMESPACE: Final = 0x72756C65
# A loose index scan: one probe per company, however many rows each has.
_COMPANIES: Final = """
    with recursive waiting as (
        (select company, 1 as number from device_backlog where company > :after
         order by company limit 1)
        union all
        select n.company, w.number + 1 from waiting w
        cross join lateral (select b.company from device_backlog b where b.company > w.company
                            order by b.company limit 1) n
        where w.number < :limit)
    select company from waiting"""
_CLAIM_DEVICES: Final = """
    with waiting as materialized (
        select d.uuid, d.company, d.number, d.public_id, c.place,
               row_number() over (partition by c.company order by w.position) as round
        from unnest(:companies::uuid[]) with ordinality as c (company, place)
        cross join lateral (
            select device, min(position) as position from (
                select device, position from device_backlog b
                where b.company = c.company order by position limit :rows) b
            group by device order by 2 limit :devices) w
        join devices d on d.uuid = w.device)
    select uuid, company, number, public_id from waiting
    where pg_try_advisory_xact_lock(:lock, hashint8(number))
    order by round, place"""
_BACKLOG: Final = """
    select b.device, b.position, b.since, b.until from unnest(:devices::uuid[]) as d (device)
    cross join lateral (
        select device, position, since, until from device_backlog b
        where b.device = d.device order by b.since, b.position limit :rows) b
    order by b.device, b.since, b.position"""
# A device is in one place at a time. Of several positions at the same time, the lowest key wins.
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
        order by e.occurred_at, e.event_key limit :limit) p
    order by j.place, p.occurred_at"""
_LIMITS: Final = """
    select s.device_no, s.since, s.until, v.speed_limit_kmh
    from device_spans s join vehicles v on v.uuid = s.vehicle and v.company = s.company
    where s.device_no = any(:numbers) and v.speed_limit_kmh is not null
    order by s.device_no, s.since"""


class StepLimits(NamedTuple):
    """The limits of one step, so that other work waits only briefly.

    The companies of a step share its devices, backlog rows and positions. A device gets between
    `min_positions` and `max_positions`, and stops after `max_alerts`. No further device begins
    after `max_seconds`. After `checkpoint_every` positions a device gets a checkpoint.
    """

    companies: int = 20
    devices: int = 100
    rows: int = 1000
    positions: int = 4000
    min_positions: int = 50
    max_positions: int = 1000
    max_alerts: int = 300
    max_seconds: float = 0.25
    checkpoint_every: int = POSITIONS_PER_CHECKPOINT


STEP_LIMITS: Final = StepLimits()


class CompanyRotation:
    """The round-robin order of companies."""

    def __init__(self) -> None:
        self.served = NO_COMPANY

    async def choose(self, db: Db, limit: int) -> list[UUID]:
        """List companies with a backlog, beginning after the last one served."""
        after = await self._list_companies_after(db, self.served, limit)
        before = (
            await self._list_companies_after(db, NO_COMPANY, limit) if len(after) < limit else []
        )
        return [*after, *(company for company in before if company <= self.served)][:limit]

    async def _list_companies_after(self, db: Db, company: UUID, limit: int) -> list[UUID]:
        return [uuid for (uuid,) in await db.fetch_tuples(_COMPANIES, after=company, limit=limit)]


NO_COMPANY: Final = UUID(int=0)
# One per process.
ROTATION: Final = CompanyRotation()


class SpeedLimitPeriod(msgspec.Struct, frozen=True):
    """A period in which a device was on a vehicle with a speed limit."""

    device_no: int
    since: datetime
    until: datetime | None
    speed_limit_kmh: int


class EvaluatedStretch(msgspec.Struct):
    """The results of one evaluated stretch."""

    stretch: EvaluationStretch
    fixes: Sequence[Fix]
    folded: FoldResult
    outcome: StretchOutcome


async def step(
    database: Database, limits: StepLimits = STEP_LIMITS, rotation: CompanyRotation = ROTATION
) -> bool:
    """Evaluate one stretch for each of several devices; return whether there were any."""
    async with database.transaction() as db:
        await db.prefer_indexes()
        companies = await rotation.choose(db, limits.companies)
        lines = await _claim(db, companies, limits) if companies else []
        by_device = {line.uuid: line for line in lines}
        selected = await _choose_stretches(db, by_device, limits.rows) if lines else []
        places = {line.uuid: place for place, line in enumerate(lines)}
        selected.sort(key=lambda stretch: places[stretch.line.uuid])
        folded = [each async for each in _evaluate(db, selected, limits)] if selected else []
        if folded:
            await _write_results(
                db, selected[: len(folded)], [done for done in folded if done is not None]
            )
    if folded:
        rotation.served = _last_served(companies, [each.line.company for each in selected], folded)
    return bool(folded)


def _last_served(
    companies: Sequence[UUID], order: Sequence[UUID], folded: Sequence[object]
) -> UUID:
    """Return the last company of the first round; further rounds do not count."""
    served_companies = set(order[: len(folded)])
    return next(
        (company for company in reversed(companies) if company in served_companies), NO_COMPANY
    )


async def _claim(db: Db, companies: Sequence[UUID], limits: StepLimits) -> list[ClaimedDevice]:
    """Lock devices with a backlog: the first of each company, then the second ones, and so on."""
    return await db.fetch_all(
        ClaimedDevice,
        _CLAIM_DEVICES,
        lock=LOCK_NAMESPACE,
        companies=companies,
        rows=-(-limits.rows // len(companies)),
        devices=-(-limits.devices // len(companies)),
    )


async def requeue_device(db: Db, parked: ParkedWork) -> None:
    """Queue all stored positions of a device for evaluation, after its failure was parked."""
    await _queue(
        db, [(parked.company, parked.subject_uuid, EPOCH + CLOCK_TICK, db.now + MAX_CLOCK_AHEAD)]
    )


async def _choose_stretches(
    db: Db, devices: Mapping[UUID, ClaimedDevice], max_rows: int
) -> list[EvaluationStretch]:
    """Choose the earliest stretch with new positions for each device.

    The head may continue only when nothing before it is waiting. Otherwise it would keep its
    current trip, although a late position may have moved the start of that trip.
    """
    heads = await checkpoints.load_heads(db, list(devices))
    rows = await db.fetch_all(BacklogRow, _BACKLOG, devices=list(devices), rows=max_rows)
    backlog = {device: list(group) for device, group in groupby(rows, lambda row: row.device)}
    ahead = [device for device, group in backlog.items() if group[0].since > heads[device].at]
    selected = [
        stretches.continue_from_head(devices[uuid], heads[uuid], backlog[uuid]) for uuid in ahead
    ]
    late = backlog.keys() - set(ahead)
    earliest = [(device, min(row.since for row in backlog[device])) for device in late]
    nodes = await checkpoints.load_nodes_around(db, earliest) if earliest else {}
    for device, (before, after) in nodes.items():
        selected.append(
            stretches.start_before_late_positions(
                devices[device], heads[device], before, after, backlog[device]
            )
        )
    return selected


async def _evaluate(
    db: Db, selected: Sequence[EvaluationStretch], step_limits: StepLimits
) -> AsyncIterator[EvaluatedStretch | None]:
    """Evaluate stretches until time is up. Yield None for a device on which the rules fail."""
    clock = asyncio.get_running_loop().time
    end = clock() + step_limits.max_seconds
    batch_size = max(
        step_limits.min_positions,
        min(step_limits.max_positions, step_limits.positions // len(selected)),
    )
    fixes = await _load_positions(db, selected, batch_size)
    versions = await load_versions(db, {stretch.line.company for stretch in selected})
    slow = await db.fetch_all(
        SpeedLimitPeriod, _LIMITS, numbers=[stretch.line.number for stretch in selected]
    )
    vehicles = {number: list(rows) for number, rows in groupby(slow, lambda row: row.device_no)}
    every = step_limits.checkpoint_every
    for stretch, batch in zip(selected, fixes, strict=True):
        line = stretch.line
        fences = await load_geofences(db, versions[line.company])
        limits = _speed_limits(vehicles.get(line.number, []), versions[line.company])
        # Let other tasks of the process run in between.
        await asyncio.sleep(0)
        try:
            folded = fold(stretch.start.state, batch, fences, limits, step_limits.max_alerts)
        except Exception as failure:
            if not parking.is_caused_by_work(failure):
                raise
            work = WorkKey(line.company, STEP_NAME, line.public_id, line.uuid)
            await parking.park(db, work, failure)
            yield None
        else:
            _report_dropped_alerts(line, folded.dropped)
            is_full = len(batch) >= batch_size or folded.taken < len(batch)
            folded_fixes = batch[: folded.taken]
            outcome = stretches.outcome(
                stretch, folded_fixes, folded.state, may_have_more=is_full, every=every
            )
            yield EvaluatedStretch(stretch, folded_fixes, folded, outcome)
        if clock() >= end:
            return


def _report_dropped_alerts(device: ClaimedDevice, dropped: int) -> None:
    if dropped:
        metrics.count_dropped_alerts(dropped)
        log.warning(
            "alerts dropped",
            device=device.public_id,
            company=str(device.company),
            dropped=dropped,
            hourly_limit=MAX_ALERTS_PER_HOUR,
        )


async def _load_positions(
    db: Db, selected: Sequence[EvaluationStretch], max_positions: int
) -> list[list[Fix]]:
    rows = await db.fetch_tuples(
        _POSITIONS,
        numbers=[stretch.line.number for stretch in selected],
        since=[stretch.start.at for stretch in selected],
        until=[stretch.end for stretch in selected],
        limit=max_positions,
        **{"class": int(RetentionClass.POSITION)},
    )
    fixes: list[list[Fix]] = [[] for _ in selected]
    for place, device_rows in groupby(rows, itemgetter(0)):
        fixes[place - 1] = [Fix(*row[1:]) for row in device_rows]
    return fixes


def _speed_limits(periods: Sequence[SpeedLimitPeriod], version: GeofenceVersion) -> SpeedLimits:
    """Return a function from time to speed limit: the vehicle's own, or the company's."""

    def speed_limit_at(at: datetime) -> float | None:
        for row in reversed(periods):
            if row.since <= at and (row.until is None or at < row.until):
                return row.speed_limit_kmh
        return version.speed_limit_kmh

    return speed_limit_at


async def _write_results(
    db: Db, selected: Sequence[EvaluationStretch], evaluated: Sequence[EvaluatedStretch]
) -> None:
    """Write all results, and queue the periods that are left."""
    await db.execute(
        "delete from device_backlog where position = any(:rows)",
        rows=[row for stretch in selected for row in stretch.rows],
    )
    remaining = [(each.stretch.line, each.outcome.left) for each in evaluated]
    await _queue(db, [(line.company, line.uuid, *period) for line, period in remaining if period])
    await checkpoints.save_heads(db, list(_nodes_to_save(evaluated, "head")))
    await checkpoints.save(db, list(_nodes_to_save(evaluated, "checkpoint")))
    await _write_alerts(db, evaluated)
    await _write_trips(db, evaluated)


def _nodes_to_save(evaluated: Iterable[EvaluatedStretch], kind: str) -> Iterable[NodeToSave]:
    for each in evaluated:
        node = getattr(each.outcome, kind)
        if node is not None:
            yield NodeToSave(each.stretch.line.company, each.stretch.line.uuid, node)


async def _write_alerts(db: Db, done: Sequence[EvaluatedStretch]) -> None:
    """Replace the alerts decided within late stretches, and add the alerts of new ones."""
    # Where the positions were already deleted, alerts that were derived from them stay.
    windows = [
        derived.AlertWindow(each.stretch.line.number, each.fixes[0].at, each.outcome.reached)
        for each in done
        if each.stretch.is_late and each.fixes
    ]
    alerts = [
        DerivedEvent.from_alert(each.stretch.line.company, each.stretch.line.number, alert)
        for each in done
        for alert in each.folded.alerts
    ]
    await derived.replace_alerts(db, windows, alerts)


async def _write_trips(db: Db, done: Sequence[EvaluatedStretch]) -> None:
    windows: list[service.TripWindow] = []
    new_trips: list[DeviceTrip] = []
    for each in done:
        line, motion = each.stretch.line, each.folded.state.motion
        trips, at_head = list(each.folded.trips), _is_at_head(each)
        if at_head and (going_on := rules.current_trip(motion)) is not None:
            trips.append(going_on)
        new_trips += [DeviceTrip(line.company, line.uuid, trip) for trip in trips]
        if each.stretch.is_late and each.fixes:
            since = rules.final_until(each.stretch.start.state.motion) or each.fixes[0].at
            until = None if at_head else rules.final_until(motion) or since
            windows.append(service.TripWindow(line.uuid, since, until))
    await service.replace_trips(db, windows, new_trips)


def _is_at_head(done: EvaluatedStretch) -> bool:
    """Return whether a stretch ended at its device's last known state."""
    stretch = done.stretch
    return not stretch.is_late or done.outcome.reached == stretch.head.at


async def _queue(db: Db, rows: Sequence[tuple[UUID, UUID, datetime, datetime]]) -> None:
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
