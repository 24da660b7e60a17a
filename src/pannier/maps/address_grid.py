"""A grid over the earth: find nearby objects by cell numbers."""

import math
from collections.abc import Iterator
from typing import Final

from pannier.kit.geo import Point

# Coordinates are stored as whole microdegrees, which fit into four bytes.
MICRO: Final = 1_000_000
METRES_PER_DEGREE: Final = 111_195.0
# Cells are this many microdegrees wide and high.
HOUSE_CELL: Final = 2_000
STREET_CELL: Final = 5_000
CLUSTER_CELL: Final = 20_000
AREA_CELL: Final = 50_000
PLACE_CELL: Final = 200_000
MAX_CELLS: Final = 400
_ROW: Final = 1 << 20
_LOWEST_COSINE: Final = 0.01


def to_micro(degrees: float) -> int:
    """Return degrees as whole microdegrees."""
    return round(degrees * MICRO)


def to_point(longitude: int, latitude: int) -> Point:
    """Return the point of coordinates in microdegrees."""
    return Point(longitude / MICRO, latitude / MICRO)


def find_cell(longitude: int, latitude: int, size: int) -> int:
    """Return the number of the cell of a point in microdegrees."""
    return (latitude + 90 * MICRO) // size * _ROW + (longitude + 180 * MICRO) // size


def list_neighbours(cell: int) -> tuple[int, ...]:
    """List a cell and the eight around it."""
    rows = (cell, cell - _ROW, cell + _ROW)
    return tuple(row + column for row in rows for column in (0, -1, 1))


def list_cell_ranges(point: Point, radius: float, size: int) -> Iterator[tuple[int, int]]:
    """List the first and the last cell of each row that a circle of `radius` metres touches."""
    high = radius / METRES_PER_DEGREE
    wide = high / max(math.cos(math.radians(point.latitude)), _LOWEST_COSINE)
    bottom, top = to_micro(point.latitude - high), to_micro(point.latitude + high)
    left, right = to_micro(point.longitude - wide), to_micro(point.longitude + wide)
    row = bottom
    for _ in range(MAX_CELLS):
        yield find_cell(left, row, size), find_cell(right, row, size)
        if row // size >= top // size:
            return
        row += size
