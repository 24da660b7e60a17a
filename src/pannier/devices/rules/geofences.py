"""Geofences: a company's zones and service areas, and a spatial index of them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple

from pannier.devices.rules.fixes import Fix
from pannier.kit.geo import EARTH_RADIUS
from pannier.kit.lazy_modules import numpy as np
from pannier.kit.lazy_modules import shapely

METRES_PER_DEGREE: Final = math.pi * EARTH_RADIUS / 180
# Between fixes that are further apart in time or speed, the path is unknown.
MAX_GAP_SECONDS: Final = 600.0
MAX_SPEED_METRES_PER_SECOND: Final = 100.0
MIN_CROSSING_METRES: Final = 20.0  # a shorter crossing only cuts a corner and is ignored
HALF_TURN_DEGREES: Final = 180.0


class Geofence:
    """A zone or a service area: its name, its alert settings and its shape."""

    def __init__(
        self,
        name: str,
        label: str,
        kind: Literal["zone", "service_area"],
        shape: Any,  # noqa: ANN401 - shapely has no types
        *,
        limit: float | None = None,
        on_entry: bool = True,
        on_exit: bool = True,
        dwell: float | None = None,
    ) -> None:
        self.name, self.label, self.kind, self.shape = name, label, kind, shape
        # Speed limit in km/h, and seconds after which a dwell alert is due.
        self.limit, self.dwell = limit, dwell
        self.on_entry, self.on_exit = on_entry, on_exit
        _, south, _, north = shape.bounds
        # Metres per degree east and north, at the middle latitude of the shape.
        longitude_factor = max(0.01, math.cos(math.radians((south + north) / 2)))
        self._scale = np.array([METRES_PER_DEGREE * longitude_factor, METRES_PER_DEGREE])
        self._edge = shapely.transform(shape.boundary, lambda points: points * self._scale)

    def metres_to_border(self, fix: Fix) -> float:
        """Return the distance of a fix from the border, on either side."""
        east, north = self._scale * (fix.longitude, fix.latitude)
        return float(shapely.distance(self._edge, shapely.Point(east, north)))

    def find_crossing(self, start: Fix, end: Fix) -> tuple[float, float] | None:
        """Return the fractions of a straight path at which it enters and leaves the shape."""
        path = shapely.LineString(
            [(start.longitude, start.latitude), (end.longitude, end.latitude)]
        )
        crossing_points = shapely.get_coordinates(shapely.intersection(path, self.shape))
        if not len(crossing_points) or not path.length:
            return None
        fractions = shapely.line_locate_point(
            path, shapely.points(crossing_points), normalized=True
        )
        return float(fractions.min()), float(fractions.max())


class GeofenceMatches(NamedTuple):
    """The geofences that contain a fix, and those crossed on the path from the previous fix."""

    containing: Sequence[Geofence] = ()
    crossed: Sequence[Geofence] = ()

    def find_speed_limit(self) -> tuple[float, str] | None:
        """Return the lowest speed limit here and the zone that sets it, or None."""
        limits = [(zone.limit, zone.name) for zone in self.containing if zone.limit is not None]
        return min(limits, default=None)


NO_MATCHES: Final = GeofenceMatches()


class GeofenceIndex:
    """A spatial index of geofences."""

    def __init__(self, geofences: Iterable[Geofence]) -> None:
        geofence_list = list(geofences)
        self.by_name: Mapping[str, Geofence] = {
            geofence.name: geofence for geofence in geofence_list
        }
        shapes = [geofence.shape for geofence in geofence_list]
        self._geofences = geofence_list
        self._tree: Any = None
        if geofence_list:
            shapely.prepare(shapes)
            self._tree = shapely.STRtree(shapes)

    def match_fixes(self, previous_fix: Fix | None, fixes: Sequence[Fix]) -> list[GeofenceMatches]:
        """Match many fixes at once; `previous_fix` precedes them."""
        if not self._geofences or not fixes:
            return [NO_MATCHES] * len(fixes)
        coordinates = [(fix.longitude, fix.latitude) for fix in fixes]
        containing_geofences = self._query_index(shapely.points(coordinates), "covered_by")
        crossed_geofences: list[list[Geofence]] = [[] for _ in fixes]
        fix_sequence = [previous_fix or fixes[0], *fixes]
        straight_indexes = [
            index for index, pair in enumerate(pairwise(fix_sequence)) if _is_straight(*pair)
        ]
        segments = [
            [(fix_sequence[index].longitude, fix_sequence[index].latitude), coordinates[index]]
            for index in straight_indexes
        ]
        if segments:
            for index, geofences in zip(
                straight_indexes,
                self._query_index(shapely.linestrings(segments), "intersects"),
                strict=True,
            ):
                crossed_geofences[index] = geofences
        return [
            GeofenceMatches(*pair_matches)
            for pair_matches in zip(containing_geofences, crossed_geofences, strict=True)
        ]

    def _query_index(self, shapes: Any, predicate: str) -> list[list[Geofence]]:  # noqa: ANN401 - as above
        geofences: list[list[Geofence]] = [[] for _ in shapes]
        shape_indexes, geofence_indexes = self._tree.query(shapes, predicate=predicate)
        # Sorted, so that the order does not depend on how many fixes are queried at once.
        pairs = zip(shape_indexes.tolist(), geofence_indexes.tolist(), strict=True)
        for shape_index, geofence_index in sorted(pairs):
            geofences[shape_index].append(self._geofences[geofence_index])
        return geofences


def _is_straight(start: Fix, end: Fix) -> bool:
    """Return whether a straight path between two fixes may be assumed."""
    seconds = end.seconds_since(start)
    if (
        not 0 < seconds <= MAX_GAP_SECONDS
        or abs(end.longitude - start.longitude) > HALF_TURN_DEGREES
    ):
        return False
    return MIN_CROSSING_METRES <= start.metres_to(end) <= MAX_SPEED_METRES_PER_SECOND * seconds
