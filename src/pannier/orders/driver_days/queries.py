"""Database access of drivers' days and their ETAs."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, Final, get_args
from uuid import UUID

import msgspec

from pannier.db import Db, columns
from pannier.kit.hooks import Hook
from pannier.orders.driver_days.sequence import arrange_stops
from pannier.orders.driver_days.stops import (
    MAX_POSITION_AGE,
    MAX_STOPS,
    DayStop,
    LateState,
    StopEta,
    StopKey,
    is_fresh,
    list_orders_by_state,
)
from pannier.orders.stages import OPEN
from pannier.payloads.models import StopType

# Limits per driver: open orders, oldest first, and their stops.
MAX_ORDERS: Final = 300
MAX_ROWS: Final = 1_000
# The highest exact count of orders with a forecast.
MAX_COUNT: Final = 1_000

# Each part uses an index: a driver's open orders, and the stops of a payload.
_REMAINING_STOPS: Final = f"""
    select d.driver, s.order_uuid, s.order_id, s.created_at, s.scheduled_at, s.is_dispatched,
           s.waypoint, s.waypoint_id, s.type, s.position, s.is_current, s.has_begun, s.opens,
           s.closes, s.service_time, l.latitude, l.longitude,
           coalesce((select v.profile from vehicles v where v.uuid = s.vehicle), 'car') as profile
    from unnest(:drivers::uuid[]) d (driver) cross join lateral (
        select o.uuid as order_uuid, o.public_id as order_id, o.created_at, o.scheduled_at,
               o.dispatched_at is not null as is_dispatched, o.vehicle, s.waypoint, s.waypoint_id,
               s.type, s.position, s.place, s.is_current, s.has_begun, s.service_time, s.opens,
               s.closes
        from (
            select uuid, public_id, payload, vehicle, created_at, scheduled_at, dispatched_at,
                   started_at, at_pickup, activity, undelivered, time_window_start,
                   time_window_end
            from orders
            where company = :company and driver = d.driver and {OPEN} and deleted_at is null
              and (dispatched_at is not null or :with_waiting)
            order by created_at, uuid limit {MAX_ORDERS}) o
        join payloads p on p.uuid = o.payload
        cross join lateral (
            select w.uuid as waypoint, w.public_id as waypoint_id, w.type, w.position, w.place,
                   coalesce(w.uuid = p.current_waypoint, false) as is_current,
                   w.activity is not null as has_begun,
                   coalesce(w.service_time, 0) as service_time,
                   case when promise.is_own then w.time_window_start
                        when w.type = 'dropoff' then o.time_window_start end as opens,
                   case when promise.is_own then w.time_window_end
                        when w.type = 'dropoff' then o.time_window_end end as closes
            from waypoints w cross join lateral (
                select num_nonnulls(w.time_window_start, w.time_window_end) > 0 as is_own) promise
            where w.payload = p.uuid and w.deleted_at is null and w.completed_at is null
              and w.undelivered is null
            union all
            select null, null, e.type, e.position, e.place, false,
                   o.activity not in ('created', 'dispatched', 'started')
                       and o.at_pickup = (e.type = 'pickup'),
                   0, case when e.type = 'dropoff' then o.time_window_start end,
                   case when e.type = 'dropoff' then o.time_window_end end
            from (values ('pickup', 0, p.pickup, o.started_at is null or o.at_pickup),
                         ('dropoff', 1, p.dropoff, o.undelivered is null))
                as e (type, position, place, is_ahead)
            where e.is_ahead and e.place is not null and not exists (
                select from waypoints w where w.payload = p.uuid and w.deleted_at is null)) s
        limit {MAX_ROWS}) s
    join places l on l.uuid = s.place"""


class PlannedVisit(msgspec.Struct):
    """A stop of an accepted plan."""

    driver: UUID
    order_uuid: UUID
    waypoint: UUID | None
    type: StopType
    arrives_at: datetime
    begins_at: datetime


# Implemented by the package that owns plans.
load_planned_visits: Final = Hook[[Db, UUID, Collection[UUID]], Sequence[PlannedVisit]](
    "pannier.planning.queries"
)


class DriverEtas(msgspec.Struct, kw_only=True):
    """The last computed ETAs of a driver, in the sequence of the visits."""

    driver: UUID
    company: UUID
    located_at: datetime
    computed_at: datetime
    stops: list[StopEta]
    late: list[UUID]
    at_risk: list[UUID]

    @classmethod
    def from_stops(
        cls,
        company: UUID,
        driver: UUID,
        located_at: datetime,
        computed_at: datetime,
        stops: list[StopEta],
    ) -> "DriverEtas":
        return cls(
            driver=driver,
            company=company,
            located_at=located_at,
            computed_at=computed_at,
            stops=stops,
            late=list_orders_by_state(stops, "late"),
            at_risk=list_orders_by_state(stops, "at_risk"),
        )


async def load_days(
    db: Db, company: UUID, drivers: Collection[UUID], *, with_waiting: bool = False
) -> dict[UUID, list[DayStop]]:
    """Load the remaining stops of drivers, in sequence.

    These are stops of dispatched orders; `with_waiting` adds orders that are not dispatched yet.
    """
    rows = await db.fetch_all(
        DayStop,
        _REMAINING_STOPS,
        company=company,
        drivers=sorted(set(drivers)),
        with_waiting=with_waiting,
    )
    await _set_planned_times(db, company, rows)
    days: defaultdict[UUID, list[DayStop]] = defaultdict(list)
    for row in rows:
        days[row.driver].append(row)
    return {driver: arrange_stops(stops)[:MAX_STOPS] for driver, stops in days.items()}


async def _set_planned_times(db: Db, company: UUID, stops: Sequence[DayStop]) -> None:
    """Set the planned time of each stop in its driver's accepted plan.

    A stop that may only begin later now has none, because its order was rescheduled.
    """
    visits = await load_planned_visits(db, company, {stop.order_uuid for stop in stops})
    visits_by_stop = {
        (visit.driver, StopKey.create(visit.order_uuid, visit.waypoint, visit.type)): visit
        for visit in visits
    }
    for stop in stops:
        visit = visits_by_stop.get((stop.driver, stop.key))
        if visit is not None and stop.may_begin_at(visit.begins_at):
            stop.planned_at = visit.arrives_at


async def load_etas(
    db: Db, company: UUID, drivers: Iterable[UUID | None], now: datetime
) -> dict[UUID, DriverEtas]:
    """Load the ETAs of drivers. ETAs from an old position are left out."""
    uuids = {driver for driver in drivers if driver is not None}
    if not uuids:
        return {}
    rows = await db.fetch_all(
        DriverEtas,
        f"""select {columns(DriverEtas)} from driver_etas
            where company = :company and driver = any(:drivers)""",
        company=company,
        drivers=sorted(uuids),
    )
    return {row.driver: row for row in rows if is_fresh(row.located_at, now)}


def build_forecast_query(state: LateState) -> str:
    """Build the query of open orders whose forecast is in a state, from fresh ETAs.

    An order that was reassigned since has no forecast.
    """
    column = {"late": "e.late", "at_risk": "e.at_risk"}[state]
    return f"""
        select o.uuid from driver_etas e cross join lateral unnest({column}) f (order_uuid)
        join orders o on o.uuid = f.order_uuid and o.company = e.company and o.driver = e.driver
            and o.completed_at is null and o.canceled_at is null and o.deleted_at is null
        where e.company = :company and e.located_at between :fresh_since and :fresh_until"""


async def count_forecasts(db: Db, company: UUID) -> dict[LateState, int]:
    """Count the open orders that will be late or are at risk, up to a limit of each."""
    return {
        state: await db.fetch_value(
            f"select count(*) from ({build_forecast_query(state)} limit {MAX_COUNT}) orders",
            company=company,
            **build_freshness_values(db.now),
        )
        for state in get_args(LateState)
    }


def build_freshness_values(now: datetime) -> dict[str, Any]:
    """Return the range of position times whose ETAs are fresh, for the forecast query."""
    return {"fresh_since": now - MAX_POSITION_AGE, "fresh_until": now + MAX_POSITION_AGE}


async def save_etas(db: Db, rows: Collection[DriverEtas]) -> None:
    """Replace the ETAs of drivers, in one statement."""
    await db.execute(
        """insert into driver_etas (driver, company, located_at, computed_at, stops, late, at_risk)
           select driver, company, located_at, computed_at, stops, late, at_risk
           from jsonb_to_recordset(:rows) as new (driver uuid, company uuid,
               located_at timestamptz, computed_at timestamptz, stops jsonb, late uuid[],
               at_risk uuid[])
           order by driver
           on conflict (driver) do update set
               located_at = excluded.located_at, computed_at = excluded.computed_at,
               stops = excluded.stops, late = excluded.late, at_risk = excluded.at_risk""",
        rows=list(rows),
    )


async def delete_etas(db: Db, company: UUID, drivers: Collection[UUID]) -> None:
    """Delete the ETAs of drivers."""
    await db.execute(
        "delete from driver_etas where company = :company and driver = any(:drivers)",
        company=company,
        drivers=sorted(drivers),
    )
