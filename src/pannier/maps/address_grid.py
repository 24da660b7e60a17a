"""A grid over the earth, for finding nearby objects by cell number."""

import math
from collections.abc import Iterator
from typing import Final

from pannier.kit.geo import Point

# Coordinates are stored as whole microdegrees, which fit into four bytes.
MICRO: Final = 1_000_000
METRES_PER_DEGREE: Final = 111_195.0
# Widths and heights of cells in microdegrees.
HOUSE_CELL: Final = 2_000
STREET_CELL: Final = 5_000
CLUSTER_CELL: Final = 20_000
AREA_CELL: Final = 50_000
PLACE_CELL: Final = 200_000
MAX_CELLS: Final = 400
_ROW: Final = 1 << 20
_LOWEST_COSINE: Final = 0.01


def to_micro(degrees: float) -> int:
    """Convert degrees to whole microdegrees."""
    return round(degrees * MICRO)


def to_point(longitude: int, latitude: int) -> Point:
    """Convert coordinates in microdegrees to a point."""
    return Point(longitude / MICRO, latitude / MICRO)


def find_cell(longitude: int, latitude: int, size: int) -> int:
    """Find the number of the cell that contains a point in microdegrees."""
    return (latitude + 90 * MICRO) // size * _ROW + (longitude + 180 * MICRO) // size


def list_neighbours(cell: int) -> tuple[int, ...]:
    """List a cell and its eight neighbours."""
    rows = (cell, cell - _ROW, cell + _ROW)
    return tuple(row + column for row in rows for column in (0, -1, 1))


def list_cell_ranges(point: Point, radius: float, size: int) -> Iterator[tuple[int, int]]:
    """List the first and the last cell of each row that a circle of `radius` metres touches."""
    height = radius / METRES_PER_DEGREE
    width = height / max(math.cos(math.radians(point.latitude)), _LOWEST_COSINE)
    bottom, top = to_micro(point.latitude - height), to_micro(point.latitude + height)
    left, right = to_micro(point.longitude - width), to_micro(point.longitude + width)
    row = bottom
    for _ in range(MAX_CELLS):
        yield find_cell(left, row, size), find_cell(right, row, size)
        if row // size >= top // size:
            return
        row += size
