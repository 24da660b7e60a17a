"""Lines for a map: tracks with no more points than anybody can see."""

from collections.abc import Sequence
from typing import Final

from pannier.kit.later import shapely

MOST_POINTS: Final = 500
# Degrees by which a line may be off, about a metre, at first; and how it grows until points fit.
FINEST: Final = 1e-5
COARSER: Final = 2.0
DIGITS: Final = 6  # of a degree: a tenth of a metre
EXACT: Final = 12

Line = list[list[float]]


def simplified(points: Sequence[tuple[float, float]], most: int = MOST_POINTS) -> Line:
    """Leave out points that a line hardly needs, until so many are left."""
    # Rounded to what nobody sees: differences that vanish when squared would be divided by.
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
