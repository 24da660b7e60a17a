"""Plans of problems whose best plan is known."""

import math
from itertools import pairwise, permutations
from random import Random

import pytest

from pannier.planning import solver
from pannier.planning.checks import list_faults
from pannier.planning.problem import PlanJob, PlanningProblem, PlanShift, Roads, Visit
from planning.cases import HOUR, steps, town

# The first 25 customers of Solomon's C101 (1987): x, y, demand, and when service begins.
C101 = (
    (45, 68, 10, 912, 967), (45, 70, 30, 825, 870), (42, 66, 10, 65, 146), (42, 68, 10, 727, 782),
    (42, 65, 10, 15, 67), (40, 69, 20, 621, 702), (40, 66, 20, 170, 225), (38, 68, 20, 255, 324),
    (38, 70, 10, 534, 605), (35, 66, 10, 357, 410), (35, 69, 10, 448, 505), (25, 85, 20, 652, 721),
    (22, 75, 30, 30, 92), (22, 85, 10, 567, 620), (20, 80, 40, 384, 429), (20, 85, 40, 475, 528),
    (18, 75, 20, 99, 148), (15, 75, 20, 179, 254), (15, 80, 10, 278, 345), (30, 50, 10, 10, 73),
    (30, 52, 20, 914, 965), (28, 52, 20, 812, 883), (28, 55, 10, 732, 777), (25, 50, 10, 65, 144),
    (25, 52, 40, 169, 224),
)  # fmt: skip
# The best known, proven by Kohl et al. (1999), with distances cut to a tenth.
C101_VEHICLES, C101_DISTANCE = 3, 1913


def solomon() -> PlanningProblem:
    """Make C101 with tenths as metres and seconds."""
    spots = [(40, 50), *((x, y) for x, y, *_ in C101)]
    tenths = tuple(tuple(int(10 * math.dist(one, other)) for other in spots) for one in spots)
    jobs = [
        PlanJob(
            key=f"job{number}",
            visits=(
                Visit(
                    key="visit",
                    point=number,
                    loads=(demand, 0, 1),
                    service=900,
                    opens=10 * opens,
                    closes=10 * closes,
                ),
            ),
        )
        for number, (_, _, demand, opens, closes) in enumerate(C101, 1)
    ]
    shifts = [
        PlanShift(
            key=f"shift{number}",
            opens=0,
            closes=12_360,
            start=0,
            end=0,
            capacity=(200, None, None),
            cost_km=1_000,
        )
        for number in range(5)
    ]
    return PlanningProblem(
        jobs=tuple(jobs), shifts=tuple(shifts), roads={"car": Roads(tenths, tenths)}, aim="cost"
    )


@pytest.mark.slow
def test_the_best_plan_of_solomons_c101_is_found() -> None:
    problem = solomon()
    plan = solver.solve(problem, steps(300))
    assert list_faults(problem, plan) == []
    assert plan.left_out == ()
    assert (len(plan.routes), plan.distance) == (C101_VEHICLES, C101_DISTANCE)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_shortest_tour_of_a_few_stops_is_found(seed: int) -> None:
    choose = Random(seed)
    spots = [(choose.randrange(10_000), choose.randrange(10_000)) for _ in range(8)]
    roads = town(spots)
    jobs = tuple(
        PlanJob(key=f"job{number}", visits=(Visit(key="visit", point=number),))
        for number in range(1, 8)
    )
    shift = PlanShift(key="shift", opens=0, closes=24 * HOUR, start=0, end=0)
    plan = solver.solve(
        PlanningProblem(jobs=jobs, shifts=(shift,), roads={"car": roads}), steps(150)
    )
    tours = ((0, *tour, 0) for tour in permutations(range(1, 8)))
    least = min(
        sum(roads.times[start][end] or 0 for start, end in pairwise(tour)) for tour in tours
    )
    assert plan.duration == least


@pytest.mark.slow
def test_orders_of_distant_districts_go_to_one_driver_each() -> None:
    # Four districts of five stops, each as much as a van carries.
    spots = [(0, 0)] + [
        (east * 10_000 + 100 * number, north * 10_000)
        for east, north in ((1, 0), (-1, 0), (0, 1), (0, -1))
        for number in range(5)
    ]
    jobs = tuple(
        PlanJob(key=f"job{number}", visits=(Visit(key="visit", point=number, loads=(1, 0, 0)),))
        for number in range(1, 21)
    )
    shifts = tuple(
        PlanShift(
            key=f"shift{number}",
            opens=0,
            closes=24 * HOUR,
            start=0,
            end=0,
            capacity=(5, None, None),
        )
        for number in range(6)
    )
    problem = PlanningProblem(jobs=jobs, shifts=shifts, roads={"car": town(spots)})
    plan = solver.solve(problem, steps(200))
    assert list_faults(problem, plan) == []
    districts = [{(int(job.removeprefix("job")) - 1) // 5 for job in r.jobs} for r in plan.routes]
    assert sorted(map(tuple, districts)) == [(0,), (1,), (2,), (3,)]
