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
from pannier.routing import engines, route
from pannier.routing.breaker import Breaker
from pannier.routing.engines import Engine, NoWay
from pannier.routing.route import Route
from pannier.web.logs import log
from pannier.web.outside import OutsideError

MAX_ROUTES: Final = 2_048
FRESH: Final = timedelta(minutes=10)
AT_ONCE: Final = 16
# Coordinates are rounded to about a metre for the cache key.
DIGITS: Final = 5

Key = tuple[tuple[float, float], ...]


class _Unanswered(Exception):  # noqa: N818 - nothing went wrong
    """The engine is unavailable or overloaded."""


class Answer(msgspec.Struct, frozen=True):
    """A route by road or along great circles; `is_definite` if the engine cannot improve on it."""

    route: Route | None
    definite: bool


class Router:
    """A router with cache and fallback. It may wait: never call it inside a transaction."""

    def __init__(self, engine: Engine | None, clock: Clock, *, patience: float = 2.0) -> None:
        self._engine, self._clock, self._patience = engine, clock, patience
        self._breaker = Breaker(clock)
        self._turn = asyncio.Semaphore(AT_ONCE)
        self._cache = Cache[Key, tuple[datetime, Route | None]](MAX_ROUTES)

    async def along(self, points: Sequence[Point | None], pace: Pace) -> Route | None:
        """Measure the route through points, or return None if a point is unknown."""
        return (await self.asked(points, pace)).route

    async def asked(self, points: Sequence[Point | None], pace: Pace) -> Answer:
        """Measure the route, and say whether a later attempt could give another result."""
        crow = route.along(points, pace)
        if crow is None or not crow.legs or self._engine is None:
            return Answer(crow, definite=True)
        try:
            road = await self._by_road(self._engine, [point for point in points if point])
        except _Unanswered:
            return Answer(crow, definite=False)
        return Answer(road or crow, definite=True)

    async def _by_road(self, engine: Engine, points: Sequence[Point]) -> Route | None:
        """Measure by road with the engine. Return None if the engine knows no road."""
        key = tuple(
            (round(each.longitude, DIGITS), round(each.latitude, DIGITS)) for each in points
        )
        known = self._cache.find(key)
        if known is not None and self._clock.now() < known[0]:
            return known[1]
        if not self._breaker.lets_through():
            raise _Unanswered
        if self._turn.locked():
            # Our own concurrency limit was reached, which is no failure of the engine.
            raise _Unanswered
        try:
            async with self._turn, asyncio.timeout(self._patience):
                found = Route.of(await engines.measured(engine, points), engine.name)
        except NoWay:
            found = None
        except (OutsideError, TimeoutError) as failure:
            self._breaker.failed()
            log.warning("routing engine failed", engine=engine.name, kind=type(failure).__name__)
            raise _Unanswered from None
        self._breaker.worked()
        self._cache.store(key, (self._clock.now() + FRESH, found))
        return found
