"""What maps draw: points, lines and areas, each with a colour that a word beside it says too.

`<x-map data-from="geo">` (static/map.js) draws the features of the element #geo, and again when it
is replaced or `pannier:geo` is heard. `pannier:pick` tells what was clicked; unless that is
prevented, its `href` is followed, by the link in the list if there is one. `pannier:select` rings
what it names, and what is `followed` stays in the middle.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

# As many corners as an outline has on a screen, be its border however exact.
MOST_CORNERS: Final = 40
# As many as the ways of a day have together.
MOST_STEPS: Final = 1200
Geometry = Mapping[str, Any]


def collection(features: Iterable[Any]) -> dict[str, Any]:
    """Put features together for a map."""
    return {"type": "FeatureCollection", "features": [one for one in features if one is not None]}


def point(
    identifier: str,
    label: str,
    where: Geometry,
    color: str = "blue",
    **more: Any,  # noqa: ANN401 - JSON
) -> dict[str, Any]:
    """Draw something that is somewhere; `heading` turns its arrow, `href` leads to it."""
    return _feature("point", identifier, label, where, color, more)


def line(
    identifier: str,
    label: str,
    points: Sequence[Any],
    color: str = "blue",
    most: int = MOST_STEPS,
    **more: Any,  # noqa: ANN401 - JSON
) -> dict[str, Any] | None:
    """Draw a way; one of less than two points is none."""
    steps = [_rounded(one) for one in thinned(points, most)]
    if len(steps) < 2:  # noqa: PLR2004 - a line has two ends
        return None
    way = {"type": "LineString", "coordinates": steps}
    return _feature("line", identifier, label, way, color, more)


def ways(trips: Sequence[Any], color: str = "blue") -> list[Any]:
    """Draw trips as they were driven; where one has no line, from its start to its end."""
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
    """Draw the inside of a border."""
    whole = border["type"] == "MultiPolygon"
    parts = border["coordinates"] if whole else [border["coordinates"]]
    outlined = [[_outline(ring) for ring in part] for part in parts]
    shape = {"type": "MultiPolygon", "coordinates": outlined}
    return _feature("area", identifier, label, shape, color, more)


def thinned(points: Sequence[Any], most: int) -> list[Any]:
    """Leave points out evenly until there are no more than so many; both ends stay."""
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
