"""What is near a point: a box that holds the whole circle, so that an index can find it."""

import math

import msgspec

from pannier.kit import geo
from pannier.kit.geo import Point

# A hair more than the circle, so that rounding never leaves anybody out.
_MARGIN = 1e-9


class Box(msgspec.Struct, frozen=True):
    """Degrees between which the circle lies; west over east crosses the date line."""

    south: float
    north: float
    west: float
    east: float

    @property
    def crosses(self) -> bool:
        """Whether the date line runs through it."""
        return self.west > self.east

    def holds(self, point: Point) -> bool:
        """Tell whether a point lies inside."""
        beside = (
            point.longitude >= self.west or point.longitude <= self.east
            if self.crosses
            else self.west <= point.longitude <= self.east
        )
        return beside and self.south <= point.latitude <= self.north


def box(centre: Point, radius: float) -> Box:
    """Find the box around a circle of so many metres."""
    angle = radius / geo.EARTH_RADIUS + _MARGIN
    south = centre.latitude - math.degrees(angle)
    north = centre.latitude + math.degrees(angle)
    if south <= -90 or north >= 90:  # noqa: PLR2004 - the poles, around which lies every longitude
        return Box(max(south, -90.0), min(north, 90.0), -180.0, 180.0)
    # Rounding can lift the quotient a hair above 1, where no arcsine exists.
    quotient = min(1.0, math.sin(angle) / math.cos(math.radians(centre.latitude)))
    reach = math.degrees(math.asin(quotient) + _MARGIN)
    return Box(south, north, _around(centre.longitude - reach), _around(centre.longitude + reach))


def _around(longitude: float) -> float:
    """Continue on the other side of the date line."""
    return (longitude + 180) % 360 - 180
