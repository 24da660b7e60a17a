"""Parsing of borders from GeoJSON. Small errors are repaired, and other borders rejected.

All functions report a fault as a ValueError, whose message goes to the caller.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final, TypeAlias

import msgspec

from pannier.kit.geo import EARTH_RADIUS, Point
from pannier.kit.lazy_modules import numpy as np
from pannier.kit.lazy_modules import shapely
from pannier.places.fields import unwrap_feature

Surface: TypeAlias = Any  # a shapely Polygon or MultiPolygon; shapely has no types
Ring: TypeAlias = list[tuple[float, float]]
Columns: TypeAlias = dict[str, Any]  # columns that an area or a zone stores for its border

MAX_VERTICES: Final = 10_000
CIRCLE_VERTICES: Final = 64
# Share of its area that a border may gain or lose when it is repaired.
MAX_REPAIRED_SHARE: Final = 0.01
_BATCH: Final = 64
_CLOSED_TRIANGLE: Final = 4
_WRONG_SHAPE: Final = "must be a GeoJSON Polygon or MultiPolygon."
_CROSSES_MERIDIAN: Final = "must not cross the 180th meridian. Split it into two polygons there."


def parse_area_border(value: object) -> Columns:
    """Parse the border of a service area, which may have several parts."""
    surface = _parse_border(value)
    parts = surface.geoms if isinstance(surface, shapely.MultiPolygon) else [surface]
    return _to_columns(shapely.MultiPolygon(list(parts)))


def parse_zone_border(value: object) -> Columns:
    """Parse the border of a zone, which has a single part."""
    surface = _parse_border(value)
    if isinstance(surface, shapely.MultiPolygon):
        if len(surface.geoms) > 1:
            raise ValueError("must be one polygon. Create a zone for each.")
        surface = surface.geoms[0]
    return _to_columns(surface)


def make_circle(center: Point, radius: float) -> dict[str, Any]:
    """Build a polygon whose vertices lie `radius` metres from a point, on the sphere."""
    angle = radius / EARTH_RADIUS
    latitude = math.radians(center.latitude)
    if abs(latitude) + angle >= math.pi / 2:
        raise ValueError("must not contain a pole.")
    ring = [_make_corner(center, latitude, angle, step) for step in range(CIRCLE_VERTICES)]
    return {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}


def _make_corner(center: Point, latitude: float, angle: float, step: int) -> tuple[float, float]:
    # Counter-clockwise, as GeoJSON requires of an outer ring.
    bearing = -2 * math.pi * step / CIRCLE_VERTICES
    corner_latitude = math.asin(
        math.sin(latitude) * math.cos(angle)
        + math.cos(latitude) * math.sin(angle) * math.cos(bearing)
    )
    delta = math.atan2(
        math.sin(bearing) * math.sin(angle) * math.cos(latitude),
        math.cos(angle) - math.sin(latitude) * math.sin(corner_latitude),
    )
    longitude = center.longitude + math.degrees(delta)
    if abs(longitude) > 180:  # noqa: PLR2004 - degrees
        raise ValueError("must not cross the 180th meridian.")
    return longitude, math.degrees(corner_latitude)


def _parse_border(value: object) -> Surface:
    surface = _parse_surface(unwrap_feature(value))
    if not surface.is_valid:
        surface = _repair_border(surface)
    if surface.is_empty or surface.area == 0:
        raise ValueError("must enclose an area.")
    return surface


def _parse_surface(value: object) -> Surface:
    """Build the surface of a GeoJSON geometry, valid or not."""
    match value:
        case {"type": "Polygon", "coordinates": list() as rings}:
            surfaces = _parse_polygons([rings])
        case {"type": "MultiPolygon", "coordinates": list() as polygons}:
            surfaces = _parse_polygons(polygons)
        case _:
            raise ValueError(_WRONG_SHAPE)
    if not surfaces:
        raise ValueError("must enclose an area.")
    return surfaces[0] if len(surfaces) == 1 else shapely.MultiPolygon(surfaces)


def _parse_polygons(polygons: list[Any]) -> list[Surface]:
    vertices_left = MAX_VERTICES
    surfaces = []
    for rings in polygons:
        if not isinstance(rings, list) or not rings:
            raise ValueError(_WRONG_SHAPE)
        parsed_rings = []
        for ring in rings:
            parsed_rings.append(_parse_ring(ring, vertices_left))
            vertices_left -= len(parsed_rings[-1])
        surfaces.append(shapely.Polygon(parsed_rings[0], parsed_rings[1:]))
    return surfaces


def _parse_ring(value: object, vertices_left: int) -> Ring:
    if not isinstance(value, list):
        raise ValueError(_WRONG_SHAPE)  # noqa: TRY004 - a fault of the border, like the others
    if len(value) > vertices_left:
        raise ValueError(f"must not have more than {MAX_VERTICES:,} vertices.")
    ring = [_parse_position(position) for position in value]
    if ring and ring[0] != ring[-1]:
        ring.append(ring[0])
    if len(ring) < _CLOSED_TRIANGLE:
        raise ValueError("must have rings of at least three different points.")
    if any(abs(start[0] - end[0]) > 180 for start, end in pairwise(ring)):  # noqa: PLR2004 - degrees
        raise ValueError(_CROSSES_MERIDIAN)
    return ring


def _parse_position(value: object) -> tuple[float, float]:
    """Parse `[longitude, latitude]` and ignore an altitude."""
    match value:
        case [bool(), *_] | [_, bool(), *_]:
            pass
        case [int() | float() as longitude, int() | float() as latitude, *_]:
            point = Point(longitude, latitude)
            return float(point.longitude), float(point.latitude)
    raise ValueError("must have points such as [103.8198, 1.3521], with the longitude first.")


def _repair_border(surface: Surface) -> Surface:
    """Repair small drawing errors. Reject an ambiguous border."""
    reason = shapely.is_valid_reason(surface).partition("[")[0].lower()
    message = f"is not a valid border: {reason}."
    if _is_tangled(surface):
        raise ValueError(message)
    repaired_surface = shapely.make_valid(surface, method="structure", keep_collapsed=False)
    if (
        not isinstance(repaired_surface, shapely.Polygon | shapely.MultiPolygon)
        or repaired_surface.is_empty
    ):
        raise ValueError(message)
    if abs(repaired_surface.area - surface.area) > MAX_REPAIRED_SHARE * repaired_surface.area:
        raise ValueError(message)
    return repaired_surface


def _is_tangled(surface: Surface) -> bool:
    """Return whether a border crosses itself too often to be repaired in reasonable time."""
    segments = np.concatenate([_list_segments(ring) for ring in _list_rings(surface)])
    tree = shapely.STRtree(segments)
    # The cost of a repair grows with the crossings, up to the square of the vertices.
    max_crossings = 5 * len(segments) + 2_000
    crossings = 0
    for start in range(0, len(segments), _BATCH):
        crossings += tree.query(segments[start : start + _BATCH], predicate="intersects").shape[1]
        if crossings > max_crossings:
            return True
    return False


def _list_rings(surface: Surface) -> Iterator[Any]:
    for polygon in surface.geoms if isinstance(surface, shapely.MultiPolygon) else [surface]:
        yield polygon.exterior
        yield from polygon.interiors


def _list_segments(ring: Any) -> Any:  # noqa: ANN401 - shapely and numpy have no types here
    corners = shapely.get_coordinates(ring)
    return shapely.linestrings(np.stack([corners[:-1], corners[1:]], axis=1))


def _to_columns(surface: Surface) -> Columns:
    oriented_surface = shapely.orient_polygons(surface)
    west, south, east, north = oriented_surface.bounds
    centroid = oriented_surface.centroid
    center = centroid if oriented_surface.covers(centroid) else oriented_surface.point_on_surface()
    geometry = shapely.geometry.mapping(oriented_surface)
    return {
        # Through msgspec, which writes floats that read back exactly.
        "border": msgspec.json.decode(msgspec.json.encode(geometry)),
        "west": west, "south": south, "east": east, "north": north,
        "center_longitude": center.x, "center_latitude": center.y,
    }  # fmt: skip
