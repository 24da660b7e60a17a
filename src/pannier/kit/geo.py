"""Points on the earth, and how far and in which direction one lies from another."""

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
    """A place on the earth in degrees (WGS 84)."""

    longitude: float
    latitude: float

    def __post_init__(self) -> None:
        _check("longitude", self.longitude, 180)
        _check("latitude", self.latitude, 90)

    def to_geojson(self) -> dict[str, Any]:
        """The point as GeoJSON, longitude first."""
        return {"type": "Point", "coordinates": [self.longitude, self.latitude]}


def parse(value: object) -> Point:
    """The point in any of the forms clients send.

    GeoJSON `{"type": "Point", "coordinates": [longitude, latitude]}`, a bare
    `[longitude, latitude]`, `{"latitude": …, "longitude": …}`, or `"latitude,longitude"`. An
    altitude is ignored. Of each pair, GeoJSON begins with the longitude and text with the
    latitude, as maps and people do.
    """
    match value:
        case Point():
            return value
        case {"type": "Point", "coordinates": [longitude, latitude, *_]}:
            return _point(longitude, latitude)
        case {"latitude": latitude, "longitude": longitude}:
            return _point(longitude, latitude)
        case [longitude, latitude] | [longitude, latitude, _]:
            return _point(longitude, latitude)
        case str():
            latitude, separator, longitude = value.partition(",")
            if separator:
                return _point(longitude, latitude)
    raise ValueError(_REFUSAL)


def distance(start: Point, end: Point) -> float:
    """The great-circle distance in metres (haversine)."""
    return metres(start.longitude, start.latitude, end.longitude, end.latitude)


def metres(
    start_longitude: float, start_latitude: float, end_longitude: float, end_latitude: float
) -> float:
    """The great-circle distance of two points in degrees, where there are very many of them."""
    start, end = math.radians(start_latitude), math.radians(end_latitude)
    half_rise = (end - start) / 2
    half_turn = math.radians(end_longitude - start_longitude) / 2
    chord = math.sin(half_rise) ** 2 + (math.cos(start) * math.cos(end) * math.sin(half_turn) ** 2)
    # Rounding can lift opposite points a hair above 1, where no arcsine exists.
    return 2 * EARTH_RADIUS * math.asin(math.sqrt(min(1.0, chord)))


def bearing(start: Point, end: Point) -> float:
    """The direction in which to leave, in degrees clockwise from north, 0 up to 360."""
    start_latitude, end_latitude = math.radians(start.latitude), math.radians(end.latitude)
    turn = math.radians(end.longitude - start.longitude)
    east = math.sin(turn) * math.cos(end_latitude)
    north = math.cos(start_latitude) * math.sin(end_latitude) - (
        math.sin(start_latitude) * math.cos(end_latitude) * math.cos(turn)
    )
    # The second remainder: a tiny negative angle plus 360 rounds to 360 itself.
    return math.degrees(math.atan2(east, north)) % 360 % 360


def _point(longitude: object, latitude: object) -> Point:
    return Point(_degrees(longitude), _degrees(latitude))


def _degrees(value: object) -> float:
    """A number, or text that is one; not what Python merely takes for one, such as True or nan."""
    if isinstance(value, str):
        text = value.strip()
        if _NUMBER.fullmatch(text):
            return float(text)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        # An integer beyond every float is beyond every range too.
        return float(max(-1000, min(1000, value))) if isinstance(value, int) else value
    raise ValueError(_REFUSAL)


def _check(name: str, degrees: float, limit: int) -> None:
    # Not-a-number fails every comparison, so the range refuses it and infinity alike.
    if isinstance(degrees, bool) or not -limit <= degrees <= limit:
        raise ValueError(f"The {name} must be between -{limit} and {limit} degrees.")
