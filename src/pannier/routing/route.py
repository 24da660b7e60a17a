"""Great-circle routes: distance with a detour factor, time at an average speed."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal

import msgspec

from pannier.accounts.company_settings.models import Pace
from pannier.kit import geo
from pannier.kit.geo import Point

# Who measured a route: us, an engine, or the caller.
Source = Literal["great_circle", "osrm", "valhalla", "given"]


DEFAULT_PACE: Final = Pace()


class RouteLeg(msgspec.Struct, frozen=True):
    """A leg from one stop to the next, in metres and seconds."""

    distance: float
    time: float


class Route(msgspec.Struct, frozen=True):
    """A whole route in metres and seconds, and who measured it."""

    distance: int
    time: int
    source: Source = "great_circle"
    legs: tuple[RouteLeg, ...] = ()

    @classmethod
    def from_legs(cls, legs: Sequence[RouteLeg], source: Source) -> "Route":
        """Sum up legs. Only the sums are rounded."""
        metres, seconds = sum(leg.distance for leg in legs), sum(leg.time for leg in legs)
        return cls(round(metres), round(seconds), source, tuple(legs))


def measure_great_circle(points: Sequence[Point | None], pace: Pace = DEFAULT_PACE) -> Route | None:
    """Measure the great-circle route through points, or return None if a point is unknown."""
    known = [point for point in points if point is not None]
    if not known or len(known) < len(points):
        return None
    speed = pace.speed_kmh / 3.6
    metres = [pace.detour_factor * geo.distance(start, end) for start, end in pairwise(known)]
    return Route.from_legs(
        [RouteLeg(leg_metres, leg_metres / speed) for leg_metres in metres], "great_circle"
    )
