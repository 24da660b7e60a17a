"""Matrices of distances and times between many points, lines along roads, and profiles."""

import asyncio

import msgspec
import pytest

from pannier.accounts.company_settings.models import Pace
from pannier.kit.clock import ManualClock
from pannier.kit.geo import Point
from pannier.maps.folder import PROFILES
from pannier.routing import polyline, route
from pannier.routing.configuration import create_router
from pannier.routing.router import MAX_MATRIX_POINTS
from pannier.settings import SettingsError, load
from routing import machines

HERE, THERE, BEYOND = Point(103.851, 1.284), Point(103.79, 1.404), Point(103.988, 1.357)
PACE = Pace()


async def test_a_matrix_without_an_engine_agrees_with_single_routes(clock: ManualClock) -> None:
    points = [HERE, THERE, BEYOND]
    matrix = await create_router(load({}), clock).measure_matrix(points, PACE)
    assert matrix.source == "great_circle"
    for row, start in enumerate(points):
        for column, end in enumerate(points):
            single = route.measure_great_circle([start, end], PACE)
            assert single is not None
            measured = matrix.distances[row][column], matrix.times[row][column]
            assert measured == (single.distance, single.time)


async def test_a_bicycle_is_slower_than_a_van_over_the_same_distance(clock: ManualClock) -> None:
    router = create_router(load({}), clock)
    van = await router.measure_matrix([HERE, THERE], PACE, "van")
    bicycle = await router.measure_matrix([HERE, THERE], PACE, "bicycle")
    assert van.distances == bicycle.distances
    slow, fast = bicycle.times[0][1], van.times[0][1]
    assert slow is not None
    assert fast is not None
    assert slow == pytest.approx(fast * 50 / 15, abs=2)
    assert await router.measure([HERE, THERE], PACE, "bicycle") == route.measure_great_circle(
        [HERE, THERE], PACE, "bicycle"
    )


async def test_a_matrix_of_more_points_than_a_plan_has_is_refused(clock: ManualClock) -> None:
    with pytest.raises(ValueError, match="at most"):
        await create_router(load({}), clock).measure_matrix([HERE] * (MAX_MATRIX_POINTS + 1), PACE)


@pytest.mark.parametrize("kind", ["osrm", "valhalla"])
async def test_a_matrix_by_road_is_measured_in_blocks(clock: ManualClock, kind: str) -> None:
    points = [Point(103.8 + number / 1000, 1.3) for number in range(130)]
    async with machines.opened(getattr(machines, kind)) as machine:
        router = create_router(load({}, router=kind, router_url=machine.url), clock)
        # The depot is there twice, and costs nothing.
        matrix = await router.measure_matrix([*points, points[0]], PACE)
        assert len(machine.asked) == {"osrm": 4, "valhalla": 9}[kind]
    assert matrix.source == kind
    assert len(matrix.distances) == len(matrix.times) == 131
    assert {len(row) for row in matrix.distances} == {131}
    assert (matrix.distances[3][129], matrix.times[3][129]) == (30_000, 900)
    assert matrix.distances[0][130] == matrix.times[7][7] == 0


async def test_pairs_without_a_road_are_said_and_not_guessed(clock: ManualClock) -> None:
    async with machines.opened(machines.osrm) as machine:
        machine.raw = msgspec.json.encode({
            "code": "Ok",
            "distances": [[0, None, 9000], [13_000, 0, 17_000], [9, 9, 0]],
            "durations": [[0, None, 900], [1_300, 0, 1_700], [9, 9, 0]],
            "sources": [{"distance": 1}, {"distance": 1}, {"distance": 90_000}],
            "destinations": [{"distance": 1}, {"distance": 1}, {"distance": 90_000}],
        })  # fmt: skip
        router = create_router(load({}, router="osrm", router_url=machine.url), clock)
        far = Point(103.9, 2.2)
        matrix = await router.measure_matrix([HERE, Point(103.79, 1.35), far], PACE)
    assert matrix.distances == ((0, None, None), (13_000, 0, None), (None, None, 0))
    assert matrix.times == ((0, None, None), (1_300, 0, None), (None, None, 0))


