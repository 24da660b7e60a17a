"""Routing engines: their operations on routes of any length, and the checks of their results."""

import asyncio
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal, Protocol, TypeVar

import msgspec

from pannier.kit import geo
from pannier.kit.geo import Point
from pannier.kit.lines import Line
from pannier.maps.folder import Profile
from pannier.routing.route import Matrix, RouteLeg, TracePoint
from pannier.web.http_client import HttpClientError, HttpClientResponse

ResponseBody = TypeVar("ResponseBody", bound=msgspec.Struct)
Item = TypeVar("Item")
# Rows of distances and times. None where no road leads.
Cells = list[list[float | None]]
# The engine understood the request, but found no route or rejected the points.
BAD_REQUEST: Final = 400
SERVER_ERROR: Final = 500
# A point this far from any road lies outside the engine's map.
MAX_SNAP_METRES: Final = 5_000.0
MAX_LEG_METRES: Final = 50_000_000.0
MAX_LEG_SECONDS: Final = 30 * 86_400.0
# Matrices and lines are larger than other responses.
MAX_RESPONSE_BYTES: Final = 8 * 1024 * 1024
# Concurrent requests for one matrix. Other callers use the engine too.
MATRIX_CONCURRENCY: Final = 2


class NoRoute(Exception):  # noqa: N818 - nothing went wrong
    """The engine works, but has no road between these points."""


class MatrixBlock(msgspec.Struct, frozen=True):
    """Distances and times from some points to others."""

    distances: Cells
    times: Cells


class RoutingEngine(Protocol):
    """A service that measures and draws routes along roads."""

    @property
    def name(self) -> Literal["osrm", "valhalla"]:
        """Name of the engine in responses."""

    @property
    def max_points(self) -> int:
        """Maximum number of points per request."""

    @property
    def max_trace(self) -> int:
        """Maximum number of recorded positions per request."""

    @property
    def max_block(self) -> int:
        """Maximum number of rows, and of columns, per request of a matrix."""

    def has_roads(self, profile: Profile) -> bool:
        """Return whether the engine has roads for a profile now."""

    async def measure_legs(self, points: Sequence[Point], profile: Profile) -> list[RouteLeg]:
        """Measure the leg from each point to the next; raise NoRoute or HttpClientError."""

    async def measure_block(
        self, starts: Sequence[Point], ends: Sequence[Point], profile: Profile
    ) -> MatrixBlock:
        """Measure from each start to each end; raise NoRoute or HttpClientError."""

    async def draw_line(self, points: Sequence[Point], profile: Profile) -> Line:
        """Draw the line of a route; raise NoRoute or HttpClientError."""

    async def match_line(self, trace: Sequence[TracePoint], profile: Profile) -> Line:
        """Draw the roads that a trace followed; raise NoRoute or HttpClientError."""


class EngineUrls(Protocol):
    """The URLs of the engine by profile."""

    def find(self, profile: Profile) -> str | None:
        """Return the URL of a profile, or None if there is no engine for it now."""


class FixedUrls:
    """One URL for all profiles, or one for each. A van without a URL uses that of a car."""

    def __init__(self, urls: Mapping[Profile, str]) -> None:
        self._urls = urls

    def find(self, profile: Profile) -> str | None:
        """Return the URL of a profile, or None."""
        return self._urls.get(profile) or (self._urls.get("car") if profile == "van" else None)


async def measure_route(
    engine: RoutingEngine, points: Sequence[Point], profile: Profile
) -> list[RouteLeg]:
    """Measure a route of any length in several requests, and reject impossible results."""
    legs: list[RouteLeg] = []
    for part in _split_route(points, engine.max_points):
        legs += _check_legs(await engine.measure_legs(part, profile), part)
    return legs


async def draw_route(engine: RoutingEngine, points: Sequence[Point], profile: Profile) -> Line:
    """Draw a route of any length in several requests."""
    line: Line = []
    for part in _split_route(points, engine.max_points):
        line += await engine.draw_line(part, profile)
    return line


async def match_trace(engine: RoutingEngine, trace: Sequence[TracePoint], profile: Profile) -> Line:
    """Match a trace in several requests. Pieces that follow no road stay as recorded."""
    line: Line = []
    has_roads = False
    for part in _split_route(trace, engine.max_trace):
        try:
            line += await engine.match_line(part, profile)
            has_roads = True
        except NoRoute:
            line += [[fix.point.longitude, fix.point.latitude] for fix in part]
    if not has_roads:
        raise NoRoute
    return line


