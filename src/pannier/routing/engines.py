"""Routing engines: how each one is queried, and how its response is parsed."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal, Protocol, TypeVar

import msgspec

from pannier.kit import geo
from pannier.kit.geo import Point
from pannier.routing.route import Leg
from pannier.web.outside import Outside, OutsideAnswer, OutsideError

Read = TypeVar("Read", bound=msgspec.Struct)
# The engine understood the request and found no route, or refused the points.
REFUSED: Final = 400
BROKEN: Final = 500
# A leg may be this much shorter than the great circle, because both ends are snapped to a road.
SNAPPED_METRES: Final = 5_000.0
LONGEST_METRES: Final = 50_000_000.0
LONGEST_SECONDS: Final = 30 * 86_400.0


class NoWay(Exception):  # noqa: N818 - nothing went wrong
    """The engine works and knows no road between these points."""


class Engine(Protocol):
    """A service that measures routes along roads."""

    @property
    def name(self) -> Literal["osrm", "valhalla"]:
        """Name of the engine in responses."""

    @property
    def most(self) -> int:
        """Maximum number of points per request."""

    async def legs(self, points: Sequence[Point]) -> list[Leg]:
        """Measure the leg from each point to the next; raise NoWay or OutsideError."""


class _OsrmRoute(msgspec.Struct):
    legs: list["_OsrmLeg"]


class _OsrmLeg(msgspec.Struct):
    distance: float
    duration: float


class _OsrmAnswer(msgspec.Struct):
    code: str
    routes: list[_OsrmRoute] = []


class Osrm:
    """The route service of OSRM, version 1."""

    name: Literal["osrm"] = "osrm"
    most = 100

    def __init__(self, outside: Outside, url: str, profile: str | None) -> None:
        self._outside, self._url = outside, f"{url}/route/v1/{profile or 'driving'}/"

    async def legs(self, points: Sequence[Point]) -> list[Leg]:
        """Measure the fastest route."""
        spots = ";".join(f"{point.longitude:.6f},{point.latitude:.6f}" for point in points)
        query = {"overview": "false", "steps": "false"}
        answer = await self._outside.get(self._url + spots, query)
        read = _read(answer, _OsrmAnswer)
        if answer.status == REFUSED or read.code in {"NoRoute", "NoSegment"}:
            raise NoWay
        if read.code != "Ok" or not read.routes:
            raise OutsideError("The routing engine rejected the request.")
        return [Leg(leg.distance, leg.duration) for leg in read.routes[0].legs]


class _ValhallaSummary(msgspec.Struct):
    length: float
    time: float


class _ValhallaLeg(msgspec.Struct):
    summary: _ValhallaSummary


class _ValhallaTrip(msgspec.Struct):
    legs: list[_ValhallaLeg]


class _ValhallaAnswer(msgspec.Struct):
    trip: _ValhallaTrip | None = None
    error_code: int | None = None


class Valhalla:
    """The route service of Valhalla, without turn-by-turn directions."""

    name: Literal["valhalla"] = "valhalla"
    most = 20

    def __init__(self, outside: Outside, url: str, profile: str | None) -> None:
        self._outside, self._url, self._costing = outside, f"{url}/route", profile or "auto"

    async def legs(self, points: Sequence[Point]) -> list[Leg]:
        """Measure the route; Valhalla answers in kilometres."""
        asked = {
            "locations": [{"lat": point.latitude, "lon": point.longitude} for point in points],
            "costing": self._costing,
            "units": "kilometers",
            "directions_type": "none",
        }
        answer = await self._outside.get(self._url, {"json": msgspec.json.encode(asked).decode()})
        read = _read(answer, _ValhallaAnswer)
        if answer.status == REFUSED and read.error_code is not None:
            raise NoWay
        if read.trip is None:
            raise OutsideError("The routing engine rejected the request.")
        return [Leg(leg.summary.length * 1000, leg.summary.time) for leg in read.trip.legs]


async def measured(engine: Engine, points: Sequence[Point]) -> list[Leg]:
    """Measure a route of any length in several requests, and reject impossible results."""
    legs: list[Leg] = []
    for first in range(0, len(points) - 1, engine.most - 1):
        part = points[first : first + engine.most]
        legs += _believed(await engine.legs(part), part)
    return legs


def _believed(legs: list[Leg], points: Sequence[Point]) -> list[Leg]:
    if len(legs) != len(points) - 1:
        raise OutsideError("The routing engine returned the wrong number of legs.")
    for leg, (here, there) in zip(legs, pairwise(points), strict=True):
        # NaN fails every comparison and is rejected here too.
        if not (0 <= leg.distance <= LONGEST_METRES and 0 <= leg.time <= LONGEST_SECONDS):
            raise OutsideError("The routing engine returned an impossible distance or time.")
        # Points outside the engine's map are snapped to its nearest road, which shortens the leg.
        if leg.distance < geo.distance(here, there) * 0.99 - SNAPPED_METRES:
            raise NoWay
    return legs


def _read(answer: OutsideAnswer, kind: type[Read]) -> Read:
    if answer.status >= BROKEN:
        raise OutsideError("The routing engine returned a server error.")
    try:
        return msgspec.json.decode(answer.body, type=kind)
    except msgspec.DecodeError:
        raise OutsideError("The routing engine returned an invalid response.") from None
