"""The worker step that evaluates the rules on new positions, in chronological order.

Positions may arrive repeatedly and in any order; the resulting alerts and trips are the same. When
a period is evaluated again, its earlier results are replaced.

A worker holds an advisory lock on each device it processes and writes only at the end. A killed
step changes nothing, and no reader of the feed waits for a long computation.

Companies take turns. A step serves one device of each company before a second device of any, and
ends after a fraction of a second. The next step begins with the company after the last one served.
A flood of positions from one company therefore delays others by one step only.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
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
# A device is in one place at a time. If several positions have the same time, the lowest key wins.
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
        self.last_served = NO_COMPANY

    async def list_next_companies(self, db: Db, limit: int) -> list[UUID]:
        """List companies with a backlog, beginning after the last one served."""
        companies = await self._list_companies_after(db, self.last_served, limit)
        if len(companies) < limit:
            first_companies = await self._list_companies_after(db, NO_COMPANY, limit)
            companies += [company for company in first_companies if company <= self.last_served]
        return companies[:limit]

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
    fold_result: FoldResult
    outcome: StretchOutcome


async def step(
    database: Database, limits: StepLimits = STEP_LIMITS, rotation: CompanyRotation = ROTATION
) -> bool:
    """Evaluate one stretch for each of several devices; return whether there were any."""
    async with database.transaction() as db:
        await db.prefer_indexes()
        companies = await rotation.list_next_companies(db, limits.companies)
        devices = await _claim_devices(db, companies, limits) if companies else []
        by_uuid = {device.uuid: device for device in devices}
        due_stretches = await _choose_stretches(db, by_uuid, limits.rows) if devices else []
        ranks = {device.uuid: rank for rank, device in enumerate(devices)}
        due_stretches.sort(key=lambda stretch: ranks[stretch.device.uuid])
        results = [result async for result in _evaluate_stretches(db, due_stretches, limits)]
        done_stretches = due_stretches[: len(results)]
        if results:
            await _write_results(db, done_stretches, list(filter(None, results)))
    if results:
        served_companies = {stretch.device.company for stretch in done_stretches}
        rotation.last_served = _find_last_served(companies, served_companies)
    return bool(results)


def _find_last_served(companies: Sequence[UUID], served_companies: Collection[UUID]) -> UUID:
    """Return the last company of the first round; further rounds do not count."""
    return next(
        (company for company in reversed(companies) if company in served_companies), NO_COMPANY
    )


async def _claim_devices(
    db: Db, companies: Sequence[UUID], limits: StepLimits
) -> list[ClaimedDevice]:
    """Lock devices with a backlog: the first of each company, then the second ones, and so on."""
    return await db.fetch_all(
        ClaimedDevice,
        _CLAIM_DEVICES,
        lock=LOCK_NAMESPACE,
        companies=companies,
        rows=-(-limits.rows // len(companies)),
        devices=-(-limits.devices // len(companies)),
    )


async def requeue_device(db: Db, parked_work: ParkedWork) -> None:
    """Queue all stored positions of a device for evaluation, after its failure was parked."""
    period = EPOCH + CLOCK_TICK, db.now + MAX_CLOCK_AHEAD
    await _queue_periods(db, [(parked_work.company, parked_work.subject_uuid, *period)])


async def _choose_stretches(
    db: Db, devices: Mapping[UUID, ClaimedDevice], max_rows: int
) -> list[EvaluationStretch]:
    """Choose the earliest stretch with new positions for each device.

    The head may continue only if no earlier position is waiting. Otherwise it would keep its
    current trip, although a late position may have moved the start of that trip.
    """
    heads = await checkpoints.load_heads(db, list(devices))
    rows = await db.fetch_all(BacklogRow, _BACKLOG, devices=list(devices), rows=max_rows)
    backlog = {device: list(group) for device, group in groupby(rows, lambda row: row.device)}
    uuids_on_time = [uuid for uuid, group in backlog.items() if group[0].since > heads[uuid].at]
    due_stretches = [
        stretches.continue_from_head(devices[uuid], heads[uuid], backlog[uuid])
        for uuid in uuids_on_time
    ]
    late_uuids = backlog.keys() - set(uuids_on_time)
    earliest = [(uuid, min(row.since for row in backlog[uuid])) for uuid in late_uuids]
    nodes = await checkpoints.load_nodes_around(db, earliest) if earliest else {}
    for uuid, (previous_node, next_node) in nodes.items():
        due_stretches.append(
            stretches.build_stretch_for_late_positions(
                devices[uuid], heads[uuid], previous_node, next_node, backlog[uuid]
            )
        )
    return due_stretches


async def _evaluate_stretches(
    db: Db, due_stretches: Sequence[EvaluationStretch], step_limits: StepLimits
) -> AsyncIterator[EvaluatedStretch | None]:
    """Evaluate stretches until time is up. Yield None for a device on which the rules fail."""
    if not due_stretches:
        return
    clock = asyncio.get_running_loop().time
    end = clock() + step_limits.max_seconds
    share = step_limits.positions // len(due_stretches)
    batch_size = max(step_limits.min_positions, min(step_limits.max_positions, share))
    batches = await _load_positions(db, due_stretches, batch_size)
    versions = await load_versions(db, {stretch.device.company for stretch in due_stretches})
    numbers = [stretch.device.number for stretch in due_stretches]
    rows = await db.fetch_all(SpeedLimitPeriod, _LIMITS, numbers=numbers)
    periods = {number: list(group) for number, group in groupby(rows, lambda row: row.device_no)}
    for stretch, batch in zip(due_stretches, batches, strict=True):
        device, version = stretch.device, versions[stretch.device.company]
        geofences = await load_geofences(db, version)
        limits = _build_limits(periods.get(device.number, []), version)
        # Let other tasks of the process run in between.
        await asyncio.sleep(0)
        try:
            result = fold(stretch.start.state, batch, geofences, limits, step_limits.max_alerts)
        except Exception as failure:
            if not parking.is_caused_by_work(failure):
                raise
            work = WorkKey(device.company, STEP_NAME, device.public_id, device.uuid)
            await parking.park(db, work, failure)
            yield None
        else:
            _report_dropped_alerts(device, result.dropped)
            may_have_more = len(batch) >= batch_size or result.taken < len(batch)
            fixes, interval = batch[: result.taken], step_limits.checkpoint_every
            outcome = stretches.make_outcome(
                stretch, fixes, result.state, may_have_more=may_have_more, checkpoint_every=interval
            )
            yield EvaluatedStretch(stretch, fixes, result, outcome)
        if clock() >= end:
            return


def _report_dropped_alerts(device: ClaimedDevice, dropped_count: int) -> None:
    if dropped_count:
        metrics.count_dropped_alerts(dropped_count)
        log.warning(
            "alerts dropped",
            device=device.public_id,
            company=str(device.company),
            dropped=dropped_count,
            hourly_limit=MAX_ALERTS_PER_HOUR,
        )


async def _load_positions(
    db: Db, due_stretches: Sequence[EvaluationStretch], max_positions: int
) -> list[list[Fix]]:
    rows = await db.fetch_tuples(
        _POSITIONS,
        numbers=[stretch.device.number for stretch in due_stretches],
        since=[stretch.start.at for stretch in due_stretches],
        until=[stretch.end for stretch in due_stretches],
        limit=max_positions,
        **{"class": int(RetentionClass.POSITION)},
    )
    fixes: list[list[Fix]] = [[] for _ in due_stretches]
    for ordinal, device_rows in groupby(rows, itemgetter(0)):
        fixes[ordinal - 1] = [Fix(*row[1:]) for row in device_rows]
    return fixes


def _build_limits(periods: Sequence[SpeedLimitPeriod], version: GeofenceVersion) -> SpeedLimits:
    """Build a function that returns the speed limit at a time: the vehicle's or the company's."""

    def find_speed_limit(moment: datetime) -> float | None:
        for period in reversed(periods):
            if period.since <= moment and (period.until is None or moment < period.until):
                return period.speed_limit_kmh
        return version.speed_limit_kmh

    return find_speed_limit


async def _write_results(
    db: Db, done_stretches: Sequence[EvaluationStretch], results: Sequence[EvaluatedStretch]
) -> None:
    """Write all results, and queue the remaining periods."""
    await db.execute(
        "delete from device_backlog where position = any(:rows)",
        rows=[row for stretch in done_stretches for row in stretch.rows],
    )
    remaining_periods = [(result.stretch.device, result.outcome.remaining) for result in results]
    periods = [
        (device.company, device.uuid, *period) for device, period in remaining_periods if period
    ]
    await _queue_periods(db, periods)
    await checkpoints.save_heads(db, list(_list_nodes_to_save(results, "head")))
    await checkpoints.save(db, list(_list_nodes_to_save(results, "checkpoint")))
    await _write_alerts(db, results)
    await _write_trips(db, results)


def _list_nodes_to_save(results: Iterable[EvaluatedStretch], field: str) -> Iterable[NodeToSave]:
    for result in results:
        node, device = getattr(result.outcome, field), result.stretch.device
        if node is not None:
            yield NodeToSave(device.company, device.uuid, node)


async def _write_alerts(db: Db, results: Sequence[EvaluatedStretch]) -> None:
    """Replace the alerts of late stretches, and add those of new stretches."""
    # Alerts whose positions were already deleted stay.
    windows = [
        derived.AlertWindow(
            result.stretch.device.number, result.fixes[0].at, result.outcome.processed_until
        )
        for result in results
        if result.stretch.is_late and result.fixes
    ]
    alerts = [
        DerivedEvent.from_alert(result.stretch.device.company, result.stretch.device.number, alert)
        for result in results
        for alert in result.fold_result.alerts
    ]
    await derived.replace_alerts(db, windows, alerts)


async def _write_trips(db: Db, results: Sequence[EvaluatedStretch]) -> None:
    windows: list[service.TripWindow] = []
    new_trips: list[DeviceTrip] = []
    for result in results:
        device, motion = result.stretch.device, result.fold_result.state.motion
        trips, is_at_head = list(result.fold_result.trips), _is_at_head(result)
        if is_at_head and (current_trip := rules.current_trip(motion)) is not None:
            trips.append(current_trip)
        new_trips += [DeviceTrip(device.company, device.uuid, trip) for trip in trips]
        if result.stretch.is_late and result.fixes:
            since = rules.find_first_start(result.stretch.start.state.motion) or result.fixes[0].at
            until = None if is_at_head else rules.find_first_start(motion) or since
            windows.append(service.TripWindow(device.uuid, since, until))
    await service.replace_trips(db, windows, new_trips)


def _is_at_head(result: EvaluatedStretch) -> bool:
    """Return whether a stretch ended at its device's last known state."""
    stretch = result.stretch
    return not stretch.is_late or result.outcome.processed_until == stretch.head.at


async def _queue_periods(db: Db, rows: Sequence[tuple[UUID, UUID, datetime, datetime]]) -> None:
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
