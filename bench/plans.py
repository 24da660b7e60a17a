"""Planning routes: how good plans are after how many seconds, and who takes one order best.

*Plans.* The bench plans a day of deliveries from one hub, with time windows of three hours, loads,
shifts and a break. The search has the seconds that a plan of this size has by default, as CPU time.
The floor is the plan of a search with four times the seconds and another seed. The ratio is that of
the working times: below 1.05, more time would save less than 5 %.

*Published problems.* RC208 of Solomon (100 stops, wide windows) and R1_2_1 of Gehring and Homberger
(200 stops, narrow windows) are planned for the least distance. The floor is the best distance that
is known, with legs cut to a tenth as in the DIMACS challenge of 2021. The ratio shows the gap.

*Insertion.* Fifty vehicles have ten orders each. The figure is the CPU time to rank all of them for
another order along great circles, without reading them. The floor is the limit of 300 ms.

`BENCH_SECONDS` shortens the searches to this number of seconds.
"""

import math
import time
from pathlib import Path
from random import Random
from typing import Final

import msgspec

import stand
from pannier.accounts.company_settings.models import Pace
from pannier.kit.geo import Point
from pannier.planning import ranking, solver
from pannier.planning.checks import list_faults
from pannier.planning.plan import Plan
from pannier.planning.problem import (
    PlanBreak,
    PlanJob,
    PlanningProblem,
    PlanShift,
    PresentRoute,
    Roads,
    Visit,
)
from pannier.planning.search import DraftPlan
from pannier.planning.service import choose_search_seconds
from stand import Figure, Stand

HOUR: Final = 3600
SIZES: Final = ((4, 2),) if stand.TINY else ((50, 5), (200, 14), (500, 30), (1000, 50))
SECONDS: Final = stand.read_size("seconds", 0, tiny=1)
LONGER: Final = 1 if stand.TINY else 4
VEHICLES: Final = 3 if stand.TINY else 50
ORDERS_EACH: Final = 10
REPEATS: Final = 2 if stand.TINY else 10
MAX_INSERTION_SECONDS: Final = 0.3
METRES_PER_DEGREE: Final = 111_000
SPREAD_METRES: Final = 20_000
METRES_PER_SECOND: Final = 8
INSTANCES: Final = Path(__file__).parent / "instances"


class PublishedProblem(msgspec.Struct):
    """A problem whose file has the columns x, y, demand, opening and closing time.

    The first row is the depot. `best` is the best known distance.
    """

    file: str
    vehicles: int
    capacity: int
    best: float


PUBLISHED_PROBLEMS: Final = {
    "RC208": PublishedProblem("rc208.txt", 4, 1000, 776.1),
    "R1_2_1": PublishedProblem("r1_2_1.txt", 50, 200, 4667.2),
}
PUBLISHED_SERVICE: Final = 10
# Distances and times are counted in tenths.
TENTHS: Final = 10


class PlanCost(msgspec.Struct):
    """What a search found."""

    routes: int
    left_out: int
    hours: float


class PublishedCost(msgspec.Struct):
    """What a search found for a published problem."""

    routes: int
    left_out: int
    distance: float


