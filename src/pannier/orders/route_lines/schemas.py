"""Route lines in JSON."""

from collections.abc import Sequence
from typing import Annotated, Literal, Self

import msgspec
from msgspec import Meta

from pannier.kit.geo import Point
from pannier.kit.lines import Line
from pannier.routing.route import RouteLine, Source


class RouteLineOut(msgspec.Struct):
    """The line of a route in GeoJSON."""

    type: Literal["LineString"]
    coordinates: Annotated[
        Line,
        Meta(
            description="Longitudes and latitudes, in degrees.",
            examples=[[[24.9414, 60.1719], [24.9449, 60.1705]]],
        ),
    ]
    source: Annotated[
        Source, Meta(description="`great_circle` if the line goes straight from stop to stop.")
    ]

    @classmethod
    def from_line(cls, line: RouteLine | None, points: Sequence[Point]) -> Self | None:
        """Return the line, or a straight one through the points if there is none."""
        if line is not None:
            return cls("LineString", line.coordinates, line.source)
        if len(points) < 2:  # noqa: PLR2004 - a line has two ends
            return None
        straight_line = [[point.longitude, point.latitude] for point in points]
        return cls("LineString", straight_line, "great_circle")


class OrderRouteOut(msgspec.Struct):
    """The lines of an order's route. Stops without coordinates are left out."""

    planned: Annotated[RouteLineOut | None, Meta(description="The line through all stops.")]
    remaining: Annotated[
        RouteLineOut | None,
        Meta(
            description="From the driver to the remaining stops. Null until a driver is underway."
        ),
    ]
