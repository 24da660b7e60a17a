"""Valhalla: its route and matrix services, without turn-by-turn directions."""

from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec

from pannier.kit.geo import Point
from pannier.kit.lines import Line
from pannier.maps.folder import Profile
from pannier.routing.engines import (
    BAD_REQUEST,
    MAX_RESPONSE_BYTES,
    EngineUrls,
    MatrixBlock,
    NoRoute,
    Read,
    decode_response,
)
from pannier.routing.osrm import decode_line
from pannier.routing.route import RouteLeg, TracePoint
from pannier.web.http_client import HttpClient, HttpClientError

COSTINGS: Final[dict[Profile, str]] = {"car": "auto", "van": "auto", "bicycle": "bicycle"}
METRES_PER_KILOMETRE: Final = 1000


class _Summary(msgspec.Struct):
    length: float
    time: float


class _Leg(msgspec.Struct):
    summary: _Summary
    shape: str = ""


class _Trip(msgspec.Struct):
    legs: list[_Leg]


class _RouteResponse(msgspec.Struct):
    trip: _Trip | None = None
    error_code: int | None = None


class _Cell(msgspec.Struct):
    distance: float | None = None
    time: float | None = None


class _MatrixResponse(msgspec.Struct):
    sources_to_targets: list[list[_Cell]] = []
    error_code: int | None = None


class Valhalla:
    """The services of Valhalla."""

    name: Literal["valhalla"] = "valhalla"
    # A server refuses more unless it is configured otherwise: 20 points, and a matrix of 50 by 50.
    max_points = 20
    max_trace = 50
    max_block = 50

    def __init__(self, outside: HttpClient, urls: EngineUrls, profile: str | None) -> None:
        self._outside, self._urls, self._costing = outside, urls, profile

    def has_roads(self, profile: Profile) -> bool:
        """Tell whether there is a server for the profile."""
        return self._urls.find(profile) is not None

    async def measure_legs(self, points: Sequence[Point], profile: Profile) -> list[RouteLeg]:
        """Measure the route; Valhalla answers in kilometres."""
        return [
            RouteLeg(leg.summary.length * METRES_PER_KILOMETRE, leg.summary.time)
            for leg in (await self._find_trip(points, profile)).legs
        ]

    async def draw_line(self, points: Sequence[Point], profile: Profile) -> Line:
        """Draw the route, leg by leg."""
        trip = await self._find_trip(points, profile)
        return [position for leg in trip.legs for position in decode_line(leg.shape)]

    async def match_line(self, trace: Sequence[TracePoint], profile: Profile) -> Line:
        """Draw the roads that a trace followed."""
        shape = [
            {"lat": each.point.latitude, "lon": each.point.longitude, "time": each.at}
            for each in trace
        ]
        request = {"shape": shape, "shape_match": "map_snap", "directions_type": "none"}
        trip = _require_trip(await self._ask("trace_route", request, profile, _RouteResponse))
        return [position for leg in trip.legs for position in decode_line(leg.shape)]

    async def measure_block(
        self, starts: Sequence[Point], ends: Sequence[Point], profile: Profile
    ) -> MatrixBlock:
        """Measure from some points to others; Valhalla answers in kilometres."""
        request = {"sources": _to_locations(starts), "targets": _to_locations(ends)}
        read = await self._ask("sources_to_targets", request, profile, _MatrixResponse)
        cells = read.sources_to_targets
        return MatrixBlock(
            [
                [
                    None if cell.distance is None else cell.distance * METRES_PER_KILOMETRE
                    for cell in row
                ]
                for row in cells
            ],
            [[cell.time for cell in row] for row in cells],
        )

    async def _find_trip(self, points: Sequence[Point], profile: Profile) -> _Trip:
        request = {"locations": _to_locations(points), "directions_type": "none"}
        return _require_trip(await self._ask("route", request, profile, _RouteResponse))

    async def _ask(
        self, service: str, request: dict[str, Any], profile: Profile, kind: type[Read]
    ) -> Read:
        url = self._urls.find(profile)
        if url is None:
            raise NoRoute
        costing = self._costing if self._costing and profile != "bicycle" else COSTINGS[profile]
        request |= {"costing": costing, "units": "kilometers"}
        response = await self._outside.get(
            f"{url}/{service}",
            {"json": msgspec.json.encode(request).decode()},
            max_bytes=MAX_RESPONSE_BYTES,
        )
        read = decode_response(response, kind)
        if response.status == BAD_REQUEST and getattr(read, "error_code", None) is not None:
            raise NoRoute
        return read


def _require_trip(read: _RouteResponse) -> _Trip:
    if read.trip is None:
        raise HttpClientError("The routing engine rejected the request.")
    return read.trip


def _to_locations(points: Sequence[Point]) -> list[dict[str, float]]:
    return [{"lat": point.latitude, "lon": point.longitude} for point in points]
