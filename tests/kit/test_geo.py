import math
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.kit.geo import EARTH_RADIUS, Point, bearing, distance, parse

POINTS = st.builds(Point, st.floats(-180, 180), st.floats(-90, 90))
SINGAPORE = Point(103.8198, 1.3521)
LONDON = Point(-0.1276, 51.5072)


@pytest.mark.parametrize(
    "value",
    [
        SINGAPORE,
        {"type": "Point", "coordinates": [103.8198, 1.3521]},
        {"type": "Point", "coordinates": [103.8198, 1.3521, 15.0], "bbox": None},
        {"latitude": 1.3521, "longitude": 103.8198},
        {"latitude": "1.3521", "longitude": "103.8198", "accuracy": 5},
        [103.8198, 1.3521],
        (103.8198, 1.3521),
        [103.8198, 1.3521, 15],
        "1.3521,103.8198",
        " +1.3521 , 103.8198 ",
        "1.3521,1.038198e2",
    ],
)
def test_a_point_is_read_in_every_form_clients_send(value: Any) -> None:
    assert parse(value) == SINGAPORE


@given(POINTS)
def test_a_point_survives_every_form(point: Point) -> None:
    assert parse(point.to_geojson()) == point
    assert parse(msgspec.json.decode(msgspec.json.encode(point.to_geojson()))) == point
    assert parse([point.longitude, point.latitude]) == point
    assert parse(msgspec.to_builtins(point)) == point
    assert parse(f"{point.latitude!r},{point.longitude!r}") == point


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        5,
        "",
        "1.3",
        "1.3;103.8",
        "1.3,",
        "1,2,3",
        "nan,nan",
        "inf,1",
        "1_0,1",
        "٣,٤",
        "0x1,1",
        [],
        [1],
        [1, 2, 3, 4],
        [True, 1],
        [1, None],
        [[1, 2], [3, 4]],
        {},
        {"latitude": 1},
        {"latitude": True, "longitude": 1},
        {"type": "Polygon", "coordinates": [1, 2]},
        {"type": "Point", "coordinates": [1]},
        {"type": "Point", "coordinates": "1,2"},
        b"1,2",
    ],
)
def test_what_is_no_point_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="Give the point"):
        parse(value)


@pytest.mark.parametrize(
    ("longitude", "latitude"),
    [
        (180.1, 0),
        (-181, 0),
        (0, 90.5),
        (0, -91),
        (math.nan, 0),
        (0, math.nan),
        (math.inf, 0),
        (0, -math.inf),
        (10**400, 0),
        (0, -(10**400)),
    ],
)
def test_a_point_off_the_earth_is_refused(longitude: float, latitude: float) -> None:
    with pytest.raises(ValueError, match="must be between"):
        Point(longitude, latitude)
    with pytest.raises(ValueError, match="must be between"):
        parse([longitude, latitude])


def test_a_truth_value_is_no_coordinate() -> None:
    with pytest.raises(ValueError, match="must be between"):
        Point(longitude=True, latitude=0.0)


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists, max_leaves=4))
def test_any_value_is_a_point_or_refused_with_a_sentence(value: Any) -> None:
    try:
        point = parse(value)
    except ValueError as refusal:
        assert str(refusal).endswith(".")  # noqa: PT017 - some values are points
    else:
        assert -180 <= point.longitude <= 180


def test_known_distances_are_right() -> None:
    quarter = EARTH_RADIUS * math.pi / 2

    assert distance(Point(0, 0), Point(90, 0)) == pytest.approx(quarter)
    assert distance(Point(0, -90), Point(0, 90)) == pytest.approx(2 * quarter)
    assert distance(SINGAPORE, LONDON) == pytest.approx(10_849_000, rel=0.006)


@given(POINTS, POINTS)
def test_a_distance_is_the_same_both_ways_and_at_most_half_round_the_earth(
    start: Point, end: Point
) -> None:
    assert distance(start, start) == 0
    assert distance(start, end) == pytest.approx(distance(end, start))
    assert 0 <= distance(start, end) <= EARTH_RADIUS * math.pi


def test_the_date_line_is_no_wall() -> None:
    assert distance(Point(179.999, 0), Point(-179.999, 0)) < 300


@pytest.mark.parametrize(
    ("end", "degrees"),
    [(Point(0, 1), 0), (Point(1, 0), 90), (Point(0, -1), 180), (Point(-1, 0), 270)],
)
def test_bearings_turn_clockwise_from_north(end: Point, degrees: float) -> None:
    assert bearing(Point(0, 0), end) == pytest.approx(degrees)


@given(POINTS, POINTS)
def test_a_bearing_lies_within_one_turn(start: Point, end: Point) -> None:
    assert 0 <= bearing(start, end) < 360
