"""Routes of the demo's couriers: along roads with a routing engine, or else between corners."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from pannier.accounts.company_settings.models import Pace
from pannier.demo import streets
from pannier.kit.geo import Point
from pannier.maps.folder import Profile
from pannier.robots import travel
from pannier.robots.travel import RoutePosition
from pannier.routing.router import Router

# The pace in the city center without a routing engine.
PACE: Final = Pace(detour_factor=1.4, speed_kmh=20, adhoc_distance=1500)
MIN_SECONDS: Final = 5.0


class FoundRoute(NamedTuple):
    """A route and its duration."""

    points: Sequence[Point]
    seconds: float

    @property
    def speed_kmh(self) -> float:
        return travel.measure_route(self.points) / self.seconds * 3.6


class DrivenRoute(NamedTuple):
    """A drive along a route. Afterwards the vehicle stands at the end."""

    started_at: datetime
    route: FoundRoute

    @property
    def ends_at(self) -> datetime:
        return self.started_at + timedelta(seconds=self.route.seconds)

    @property
    def end(self) -> Point:
        return self.route.points[-1]

    def locate(self, moment: datetime) -> RoutePosition:
        """Find the vehicle's position at a moment."""
        points, seconds = self.route
        elapsed_seconds = max(0.0, (moment - self.started_at).total_seconds())
        metres = travel.measure_route(points) * min(1.0, elapsed_seconds / seconds)
        position = travel.locate(points, metres)
        if moment >= self.ends_at:
            return position._replace(point=self.end, arrived=True)
        return position._replace(speed_kmh=self.route.speed_kmh, arrived=False)


class RouteFinder:
    """Finds routes. It may wait for the routing engine, so never use it inside a transaction."""

    def __init__(self, router: Router) -> None:
        self._router = router

    async def find(self, start: Point, end: Point, profile: Profile) -> FoundRoute:
        """Find a route between two points."""
        if start == end:
            return FoundRoute([start, end], MIN_SECONDS)
        measurement = await self._router.measure([start, end], PACE, profile)
        line = await self._router.draw([start, end], profile)
        seconds = MIN_SECONDS if measurement is None else max(measurement.time, MIN_SECONDS)
        if line is None:
            return FoundRoute(streets.find_route(start, end), seconds)
        # The line starts and ends on roads, so add the addresses.
        road = [Point(longitude, latitude) for longitude, latitude in line.coordinates]
        return FoundRoute([start, *road, end], seconds)

    async def has_roads(self) -> bool:
        """Return whether the routing engine has the demo's streets now."""
        corners = [streets.CORNERS[name] for name in ("erottaja", "hakaniemi")]
        measurement = await self._router.measure(corners, PACE, "van")
        return measurement is not None and measurement.source != "great_circle"
