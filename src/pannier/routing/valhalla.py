"""A client of Valhalla's route and matrix services, without turn-by-turn directions."""

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
    ResponseBody,
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
    # The default limits of a server: 20 points, and a matrix of 50 by 50.
    max_points = 20
    max_trace = 50
    max_block = 50

    def __init__(self, http_client: HttpClient, urls: EngineUrls, profile: str | None) -> None:
        self._http_client, self._urls, self._costing = http_client, urls, profile

    def has_roads(self, profile: Profile) -> bool:
        """Return whether there is a server for the profile."""
        return self._urls.find(profile) is not None

    async def measure_legs(self, points: Sequence[Point], profile: Profile) -> list[RouteLeg]:
        """Measure the route, which Valhalla returns in kilometres."""
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
            {"lat": fix.point.latitude, "lon": fix.point.longitude, "time": fix.at} for fix in trace
        ]
        request = {"shape": shape, "shape_match": "map_snap", "directions_type": "none"}
        trip = _require_trip(await self._request("trace_route", request, profile, _RouteResponse))
        return [position for leg in trip.legs for position in decode_line(leg.shape)]

    async def measure_block(
        self, starts: Sequence[Point], ends: Sequence[Point], profile: Profile
    ) -> MatrixBlock:
        """Measure from each start to each end. Valhalla returns kilometres."""
        request = {"sources": _to_locations(starts), "targets": _to_locations(ends)}
        matrix = await self._request("sources_to_targets", request, profile, _MatrixResponse)
        cells = matrix.sources_to_targets
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
        return _require_trip(await self._request("route", request, profile, _RouteResponse))

    async def _request(
        self,
        service: str,
        request: dict[str, Any],
        profile: Profile,
        response_type: type[ResponseBody],
    ) -> ResponseBody:
        url = self._urls.find(profile)
        if url is None:
            raise NoRoute
        costing = self._costing if self._costing and profile != "bicycle" else COSTINGS[profile]
        request |= {"costing": costing, "units": "kilometers"}
        response = await self._http_client.get(
            f"{url}/{service}",
            {"json": msgspec.json.encode(request).decode()},
            max_bytes=MAX_RESPONSE_BYTES,
        )
        body = decode_response(response, response_type)
        if response.status == BAD_REQUEST and getattr(body, "error_code", None) is not None:
            raise NoRoute
        return body


def _require_trip(response: _RouteResponse) -> _Trip:
    if response.trip is None:
        raise HttpClientError("The routing engine rejected the request.")
    return response.trip


def _to_locations(points: Sequence[Point]) -> list[dict[str, float]]:
    return [{"lat": point.latitude, "lon": point.longitude} for point in points]
