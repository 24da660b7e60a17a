"""Points on the earth, distances and bearings."""

import math
import re
from typing import Any

import msgspec

# Mean radius of the earth in metres (IUGG). On a sphere of it, distances are within 0.6 %.
EARTH_RADIUS = 6_371_008.8

_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,3}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_REFUSAL = (
    "Give the point as GeoJSON, as latitude and longitude, or as text such as 1.3521,103.8198."
)


class Point(msgspec.Struct, frozen=True):
    """A point on the earth in degrees (WGS 84)."""

    longitude: float
    latitude: float

    def __post_init__(self) -> None:
        _check_range("longitude", self.longitude, 180)
        _check_range("latitude", self.latitude, 90)

    def to_geojson(self) -> dict[str, Any]:
        """Return the point as GeoJSON, longitude first."""
        return {"type": "Point", "coordinates": [self.longitude, self.latitude]}


def parse(value: object) -> Point:
    """Parse a point in any of the formats that clients send.

    These are GeoJSON `{"type": "Point", "coordinates": [longitude, latitude]}`, a bare
    `[longitude, latitude]`, `{"latitude": …, "longitude": …}`, and `"latitude,longitude"`. An
    altitude is ignored. As usual, GeoJSON begins with the longitude and text with the latitude.
    """
    match value:
        case Point():
            return value
        case {"type": "Point", "coordinates": [longitude, latitude, *_]}:
            return _to_point(longitude, latitude)
        case {"latitude": latitude, "longitude": longitude}:
            return _to_point(longitude, latitude)
        case [longitude, latitude] | [longitude, latitude, _]:
            return _to_point(longitude, latitude)
        case str():
            latitude, separator, longitude = value.partition(",")
            if separator:
                return _to_point(longitude, latitude)
    raise ValueError(_REFUSAL)


def distance(start: Point, end: Point) -> float:
    """Return the great-circle distance in metres (haversine)."""
    return metres(start.longitude, start.latitude, end.longitude, end.latitude)


def metres(
    start_longitude: float, start_latitude: float, end_longitude: float, end_latitude: float
) -> float:
    """Return the great-circle distance of two points in degrees, without making Points."""
    start, end = math.radians(start_latitude), math.radians(end_latitude)
    half_rise = (end - start) / 2
    half_turn = math.radians(end_longitude - start_longitude) / 2
    chord = math.sin(half_rise) ** 2 + (math.cos(start) * math.cos(end) * math.sin(half_turn) ** 2)
    # For opposite points, rounding can exceed 1, where the arcsine is undefined.
    return 2 * EARTH_RADIUS * math.asin(math.sqrt(min(1.0, chord)))


def bearing(start: Point, end: Point) -> float:
    """Return the initial bearing in degrees clockwise from north, from 0 to below 360."""
    start_latitude, end_latitude = math.radians(start.latitude), math.radians(end.latitude)
    delta = math.radians(end.longitude - start.longitude)
    east = math.sin(delta) * math.cos(end_latitude)
    north = math.cos(start_latitude) * math.sin(end_latitude) - (
        math.sin(start_latitude) * math.cos(end_latitude) * math.cos(delta)
    )
    # The second remainder is for a tiny negative angle: plus 360, it rounds to exactly 360.
    return math.degrees(math.atan2(east, north)) % 360 % 360


def _to_point(longitude: object, latitude: object) -> Point:
    return Point(_to_degrees(longitude), _to_degrees(latitude))


def _to_degrees(value: object) -> float:
    """Return a number, or parse one from text. Reject True, nan and the like."""
    if isinstance(value, str):
        text = value.strip()
        if _NUMBER.fullmatch(text):
            return float(text)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        # An integer may be too large for a float. Clamped, it is still out of range.
        return float(max(-1000, min(1000, value))) if isinstance(value, int) else value
    raise ValueError(_REFUSAL)


def _check_range(name: str, degrees: float, limit: int) -> None:
    # NaN fails every comparison, so the range check rejects it like infinity.
    if isinstance(degrees, bool) or not -limit <= degrees <= limit:
        raise ValueError(f"The {name} must be between -{limit} and {limit} degrees.")
