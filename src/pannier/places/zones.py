"""A spatial index of borders. A point exactly on a border is inside."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol
from uuid import UUID

import msgspec

from pannier.kit.geo import Point
from pannier.kit.lazy_modules import shapely


class HasBorder(Protocol):
    """An area, a zone, or any other row with a border."""

    uuid: UUID
    border: dict[str, Any]


class BorderIndex:
    """A tree of borders that checks only those near a point."""

    def __init__(self, rows: Iterable[HasBorder]) -> None:
        row_list = list(rows)
        self._uuids = [row.uuid for row in row_list]
        borders = shapely.from_geojson([msgspec.json.encode(row.border) for row in row_list])
        shapely.prepare(borders)
        self._tree = shapely.STRtree(borders)

    def __len__(self) -> int:
        return len(self._uuids)

    def find_containing(self, point: Point) -> list[UUID]:
        """Find the UUIDs of borders that contain a point, in the order of the rows."""
        return self.find_containing_each([point])[0]

    def find_containing_each(self, points: Sequence[Point]) -> list[list[UUID]]:
        """Find, for each point, the UUIDs of borders that contain it."""
        borders_by_point: list[list[int]] = [[] for _ in points]
        longitudes = [point.longitude for point in points]
        point_shapes = shapely.points(longitudes, [point.latitude for point in points])
        for index, border in self._tree.query(point_shapes, predicate="covered_by").T.tolist():
            borders_by_point[index].append(border)
        return [[self._uuids[border] for border in sorted(indexes)] for indexes in borders_by_point]
