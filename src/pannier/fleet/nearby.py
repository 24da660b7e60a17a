"""The bounding box of a circle, which an index can search."""

import math

import msgspec

from pannier.kit import geo
from pannier.kit.geo import Point

# Radians added to the circle, so that rounding excludes no point in it.
_MARGIN = 1e-9


class Box(msgspec.Struct, frozen=True):
    """A range of degrees. If `west` is greater than `east`, it crosses the date line."""

    south: float
    north: float
    west: float
    east: float

    @property
    def crosses(self) -> bool:
        return self.west > self.east

    def holds(self, point: Point) -> bool:
        beside = (
            point.longitude >= self.west or point.longitude <= self.east
            if self.crosses
            else self.west <= point.longitude <= self.east
        )
        return beside and self.south <= point.latitude <= self.north


def box(centre: Point, radius: float) -> Box:
    """Return the bounding box of a circle with a radius in metres."""
    angle = radius / geo.EARTH_RADIUS + _MARGIN
    south = centre.latitude - math.degrees(angle)
    north = centre.latitude + math.degrees(angle)
    if south <= -90 or north >= 90:  # noqa: PLR2004 - a circle around a pole has every longitude
        return Box(max(south, -90.0), min(north, 90.0), -180.0, 180.0)
    # Rounding can raise the quotient above 1, where no arcsine exists.
    quotient = min(1.0, math.sin(angle) / math.cos(math.radians(centre.latitude)))
    reach = math.degrees(math.asin(quotient) + _MARGIN)
    return Box(south, north, _around(centre.longitude - reach), _around(centre.longitude + reach))


def _around(longitude: float) -> float:
    """Continue on the other side of the date line."""
    return (longitude + 180) % 360 - 180
