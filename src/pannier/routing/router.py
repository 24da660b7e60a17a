"""The router: queries the engine, caches routes, and falls back to great circles."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.accounts.company_settings.models import Pace
from pannier.kit.cache import Cache
from pannier.kit.clock import Clock
from pannier.kit.geo import Point
from pannier.maps.folder import Profile
from pannier.routing import engines, route
from pannier.routing.breaker import CircuitBreaker
from pannier.routing.engines import NoRoute, RoutingEngine
from pannier.routing.route import Matrix, Route, RouteLine
from pannier.web.http_client import HttpClientError
from pannier.web.logs import log

MAX_ROUTES: Final = 2_048
CACHE_LIFETIME: Final = timedelta(minutes=10)
MAX_CONCURRENT_REQUESTS: Final = 16
# Points of a matrix: those of the largest plan.
MAX_MATRIX_POINTS: Final = 1_100
# Coordinates are rounded to about a metre for the cache key.
KEY_DECIMALS: Final = 5

Key = tuple[tuple[float, float], ...]


class _EngineUnavailable(Exception):  # noqa: N818 - nothing went wrong
    """The engine is unavailable or overloaded."""


class RouteResult(msgspec.Struct, frozen=True):
    """A route by road or along great circles; `is_definite` if the engine cannot improve on it."""

    route: Route | None
    is_definite: bool


class Router:
    """A router with cache and fallback. It may wait: never call it inside a transaction."""

    def __init__(
        self, engine: RoutingEngine | None, clock: Clock, *, timeout_seconds: float = 2.0
    ) -> None:
        self._engine, self._clock, self._timeout_seconds = engine, clock, timeout_seconds
        self._breaker = CircuitBreaker(clock)
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_REQUESTS)
        self._cache = Cache[Key, tuple[datetime, Route | None]](MAX_ROUTES)

    async def measure(
        self, points: Sequence[Point | None], pace: Pace, profile: Profile = "car"
    ) -> Route | None:
        """Measure the route through points, or return None if a point is unknown."""
        return (await self.measure_with_certainty(points, pace, profile)).route

    async def measure_matrix(
        self, points: Sequence[Point], pace: Pace, profile: Profile = "car"
    ) -> Matrix:
        """Measure distances and times between all points, of which there may be 1,100."""
        if len(points) > MAX_MATRIX_POINTS:
            raise ValueError(f"at most {MAX_MATRIX_POINTS} points")
        # In a thread, because the largest matrix takes about a second.
        return await asyncio.to_thread(route.measure_great_circle_matrix, points, pace, profile)

    async def draw(
        self,
        points: Sequence[Point],  # noqa: ARG002 - engines draw soon
        profile: Profile = "car",  # noqa: ARG002 - see above
    ) -> RouteLine | None:
        """Draw the route along roads. Return None if no engine knows it: draw straight lines."""
        return None

    async def measure_with_certainty(
        self, points: Sequence[Point | None], pace: Pace, profile: Profile = "car"
    ) -> RouteResult:
        """Measure the route, and say whether a later attempt could give another result."""
        crow = route.measure_great_circle(points, pace, profile)
        if crow is None or not crow.legs or self._engine is None:
            return RouteResult(crow, is_definite=True)
        try:
            road = await self._measure_by_road(self._engine, [point for point in points if point])
        except _EngineUnavailable:
            return RouteResult(crow, is_definite=False)
        return RouteResult(road or crow, is_definite=True)

    async def _measure_by_road(
        self, engine: RoutingEngine, points: Sequence[Point]
    ) -> Route | None:
        """Measure by road with the engine. Return None if the engine knows no road."""
        key = tuple(
            (round(point.longitude, KEY_DECIMALS), round(point.latitude, KEY_DECIMALS))
            for point in points
        )
        known = self._cache.find(key)
        if known is not None and self._clock.now() < known[0]:
            return known[1]
        if not self._breaker.can_call():
            raise _EngineUnavailable
        if self._slots.locked():
            # Our own concurrency limit was reached, which is no failure of the engine.
            raise _EngineUnavailable
        try:
            async with self._slots, asyncio.timeout(self._timeout_seconds):
                found = Route.from_legs(await engines.measure(engine, points), engine.name)
        except NoRoute:
            found = None
        except (HttpClientError, TimeoutError) as failure:
            self._breaker.record_failure()
            log.warning("routing engine failed", engine=engine.name, kind=type(failure).__name__)
            raise _EngineUnavailable from None
        self._breaker.record_success()
        self._cache.store(key, (self._clock.now() + CACHE_LIFETIME, found))
        return found
