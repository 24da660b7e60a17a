"""Routes, lines and matrices, and how they are measured along great circles."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, Literal

import msgspec

from pannier.accounts.company_settings.models import Pace
from pannier.kit import geo
from pannier.kit.geo import EARTH_RADIUS, Point
from pannier.kit.lazy_modules import numpy
from pannier.kit.lines import Line
from pannier.maps.folder import Profile

# The source of a route: the great circle, an engine, or the caller.
Source = Literal["great_circle", "osrm", "valhalla", "given"]


DEFAULT_PACE: Final = Pace()
# A company's pace is that of its motor vehicles.
BICYCLE_SPEED_KMH: Final = 15.0


class RouteLeg(msgspec.Struct, frozen=True):
    """A leg from one stop to the next, in metres and seconds."""

    distance: float
    time: float


class Route(msgspec.Struct, frozen=True):
    """A whole route in metres and seconds, and its source."""

    distance: int
    time: int
    source: Source = "great_circle"
    legs: tuple[RouteLeg, ...] = ()
    # False for a great circle that replaces an answer of an unavailable engine.
    firm: bool = True

    @classmethod
    def from_legs(cls, legs: Sequence[RouteLeg], source: Source) -> "Route":
        """Sum up legs. Only the sums are rounded."""
        metres, seconds = sum(leg.distance for leg in legs), sum(leg.time for leg in legs)
        return cls(round(metres), round(seconds), source, tuple(legs))


class MeasuredRoute(msgspec.Struct, frozen=True):
    """A route, and the points that it was measured through."""

    points: Sequence[Point | None]
    route: Route

    def find(self, points: Sequence[Point | None]) -> Route | None:
        """Return the route if it leads through these points."""
        return self.route if list(points) == list(self.points) else None


class RouteLine(msgspec.Struct, frozen=True):
    """The line of a route along roads, as pairs of longitude and latitude."""

    coordinates: Line
    source: Source


class TracePoint(msgspec.Struct, frozen=True):
    """A recorded position, and its time in seconds since 1970."""

    point: Point
    at: int


class Matrix(msgspec.Struct, frozen=True):
    """Metres and seconds from each point (row) to each point; None where no road leads."""

    distances: tuple[tuple[int | None, ...], ...]
    times: tuple[tuple[int | None, ...], ...]
    source: Source = "great_circle"


def measure_great_circle(
    points: Sequence[Point | None], pace: Pace = DEFAULT_PACE, profile: Profile = "car"
) -> Route | None:
    """Measure the great-circle route through points, or return None if a point is unknown."""
    known_points = [point for point in points if point is not None]
    if not known_points or len(known_points) < len(points):
        return None
    speed = _compute_speed(pace, profile)
    metres = [
        pace.detour_factor * geo.distance(start, end) for start, end in pairwise(known_points)
    ]
    return Route.from_legs(
        [RouteLeg(leg_metres, leg_metres / speed) for leg_metres in metres], "great_circle"
    )


def measure_great_circle_matrix(
    points: Sequence[Point], pace: Pace = DEFAULT_PACE, profile: Profile = "car"
) -> Matrix:
    """Measure the great-circle distance and the time between all points."""
    metres = pace.detour_factor * _measure_great_circles(points)
    seconds = metres / _compute_speed(pace, profile)
    return Matrix(distances=_round_cells(metres), times=_round_cells(seconds))


def _measure_great_circles(points: Sequence[Point]) -> Any:  # noqa: ANN401 - an array
    """Return the great-circle distances between all points, as `geo.distance` does for two."""
    longitudes = numpy.radians([point.longitude for point in points])
    latitudes = numpy.radians([point.latitude for point in points])
    half_rise = (latitudes[None, :] - latitudes[:, None]) / 2
    half_turn = (longitudes[None, :] - longitudes[:, None]) / 2
    parallels = numpy.cos(latitudes)[:, None] * numpy.cos(latitudes)[None, :]
    chord = numpy.sin(half_rise) ** 2 + parallels * numpy.sin(half_turn) ** 2
    return 2 * EARTH_RADIUS * numpy.arcsin(numpy.sqrt(numpy.minimum(1.0, chord)))


def _round_cells(cells: Any) -> tuple[tuple[int | None, ...], ...]:  # noqa: ANN401 - an array
    return tuple(map(tuple, numpy.rint(cells).astype(int).tolist()))


def _compute_speed(pace: Pace, profile: Profile) -> float:
    """Return the speed in metres per second."""
    is_bicycle = profile == "bicycle"
    return (min(pace.speed_kmh, BICYCLE_SPEED_KMH) if is_bicycle else pace.speed_kmh) / 3.6
