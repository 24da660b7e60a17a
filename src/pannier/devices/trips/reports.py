"""Reports of a vehicle's trips in a period, with lines for a map."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.accounts.company_settings import queries as settings
from pannier.db import Db
from pannier.devices.trips import queries
from pannier.devices.trips.queries import TrackFix, TripRow
from pannier.devices.trips.schemas import Track, TripFilters, TripsOut
from pannier.fleet.models import Vehicle
from pannier.kit import lines
from pannier.kit.geo import Point
from pannier.maps.folder import Profile
from pannier.routing.route import TracePoint
from pannier.routing.router import Router

# Longer periods have too many positions for lines.
MAX_LINE_PERIOD: Final = timedelta(days=2)
# Limits of matching to roads in one response: positions of all trips, and seconds.
MAX_MATCHED_FIXES: Final = 3_000
MIN_MATCHED_FIXES: Final = 50
MATCHING_SECONDS: Final = 4.0


class TripReport(msgspec.Struct):
    """The trips of a vehicle in a period, before their lines are drawn."""

    vehicle: Vehicle
    filters: TripFilters
    period: tuple[datetime, datetime]
    rows: Sequence[TripRow]
    # None for a long period.
    tracks: Sequence[Sequence[TrackFix]] | None


async def load_report(db: Db, vehicle: Vehicle, filters: TripFilters) -> TripReport:
    period = filters.period(await settings.load(db, vehicle.company), db.now)
    rows = await queries.list_trips_of_vehicle(db, vehicle.company, vehicle.uuid, *period)
    tracks: Sequence[Sequence[TrackFix]] | None = None
    if period[1] - period[0] <= MAX_LINE_PERIOD:
        tracks = await queries.load_tracks(db, vehicle.company, rows) if rows else []
    return TripReport(vehicle, filters, period, rows, tracks)


async def draw_report(router: Router, report: TripReport) -> TripsOut:
    """Draw the trips of a report, along roads if requested. Never call it in a transaction."""
    map_tracks: list[Track | None] = [None] * len(report.rows)
    if report.tracks is not None:
        # In a thread, because simplifying thousands of points would block the event loop.
        map_tracks = list(await asyncio.to_thread(_draw_positions, report.rows, report.tracks))
        if report.filters.track == "roads":
            await _match_roads(router, report.vehicle.profile, report.tracks, map_tracks)
    return TripsOut.from_rows(report.vehicle.public_id, report.period, report.rows, map_tracks)


def _draw_positions(rows: Sequence[TripRow], tracks: Sequence[Sequence[TrackFix]]) -> list[Track]:
    return [
        Track(
            "LineString",
            lines.simplify(
                [
                    (row.start_longitude, row.start_latitude),
                    *((fix.longitude, fix.latitude) for fix in track),
                    (row.end_longitude, row.end_latitude),
                ]
            ),
            "positions",
        )
        for row, track in zip(rows, tracks, strict=True)
    ]


async def _match_roads(
    router: Router,
    profile: Profile,
    tracks: Sequence[Sequence[TrackFix]],
    map_tracks: list[Track | None],
) -> None:
    """Replace lines with the roads that match them, until the time is up."""
    max_points = max(MIN_MATCHED_FIXES, MAX_MATCHED_FIXES // max(1, len(tracks)))
    with suppress(TimeoutError):
        async with asyncio.timeout(MATCHING_SECONDS):
            for index, track in enumerate(tracks):
                line = await router.match(thin_out(track, max_points), profile)
                if line is not None:
                    map_tracks[index] = Track("LineString", line.coordinates, "roads")


def thin_out(track: Sequence[TrackFix], max_points: int) -> list[TracePoint]:
    """Select positions evenly, at most one per second. The first and the last one stay."""
    fixes = list({fix.at: fix for fix in reversed(track)}.values())[::-1]
    step = max(1.0, (len(fixes) - 1) / (max_points - 1))
    count = min(len(fixes), max_points)
    selected_fixes = [fixes[round(index * step)] for index in range(count)]
    return [TracePoint(Point(fix.longitude, fix.latitude), fix.at) for fix in selected_fixes]