@pytest.mark.parametrize(
    "cells",
    [
        [[0, 9_000]],
        [[0], [0]],
        [[0, -1], [0, 0]],
        [[0, 1e300], [0, 0]],
        [["far", 0], [0, 0]],
    ],
    ids=str,
)
async def test_a_matrix_that_cannot_be_right_is_not_believed(
    clock: ManualClock, cells: list[list[object]]
) -> None:
    async with machines.opened(machines.osrm) as machine:
        machine.raw = msgspec.json.encode({"code": "Ok", "distances": cells, "durations": cells})
        router = create_router(load({}, router="osrm", router_url=machine.url), clock)
        matrix = await router.measure_matrix([HERE, Point(103.86, 1.29)], PACE)
    assert matrix.source == "great_circle"


async def test_while_the_engine_fails_a_matrix_is_of_great_circles(clock: ManualClock) -> None:
    async with machines.opened(machines.osrm) as machine:
        machine.status = 503
        router = create_router(load({}, router="osrm", router_url=machine.url), clock)
        points = [Point(103.8 + number / 1000, 1.3) for number in range(250)]
        matrix = await router.measure_matrix(points, PACE)
    assert matrix == await asyncio.to_thread(route.measure_great_circle_matrix, points, PACE)
    assert len(machine.asked) < 9, "the other blocks were not asked for"


@pytest.mark.parametrize("kind", ["osrm", "valhalla"])
async def test_a_route_is_drawn_along_its_roads_and_remembered(
    clock: ManualClock, kind: str
) -> None:
    async with machines.opened(getattr(machines, kind)) as machine:
        router = create_router(load({}, router=kind, router_url=machine.url), clock)
        for _ in range(2):
            line = await router.draw([HERE, THERE])
            assert line is not None
            assert line.source == kind
            assert line.coordinates == [[-120.2, 38.5], [-120.95, 40.7], [-126.453, 43.252]]
        assert len(machine.asked) == 1


@pytest.mark.parametrize("raw", [b'{"code":"NoRoute"}', b'{"code":"Ok","routes":[]}', b"{"])
async def test_a_route_that_no_engine_draws_has_no_line(clock: ManualClock, raw: bytes) -> None:
    async with machines.opened(machines.osrm) as machine:
        machine.raw = raw
        router = create_router(load({}, router="osrm", router_url=machine.url), clock)
        assert await router.draw([HERE, THERE]) is None
    assert await create_router(load({}), clock).draw([HERE, THERE]) is None


@pytest.mark.parametrize("text", ["_", "_izlhA", "é?", "_izlhA "])
def test_a_line_that_is_cut_off_or_has_other_characters_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="polyline"):
        polyline.decode(text)


async def test_each_profile_asks_the_server_that_is_named_for_it(clock: ManualClock) -> None:
    async with machines.opened(machines.osrm) as car, machines.opened(machines.osrm) as bicycle:
        urls = f"car={car.url} bicycle={bicycle.url}"
        router = create_router(load({}, router="osrm", router_url=urls), clock)
        for profile in PROFILES:
            assert (await router.measure_matrix([HERE, THERE], PACE, profile)).source == "osrm"
        assert (len(car.asked), len(bicycle.asked)) == (2, 1), "a van drives where a car does"
        only_car = create_router(load({}, router="osrm", router_url=f"car={car.url}"), clock)
        measured = await only_car.measure([HERE, THERE], PACE, "bicycle")
        assert measured == route.measure_great_circle([HERE, THERE], PACE, "bicycle")


@pytest.mark.parametrize(
    "wrong", ["car=http://a truck=http://b", "car=http://a car=http://b", "car=nowhere"]
)
def test_addresses_of_profiles_that_cannot_be_right_are_refused(
    clock: ManualClock, wrong: str
) -> None:
    with pytest.raises(SettingsError, match="PANNIER_ROUTER_URL"):
        create_router(load({}, router="osrm", router_url=wrong), clock)
