"""Routing engines: how each one is queried, and how its response is parsed."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal, Protocol, TypeVar

import msgspec

from pannier.kit import geo
from pannier.kit.geo import Point
from pannier.routing.route import RouteLeg
from pannier.web.http_client import HttpClient, HttpClientError, HttpClientResponse

Read = TypeVar("Read", bound=msgspec.Struct)
# The engine understood the request and found no route, or refused the points.
BAD_REQUEST: Final = 400
SERVER_ERROR: Final = 500
# A leg may be this much shorter than the great circle, because both ends are snapped to a road.
MAX_SNAP_METRES: Final = 5_000.0
MAX_LEG_METRES: Final = 50_000_000.0
MAX_LEG_SECONDS: Final = 30 * 86_400.0


class NoRoute(Exception):  # noqa: N818 - nothing went wrong
    """The engine works and knows no road between these points."""


class RoutingEngine(Protocol):
    """A service that measures routes along roads."""

    @property
    def name(self) -> Literal["osrm", "valhalla"]:
        """Name of the engine in responses."""

    @property
    def max_points(self) -> int:
        """Maximum number of points per request."""

    async def measure_legs(self, points: Sequence[Point]) -> list[RouteLeg]:
        """Measure the leg from each point to the next; raise NoWay or OutsideError."""


class _OsrmRoute(msgspec.Struct):
    legs: list["_OsrmLeg"]


class _OsrmLeg(msgspec.Struct):
    distance: float
    duration: float


class _OsrmResponse(msgspec.Struct):
    code: str
    routes: list[_OsrmRoute] = []


class Osrm:
    """The route service of OSRM, version 1."""

    name: Literal["osrm"] = "osrm"
    max_points = 100

    def __init__(self, outside: HttpClient, url: str, profile: str | None) -> None:
        self._outside, self._url = outside, f"{url}/route/v1/{profile or 'driving'}/"

    async def measure_legs(self, points: Sequence[Point]) -> list[RouteLeg]:
        """Measure the fastest route."""
        spots = ";".join(f"{point.longitude:.6f},{point.latitude:.6f}" for point in points)
        query = {"overview": "false", "steps": "false"}
        answer = await self._outside.get(self._url + spots, query)
        read = _decode(answer, _OsrmResponse)
        if answer.status == BAD_REQUEST or read.code in {"NoRoute", "NoSegment"}:
            raise NoRoute
        if read.code != "Ok" or not read.routes:
            raise HttpClientError("The routing engine rejected the request.")
        return [RouteLeg(leg.distance, leg.duration) for leg in read.routes[0].legs]


class _ValhallaSummary(msgspec.Struct):
    length: float
    time: float


class _ValhallaLeg(msgspec.Struct):
    summary: _ValhallaSummary


class _ValhallaTrip(msgspec.Struct):
    legs: list[_ValhallaLeg]


class _ValhallaResponse(msgspec.Struct):
    trip: _ValhallaTrip | None = None
    error_code: int | None = None


class Valhalla:
    """The route service of Valhalla, without turn-by-turn directions."""

    name: Literal["valhalla"] = "valhalla"
    max_points = 20

    def __init__(self, outside: HttpClient, url: str, profile: str | None) -> None:
        self._outside, self._url, self._costing = outside, f"{url}/route", profile or "auto"

    async def measure_legs(self, points: Sequence[Point]) -> list[RouteLeg]:
        """Measure the route; Valhalla answers in kilometres."""
        request = {
            "locations": [{"lat": point.latitude, "lon": point.longitude} for point in points],
            "costing": self._costing,
            "units": "kilometers",
            "directions_type": "none",
        }
        answer = await self._outside.get(self._url, {"json": msgspec.json.encode(request).decode()})
        read = _decode(answer, _ValhallaResponse)
        if answer.status == BAD_REQUEST and read.error_code is not None:
            raise NoRoute
        if read.trip is None:
            raise HttpClientError("The routing engine rejected the request.")
        return [RouteLeg(leg.summary.length * 1000, leg.summary.time) for leg in read.trip.legs]


async def measure(engine: RoutingEngine, points: Sequence[Point]) -> list[RouteLeg]:
    """Measure a route of any length in several requests, and reject impossible results."""
    legs: list[RouteLeg] = []
    for first in range(0, len(points) - 1, engine.max_points - 1):
        part = points[first : first + engine.max_points]
        legs += _check_plausible(await engine.measure_legs(part), part)
    return legs


def _check_plausible(legs: list[RouteLeg], points: Sequence[Point]) -> list[RouteLeg]:
    if len(legs) != len(points) - 1:
        raise HttpClientError("The routing engine returned the wrong number of legs.")
    for leg, (start, end) in zip(legs, pairwise(points), strict=True):
        # NaN fails every comparison and is rejected here too.
        if not (0 <= leg.distance <= MAX_LEG_METRES and 0 <= leg.time <= MAX_LEG_SECONDS):
            raise HttpClientError("The routing engine returned an impossible distance or time.")
        # Points outside the engine's map are snapped to its nearest road, which shortens the leg.
        if leg.distance < geo.distance(start, end) * 0.99 - MAX_SNAP_METRES:
            raise NoRoute
    return legs


def _decode(answer: HttpClientResponse, kind: type[Read]) -> Read:
    if answer.status >= SERVER_ERROR:
        raise HttpClientError("The routing engine returned a server error.")
    try:
        return msgspec.json.decode(answer.body, type=kind)
    except msgspec.DecodeError:
        raise HttpClientError("The routing engine returned an invalid response.") from None
