"""Positions along a route. Without I/O."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from pannier.kit import geo
from pannier.kit.geo import Point

RoutePoints = Sequence[Point]


class RoutePosition(NamedTuple):
    """A position on a route, the direction of travel, and whether it is the route's end."""

    point: Point
    heading: float
    arrived: bool
    speed_kmh: float = 0.0


def measure_route(route: RoutePoints) -> float:
    """Measure a route's length in metres."""
    return sum(geo.distance(start, end) for start, end in pairwise(route))


def locate(route: RoutePoints, metres: float) -> RoutePosition:
    """Find the position after a distance along a route, at most at its end."""
    remaining_metres, heading = metres, 0.0
    for start, end in pairwise(route):
        length = geo.distance(start, end)
        if length:
            heading = geo.bearing(start, end)
        if remaining_metres < length:
            return RoutePosition(
                _interpolate_points(start, end, remaining_metres / length), heading, arrived=False
            )
        remaining_metres -= length
    return RoutePosition(route[-1], heading, arrived=True)


def _interpolate_points(start: Point, end: Point, share: float) -> Point:
    return Point(
        round(start.longitude + (end.longitude - start.longitude) * share, 6),
        round(start.latitude + (end.latitude - start.latitude) * share, 6),
    )
