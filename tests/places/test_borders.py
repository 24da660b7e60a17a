"""Borders are mended where nobody can doubt what is meant, and hold what lies on them."""

import math
import random
import time
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import affinity

from pannier.kit import geo
from pannier.kit.geo import Point
from pannier.places import borders
from pannier.places.zones import BorderIndex

SQUARE = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]
HOLE = [[1, 1], [1, 2], [2, 2], [2, 1], [1, 1]]


def polygon(*rings: Any) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": list(rings)}


def multi(*polygons: Any) -> dict[str, Any]:
    return {"type": "MultiPolygon", "coordinates": list(polygons)}


@dataclass
class Row:
    uuid: UUID
    border: dict[str, Any]


def refusal(given: Any) -> str:
    with pytest.raises(ValueError, match=r"\.$") as caught:
        borders.parse_zone_border(given)
    return str(caught.value)


def test_a_border_keeps_its_points_its_box_and_its_middle() -> None:
    kept = borders.parse_zone_border(polygon(SQUARE))
    assert kept["border"] == polygon(SQUARE)
    assert (kept["west"], kept["south"], kept["east"], kept["north"]) == (0, 0, 4, 4)
    assert (kept["center_longitude"], kept["center_latitude"]) == (2, 2)


def test_an_area_always_has_parts_and_a_zone_is_one() -> None:
    assert borders.parse_area_border(polygon(SQUARE))["border"] == multi([SQUARE])
    assert borders.parse_zone_border(multi([SQUARE]))["border"] == polygon(SQUARE)
    far = [[x + 10, y] for x, y in SQUARE]
    assert len(borders.parse_area_border(multi([SQUARE], [far]))["border"]["coordinates"]) == 2
    assert "one polygon" in refusal(multi([SQUARE], [far]))


def test_the_middle_lies_inside_even_of_a_ring() -> None:
    kept = borders.parse_zone_border(polygon(SQUARE, [[1, 1], [1, 3], [3, 3], [3, 1], [1, 1]]))
    held = BorderIndex([Row(uuid4(), kept["border"])]).find_containing(
        Point(kept["center_longitude"], kept["center_latitude"])
    )
    assert len(held) == 1


@pytest.mark.parametrize(
    "ring",
    [
        SQUARE[:-1],
        SQUARE[::-1],
        [[*position, 17.5] for position in SQUARE],
        [*SQUARE[:2], *SQUARE[1:]],
        [[0, 0], [4, 0], [4, 4], [4, 9], [4, 4], [0, 4], [0, 0]],
    ],
    ids=["open", "clockwise", "with altitudes", "a point twice", "a spike"],
)
def test_slips_of_the_pen_are_mended(ring: Any) -> None:
    kept = shapely.from_geojson(shapely.to_geojson(shapely.geometry.shape(polygon(SQUARE))))
    mended = shapely.geometry.shape(borders.parse_zone_border(polygon(ring))["border"])
    assert mended.equals(kept)
    assert mended.exterior.is_ccw


@pytest.mark.parametrize(
    "given",
    [
        None, 5, "POLYGON((0 0))", [], {}, {"type": "Polygon"}, {"type": "Point"},
        {"type": "Polygon", "coordinates": {}}, polygon(), multi(), multi([]), polygon([]),
        polygon(SQUARE[:2]), polygon([[0, 0], [0, 0], [0, 0], [0, 0]]), polygon("ring"),
        polygon([[0, 0], [4, "0"], [4, 4]]), polygon([[0, 0], [4], [4, 4]]),
        polygon([[0, 0], [True, 0], [4, 4]]), polygon([[0, 0], [181, 0], [4, 4]]),
        polygon([[0, 0], [10**400, 0], [4, 4]]), polygon([[0, 0], [4, -90.1], [4, 4]]),
        polygon([[0, 0], [math.nan, 0], [4, 4]]), polygon([[0, 0], [math.inf, 0], [4, 4]]),
        polygon([[0, 0], [1, 1], [2, 2], [0, 0]]), polygon([[0, 0], [4, 4], [4, 0], [0, 4]]),
        {"type": "GeometryCollection", "geometries": []}, polygon(SQUARE, SQUARE),
        {"type": "Feature", "geometry": None},
    ],
)  # fmt: skip
def test_what_is_no_border_is_refused_with_a_sentence(given: Any) -> None:
    assert refusal(given)


