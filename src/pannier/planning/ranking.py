"""Ranking drivers for an order by the cheapest insertion into each driver's present route.

Each driver is a separate small problem, so no large matrix is needed. All drivers are ranked by
great circles first; only the best are measured by road. Loading this module loads numpy.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from random import Random
from typing import Final

import msgspec

from pannier.accounts.company_settings.models import Pace
from pannier.kit.geo import Point
from pannier.planning.editing import PartialProblem, compute_lateness, extract_part
from pannier.planning.insertion import Positions
from pannier.planning.model import Model
from pannier.planning.plan import PlannedRoute
from pannier.planning.problem import MAX_TIME, PlanJob, PlanningProblem, Roads
from pannier.planning.routes import DraftRoute, build_route
from pannier.planning.schedule import to_planned_route
from pannier.planning.search import Search
from pannier.routing.route import Source, measure_great_circle_matrix

# Costs more than any route, so that routes in time come first.
LATE_COST: Final = 1e9
# Stops of a driver, with the new ones. The memory grows with their square.
MAX_VISITS: Final = 500


class ShiftProblem(msgspec.Struct, frozen=True):
    """One shift with its present jobs and the job to insert."""

    shift: str
    part: PartialProblem


class RankedInsertion(msgspec.Struct, frozen=True, kw_only=True):
    """A shift's route without and with the job. `price` is the added cost."""

    shift: str
    drafts: tuple[DraftRoute, DraftRoute]
    price: float
    is_feasible: bool = True
    source: Source = "great_circle"

    @property
    def present_route(self) -> PlannedRoute | None:
        """The timetable without the job, or None if the shift has no other jobs."""
        return to_planned_route(self.drafts[0]) if self.drafts[0].legs else None

    @property
    def new_route(self) -> PlannedRoute:
        """The timetable with the job."""
        return to_planned_route(self.drafts[1])


def split_by_shift(problem: PlanningProblem, job: str) -> list[ShiftProblem]:
    """Split a problem by shift.

    Shifts without the job's skills or with too many stops are left out.
    """
    [new_job] = [plan_job for plan_job in problem.jobs if plan_job.key == job]
    present = {route.shift: route.jobs for route in problem.present}
    visits = {plan_job.key: len(plan_job.visits) for plan_job in problem.jobs}
    shift_jobs = {
        shift.key: {job, *present.get(shift.key, ())}
        for shift in problem.shifts
        if new_job.skills <= shift.skills
    }
    return [
        ShiftProblem(shift, extract_part(problem, jobs, {shift}))
        for shift, jobs in shift_jobs.items()
        if sum(visits[key] for key in jobs) <= MAX_VISITS
    ]


def rank_by_great_circles(
    problems: Sequence[ShiftProblem], job: str, points: Sequence[Point], pace: Pace
) -> list[RankedInsertion]:
    """Rank all shifts by great circles, the best first."""
    insertions = (
        insert_job(problem, job, measure_great_circles(problem, points, pace), "great_circle")
        for problem in problems
    )
    return sort_insertions(insertion for insertion in insertions if insertion is not None)


def measure_great_circles(problem: ShiftProblem, points: Sequence[Point], pace: Pace) -> Roads:
    """Measure the great circles between the points of a shift."""
    [shift] = problem.part.problem.shifts
    shift_points = [points[number] for number in problem.part.points]
    matrix = measure_great_circle_matrix(shift_points, pace, shift.profile)
    return Roads(matrix.distances, matrix.times)


def sort_insertions(insertions: Iterable[RankedInsertion]) -> list[RankedInsertion]:
    """Sort insertions by price, those in time first."""
    return sorted(insertions, key=lambda insertion: (not insertion.is_feasible, insertion.price))


def insert_job(
    problem: ShiftProblem, job: str, roads: Roads, source: Source
) -> RankedInsertion | None:
    """Insert a job where it costs least.

    Return None if the vehicle is too small or no road leads there. If the job cannot be in time, it
    is late. If the other jobs are late as well, the job goes where the route is shortest.
    """
    [shift] = problem.part.problem.shifts
    exact_problem = problem.part.add_roads({shift.profile: roads})
    for number, relaxed_problem in enumerate(_list_relaxed_problems(exact_problem, job)):
        drafts = _build_drafts(relaxed_problem, job)
        if drafts is None:
            continue
        price = drafts[1].price - drafts[0].price
        insertion = RankedInsertion(shift=shift.key, drafts=drafts, price=price, source=source)
        return insertion if number == 0 else _add_lateness_cost(insertion, exact_problem)
    return None


def _list_relaxed_problems(problem: PlanningProblem, job: str) -> Iterator[PlanningProblem]:
    """Yield the problem, then the problem with a late job allowed, then with all late."""
    yield problem
    yield _relax_problem(problem, {job})
    yield _relax_problem(problem, {plan_job.key for plan_job in problem.jobs})


def _add_lateness_cost(insertion: RankedInsertion, problem: PlanningProblem) -> RankedInsertion:
    """Add the cost of the lateness that the job causes."""
    present_route = insertion.present_route
    lateness = compute_lateness(insertion.new_route, problem)
    lateness -= compute_lateness(present_route, problem) if present_route else 0
    price = insertion.price + LATE_COST * max(0, lateness)
    return msgspec.structs.replace(insertion, price=price, is_feasible=lateness <= 0)


def _build_drafts(problem: PlanningProblem, job: str) -> tuple[DraftRoute, DraftRoute] | None:
    """Build the shift's route without and with the job, or return None if that is infeasible."""
    search = Search(Model(problem), Random(0))  # noqa: S311 - no secret
    [legs] = search.list_present_legs()
    present_route = build_route(search.model, search.objective, 0, legs)
    number = [plan_job.key for plan_job in problem.jobs].index(job)
    if not present_route.is_feasible:
        return None
    search.model.allowed_shifts[number, 0] = True
    positions = Positions(search.model, search.objective, [present_route])
    insertions = positions.find_best_of_each(number)
    return (present_route, insertions[0].new_route) if insertions else None


def _relax_problem(problem: PlanningProblem, jobs: Collection[str]) -> PlanningProblem:
    """Let some jobs and the shift's end be late, without breaks, which have fixed windows."""
    relaxed_jobs = (_open_windows(job) if job.key in jobs else job for job in problem.jobs)
    shifts = (
        msgspec.structs.replace(shift, closes=MAX_TIME, breaks=()) for shift in problem.shifts
    )
    return msgspec.structs.replace(problem, jobs=tuple(relaxed_jobs), shifts=tuple(shifts))


def _open_windows(job: PlanJob) -> PlanJob:
    visits = (msgspec.structs.replace(visit, closes=MAX_TIME) for visit in job.visits)
    return msgspec.structs.replace(job, visits=tuple(visits))
