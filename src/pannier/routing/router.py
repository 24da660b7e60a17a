"""The router: queries the engine, caches routes, and falls back to great circles."""

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

import msgspec

from pannier.accounts.company_settings.models import Pace
from pannier.kit import lines
from pannier.kit.cache import Cache
from pannier.kit.clock import Clock
from pannier.kit.geo import Point
from pannier.kit.lines import Line
from pannier.maps.folder import PROFILES, Profile
from pannier.routing import engines, route
from pannier.routing.breaker import OPEN_PERIOD, CircuitBreaker
from pannier.routing.engines import NoRoute, RoutingEngine
from pannier.routing.route import Matrix, Route, RouteLine, TracePoint
from pannier.web.http_client import HttpClientError
from pannier.web.logs import log

MAX_ROUTES: Final = 2_048
CACHE_LIFETIME: Final = timedelta(minutes=10)
MAX_CONCURRENT_REQUESTS: Final = 16
# Maximum number of points of a matrix: those of the largest plan.
MAX_MATRIX_POINTS: Final = 1_100
# Coordinates are rounded to about a metre for the cache key.
KEY_DECIMALS: Final = 5

# Total number of points of all cached lines.
MAX_LINE_POINTS: Final = 100_000
# Timeout of a matrix that needs several requests. A smaller one has the timeout of a route.
MATRIX_TIMEOUT_SECONDS: Final = 60.0

Key = tuple[str, Profile, tuple[tuple[float, float], ...]]
Result = TypeVar("Result")


class EngineUnavailable(Exception):  # noqa: N818 - nothing went wrong
    """The engine is unavailable or overloaded."""


class RouteResult(msgspec.Struct, frozen=True):
    """A route by road or along great circles; `is_definite` if the engine cannot improve on it."""

    route: Route | None
    is_definite: bool


