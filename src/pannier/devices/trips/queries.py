"""Queries for a vehicle's trips, from the devices that were on it."""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

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


def drop_overlapping_trips(rows: Sequence[TripRow]) -> list[TripRow]:
    """Drop trips that a better device on the same vehicle reports for the same time."""
    best_trips: list[TripRow] = []
    for row in sorted(rows, key=lambda row: (_rank_kind(row.kind), row.started_at)):
        # These trips do not overlap, so only the two neighbours can conflict.
        index = bisect_right(best_trips, row.started_at, key=lambda trip: trip.started_at)
        neighbours = best_trips[max(0, index - 1) : index + 1]
        if not any(_has_overlap(row, trip) for trip in neighbours):
            best_trips.insert(index, row)
    return best_trips


def _rank_kind(kind: Kind) -> int:
    return 0 if kind not in _KINDS_WORST_FIRST else 2 - _KINDS_WORST_FIRST.index(kind)


def _has_overlap(trip: TripRow, other_trip: TripRow) -> bool:
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
