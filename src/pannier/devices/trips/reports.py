"""Reports of a vehicle's trips in a period, with lines for a map."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from pannier.accounts.company_settings import queries as settings
from pannier.db import Db
from pannier.devices.trips import queries
from pannier.devices.trips.queries import TripRow
from pannier.devices.trips.schemas import TripFilters, TripsOut
from pannier.fleet.models import Vehicle
from pannier.kit import lines
from pannier.kit.lines import Line

# Longer periods have too many positions for lines.
MAX_LINE_PERIOD: Final = timedelta(days=2)


async def load_report(db: Db, vehicle: Vehicle, filters: TripFilters) -> TripsOut:
    period = filters.period(await settings.load(db, vehicle.company), db.now)
    rows = await queries.list_for_vehicle(db, vehicle.company, vehicle.uuid, *period)
    lines: Sequence[Line | None] = [None] * len(rows)
    if period[1] - period[0] <= MAX_LINE_PERIOD and rows:
        lines = await _load_lines(db, vehicle.company, rows)
    return TripsOut.from_rows(vehicle.public_id, period, rows, lines)


async def _load_lines(db: Db, company: UUID, rows: Sequence[TripRow]) -> list[Line]:
    tracks = await queries.load_tracks(db, company, rows)
    ends = [
        [(row.start_longitude, row.start_latitude), *track, (row.end_longitude, row.end_latitude)]
        for row, track in zip(rows, tracks, strict=True)
    ]
    # In a thread, because simplifying thousands of points would block the event loop.
    return await asyncio.to_thread(lambda: [lines.simplify(points) for points in ends])
