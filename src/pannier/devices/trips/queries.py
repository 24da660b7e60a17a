"""Queries for a vehicle's trips, from the devices that were on it."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple, TypeVar
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.devices import spans
from pannier.devices.event_types import RetentionClass
from pannier.devices.models import Kind
from pannier.devices.rules.fixes import MAX_ERROR_METRES
from pannier.devices.rules.trips import Trip

# Trips of one period, positions of one trip, and positions of all trips in one response.
MAX_TRIPS: Final = 1000
MAX_POSITIONS_PER_TRIP: Final = 20_000
MAX_POSITIONS: Final = 200_000
# Trips this long before and after a period may be the same journey by another device.
OVERLAP_MARGIN: Final = timedelta(hours=3)
# Kinds of devices whose trips are less reliable, the worst one first.
_KINDS_WORST_FIRST: Final[Sequence[Kind]] = ("phone", "virtual")

_TRIPS: Final = """
    select t.public_id, t.uuid, d.public_id as device_id, d.number as device_no, d.kind,
           t.started_at, t.ended_at, t.start_latitude, t.start_longitude, t.end_latitude,
           t.end_longitude, t.distance, t.moving_seconds, t.idle_seconds, t.longest_stop_seconds,
           t.max_speed, coalesce(t.ended_at, least(f.at, s.until)) as seen_until
    from unnest(:numbers::bigint[], :begins::timestamptz[], :ends::timestamptz[])
        as s (number, since, until)
    join devices d on d.number = s.number and d.company = :company
    join device_trips t on t.device = d.uuid and t.company = :company
        and t.started_at >= greatest(s.since, :since) and t.started_at < :until
        and (s.until is null or t.started_at < s.until)
    left join device_folds f on f.device = d.uuid and t.ended_at is null
    order by t.started_at, t.uuid limit :limit"""
# A device was on a vehicle, or it is the phone of a driver without one; other trips are left out.
# Spans are read once for all trips of their device.
_COMPANY_TRIPS: Final = """
    with trips as materialized (
        select uuid, device, started_at, ended_at, distance, moving_seconds, idle_seconds
        from device_trips
        where company = :company and started_at >= :since and started_at < :until),
    spans as materialized (
        select device, vehicle, since, until from device_spans
        where company = :company and device = any(array(select distinct device from trips))
            and since < :until and (until is null or until > :since)),
    driven as materialized (
        select vehicle, driver, since, until from drives
        where company = :company and vehicle = any(array(select distinct vehicle from spans))
            and since < :until and (until is null or until > :since))
    select distinct on (t.started_at, t.uuid)
           coalesce(s.vehicle, d.driver) as carrier, coalesce(d.driver, r.driver) as driver, d.kind,
           t.started_at, t.ended_at, t.distance, t.moving_seconds, t.idle_seconds,
           coalesce(t.ended_at, least(f.at, s.until)) as seen_until,
           v.cost_per_km, coalesce(v.currency, c.currency) as distance_currency,
           p.cost_per_hour, coalesce(p.currency, c.currency) as time_currency
    from trips t
    join companies c on c.uuid = :company
    join devices d on d.uuid = t.device
    left join spans s on s.device = t.device and s.since <= t.started_at
        and (s.until is null or t.started_at < s.until)
    left join driven r on r.vehicle = s.vehicle and r.since <= t.started_at
        and (r.until is null or t.started_at < r.until)
    left join vehicles v on v.uuid = s.vehicle
    left join drivers p on p.uuid = coalesce(d.driver, r.driver)
    left join device_folds f on f.device = t.device and t.ended_at is null
    where coalesce(s.vehicle, d.driver) is not null
    order by t.started_at, t.uuid, s.since desc, r.since desc"""
_POSITIONS: Final = """
    select j.place, p.longitude, p.latitude, extract(epoch from p.occurred_at)::bigint
    from unnest(:numbers::bigint[], :begins::timestamptz[], :ends::timestamptz[])
        with ordinality as j (number, since, until, place)
    cross join lateral (
        select e.occurred_at, e.longitude, e.latitude from device_events e
        where e.device_no = j.number and e.class = :class and e.company = :company
          and e.occurred_at between j.since and j.until and e.latitude is not null
          and (e.accuracy is null or e.accuracy <= :accuracy)
        order by e.occurred_at, e.event_key limit :limit) p
    order by j.place, p.occurred_at limit :all"""


class TrackFix(NamedTuple):
    """A position of a trip, and its time in seconds since 1970."""

    longitude: float
    latitude: float
    at: int


class TripRow(Trip, frozen=True, kw_only=True):
    """A stored trip with its device."""

    public_id: str
    uuid: UUID
    device_id: str
    device_no: int
    kind: Kind
    # The end, or the last contact. A device that falls silent on the way never ends its trip.
    seen_until: datetime | None


class CarrierTrip(msgspec.Struct, frozen=True, kw_only=True):
    """A trip of a vehicle, or of a driver without one, with what it costs."""

    carrier: UUID
    driver: UUID | None
    kind: Kind
    started_at: datetime
    ended_at: datetime | None
    distance: float
    moving_seconds: float
    idle_seconds: float
    seen_until: datetime | None
    # Minor units of the currency after each.
    cost_per_km: int | None
    distance_currency: str | None
    cost_per_hour: int | None
    time_currency: str | None


AnyTrip = TypeVar("AnyTrip", TripRow, CarrierTrip)


async def list_trips_of_company(
    db: Db, company: UUID, since: datetime, until: datetime
) -> list[CarrierTrip]:
    """List the trips that vehicles and drivers started in a period, each once.

    A journey that two devices report may start before the end of the period for one of them only.
    """
    rows = await db.fetch_all(
        CarrierTrip,
        _COMPANY_TRIPS,
        company=company,
        since=since - OVERLAP_MARGIN,
        until=until + OVERLAP_MARGIN,
    )
    trips_by_carrier: defaultdict[UUID, list[CarrierTrip]] = defaultdict(list)
    for row in rows:
        trips_by_carrier[row.carrier].append(row)
    return [
        trip
        for trips in trips_by_carrier.values()
        for trip in drop_overlapping_trips(trips)
        if since <= trip.started_at < until
    ]


async def list_trips_of_vehicle(
    db: Db, company: UUID, vehicle: UUID, since: datetime, until: datetime
) -> list[TripRow]:
    """List the trips that a vehicle started in a period, each once, earliest first."""
    vehicle_spans = [
        span
        for span in await spans.list_spans_of_vehicle(db, company, vehicle)
        if span.since < until and (span.until is None or span.until > since)
    ]
    rows = await db.fetch_all(
        TripRow,
        _TRIPS,
        company=company,
        numbers=[span.device_no for span in vehicle_spans],
        begins=[span.since for span in vehicle_spans],
        ends=[span.until for span in vehicle_spans],
        since=since,
        until=until,
        limit=MAX_TRIPS,
    )
    return drop_overlapping_trips(rows)


def drop_overlapping_trips(rows: Sequence[AnyTrip]) -> list[AnyTrip]:
    """Drop trips that a better device on the same vehicle reports for the same time."""
    best_trips: list[AnyTrip] = []
    for row in sorted(rows, key=lambda row: (_rank_kind(row.kind), row.started_at)):
        # These trips do not overlap, so only the two neighbours can conflict.
        index = bisect_right(best_trips, row.started_at, key=lambda trip: trip.started_at)
        neighbours = best_trips[max(0, index - 1) : index + 1]
        if not any(_has_overlap(row, trip) for trip in neighbours):
            best_trips.insert(index, row)
    return best_trips


def _rank_kind(kind: Kind) -> int:
    return 0 if kind not in _KINDS_WORST_FIRST else 2 - _KINDS_WORST_FIRST.index(kind)


def _has_overlap(trip: AnyTrip, other_trip: AnyTrip) -> bool:
    earlier_trip, later_trip = sorted((trip, other_trip), key=lambda row: row.started_at)
    return earlier_trip.seen_until is None or earlier_trip.seen_until > later_trip.started_at


async def load_tracks(db: Db, company: UUID, trips: Sequence[TripRow]) -> list[list[TrackFix]]:
    """Load the positions of each trip, earliest first."""
    tracks: list[list[TrackFix]] = [[] for _ in trips]
    rows = await db.fetch_tuples(
        _POSITIONS,
        company=company,
        numbers=[trip.device_no for trip in trips],
        begins=[trip.started_at for trip in trips],
        ends=[trip.ended_at or db.now for trip in trips],
        accuracy=MAX_ERROR_METRES,
        limit=MAX_POSITIONS_PER_TRIP,
        **{"class": int(RetentionClass.POSITION), "all": MAX_POSITIONS},
    )
    for ordinal, longitude, latitude, seconds in rows:
        tracks[ordinal - 1].append(TrackFix(longitude, latitude, seconds))
    return tracks
