"""Matrices of distances and times between many points."""

import pytest

from pannier.accounts.company_settings.models import Pace
from pannier.kit.clock import ManualClock
from pannier.kit.geo import Point
from pannier.routing import route
from pannier.routing.configuration import create_router
from pannier.routing.router import MAX_MATRIX_POINTS
from pannier.settings import load

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
