"""Rules for fixes: validity, order, and moves."""

from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.kit import geo
from pannier.kit.geo import Point

NULL_ISLAND: Final = Point(0.0, 0.0)
# A device's clock may be ahead of ours by this much.
MAX_CLOCK_LEAD: Final = timedelta(minutes=5)
MIN_MOVE_METRES: Final = 5.0  # the smallest distance that a company can set


class PositionFix(msgspec.Struct, frozen=True):
    """A reported position."""

    point: Point
    recorded_at: datetime
    heading: float | None = None
    altitude: float | None = None
    speed: float | None = None
    accuracy: float | None = None


def check_point(point: Point) -> Point:
    """Refuse 0,0, which receivers without a fix report."""
    if point == NULL_ISLAND:
        raise ValueError("must not be 0,0, which devices send when they have no fix.")
    return point


def choose_fix_time(recorded_at: datetime | None, now: datetime) -> datetime:
    """Choose the time of a fix, by default now. A clock may be ahead by a few minutes."""
    if recorded_at is None:
        return now
    if recorded_at > now + MAX_CLOCK_LEAD:
        raise ValueError("must not be in the future. Check the device's clock.")
    return recorded_at


def drop_unknown_measure(measure: float | None) -> float | None:
    """Drop a negative speed, heading or accuracy, which devices send for an unknown value."""
    return None if measure is None or measure < 0 else measure


def is_newer(recorded_at: datetime, located_at: datetime | None) -> bool:
    """Return whether a fix replaces the current position. One with the same time does."""
    return located_at is None or recorded_at >= located_at


def has_moved(last_emitted: Point | None, point: Point, metres: float) -> bool:
    """Return whether a point is far enough from the point in the last event."""
    return last_emitted is None or geo.distance(last_emitted, point) >= metres


def has_interval_passed(emitted_at: datetime | None, recorded_at: datetime, seconds: float) -> bool:
    """Return whether the last event about a move is old enough to emit another one."""
    return emitted_at is None or recorded_at - emitted_at >= timedelta(seconds=seconds)
