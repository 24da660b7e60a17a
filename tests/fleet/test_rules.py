"""The pure rules: boxes around circles, which fix counts, what is a move."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.fleet import events, fixes, nearby
from pannier.kit import geo
from pannier.kit.geo import Point

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
points = st.builds(Point, st.floats(-180, 180), st.floats(-90, 90))


def reached(start: Point, metres: float, degrees: float) -> Point:
    """Walk from a point along a great circle."""
    angle, course = metres / geo.EARTH_RADIUS, math.radians(degrees)
    latitude, longitude = math.radians(start.latitude), math.radians(start.longitude)
    sine = math.sin(latitude) * math.cos(angle) + (
        math.cos(latitude) * math.sin(angle) * math.cos(course)
    )
    end = math.asin(max(-1.0, min(1.0, sine)))
    turn = math.atan2(
        math.sin(course) * math.sin(angle) * math.cos(latitude),
        math.cos(angle) - math.sin(latitude) * math.sin(end),
    )
    around = (math.degrees(longitude + turn) + 180) % 360 - 180
    return Point(around, math.degrees(end))


@given(points, st.floats(1, 2_000_000), st.floats(0, 0.999), st.floats(0, 360))
def test_the_box_holds_whatever_lies_within_the_circle(
    centre: Point, radius: float, part: float, degrees: float
) -> None:
    assert nearby.make_bounding_box(centre, radius).contains(
        reached(centre, radius * part, degrees)
    )


@given(st.floats(-180, 180), st.floats(-60, 60), st.floats(1, 10_000))
def test_the_box_is_hardly_larger_than_the_circle(
    longitude: float, latitude: float, radius: float
) -> None:
    box = nearby.make_bounding_box(Point(longitude, latitude), radius)
    assert math.radians(box.north - box.south) * geo.EARTH_RADIUS < 2 * radius * 1.01 + 1


def test_the_box_continues_beyond_the_date_line_and_around_the_poles() -> None:
    assert nearby.make_bounding_box(Point(179.99, 0), 5000).contains(Point(-179.99, 0))
    assert not nearby.make_bounding_box(Point(179.99, 0), 5000).contains(Point(0, 0))
    assert nearby.make_bounding_box(Point(0, 89.99), 5000).contains(Point(180, 89.99))


def test_a_fix_from_the_near_future_counts_as_now_and_from_the_far_future_not_at_all() -> None:
    assert fixes.choose_fix_time(None, NOW) == NOW
    assert fixes.choose_fix_time(NOW - timedelta(days=1), NOW) == NOW - timedelta(days=1)
    assert fixes.choose_fix_time(NOW + timedelta(minutes=5), NOW) == NOW + timedelta(minutes=5)
    with pytest.raises(ValueError, match="future"):
        fixes.choose_fix_time(NOW + timedelta(minutes=5, seconds=1), NOW)


def test_a_metre_is_a_move_and_half_of_one_is_not() -> None:
    here = Point(103.8, 1.3)
    assert fixes.has_moved(None, here, 25)
    assert not fixes.has_moved(here, reached(here, 24.5, 90), 25)
    assert fixes.has_moved(here, reached(here, 25.1, 90), 25)


def test_devices_say_minus_one_for_what_they_do_not_know() -> None:
    assert fixes.drop_unknown_measure(-1) is None
    assert fixes.drop_unknown_measure(0) == 0


def test_every_event_of_the_fleet_has_a_shape_that_says_what_it_is() -> None:
    assert len(events.SCHEMAS) == 10
    for name, kind in events.SCHEMAS.items():
        assert kind.__doc__, name
        assert {"id", "public_id"} <= set(kind.__struct_fields__)
