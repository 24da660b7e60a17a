"""How far and how long: along great circles, at a usual speed."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal

import msgspec

from pannier.kit import geo
from pannier.kit.geo import Point

# Metres a second: what delivery vans average from door to door, streets included.
USUAL_SPEED: Final = 50 / 3.6


# Who measured a way: ourselves, an engine, or whoever asked.
Source = Literal["great_circle", "osrm", "valhalla", "given"]


class Route(msgspec.Struct, frozen=True):
    """Metres and seconds."""

    distance: int
    time: int
    source: Source = "great_circle"


def along(points: Sequence[Point | None]) -> Route | None:
    """Measure the way through points; None when one of them is not known."""
    known = [point for point in points if point is not None]
    if not known or len(known) < len(points):
        return None
    metres = sum(geo.distance(here, there) for here, there in pairwise(known))
    return Route(round(metres), round(metres / USUAL_SPEED))
