"""Walks: fixes of a device that goes somewhere, told in metres from a corner of the map."""

from datetime import timedelta
from typing import Any

import shapely

from pannier.devices.rules.fixes import Fix
from pannier.devices.rules.fold import FoldResult, RuleState, fold
from pannier.devices.rules.geofences import METRES_PER_DEGREE, Geofence, GeofenceIndex
from stage import NOON

# At the equator, where a degree is as long to the east as to the north.
EAST, NORTH = 100.0, 0.0


def at(seconds: float, east: float, north: float = 0.0, **more: Any) -> Fix:
    """A fix so many seconds after noon, so many metres from the corner."""
    moment = NOON + timedelta(seconds=seconds)
    return Fix(moment, EAST + east / METRES_PER_DEGREE, NORTH + north / METRES_PER_DEGREE, **more)


def drive(start: float, east: float, *, seconds: int, kmh: float, every: int = 10) -> list[Fix]:
    """Fixes of a drive to the east at one speed."""
    return [
        at(start + passed, east + passed * kmh / 3.6, speed=kmh, accuracy=5.0)
        for passed in range(0, seconds + 1, every)
    ]


def box(name: str, west: float, south: float, east: float, north: float, **more: Any) -> Geofence:
    """A zone with straight borders, in metres from the corner."""
    corners = [west, south, east, north]
    west, south, east, north = (each / METRES_PER_DEGREE for each in corners)
    shape = shapely.box(EAST + west, NORTH + south, EAST + east, NORTH + north)
    return Geofence(name, name.title(), more.pop("kind", "zone"), shape, **more)


def folded(
    fixes: list[Fix], *borders: Geofence, limit: float | None = None, state: RuleState | None = None
) -> FoldResult:
    """All rules over fixes in their order."""
    return fold(state or RuleState(), fixes, GeofenceIndex(borders), lambda _: limit)
