"""A plan's routes as map features: a line for each route, and a point for each visited place."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from pannier.console import maps
from pannier.console.plan_chart import DriverLane

MAX_LINE_POINTS = 400


class PlaceVisit(NamedTuple):
    """Consecutive stops at one place: the numbers of the first and the last, and the stops."""

    lane: DriverLane
    first: int
    last: int
    stops: Sequence[Any]

    @property
    def identifier(self) -> str:
        """The identifier of the point. The bars of the stops refer to it."""
        return f"stop-{self.lane.number}-{self.first}"

    @property
    def label(self) -> str:
        """The number of the lane, and the numbers of the first and the last stop."""
        suffix = f"\N{EN DASH}{self.last}" if self.last > self.first else ""
        return f"{self.lane.number}\N{MIDDLE DOT}{self.first}{suffix}"


def list_visits(lane: DriverLane) -> Iterator[PlaceVisit]:
    """Yield the places of a lane in the order of the route."""
    numbered_stops = enumerate(lane.stops, 1)
    for _, group in groupby(numbered_stops, key=lambda pair: pair[1]["place"]["id"]):
        numbers, stops = zip(*group, strict=True)
        yield PlaceVisit(lane, numbers[0], numbers[-1], stops)


def map_pins(lane: DriverLane) -> dict[int, str]:
    """Map the number of each stop in the lane to the identifier of its point."""
    return {
        number: visit.identifier
        for visit in list_visits(lane)
        for number in range(visit.first, visit.last + 1)
    }


def make_features(
    lanes: Sequence[DriverLane], orders_url: str, streets: Mapping[str, Sequence[Any]] | None = None
) -> dict[str, Any]:
    """Return the routes as map features, lines below points.

    `streets` has the routes' lines along streets, by driver.
    """
    lines = [line for lane in lanes for line in _make_lines(lane, streets or {})]
    points = [_make_point(visit, orders_url) for lane in lanes for visit in list_visits(lane)]
    return maps.collection([*lines, *points])


def _make_lines(lane: DriverLane, streets: Mapping[str, Sequence[Any]]) -> Iterator[Any]:
    """Yield the lines of a lane: along streets if these are known, otherwise straight."""
    paths = streets.get(lane.driver["id"]) or [_list_positions(route) for route in lane.routes]
    for number, positions in enumerate(paths):
        yield maps.line(f"route-{lane.number}-{number}", "", positions, lane.color, MAX_LINE_POINTS)


def _list_positions(route: Mapping[str, Any]) -> list[Any]:
    """List the positions of a route without consecutive duplicates."""
    points = [
        route["start"],
        *(stop["place"]["location"] for stop in route["stops"]),
        route["end"],
    ]
    return [position for position, _ in groupby(point["coordinates"] for point in points if point)]


def _make_point(visit: PlaceVisit, orders_url: str) -> Any:  # noqa: ANN401 - JSON
    location = visit.stops[0]["place"]["location"]
    if not location:
        return None
    orders = {stop["order"] for stop in visit.stops}
    return maps.point(
        visit.identifier, visit.label, location, visit.lane.color,
        href=f"{orders_url}/{orders.pop()}" if len(orders) == 1 else None,
        late=True if any(stop["late"] for stop in visit.stops) else None,
    )  # fmt: skip
