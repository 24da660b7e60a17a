"""Simplified lines for maps."""

from collections.abc import Sequence
from typing import Final

from pannier.kit.lazy_modules import shapely

MAX_POINTS: Final = 500
# The initial tolerance in degrees (about a metre), and its growth until few enough points remain.
MIN_TOLERANCE_DEGREES: Final = 1e-5
TOLERANCE_GROWTH: Final = 2.0
OUTPUT_DECIMALS: Final = 6  # decimals of a degree: a tenth of a metre
INPUT_DECIMALS: Final = 12

Line = list[list[float]]


def simplify(points: Sequence[Sequence[float]], max_points: int = MAX_POINTS) -> Line:
    """Simplify a line until it has at most `max_points` points."""
    # Rounded first: tiny differences become zero when squared, and dividing by them fails.
    line = shapely.LineString(
        [
            (round(longitude, INPUT_DECIMALS), round(latitude, INPUT_DECIMALS))
            for longitude, latitude in points
        ]
    )
    tolerance = MIN_TOLERANCE_DEGREES
    simplified_line = shapely.simplify(line, tolerance, preserve_topology=False)
    while shapely.get_num_coordinates(simplified_line) > max_points:
        tolerance *= TOLERANCE_GROWTH
        simplified_line = shapely.simplify(line, tolerance, preserve_topology=False)
    return [
        [round(longitude, OUTPUT_DECIMALS), round(latitude, OUTPUT_DECIMALS)]
        for longitude, latitude in shapely.get_coordinates(simplified_line).tolist()
    ]