class Router:
    """A router with cache and fallback. It may wait: never call it inside a transaction."""

    def __init__(
        self,
        engine: RoutingEngine | None,
        clock: Clock,
        *,
        timeout_seconds: float = 2.0,
        open_period: timedelta = OPEN_PERIOD,
    ) -> None:
        self._engine, self._clock, self._timeout_seconds = engine, clock, timeout_seconds
        # Each profile may have its own process.
        self._breakers = {profile: CircuitBreaker(clock, open_period) for profile in PROFILES}
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_REQUESTS)
        self._routes = Cache[Key, tuple[datetime, Route | None]](MAX_ROUTES)
        self._lines = Cache[Key, tuple[datetime, RouteLine | None]](MAX_LINE_POINTS, _weigh_line)

    @property
    def has_engine(self) -> bool:
        """Whether there is an engine with roads now."""
        return any(self._find_engine(profile) for profile in PROFILES)

    @property
    def is_unavailable(self) -> bool:
        """Whether a circuit breaker is open, so that distances are great circles."""
        return any(breaker.is_open for breaker in self._breakers.values())

    async def measure(
        self, points: Sequence[Point | None], pace: Pace, profile: Profile = "car"
    ) -> Route | None:
        """Measure the route through points, or return None if a point is unknown."""
        return (await self.measure_with_certainty(points, pace, profile)).route

    async def measure_matrix(
        self, points: Sequence[Point], pace: Pace, profile: Profile = "car"
    ) -> Matrix:
        """Measure distances and times between all points, of which 1,100 are allowed."""
        if len(points) > MAX_MATRIX_POINTS:
            raise ValueError(f"at most {MAX_MATRIX_POINTS} points")
        engine = self._find_engine(profile)
        if engine is not None and len(points) > 1:
            is_small = len(points) <= engine.max_block
            seconds = self._timeout_seconds if is_small else MATRIX_TIMEOUT_SECONDS
            with suppress(EngineUnavailable, NoRoute):
                engine_call = engines.measure_matrix(engine, points, profile)
                return await self._call_engine(engine, profile, engine_call, seconds)
        # In a thread, because the largest matrix takes a while.
        return await asyncio.to_thread(route.measure_great_circle_matrix, points, pace, profile)

    async def draw(self, points: Sequence[Point], profile: Profile = "car") -> RouteLine | None:
        """Draw the route along roads, or return None, which means straight lines."""
        engine = self._find_engine(profile)
        if engine is None or len(points) < 2:  # noqa: PLR2004 - both ends
            return None
        engine_call = engines.draw_route(engine, points, profile)
        return await self._load_or_draw_line(
            engine, profile, _make_key("draw", points, profile), engine_call
        )

    async def match(
        self, trace: Sequence[TracePoint], profile: Profile = "car"
    ) -> RouteLine | None:
        """Draw the roads that recorded positions followed, or return None."""
        engine = self._find_engine(profile)
        if engine is None or len(trace) < 2:  # noqa: PLR2004 - both ends
            return None
        key = _make_key("match", [fix.point for fix in trace], profile)
        engine_call = engines.match_trace(engine, trace, profile)
        return await self._load_or_draw_line(engine, profile, key, engine_call)

    async def _load_or_draw_line(
        self,
        engine: RoutingEngine,
        profile: Profile,
        key: Key,
        engine_call: Coroutine[Any, Any, Line],
    ) -> RouteLine | None:
        """Load a line from the cache or draw it. Return None if the engine has none now."""
        cached_entry = self._lines.find(key)
        if cached_entry is not None and self._clock.now() < cached_entry[0]:
            engine_call.close()
            return cached_entry[1]
        line: RouteLine | None = None
        try:
            positions = await self._call_engine(engine, profile, engine_call, self._timeout_seconds)
            # In a thread, because simplifying thousands of points would block the event loop.
            line = RouteLine(await asyncio.to_thread(lines.simplify, positions), engine.name)
        except EngineUnavailable:
            return None
        except NoRoute:
            pass
        self._lines.store(key, (self._clock.now() + CACHE_LIFETIME, line))
        return line

    async def measure_with_certainty(
        self, points: Sequence[Point | None], pace: Pace, profile: Profile = "car"
    ) -> RouteResult:
        """Measure the route, and return whether a later attempt could improve the result."""
        great_circle = route.measure_great_circle(points, pace, profile)
        engine = self._find_engine(profile)
        if great_circle is None or not great_circle.legs or engine is None:
            return RouteResult(great_circle, is_definite=True)
        try:
            road_route = await self._measure_by_road(
                engine, [point for point in points if point], profile
            )
        except EngineUnavailable:
            estimate = msgspec.structs.replace(great_circle, firm=False)
            return RouteResult(estimate, is_definite=False)
        return RouteResult(road_route or great_circle, is_definite=True)

    def _find_engine(self, profile: Profile) -> RoutingEngine | None:
        engine = self._engine
        return engine if engine is not None and engine.has_roads(profile) else None

    async def _measure_by_road(
        self, engine: RoutingEngine, points: Sequence[Point], profile: Profile
    ) -> Route | None:
        """Measure by road with the engine. Return None if the engine knows no road."""
        key = _make_key("measure", points, profile)
        cached_entry = self._routes.find(key)
        if cached_entry is not None and self._clock.now() < cached_entry[0]:
            return cached_entry[1]
        try:
            engine_call = engines.measure_route(engine, points, profile)
            legs = await self._call_engine(engine, profile, engine_call, self._timeout_seconds)
            road_route = Route.from_legs(legs, engine.name)
        except NoRoute:
            road_route = None
        self._routes.store(key, (self._clock.now() + CACHE_LIFETIME, road_route))
        return road_route

    async def _call_engine(
        self,
        engine: RoutingEngine,
        profile: Profile,
        engine_call: Coroutine[Any, Any, Result],
        seconds: float,
    ) -> Result:
        """Await a call of the engine, or raise EngineUnavailable. NoRoute passes through."""
        breaker = self._breakers[profile]
        # Reaching our own concurrency limit is not a failure of the engine.
        if self._slots.locked() or not breaker.claim_call():
            engine_call.close()
            raise EngineUnavailable
        try:
            async with self._slots, asyncio.timeout(seconds):
                result = await engine_call
        except NoRoute:
            breaker.record_success()
            raise
        except (HttpClientError, TimeoutError) as failure:
            breaker.record_failure()
            log.warning(
                "routing engine failed",
                engine=engine.name,
                profile=profile,
                kind=type(failure).__name__,
            )
            raise EngineUnavailable from None
        breaker.record_success()
        return result


def _weigh_line(cached_entry: tuple[datetime, RouteLine | None]) -> int:
    line = cached_entry[1]
    return 1 if line is None else len(line.coordinates)


def _make_key(kind: str, points: Sequence[Point], profile: Profile) -> Key:
    rounded_points = (
        (round(point.longitude, KEY_DECIMALS), round(point.latitude, KEY_DECIMALS))
        for point in points
    )
    return kind, profile, tuple(rounded_points)