def make_problem(jobs: int, shifts: int, *, seed: int = 1) -> tuple[PlanningProblem, list[Point]]:
    """Make a day of deliveries from one hub."""
    choose = Random(seed)  # noqa: S311 - no secret
    spots = [
        (choose.randrange(SPREAD_METRES), choose.randrange(SPREAD_METRES)) for _ in range(jobs + 1)
    ]
    metres = tuple(
        tuple(abs(x - other_x) + abs(y - other_y) for other_x, other_y in spots) for x, y in spots
    )
    seconds = tuple(tuple(cell // METRES_PER_SECOND for cell in row) for row in metres)
    problem = PlanningProblem(
        jobs=tuple(_make_job(number, choose) for number in range(1, jobs + 1)),
        shifts=tuple(_make_shift(number) for number in range(shifts)),
        roads={"car": Roads(metres, seconds)},
    )
    points = [Point(x / METRES_PER_DEGREE, y / METRES_PER_DEGREE) for x, y in spots]
    return problem, points


def _make_job(number: int, choose: Random) -> PlanJob:
    opens = choose.randrange(8, 16) * HOUR
    loads = (choose.randrange(1_000, 20_000), choose.randrange(1, 50), 1)
    pickup = Visit(key="pickup", point=0, kind="pickup", loads=loads, setup=180)
    dropoff = Visit(
        key="dropoff",
        point=number,
        loads=loads,
        setup=120,
        service=60,
        opens=opens,
        closes=opens + 3 * HOUR,
    )
    return PlanJob(key=f"job{number}", visits=(pickup, dropoff))


def _make_shift(number: int) -> PlanShift:
    return PlanShift(
        key=f"shift{number}",
        opens=8 * HOUR,
        closes=18 * HOUR,
        start=0,
        end=0,
        capacity=(400_000, 2_000, None),
        breaks=(PlanBreak(opens=12 * HOUR, closes=14 * HOUR, duration=1800),),
    )


def solve(jobs: str, shifts: str, seconds: str, seed: str) -> PlanCost:
    """Plan in a process of its own."""
    problem, _ = make_problem(int(jobs), int(shifts))
    began = time.process_time()

    def get_progress(_: DraftPlan) -> float:
        return (time.process_time() - began) / float(seconds)

    plan: Plan = solver.solve(problem, get_progress, seed=int(seed))
    assert list_faults(problem, plan) == []
    return PlanCost(len(plan.routes), len(plan.left_out), plan.duration / HOUR)


def read_published(name: str) -> PlanningProblem:
    """Read a published problem."""
    published = PUBLISHED_PROBLEMS[name]
    lines = (INSTANCES / published.file).read_text().splitlines()
    rows = [tuple(map(int, line.split())) for line in lines]
    spots = [(x, y) for x, y, *_ in rows]
    legs = tuple(tuple(int(TENTHS * math.dist(one, other)) for other in spots) for one in spots)
    jobs = [
        PlanJob(
            key=f"job{number}",
            visits=(
                Visit(
                    key="visit",
                    point=number,
                    loads=(demand, 0, 1),
                    service=TENTHS * PUBLISHED_SERVICE,
                    opens=TENTHS * opens,
                    closes=TENTHS * closes,
                ),
            ),
        )
        for number, (_, _, demand, opens, closes) in enumerate(rows)
        if number
    ]
    shifts = [
        PlanShift(
            key=f"shift{number}",
            opens=TENTHS * rows[0][3],
            closes=TENTHS * rows[0][4],
            start=0,
            end=0,
            capacity=(published.capacity, None, None),
            cost_km=1_000,
        )
        for number in range(published.vehicles)
    ]
    return PlanningProblem(
        jobs=tuple(jobs), shifts=tuple(shifts), roads={"car": Roads(legs, legs)}, aim="cost"
    )


def solve_published(name: str, seconds: str) -> PublishedCost:
    """Plan a published problem in a process of its own."""
    problem = read_published(name)
    began = time.process_time()
    plan = solver.solve(problem, lambda _: (time.process_time() - began) / float(seconds))
    assert list_faults(problem, plan) == []
    return PublishedCost(len(plan.routes), len(plan.left_out), plan.distance / TENTHS)


def insert() -> float:
    """Rank vehicles for one order, and return the least CPU seconds that it took."""
    count = VEHICLES * ORDERS_EACH
    problem, points = make_problem(count + 1, VEHICLES)
    jobs = tuple(msgspec.structs.replace(job, visits=_without_windows(job)) for job in problem.jobs)
    present = tuple(
        PresentRoute(
            shift=shift.key,
            jobs=tuple(job.key for job in jobs[number * ORDERS_EACH :][:ORDERS_EACH]),
        )
        for number, shift in enumerate(problem.shifts)
    )
    problem = msgspec.structs.replace(problem, jobs=jobs, present=present, roads={})
    taken = []
    for _ in range(REPEATS):
        began = time.process_time()
        parts = ranking.split_by_shift(problem, jobs[-1].key)
        ranked = ranking.rank_by_great_circles(parts, jobs[-1].key, points, Pace())
        taken.append(time.process_time() - began)
        assert len(ranked) == VEHICLES
    return min(taken)


def _without_windows(job: PlanJob) -> tuple[Visit, ...]:
    return tuple(
        Visit(key=visit.key, point=visit.point, kind=visit.kind, loads=visit.loads, setup=60)
        for visit in job.visits
    )


def measure(test_stand: Stand) -> None:
    for jobs, shifts in SIZES:
        seconds = SECONDS or choose_search_seconds(jobs)
        found, longer = (
            msgspec.convert(test_stand.run_part("solve", jobs, shifts, *words), PlanCost)
            for words in ((seconds, 1), (seconds * LONGER, 2))
        )
        test_stand.record(_to_figure(f"{jobs} orders, {shifts} vehicles", seconds, found, longer))
    for name, published in PUBLISHED_PROBLEMS.items():
        jobs = len((INSTANCES / published.file).read_text().splitlines()) - 1
        seconds = SECONDS or choose_search_seconds(jobs)
        result = test_stand.run_part("solve_published", name, seconds)
        cost = msgspec.convert(result, PublishedCost)
        test_stand.record(_to_published_figure(name, published, cost, seconds))
    taken = float(test_stand.run_part("insert"))
    test_stand.record(
        Figure(
            what=f"One order into the work of {VEHICLES} vehicles",
            measured=f"{taken * 1000:.0f} ms",
            floor=f"{MAX_INSERTION_SECONDS * 1000:.0f} ms",
            ratio=taken / MAX_INSERTION_SECONDS,
            aim=stand.aim_at_most(1),
        )
    )


def _to_figure(what: str, seconds: int, found: PlanCost, longer: PlanCost) -> Figure:
    return Figure(
        what=what,
        measured=f"{found.hours:.1f} h on {found.routes} routes after {seconds} s, "
        f"{found.left_out} left out",
        floor=f"{longer.hours:.1f} h on {longer.routes} routes after {seconds * LONGER} s, "
        f"{longer.left_out} left out",
        ratio=found.hours / longer.hours,
        aim=stand.aim_at_most(1.05),
    )


def _to_published_figure(
    name: str, published: PublishedProblem, cost: PublishedCost, seconds: int
) -> Figure:
    return Figure(
        what=f"The published problem {name}",
        measured=f"{cost.distance:.1f} on {cost.routes} routes after {seconds} s, "
        f"{cost.left_out} left out",
        floor=f"{published.best:.1f}",
        ratio=cost.distance / published.best,
        aim=stand.aim_at_most(1.05),
    )


if __name__ == "__main__":
    stand.run(measure, solve=solve, solve_published=solve_published, insert=insert)
