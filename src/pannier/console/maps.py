"""Map features: points, lines and areas. A word on the page repeats what a color says.

`<x-map data-from="geo">` (static/map.js) draws the features of the element #geo, again when that is
replaced or `pannier:geo` is dispatched. `pannier:pick` reports a click on a feature. Unless it is
prevented, the map opens the feature's `href`, through the link in the list if there is one.
`pannier:select` highlights a feature, and the map stays centered on a feature that is `followed`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

# More corners than these cannot be seen on a screen.
MOST_CORNERS: Final = 40
# The points of all lines of a day together.
MOST_STEPS: Final = 1200
Geometry = Mapping[str, Any]


def collection(features: Iterable[Any]) -> dict[str, Any]:
    return {"type": "FeatureCollection", "features": [one for one in features if one is not None]}


def point(
    identifier: str,
    label: str,
    where: Geometry,
    color: str = "blue",
    **more: Any,  # noqa: ANN401 - JSON
) -> dict[str, Any]:
    """Return a point feature. `heading` turns its arrow, `href` is its link."""
    return _feature("point", identifier, label, where, color, more)


def line(
    identifier: str,
    label: str,
    points: Sequence[Any],
    color: str = "blue",
    most: int = MOST_STEPS,
    **more: Any,  # noqa: ANN401 - JSON
) -> dict[str, Any] | None:
    """Return a line feature, or None for less than two points."""
    steps = [_rounded(one) for one in thinned(points, most)]
    if len(steps) < 2:  # noqa: PLR2004 - a line has two ends
        return None
    way = {"type": "LineString", "coordinates": steps}
    return _feature("line", identifier, label, way, color, more)


def ways(trips: Sequence[Any], color: str = "blue") -> list[Any]:
    """Return trips as lines; one without a track goes straight from start to end."""
    each = max(2, MOST_STEPS // max(1, len(trips)))
    return [
        line(trip["id"], "", _driven(trip), color if trip["ended_at"] else "green", each)
        for trip in trips
    ]


def _driven(trip: Mapping[str, Any]) -> Sequence[Any]:
    if trip["track"]:
        told: Sequence[Any] = trip["track"]["coordinates"]
        return told
    return [trip["start"]["coordinates"], trip["end"]["coordinates"]]


def area(
    identifier: str,
    label: str,
    border: Geometry,
    color: str = "blue",
    **more: Any,  # noqa: ANN401 - JSON
) -> dict[str, Any]:
    """Return an area feature."""
    whole = border["type"] == "MultiPolygon"
    parts = border["coordinates"] if whole else [border["coordinates"]]
    outlined = [[_outline(ring) for ring in part] for part in parts]
    shape = {"type": "MultiPolygon", "coordinates": outlined}
    return _feature("area", identifier, label, shape, color, more)


def thinned(points: Sequence[Any], most: int) -> list[Any]:
    """Leave out points evenly, down to `max_points`. Both ends stay."""
    if len(points) <= most:
        return list(points)
    step = (len(points) - 1) / (most - 1)
    return [points[round(number * step)] for number in range(most)]


def _outline(ring: Sequence[Any]) -> list[Any]:
    return thinned([_rounded(corner) for corner in ring], MOST_CORNERS)


def _rounded(coordinates: Sequence[float]) -> list[float]:
    return [round(coordinates[0], 5), round(coordinates[1], 5)]


def _feature(
    kind: str,
    identifier: str,
    label: str,
    geometry: Geometry,
    color: str,
    more: dict[str, Any],
) -> dict[str, Any]:
    said = {name: value for name, value in more.items() if value is not None}
    told = {"kind": kind, "id": identifier, "label": label, "color": color, **said}
    return {"type": "Feature", "properties": told, "geometry": geometry}