async def measure_matrix(
    engine: RoutingEngine, points: Sequence[Point], profile: Profile
) -> Matrix:
    """Measure a matrix of any size in several requests, and reject impossible results."""
    unique_points = list(dict.fromkeys(points))
    slots = asyncio.Semaphore(MATRIX_CONCURRENCY)
    distances: Cells = [[None] * len(unique_points) for _ in unique_points]
    times: Cells = [[None] * len(unique_points) for _ in unique_points]
    blocks = range(0, len(unique_points), engine.max_block)

    async def fill_block(top: int, left: int) -> None:
        starts = unique_points[top : top + engine.max_block]
        ends = unique_points[left : left + engine.max_block]
        async with slots:
            block = await engine.measure_block(starts, ends, profile)
        _check_block(block, starts, ends)
        for row, (metres, seconds) in enumerate(zip(block.distances, block.times, strict=True)):
            distances[top + row][left : left + len(ends)] = metres
            times[top + row][left : left + len(ends)] = seconds

    try:
        async with asyncio.TaskGroup() as group:
            for top in blocks:
                for left in blocks:
                    group.create_task(fill_block(top, left))
    except* (HttpClientError, NoRoute) as failures:
        raise failures.exceptions[0] from None
    index_by_point = {point: index for index, point in enumerate(unique_points)}
    indexes = [index_by_point[point] for point in points]
    return Matrix(_round_cells(distances, indexes), _round_cells(times, indexes), engine.name)


def _split_route(points: Sequence[Item], size: int) -> list[Sequence[Item]]:
    """Split a route into pieces. Each begins at the end of the previous one."""
    return [points[start : start + size] for start in range(0, len(points) - 1, size - 1)]


def _round_cells(cells: Cells, indexes: Sequence[int]) -> tuple[tuple[int | None, ...], ...]:
    """Round the cells of a matrix, and select its rows and columns by index."""
    rounded_rows = [[None if cell is None else round(cell) for cell in row] for row in cells]
    for number, row in enumerate(rounded_rows):
        row[number] = 0  # even outside the map, a point is at no distance from itself
    return tuple(tuple(rounded_rows[start][end] for end in indexes) for start in indexes)


def _check_legs(legs: list[RouteLeg], points: Sequence[Point]) -> list[RouteLeg]:
    if len(legs) != len(points) - 1:
        raise HttpClientError("The routing engine returned the wrong number of legs.")
    for leg, (start, end) in zip(legs, pairwise(points), strict=True):
        if not _is_possible(leg.distance, leg.time):
            raise HttpClientError("The routing engine returned an impossible distance or time.")
        if _is_shortened(leg.distance, start, end):
            raise NoRoute
    return legs


def _check_block(block: MatrixBlock, starts: Sequence[Point], ends: Sequence[Point]) -> None:
    """Check the size and the values of a block, and clear cells of points outside the map."""
    rows = [*block.distances, *block.times]
    if len(rows) != 2 * len(starts) or any(len(row) != len(ends) for row in rows):
        raise HttpClientError("The routing engine returned a matrix of the wrong size.")
    for start, metres, seconds in zip(starts, block.distances, block.times, strict=True):
        for column, end in enumerate(ends):
            distance, time = metres[column], seconds[column]
            if distance is None or time is None:
                metres[column] = seconds[column] = None
            elif not _is_possible(distance, time):
                raise HttpClientError("The routing engine returned an impossible distance or time.")
            elif _is_shortened(distance, start, end):
                metres[column] = seconds[column] = None


def _is_possible(distance: float, time: float) -> bool:
    # NaN fails every comparison and is rejected here too.
    return 0 <= distance <= MAX_LEG_METRES and 0 <= time <= MAX_LEG_SECONDS


def _is_shortened(distance: float, start: Point, end: Point) -> bool:
    """Return whether points outside the map were snapped to its nearest road."""
    return distance < geo.distance(start, end) * 0.99 - MAX_SNAP_METRES


def decode_response(
    response: HttpClientResponse, response_type: type[ResponseBody]
) -> ResponseBody:
    """Decode a response, or raise HttpClientError."""
    if response.status >= SERVER_ERROR:
        raise HttpClientError("The routing engine returned a server error.")
    try:
        return msgspec.json.decode(response.body, type=response_type)
    except msgspec.DecodeError:
        raise HttpClientError("The routing engine returned an invalid response.") from None
