"""Queries of the whole fleet's positions and states."""

from datetime import timedelta
from typing import Any, Final, get_args
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.db.table import escape_like
from pannier.fleet.live.schemas import (
    Counts,
    State,
    Unit,
    UnitFilters,
    UnitOut,
    WhereaboutsMeta,
    WhereaboutsOut,
)
from pannier.fleet.queries import FLEETS

# The same as for a device that reports every five minutes: see `devices/rules/silence.py`.
STALE_AFTER: Final = timedelta(minutes=10)
OFFLINE_AFTER: Final = timedelta(minutes=30)
MIN_MOVING_SPEED: Final = (
    1.4  # metres a second: walking speed, which exceeds the error of receivers
)
# The newest vehicles, and the newest drivers without one, that a request reads.
MAX_UNITS: Final = 5_000
STATE_ORDER: Final = tuple(get_args(State))

_UNITS: Final = """
    with vehicle as (
        select v.uuid, v.public_id, v.plate_number, v.make, v.model, v.internal_id, v.status,
               v.online
        from vehicles v
        where v.company = :company and v.deleted_at is null
          and (:ids::text[] is null or v.public_id = any(:ids))
          and (:fleet::uuid is null or v.uuid in (
              select vehicle from fleet_members where fleet = :fleet))
          and (:query::text is null
               or concat_ws(' ', plate_number, make, model, internal_id) ilike :query
               or :with_drivers and exists (select 1 from drivers d where d.vehicle = v.uuid
                          and d.company = :company and d.name ilike :query
                          and d.deleted_at is null))
        order by v.created_at desc, v.uuid desc limit :max_units),
    lone_driver as (
        select d.uuid, d.public_id, d.name, d.status, d.online from drivers d
        where d.company = :company and d.deleted_at is null and d.vehicle is null and :with_drivers
          and (:ids::text[] is null or d.public_id = any(:ids))
          and (:fleet::uuid is null or d.uuid in (
              select driver from fleet_members where fleet = :fleet))
          and (:query::text is null or concat_ws(' ', name, internal_id) ilike :query)
        order by d.created_at desc, d.uuid desc limit :max_units),
    unit as (
        select v.uuid, case when :with_drivers then d.uuid end as driver_uuid,
               'vehicle' as kind, v.public_id,
               coalesce(nullif(v.plate_number, ''), nullif(concat_ws(' ', v.make, v.model), ''),
                        v.internal_id, v.public_id) as name,
               v.plate_number, v.status,
               v.online or :with_drivers and coalesce(d.online, false) as online,
               d.public_id as driver, case when :with_drivers then d.name end as driver_name
        from vehicle v left join drivers d
            on d.vehicle = v.uuid and d.company = :company and d.deleted_at is null
        union all
        select w.uuid, w.uuid, 'driver', w.public_id, w.name, null, w.status, w.online,
               w.public_id, w.name
        from lone_driver w),
    seen as (
        select unit.kind, unit.public_id, unit.name, unit.plate_number, unit.status, unit.online,
               unit.driver, unit.driver_name, w.latitude, w.longitude, w.heading, w.speed,
               w.located_at,
               case when w.located_at is null then 'never_seen'
                    when w.located_at <= :offline then 'offline'
                    when w.located_at <= :stale then 'stale'
                    when w.speed >= :min_speed then 'moving'
                    else 'standing' end as state
        from unit left join lateral (
            select latitude, longitude, heading, speed, located_at from whereabouts
            where company = :company and subject = any(array[unit.uuid, unit.driver_uuid])
            order by located_at desc limit 1) w on true)"""


class _Count(msgspec.Struct):
    state: State
    number: int


async def load_whereabouts(
    db: Db, company: UUID, filters: UnitFilters, *, include_drivers: bool
) -> WhereaboutsOut:
    """List the fleet's units with their positions, and count them by state."""
    values = {**await _make_query_values(db, company, filters), "with_drivers": include_drivers}
    count_rows = await db.fetch_all(
        _Count, f"{_UNITS} select state, count(*) as number from seen group by state", **values
    )
    units = await db.fetch_all(
        Unit,
        f"""{_UNITS}
            select kind, public_id, name, plate_number, status, online, driver, driver_name, state,
                   latitude, longitude, heading, speed, located_at
            from seen where :states::text[] is null or state = any(:states)
            order by array_position(:order::text[], state), name, public_id limit :limit""",
        **values,
        states=filters.state,
        order=list(STATE_ORDER),
        limit=filters.limit,
    )
    counts = {row.state: row.number for row in count_rows}
    is_complete = sum(counts.values()) < MAX_UNITS
    return WhereaboutsOut(
        [UnitOut.from_unit(unit) for unit in units], WhereaboutsMeta(Counts(**counts), is_complete)
    )


async def _make_query_values(db: Db, company: UUID, filters: UnitFilters) -> dict[str, Any]:
    fleet = None
    if filters.fleet is not None:
        fleet = (await FLEETS.resolve_reference(db, company, "fleet", filters.fleet)).uuid
    return {
        "company": company,
        "fleet": fleet,
        "ids": filters.id,
        "query": filters.query and f"%{escape_like(filters.query)}%",
        "max_units": MAX_UNITS,
        "stale": db.now - STALE_AFTER,
        "offline": db.now - OFFLINE_AFTER,
        "min_speed": MIN_MOVING_SPEED,
    }
