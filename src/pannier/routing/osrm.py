"""OSRM, version 1 of its services: our own processes or a server of the operator's."""

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
    Read,
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

    # A server refuses tables of more than 100 by 100 unless it is configured otherwise.
    def __init__(
        self,
        outside: HttpClient,
        urls: EngineUrls,
        profile: str | None = None,
        *,
        max_block: int = 100,
    ) -> None:
        self._outside, self._urls, self._profile = outside, urls, profile or "driving"
        self.max_block = max_block

    def has_roads(self, profile: Profile) -> bool:
        """Tell whether there is a server for the profile."""
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
            "timestamps": ";".join(str(each.at) for each in trace),
            "radiuses": ";".join([str(MATCH_RADIUS_METRES)] * len(trace)),
        }
        points = [each.point for each in trace]
        read = await self._ask("match", points, profile, query, _MatchResponse)
        matched = sum(each is not None for each in read.tracepoints)
        if matched < len(trace) * MIN_MATCHED_SHARE:
            raise NoRoute
        return [position for piece in read.matchings for position in decode_line(piece.geometry)]

    async def measure_block(
        self, starts: Sequence[Point], ends: Sequence[Point], profile: Profile
    ) -> MatrixBlock:
        """Measure from some points to others along the fastest routes."""
        points = [*starts, *ends]
        query = {
            "annotations": "duration,distance",
            "sources": _join_numbers(0, len(starts)),
            "destinations": _join_numbers(len(starts), len(points)),
        }
        read = await self._ask("table", points, profile, query, _TableResponse)
        return MatrixBlock(_cut(read.distances, read), _cut(read.durations, read))

    async def _find_route(
        self, points: Sequence[Point], profile: Profile, query: dict[str, str]
    ) -> _Route:
        read = await self._ask("route", points, profile, query, _RouteResponse)
        if not read.routes:
            raise HttpClientError("The routing engine rejected the request.")
        if any(map(_is_outside, read.waypoints)):
            raise NoRoute
        return read.routes[0]

    async def _ask(
        self,
        service: Literal["route", "table", "match"],
        points: Sequence[Point],
        profile: Profile,
        query: dict[str, str],
        kind: type[Read],
    ) -> Read:
        url = self._urls.find(profile)
        if url is None:
            raise NoRoute
        path = ";".join(f"{point.longitude:.6f},{point.latitude:.6f}" for point in points)
        response = await self._outside.get(
            f"{url}/{service}/v1/{self._profile}/{path}",
            {**query, "generate_hints": "false"},
            max_bytes=MAX_RESPONSE_BYTES,
        )
        read = decode_response(response, kind)
        code = getattr(read, "code", "")
        if response.status == BAD_REQUEST or code in NO_ROUTE_CODES:
            raise NoRoute
        if code != OK:
            raise HttpClientError("The routing engine rejected the request.")
        return read


def decode_line(geometry: str) -> Line:
    """Decode a line of an engine, or raise HttpClientError."""
    try:
        return polyline.decode(geometry)
    except ValueError:
        raise HttpClientError("The routing engine returned an invalid line.") from None


def _join_numbers(first: int, end: int) -> str:
    return ";".join(map(str, range(first, end)))


def _cut(cells: list[list[float | None]], read: _TableResponse) -> list[list[float | None]]:
    """Empty the rows and columns of points outside the map."""
    if not any(map(_is_outside, (*read.sources, *read.destinations))):
        return cells
    rows = [_is_outside(each) for each in read.sources] or [False] * len(cells)
    columns = [_is_outside(each) for each in read.destinations]
    return [
        [
            None if row_outside or outside else cell
            for cell, outside in zip(row, columns or [False] * len(row), strict=False)
        ]
        for row, row_outside in zip(cells, rows, strict=False)
    ]


def _is_outside(waypoint: _Waypoint) -> bool:
    return not waypoint.distance <= MAX_SNAP_METRES
