"""The bounding box of a circle, which an index can search."""

import math

import msgspec

from pannier.kit import geo
from pannier.kit.geo import Point

# Radians added to the radius, so that rounding excludes no point.
_MARGIN = 1e-9


class SearchBox(msgspec.Struct, frozen=True):
    """A range of degrees. If `west` is greater than `east`, it crosses the date line."""

    south: float
    north: float
    west: float
    east: float

    @property
    def crosses_date_line(self) -> bool:
        return self.west > self.east

    def contains(self, point: Point) -> bool:
        in_longitudes = (
            point.longitude >= self.west or point.longitude <= self.east
            if self.crosses_date_line
            else self.west <= point.longitude <= self.east
        )
        return in_longitudes and self.south <= point.latitude <= self.north


def make_bounding_box(centre: Point, radius: float) -> SearchBox:
    """Make the bounding box of a circle with a radius in metres."""
    angle = radius / geo.EARTH_RADIUS + _MARGIN
    south = centre.latitude - math.degrees(angle)
    north = centre.latitude + math.degrees(angle)
    if south <= -90 or north >= 90:  # noqa: PLR2004 - a circle around a pole has every longitude
        return SearchBox(max(south, -90.0), min(north, 90.0), -180.0, 180.0)
    # Rounding can raise the quotient above 1, where no arcsine exists.
    quotient = min(1.0, math.sin(angle) / math.cos(math.radians(centre.latitude)))
    half_width = math.degrees(math.asin(quotient) + _MARGIN)
    return SearchBox(
        south,
        north,
        _wrap_longitude(centre.longitude - half_width),
        _wrap_longitude(centre.longitude + half_width),
    )


def _wrap_longitude(longitude: float) -> float:
    """Wrap a longitude at the date line."""
    return (longitude + 180) % 360 - 180
