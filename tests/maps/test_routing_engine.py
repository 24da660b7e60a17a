"""The routing engine runs with `pannier serve`, on the roads of the city in use."""

import asyncio
import os
import random
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import msgspec
import pytest
import shapely

import program
import stage
from pannier.accounts.company_settings.models import Pace
from pannier.kit.clock import SystemClock
from pannier.kit.geo import Point
from pannier.maps.folder import CityFolder, CityManifest, MapFolder, Profile
from pannier.maps.programs import find_profiles, find_program
from pannier.routing import breaker, embedded
from pannier.routing.configuration import create_router
from pannier.routing.route import TracePoint
from pannier.routing.router import Router
from pannier.settings import load
from program import Serving, serving

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PACE: Final = Pace()
# Well inside the extract.
WEST, SOUTH, EAST, NORTH = 24.9375, 60.1655, 24.9495, 60.1725
CALLER: Final = httpx.Client(timeout=program.PATIENCE)


def soon(condition: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + program.PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def random_points(count: int) -> list[Point]:
    """Choose points in the centre of Helsinki, the same ones each time."""
    chance = random.Random(32)
    return [
        Point(round(chance.uniform(WEST, EAST), 6), round(chance.uniform(SOUTH, NORTH), 6))
        for _ in range(count)
    ]


@contextmanager
def by_hand(graph: Path) -> Iterator[str]:
    """Start the engine as its documentation says, without any word of ours."""
    port = program.free_port()
    command = [find_program("osrm-routed"), graph, "--algorithm", "mld", "--port", str(port)]
    with subprocess.Popen(
        [*map(str, command), "--ip", "127.0.0.1"], stdout=subprocess.DEVNULL
    ) as process:
        try:
            url = f"http://127.0.0.1:{port}"
            soon(lambda: answers(url))
            yield url
        finally:
            process.kill()


@pytest.fixture
def empty_url(server_url: str) -> Iterator[str]:
    """An empty database to serve on."""
    name = f"roads_{os.getpid()}"
    asyncio.run(stage.admin(server_url, f"create database {name}"))
    yield stage.sibling(server_url, name)
    asyncio.run(stage.admin(server_url, f"drop database {name} with (force)"))


def answers(url: str) -> bool:
    try:
        return CALLER.get(f"{url}/nearest/v1/driving/24.94,60.17").status_code == 200
    except httpx.TransportError:
        return False


@contextmanager
def ours(city: CityFolder, profile: Profile) -> Iterator[Router]:
    """Run the engine as `pannier serve` does, and route with it."""
    data = city.path.parents[2]
    engine = embedded.Engine(data, profile)
    with subprocess.Popen(engine.build_command(), stdout=subprocess.DEVNULL) as process:
        try:
            soon(lambda: answers(engine.url))
            url = f"{profile}={engine.url}"
            yield create_router(load({}, data=str(data), router_url=url), SystemClock())
        finally:
            process.kill()
            engine.close()


def ask(url: str, points: list[Point], **query: str) -> dict[str, Any]:
    """Ask the engine that was started by hand."""
    spots = ";".join(f"{point.longitude:.6f},{point.latitude:.6f}" for point in points)
    service = "table" if "annotations" in query else "route"
    answer = CALLER.get(f"{url}/{service}/v1/driving/{spots}", params=query)
    read: dict[str, Any] = msgspec.json.decode(answer.content)
    return read


def rounded(cells: list[list[float | None]]) -> tuple[tuple[int | None, ...], ...]:
    return tuple(tuple(None if cell is None else round(cell) for cell in row) for row in cells)


@pytest.mark.parametrize("profile", ["car", "bicycle", "van"])
async def test_roads_are_those_of_an_engine_started_by_hand(
    helsinki: CityFolder, profile: Profile
) -> None:
    points = random_points(400)
    with by_hand(helsinki.get_graph(profile)) as url, ours(helsinki, profile) as router:
        for start, end in zip(points[::2], points[1::2], strict=True):
            route = await router.measure([start, end], PACE, profile)
            expected = ask(url, [start, end])["routes"][0]
            assert route is not None
            assert (route.distance, route.time, route.source) == (
                round(expected["distance"]),
                round(expected["duration"]),
                "osrm",
            )
        table = ask(url, points[:60], annotations="duration,distance")
        matrix = await router.measure_matrix(points[:60], PACE, profile)
        assert matrix.distances == rounded(table["distances"])
        assert matrix.times == rounded(table["durations"])
        assert not [cell for row in matrix.distances for cell in row if cell is None]


async def test_a_trace_with_errors_is_put_back_on_its_roads(helsinki: CityFolder) -> None:
    chance = random.Random(15)
    with ours(helsinki, "car") as router:
        driven = await router.draw(random_points(4)[::3])
        assert driven is not None
        road = shapely.LineString(driven.coordinates)
        # About every 40 metres, up to 11 metres off.
        spots = [road.interpolate(share / 30, normalized=True) for share in range(31)]
        trace = [
            TracePoint(
                Point(spot.x + chance.uniform(-2e-4, 2e-4), spot.y + chance.uniform(-1e-4, 1e-4)),
                1_768_478_400 + 6 * number,
            )
            for number, spot in enumerate(spots)
        ]
        matched = await router.match(trace)
    assert matched is not None
    raw = shapely.LineString([(each.point.longitude, each.point.latitude) for each in trace])
    found = shapely.LineString(matched.coordinates)
    assert share_on(road, found) > 0.9
    assert share_on(road, raw) < 0.5


def share_on(road: Any, line: Any) -> float:
    """Say how much of a line lies within two metres of a road."""
    on_road: float = line.intersection(road.buffer(2e-5)).length / line.length
    return on_road


@pytest.fixture
def edge(helsinki_pbf: Path, tmp_path: Path) -> CityFolder:
    """A city with the graph that the engine's programs make unless they are told otherwise.

    Streets that leave the extract lead nowhere in it.
    """
    city = MapFolder(tmp_path).get_city("edge")
    graph = city.get_graph("car")
    graph.parent.mkdir(parents=True)
    words = [find_program("osrm-extract"), "-p", find_profiles() / "car.lua", "-o", graph]
    for command in (
        [*words, helsinki_pbf],
        [find_program("osrm-partition"), graph],
        [find_program("osrm-customize"), graph],
    ):
        subprocess.run([*map(str, command)], check=True, stdout=subprocess.DEVNULL)
    put_in_use(tmp_path, city)
    return city


async def test_pairs_without_a_road_are_those_of_an_engine_started_by_hand(
    edge: CityFolder,
) -> None:
    points = random_points(60)
    with by_hand(edge.get_graph("car")) as url, ours(edge, "car") as router:
        table = ask(url, points, annotations="duration,distance")
        matrix = await router.measure_matrix(points, PACE)
        assert matrix.times == rounded(table["durations"])
        unreachable = [
            (start, end)
            for row, start in enumerate(points)
            for column, end in enumerate(points)
            if matrix.distances[row][column] is None
        ]
        assert len(unreachable) > 500
        for start, end in unreachable[:50]:
            assert ask(url, [start, end])["code"] == "NoRoute"
            route = await router.measure([start, end], PACE)
            assert route is not None
            assert route.source == "great_circle"
            assert await router.draw([start, end]) is None


def put_in_use(data: Path, city: CityFolder) -> None:
    """Complete a city that has a graph for cars only, and use it."""
    city.write_manifest(
        CityManifest(
            name=city.name,
            bounds=(WEST, SOUTH, EAST, NORTH),
            profiles=("car",),
            built_at="2026-01-01T00:00:00Z",
            source_name="edge.osm.pbf",
            source_sha256="0" * 64,
            attribution="© OpenStreetMap contributors",
        )
    )
    MapFolder(data).use_city(city)


def find_engine(serve: Serving, profile: Profile) -> int:
    """Find the engine's process for a profile; 0 while there is none."""
    words = f"routing/{profile}/graph.osrm"
    return next(
        (pid for pid in serve.tree()[1:] if words in program.command_of(pid).partition("-I")[0]), 0
    )


def find_engine_url(serve: Serving) -> str:
    """Return where the engine for cars listens, or an address where nobody does."""
    port = re.search(r"--port=(\d+)", program.command_of(find_engine(serve, "car")))
    return f"http://127.0.0.1:{port[1] if port else 1}"


@pytest.fixture
def city_data(helsinki: CityFolder, tmp_path: Path) -> Path:
    """A data directory in which the city is in use."""
    maps = MapFolder(tmp_path)
    maps.path.mkdir()
    (maps.path / "cities").mkdir()
    (maps.path / "cities" / helsinki.name).symlink_to(helsinki.path)
    maps.use_city(maps.get_city(helsinki.name))
    return tmp_path


class Caller:
    """A company that places orders in Helsinki."""

    def __init__(self, serve: Serving) -> None:
        self._serve, self._key = serve, serve.said("API key")
        self._points = iter(random_points(2_000))
        # Who measured each order when it was placed. It may be measured again later.
        self.sources: dict[str, str] = {}

    def call(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        answer = CALLER.request(
            method,
            f"{self._serve.url}/v1/{path}",
            json=body,
            headers={"Authorization": f"Bearer {self._key}"},
        )
        assert answer.is_success, answer.text
        read: dict[str, Any] = answer.json()
        return read

    def place_order(self) -> str:
        """Place an order between places that nobody has measured yet."""
        points = next(self._points), next(self._points)
        ends = {
            name: {
                "street1": "Mannerheimintie 1",
                "latitude": point.latitude,
                "longitude": point.longitude,
            }
            for name, point in zip(("pickup", "dropoff"), points, strict=True)
        }
        order = self.call("POST", "orders", ends)
        name: str = order["id"]
        self.sources[name] = order["route_source"]
        return name

    def measure(self, order: str | None = None) -> str:
        """Say who measures an order, or a new one: results by road are kept for ten minutes."""
        route = self.call("GET", f"orders/{order or self.place_order()}/distance-and-time")
        assert route["distance"] > 0
        source: str = route["source"]
        return source


def test_a_city_that_comes_into_use_is_routed_on_and_a_killed_engine_is_started_again(
    city_data: Path, empty_url: str
) -> None:
    maps = MapFolder(city_data)
    city = maps.find_current_city()
    assert city is not None
    maps.use_city(None)
    with serving(
        city_data, "--workers", "1", command=program.COMMAND, database_url=empty_url
    ) as serve:
        serve.ready()
        caller = Caller(serve)
        order = caller.place_order()
        assert caller.measure(order) == "great_circle"
        maps.use_city(city)
        # Requests before the engine answers would open the breaker for half a minute.
        soon(lambda: answers(find_engine_url(serve)))
        soon(lambda: caller.measure(order) == "osrm")
        first = find_engine(serve, "car")
        # So that the new one is not there before the next request.
        graph = MapFolder(city_data).path / "cities" / "helsinki"
        real = graph.readlink()
        graph.unlink()
        os.kill(first, signal.SIGKILL)
        assert caller.measure() == "great_circle"
        graph.symlink_to(real)
        soon(lambda: find_engine(serve, "car") not in {0, first})
        order = caller.place_order()
        soon(lambda: caller.measure(order) == "osrm")
        order = caller.place_order()
        soon(lambda: caller.call("GET", f"orders/{order}")["route_source"] == "osrm")
        engines = [find_engine(serve, profile) for profile in ("car", "van", "bicycle")]
        assert all(engines)
        maps.use_city(None)
        assert caller.measure() == "great_circle"
        soon(lambda: not find_engine(serve, "car"))
        maps.use_city(city)
        soon(lambda: bool(find_engine(serve, "car")))
        engines = [find_engine(serve, profile) for profile in ("car", "van", "bicycle")]
        assert serve.interrupt() == 0
        assert not [pid for pid in engines if pid and program.command_of(pid)]


def test_a_silent_engine_holds_up_nobody_for_long_and_ends_with_us(
    city_data: Path, empty_url: str
) -> None:
    with serving(
        city_data,
        "--workers",
        "1",
        command=program.COMMAND,
        database_url=empty_url,
        router_seconds="1",
        pool_size="2",
    ) as serve:
        serve.ready()
        caller = Caller(serve)
        # Requests before the engine answers would open the breaker for half a minute.
        soon(lambda: answers(find_engine_url(serve)))
        # Under load the engine itself may need more than a second.
        order = caller.place_order()
        soon(lambda: caller.measure(order) == "osrm")
        engine = find_engine(serve, "car")
        os.kill(engine, signal.SIGSTOP)
        # Until the breaker opens, each request waits a second: these do so together, and with more
        # of them than connections none may keep its connection.
        with ThreadPoolExecutor(breaker.MAX_FAILURES) as pool:
            placed = [pool.submit(caller.place_order) for _ in range(breaker.MAX_FAILURES)]
            order, *more = [each.result() for each in placed]
            assert set(pool.map(caller.measure, more)) == {"great_circle"}
        assert caller.measure() == "great_circle"
        assert caller.sources[order] == "great_circle"
        os.kill(serve.process.pid, signal.SIGKILL)
        soon(lambda: not program.command_of(engine))
