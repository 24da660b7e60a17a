"""How far and how long: along great circles, with a detour, at a usual speed."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal

import msgspec

from pannier.accounts.company_settings.models import Pace
from pannier.kit import geo
from pannier.kit.geo import Point

# Who measured a way: ourselves, an engine, or whoever asked.
Source = Literal["great_circle", "osrm", "valhalla", "given"]


USUAL: Final = Pace()


class Leg(msgspec.Struct, frozen=True):
    """From one stop to the next: metres and seconds."""

    distance: float
    time: float


class Route(msgspec.Struct, frozen=True):
    """A whole way: metres and seconds, and who says so."""

    distance: int
    time: int
    source: Source = "great_circle"
    legs: tuple[Leg, ...] = ()

    @classmethod
    def of(cls, legs: Sequence[Leg], source: Source) -> "Route":
        """Add legs up; what is rounded is the sum."""
        metres, seconds = sum(leg.distance for leg in legs), sum(leg.time for leg in legs)
        return cls(round(metres), round(seconds), source, tuple(legs))


def along(points: Sequence[Point | None], pace: Pace = USUAL) -> Route | None:
    """Measure the way through points; None when one of them is not known."""
    known = [point for point in points if point is not None]
    if not known or len(known) < len(points):
        return None
    speed = pace.speed_kmh / 3.6
    metres = [pace.detour_factor * geo.distance(here, there) for here, there in pairwise(known)]
    return Route.of([Leg(each, each / speed) for each in metres], "great_circle")
