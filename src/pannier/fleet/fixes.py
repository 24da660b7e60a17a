"""Fixes: when a reported position counts, and when it is a move."""

from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.kit import geo
from pannier.kit.geo import Point

NOWHERE: Final = Point(0.0, 0.0)
# How far a device's clock may be ahead of ours.
AHEAD: Final = timedelta(minutes=5)
LEAST_MOVE: Final = 5.0  # metres; no company can want to hear of less


class Fix(msgspec.Struct, frozen=True):
    """A position as somebody reports it."""

    point: Point
    recorded_at: datetime
    heading: float | None = None
    altitude: float | None = None
    speed: float | None = None
    accuracy: float | None = None


def somewhere(point: Point) -> Point:
    """Refuse 0/0, which is what a receiver without reception reports."""
    if point == NOWHERE:
        raise ValueError("must not be 0,0, which devices send when they have no fix.")
    return point


def moment(recorded_at: datetime | None, now: datetime) -> datetime:
    """Choose the time of a fix; a clock may be a little ahead."""
    if recorded_at is None:
        return now
    if recorded_at > now + AHEAD:
        raise ValueError("must not be in the future. Check the device's clock.")
    return recorded_at


def known(measure: float | None) -> float | None:
    """Read a speed, heading or accuracy; devices send a negative one for `unknown`."""
    return None if measure is None or measure < 0 else measure


def newer(recorded_at: datetime, located_at: datetime | None) -> bool:
    """Tell whether a fix says where its subject is now; of equal times, the later report does."""
    return located_at is None or recorded_at >= located_at


def moved(told: Point | None, point: Point, metres: float) -> bool:
    """Tell whether a point is a move from the one that was told last."""
    return told is None or geo.distance(told, point) >= metres


def rested(told_at: datetime | None, recorded_at: datetime, seconds: float) -> bool:
    """Tell whether the move that was told last is long enough ago."""
    return told_at is None or recorded_at - told_at >= timedelta(seconds=seconds)
