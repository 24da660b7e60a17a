"""Fixes: which reported positions count, and which are moves."""

from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.kit import geo
from pannier.kit.geo import Point

NOWHERE: Final = Point(0.0, 0.0)
# A device's clock may be ahead of ours by this much.
AHEAD: Final = timedelta(minutes=5)
LEAST_MOVE: Final = 5.0  # the smallest distance that a company can set


class Fix(msgspec.Struct, frozen=True):
    """A reported position."""

    point: Point
    recorded_at: datetime
    heading: float | None = None
    altitude: float | None = None
    speed: float | None = None
    accuracy: float | None = None


def somewhere(point: Point) -> Point:
    """Refuse 0/0, which receivers without a fix report."""
    if point == NOWHERE:
        raise ValueError("must not be 0,0, which devices send when they have no fix.")
    return point


def moment(recorded_at: datetime | None, now: datetime) -> datetime:
    """Return the time of a fix. A clock may be ahead by a few minutes."""
    if recorded_at is None:
        return now
    if recorded_at > now + AHEAD:
        raise ValueError("must not be in the future. Check the device's clock.")
    return recorded_at


def known(measure: float | None) -> float | None:
    """Return a speed, heading or accuracy. Devices send a negative value for an unknown one."""
    return None if measure is None or measure < 0 else measure


def newer(recorded_at: datetime, located_at: datetime | None) -> bool:
    """Tell whether a fix is the current position; of equal times, the later report is."""
    return located_at is None or recorded_at >= located_at


def moved(told: Point | None, point: Point, metres: float) -> bool:
    """Tell whether a point is far enough from the one in the last event."""
    return told is None or geo.distance(told, point) >= metres


def rested(told_at: datetime | None, recorded_at: datetime, seconds: float) -> bool:
    """Tell whether the last event about a move is old enough."""
    return told_at is None or recorded_at - told_at >= timedelta(seconds=seconds)
