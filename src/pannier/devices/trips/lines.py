"""Simplified lines for maps."""

from collections.abc import Sequence
from typing import Final

from pannier.kit.later import shapely

MOST_POINTS: Final = 500
# Tolerance in degrees (about a metre) to start with, and its growth until few enough points are
# left.
FINEST: Final = 1e-5
COARSER: Final = 2.0
DIGITS: Final = 6  # decimals of a degree: a tenth of a metre
EXACT: Final = 12

Line = list[list[float]]


def simplified(points: Sequence[tuple[float, float]], most: int = MOST_POINTS) -> Line:
    """Simplify a line until it has at most `max_points` points."""
    # Rounded first: tiny differences become zero when squared, and dividing by them fails.
    line = shapely.LineString([(round(east, EXACT), round(north, EXACT)) for east, north in points])
    tolerance = FINEST
    found = shapely.simplify(line, tolerance, preserve_topology=False)
    while shapely.get_num_coordinates(found) > most:
        tolerance *= COARSER
        found = shapely.simplify(line, tolerance, preserve_topology=False)
    return [
        [round(longitude, DIGITS), round(latitude, DIGITS)]
        for longitude, latitude in shapely.get_coordinates(found).tolist()
    ]