def test_a_border_over_the_180th_meridian_is_refused() -> None:
    ring = [[179, 0], [-179, 0], [-179, 1], [179, 1], [179, 0]]
    assert "180th meridian" in refusal(polygon(ring))
    parts = multi(
        [[[179, 0], [180, 0], [180, 1], [179, 1], [179, 0]]],
        [[[-180, 0], [-179, 0], [-179, 1], [-180, 1], [-180, 0]]],
    )
    assert borders.parse_area_border(parts)["west"] == -180


@pytest.mark.slow
def test_ten_thousand_vertices_are_the_most() -> None:
    def ring(count: int) -> list[list[float]]:
        turns = [2 * math.pi * number / count for number in range(count)]
        corners = [[10 * math.cos(turn), 10 * math.sin(turn)] for turn in turns]
        return [*corners, corners[0]]

    assert borders.parse_zone_border(polygon(ring(9_999)))
    assert "10,000 vertices" in refusal(polygon(ring(10_000)))
    assert "10,000 vertices" in refusal(multi([ring(6_000)], [ring(6_000)]))


@pytest.mark.slow
@pytest.mark.parametrize(
    "ring",
    [
        [[random.uniform(0, 1), random.uniform(0, 1)] for _ in range(9_990)],
        [[0, 0], [1, 0], [1, 1]] * 3_330,
        [[0, 0]] * 9_990,
    ],
    ids=["scribble", "three corners for ever", "one point for ever"],
)
def test_a_tangle_is_refused_quickly(ring: Any) -> None:
    began = time.process_time()
    assert refusal(polygon(ring))
    assert time.process_time() - began < 10


@given(st.floats(-150, 150), st.floats(-80, 80), st.floats(1, 500_000, allow_subnormal=False))
def test_every_corner_of_a_circle_is_a_radius_away(
    longitude: float, latitude: float, radius: float
) -> None:
    center = Point(longitude, latitude)
    drawn = borders.make_circle(center, radius)
    [ring] = drawn["coordinates"]
    assert len(ring) == 65
    assert ring[0] == ring[-1]
    for corner in ring:
        assert geo.distance(center, Point(*corner)) == pytest.approx(radius, rel=1e-6, abs=0.01)


@pytest.mark.parametrize(
    ("center", "word"),
    [(Point(0.0, 89.9), "pole"), (Point(179.99, 0.0), "meridian"), (Point(-180.0, 5.0), "180th")],
)
def test_a_circle_over_a_pole_or_the_180th_meridian_is_refused(center: Point, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        borders.make_circle(center, 50_000)


grid = st.integers(-6, 6).map(float)
corners = st.lists(st.tuples(grid, grid), min_size=3, max_size=7, unique=True)


@st.composite
def rows(draw: st.DrawFn) -> list[Row]:
    """Convex borders with corners on a grid, some with a hole."""
    found = []
    for points in draw(st.lists(corners, max_size=6)):
        hull = shapely.MultiPoint(points).convex_hull
        if hull.geom_type == "Polygon":
            hole = affinity.scale(hull, 0.5, 0.5, origin="centroid")
            shape = hull.difference(hole) if draw(st.booleans()) else hull
            found.append(Row(uuid4(), borders.parse_area_border(as_lists(shape))["border"]))
    return found


def as_lists(shape: Any) -> Any:
    return {"type": shape.geom_type, "coordinates": nested(shape.__geo_interface__["coordinates"])}


def nested(part: Any) -> Any:
    return [nested(one) for one in part] if isinstance(part, tuple) else part


@pytest.mark.slow
@given(rows(), st.lists(st.tuples(grid, grid), max_size=10))
def test_the_index_finds_what_looking_at_every_border_finds(
    kept: list[Row], spots: list[tuple[float, float]]
) -> None:
    index, points = BorderIndex(kept), [Point(*spot) for spot in spots]
    expected = [
        [
            row.uuid
            for row in kept
            if shapely.geometry.shape(row.border).covers(shapely.Point(*spot))
        ]
        for spot in spots
    ]
    assert len(index) == len(kept)
    assert index.find_containing_each(points) == expected
    assert [index.find_containing(point) for point in points] == expected


def test_the_border_is_inside_and_the_hole_outside() -> None:
    index = BorderIndex([Row(uuid4(), borders.parse_zone_border(polygon(SQUARE, HOLE))["border"])])
    inside = [(0, 0), (4, 2), (2, 4), (1, 1.5), (2, 2), (3, 3)]
    outside = [(1.5, 1.5), (-0.000001, 0), (4.000001, 4), (5, 5)]
    assert all(index.find_containing_each([Point(float(x), float(y)) for x, y in inside]))
    assert not any(index.find_containing_each([Point(float(x), float(y)) for x, y in outside]))
