"""A client of OSRM's HTTP API, version 1: our own processes or the operator's server."""

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from pannier.kit.geo import Point
from pannier.kit.lines import Line
from pannier.maps.folder import Profile
from pannier.routing import polyline
from pannier.routing.engines import (
    BAD_REQUEST,
    MAX_RESPONSE_BYTES,
    MAX_SNAP_METRES,
    EngineUrls,
    MatrixBlock,
    NoRoute,
    ResponseBody,
    decode_response,
)
from pannier.routing.route import RouteLeg, TracePoint
from pannier.web.http_client import HttpClient, HttpClientError

OK: Final = "Ok"
# Maximum distance of a recorded position from its road.
MATCH_RADIUS_METRES: Final = 20
MIN_MATCHED_SHARE: Final = 0.7
NO_ROUTE_CODES: Final = frozenset({"NoRoute", "NoSegment", "NoTable", "NoMatch"})


class _Waypoint(msgspec.Struct):
    # Metres between the point and the road that it was snapped to.
    distance: float = 0.0


class _Leg(msgspec.Struct):
    distance: float
    duration: float


class _Route(msgspec.Struct):
    legs: list[_Leg]
    geometry: str = ""


class _RouteResponse(msgspec.Struct):
    code: str
    routes: list[_Route] = []
    waypoints: list[_Waypoint] = []


class _TableResponse(msgspec.Struct):
    code: str
    distances: list[list[float | None]] = []
    durations: list[list[float | None]] = []
    sources: list[_Waypoint] = []
    destinations: list[_Waypoint] = []


class _Matching(msgspec.Struct):
    geometry: str


class _MatchResponse(msgspec.Struct):
    code: str
    matchings: list[_Matching] = []
    # None for positions that lie on no road.
    tracepoints: list[_Waypoint | None] = []


class Osrm:
    """The services of OSRM."""

    name: Literal["osrm"] = "osrm"
    max_points = max_trace = 100

    # By default a server refuses tables of more than 100 by 100.
    def __init__(
        self,
        http_client: HttpClient,
        urls: EngineUrls,
        profile: str | None = None,
        *,
        max_block: int = 100,
    ) -> None:
        self._http_client, self._urls, self._profile = http_client, urls, profile or "driving"
        self.max_block = max_block

    def has_roads(self, profile: Profile) -> bool:
        """Return whether there is a server for the profile."""
        return self._urls.find(profile) is not None

    async def measure_legs(self, points: Sequence[Point], profile: Profile) -> list[RouteLeg]:
        """Measure the fastest route."""
        query = {"overview": "false", "steps": "false"}
        route = await self._find_route(points, profile, query)
        return [RouteLeg(leg.distance, leg.duration) for leg in route.legs]

    async def draw_line(self, points: Sequence[Point], profile: Profile) -> Line:
        """Draw the fastest route."""
        query = {"overview": "full", "geometries": "polyline6", "steps": "false"}
        route = await self._find_route(points, profile, query)
        return decode_line(route.geometry)

    async def match_line(self, trace: Sequence[TracePoint], profile: Profile) -> Line:
        """Draw the roads that a trace followed, if most of its positions lie on roads."""
        query = {
            "overview": "full",
            "geometries": "polyline6",
            "gaps": "ignore",
            "timestamps": ";".join(str(fix.at) for fix in trace),
            "radiuses": ";".join([str(MATCH_RADIUS_METRES)] * len(trace)),
        }
        points = [fix.point for fix in trace]
        response = await self._request("match", points, profile, query, _MatchResponse)
        matched_fixes = sum(waypoint is not None for waypoint in response.tracepoints)
        if matched_fixes < len(trace) * MIN_MATCHED_SHARE:
            raise NoRoute
        return [
            position
            for matching in response.matchings
            for position in decode_line(matching.geometry)
        ]

    async def measure_block(
        self, starts: Sequence[Point], ends: Sequence[Point], profile: Profile
    ) -> MatrixBlock:
        """Measure the fastest route from each start to each end."""
        points = [*starts, *ends]
        query = {
            "annotations": "duration,distance",
            "sources": _join_numbers(0, len(starts)),
            "destinations": _join_numbers(len(starts), len(points)),
        }
        table = await self._request("table", points, profile, query, _TableResponse)
        return MatrixBlock(
            _clear_outside_cells(table.distances, table),
            _clear_outside_cells(table.durations, table),
        )

    async def _find_route(
        self, points: Sequence[Point], profile: Profile, query: dict[str, str]
    ) -> _Route:
        response = await self._request("route", points, profile, query, _RouteResponse)
        if not response.routes:
            raise HttpClientError("The routing engine rejected the request.")
        if any(map(_is_outside, response.waypoints)):
            raise NoRoute
        return response.routes[0]

    async def _request(
        self,
        service: Literal["route", "table", "match"],
        points: Sequence[Point],
        profile: Profile,
        query: dict[str, str],
        response_type: type[ResponseBody],
    ) -> ResponseBody:
        url = self._urls.find(profile)
        if url is None:
            raise NoRoute
        path = ";".join(f"{point.longitude:.6f},{point.latitude:.6f}" for point in points)
        response = await self._http_client.get(
            f"{url}/{service}/v1/{self._profile}/{path}",
            {**query, "generate_hints": "false"},
            max_bytes=MAX_RESPONSE_BYTES,
        )
        body = decode_response(response, response_type)
        code = getattr(body, "code", "")
        if response.status == BAD_REQUEST or code in NO_ROUTE_CODES:
            raise NoRoute
        if code != OK:
            raise HttpClientError("The routing engine rejected the request.")
        return body


def decode_line(geometry: str) -> Line:
    """Decode a line of an engine, or raise HttpClientError."""
    try:
        return polyline.decode(geometry)
    except ValueError:
        raise HttpClientError("The routing engine returned an invalid line.") from None


def _join_numbers(first: int, end: int) -> str:
    return ";".join(map(str, range(first, end)))


def _clear_outside_cells(
    cells: list[list[float | None]], table: _TableResponse
) -> list[list[float | None]]:
    """Clear the rows and columns of points outside the map."""
    if not any(map(_is_outside, (*table.sources, *table.destinations))):
        return cells
    outside_rows = [_is_outside(source) for source in table.sources] or [False] * len(cells)
    outside_columns = [_is_outside(destination) for destination in table.destinations]
    return [
        [
            None if is_outside_row or is_outside_column else cell
            for cell, is_outside_column in zip(
                row, outside_columns or [False] * len(row), strict=False
            )
        ]
        for row, is_outside_row in zip(cells, outside_rows, strict=False)
    ]


def _is_outside(waypoint: _Waypoint) -> bool:
    return not waypoint.distance <= MAX_SNAP_METRES
