"""Distinguish land from sea by the coastlines of an extract.

An extract has coast lines, with land on their left, but no areas of land or sea. The extract's
bounds are divided into cells. A cell with coast lines is cut along them. A cell without coast lines
is land if it has a road. Where a coast line ends inside a cell, as at the edge of an extract,
nothing is drawn and the world map stays visible.
"""

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import shapely

from pannier.maps.source import Bounds
from pannier.maps.street_rules import MapFeature

# The size of a cell in degrees, and the overlap of cells, which hides seams.
CELL_DEGREES: Final = 0.1
OVERLAP_DEGREES: Final = 2e-5
# Degrees, a centimetre. At this distance from a coast line, one side is land and the other sea.
SIDE_DEGREES: Final = 1e-7
# The maximum share of contradicting points in an area. A coast line that ends inside has more.
MAX_DISSENT: Final = 0.1
# Degrees, some hundred metres, between the end of a coast line and the bounds of the extract.
MAX_GAP_DEGREES: Final = 0.005
# Coast lines are split into pieces of this many points, so that each crosses few cells.
PIECE_POINTS: Final = 200
# Below this zoom the world map is detailed enough.
COAST_ZOOM: Final = 8
LAND: Final = MapFeature("earth", COAST_ZOOM, {"class": "land"})
SEA: Final = MapFeature("water", COAST_ZOOM, {"class": "ocean"})

Cell = tuple[int, int]
Line = list[tuple[float, float]]


class Grid:
    """The cells of an extract's bounds."""

    def __init__(self, bounds: Bounds) -> None:
        self._west, self._south, self._east, self._north = bounds
        self._land: set[Cell] = set()

    @property
    def land(self) -> frozenset[Cell]:
        """The cells that have a road."""
        return frozenset(self._land)

    def mark_land(self, longitude: float, latitude: float) -> None:
        """Mark the cell of a point on a road as land, unless it is outside the bounds."""
        is_inside = self._west <= longitude <= self._east and self._south <= latitude <= self._north
        if is_inside:
            self._land.add(self._find_cell(longitude, latitude))

    def list_cells(self, line: shapely.LineString) -> Iterator[Cell]:
        """List the cells that a line may cross."""
        west, south, east, north = line.bounds
        low = self._find_cell(max(west, self._west), max(south, self._south))
        high = self._find_cell(min(east, self._east), min(north, self._north))
        for column in range(low[0], high[0] + 1):
            for row in range(low[1], high[1] + 1):
                yield column, row

    def to_box(self, cell: Cell) -> shapely.Polygon:
        """Return the area of a cell, including the overlap with its neighbours."""
        west = self._west + cell[0] * CELL_DEGREES
        south = self._south + cell[1] * CELL_DEGREES
        return shapely.box(
            west - OVERLAP_DEGREES,
            south - OVERLAP_DEGREES,
            min(west + CELL_DEGREES, self._east) + OVERLAP_DEGREES,
            min(south + CELL_DEGREES, self._north) + OVERLAP_DEGREES,
        )

    def _find_cell(self, longitude: float, latitude: float) -> Cell:
        return (
            math.floor((longitude - self._west) / CELL_DEGREES),
            math.floor((latitude - self._south) / CELL_DEGREES),
        )


class Coast:
    """The coast lines of an extract."""

    def __init__(self) -> None:
        self._pieces: list[shapely.LineString] = []

    def add(self, line: Line) -> None:
        """Add a coast line with land on its left."""
        for start in range(0, len(line) - 1, PIECE_POINTS):
            self._pieces.append(shapely.LineString(line[start : start + PIECE_POINTS + 1]))

    def list_features(self, grid: Grid) -> Iterator[tuple[MapFeature, bytes]]:
        """List the areas of land and sea with their geometry."""
        tree = shapely.STRtree(self._pieces)
        coastal = {cell for piece in self._pieces for cell in grid.list_cells(piece)}
        for cell in sorted(coastal | grid.land):
            box = grid.to_box(cell)
            pieces = [self._pieces[index] for index in tree.query(box, predicate="intersects")]
            if not pieces and cell not in grid.land:
                continue
            for feature, area in cut_cell(box, pieces) if pieces else [(LAND, box)]:
                yield feature, shapely.to_geojson(area).encode()


def cut_cell(
    box: shapely.Polygon, coast: list[shapely.LineString]
) -> Iterator[tuple[MapFeature, shapely.Polygon]]:
    """Cut a cell along coast lines. Leave out areas next to a line that ends inside."""
    lines_inside = [line.intersection(box) for line in coast]
    lines = shapely.union_all([box.exterior, *lines_inside, *_list_extensions(box, coast)])
    areas = list(shapely.polygonize([lines]).geoms)
    tree = shapely.STRtree(areas)
    votes: dict[int, Counter[bool]] = {}
    for line in coast:
        for is_land, point in _list_side_points(line, box):
            for index in tree.query(point, predicate="within"):
                votes.setdefault(int(index), Counter())[is_land] += 1
    for index, counts in votes.items():
        is_land = counts[True] > counts[False]
        if counts[not is_land] <= counts.total() * MAX_DISSENT:
            yield (LAND if is_land else SEA), areas[index]


def _list_extensions(
    box: shapely.Polygon, coast: list[shapely.LineString]
) -> Iterator[shapely.LineString]:
    """Yield lines from ends of the coast to a near side of the cell. The data ends there."""
    ends = Counter(point for line in coast for point in (line.coords[0], line.coords[-1]))
    for end in (shapely.Point(point) for point, lines in ends.items() if lines == 1):
        if box.contains(end) and box.exterior.distance(end) <= MAX_GAP_DEGREES:
            yield shapely.shortest_line(end, box.exterior)


def _list_side_points(
    line: shapely.LineString, box: shapely.Polygon
) -> Iterator[tuple[bool, shapely.Point]]:
    """Yield a point on the left, which is land, and one on the right of each segment."""
    for (x1, y1), (x2, y2) in pairwise(line.coords):
        length = math.hypot(x2 - x1, y2 - y1)
        if not length:
            continue
        x, y = (x1 + x2) / 2, (y1 + y2) / 2
        if not box.contains(shapely.Point(x, y)):
            continue
        offset = (y2 - y1) / length * SIDE_DEGREES, (x1 - x2) / length * SIDE_DEGREES
        yield True, shapely.Point(x - offset[0], y - offset[1])
        yield False, shapely.Point(x + offset[0], y + offset[1])
