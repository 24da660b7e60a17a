"""Map features: points, lines and areas. A word on the page repeats what a color says.

`<x-map data-from="geo">` (static/map.js) draws the features of the element #geo, again when that is
replaced or `pannier:geo` is dispatched. `pannier:pick` reports a click on a feature. Unless it is
prevented, the map opens the feature's `href`, through the link in the list if the list has one.
`pannier:select` highlights a feature, and the map stays centered on a feature that is `followed`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

# A screen cannot show more corners.
MAX_CORNERS: Final = 40
# The points of all lines of a day together.
MAX_POINTS: Final = 1200
Geometry = Mapping[str, Any]


def collection(features: Iterable[Any]) -> dict[str, Any]:
    return {
        "type": "FeatureCollection",
        "features": [feature for feature in features if feature is not None],
    }


def point(
    identifier: str,
    label: str,
    location: Geometry,
    color: str = "blue",
    **properties: Any,  # noqa: ANN401 - JSON
) -> dict[str, Any]:
    """Return a point feature. `heading` turns its arrow, `href` is its link."""
    return _make_feature("point", identifier, label, location, color, properties)


def line(
    identifier: str,
    label: str,
    points: Sequence[Any],
    color: str = "blue",
    max_points: int = MAX_POINTS,
    **properties: Any,  # noqa: ANN401 - JSON
) -> dict[str, Any] | None:
    """Return a line feature, or None for less than two points."""
    positions = [_round_position(position) for position in reduce_points(points, max_points)]
    if len(positions) < 2:  # noqa: PLR2004 - a line has two ends
        return None
    geometry = {"type": "LineString", "coordinates": positions}
    return _make_feature("line", identifier, label, geometry, color, properties)


def make_trip_lines(trips: Sequence[Any], color: str = "blue") -> list[Any]:
    """Return trips as lines. A trip without a track is a straight line."""
    max_trip_points = max(2, MAX_POINTS // max(1, len(trips)))
    return [
        line(
            trip["id"],
            "",
            _list_trip_points(trip),
            color if trip["ended_at"] else "green",
            max_trip_points,
        )
        for trip in trips
    ]


def _list_trip_points(trip: Mapping[str, Any]) -> Sequence[Any]:
    if trip["track"]:
        points: Sequence[Any] = trip["track"]["coordinates"]
        return points
    return [trip["start"]["coordinates"], trip["end"]["coordinates"]]


def area(
    identifier: str,
    label: str,
    border: Geometry,
    color: str = "blue",
    **properties: Any,  # noqa: ANN401 - JSON
) -> dict[str, Any]:
    """Return an area feature."""
    is_multiple = border["type"] == "MultiPolygon"
    parts = border["coordinates"] if is_multiple else [border["coordinates"]]
    outlines = [[_make_outline(ring) for ring in part] for part in parts]
    geometry = {"type": "MultiPolygon", "coordinates": outlines}
    return _make_feature("area", identifier, label, geometry, color, properties)


def reduce_points(points: Sequence[Any], max_points: int) -> list[Any]:
    """Reduce a line to `max_points` evenly chosen points, and keep both ends."""
    if len(points) <= max_points:
        return list(points)
    step = (len(points) - 1) / (max_points - 1)
    return [points[round(number * step)] for number in range(max_points)]


def _make_outline(ring: Sequence[Any]) -> list[Any]:
    return reduce_points([_round_position(corner) for corner in ring], MAX_CORNERS)


def _round_position(coordinates: Sequence[float]) -> list[float]:
    return [round(coordinates[0], 5), round(coordinates[1], 5)]


def _make_feature(
    kind: str,
    identifier: str,
    label: str,
    geometry: Geometry,
    color: str,
    extra_properties: dict[str, Any],
) -> dict[str, Any]:
    nonempty_properties = {
        name: value for name, value in extra_properties.items() if value is not None
    }
    properties = {
        "kind": kind,
        "id": identifier,
        "label": label,
        "color": color,
        **nonempty_properties,
    }
    return {"type": "Feature", "properties": properties, "geometry": geometry}
