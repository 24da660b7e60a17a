"""Who takes an order best: the cheapest insertion into each driver's present route.

Each driver is a small problem of their own, so no large matrix is needed. All of them are ranked
along great circles first; only the best are measured by road. Loading this module loads numpy.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from random import Random
from typing import Final

import msgspec

from pannier.accounts.company_settings.models import Pace
from pannier.kit.geo import Point
from pannier.planning.editing import PartialProblem, count_late, extract_part
from pannier.planning.insertion import Positions
from pannier.planning.model import Model
from pannier.planning.plan import PlannedRoute
from pannier.planning.problem import MAX_TIME, PlanJob, PlanningProblem, Roads
from pannier.planning.routes import DraftRoute, build_route
from pannier.planning.schedule import to_planned_route
from pannier.planning.search import Search
from pannier.routing.route import Source, measure_great_circle_matrix

# Costs more than any route, so that those in time come first.
LATE_COST: Final = 1e9
# Pickups and drop-offs of a driver that are compared. The memory for more grows with their square.
MAX_VISITS: Final = 500


class ShiftProblem(msgspec.Struct, frozen=True):
    """One shift with its present jobs and the job to insert."""

    shift: str
    part: PartialProblem


class RankedInsertion(msgspec.Struct, frozen=True, kw_only=True):
    """A shift's route without and with the job. `price` is what the job adds to the objective."""

    shift: str
    drafts: tuple[DraftRoute, DraftRoute]
    price: float
    is_feasible: bool = True
    source: Source = "great_circle"

    @property
    def before(self) -> PlannedRoute | None:
        """The timetable without the job, or None if there is no other."""
        return to_planned_route(self.drafts[0]) if self.drafts[0].legs else None

    @property
    def after(self) -> PlannedRoute:
        """The timetable with the job."""
        return to_planned_route(self.drafts[1])


def split(problem: PlanningProblem, job: str) -> list[ShiftProblem]:
    """Split a problem by shift.

    Shifts that cannot do the job at all are left out, and those with too much work.
    """
    [target] = [each for each in problem.jobs if each.key == job]
    present = {route.shift: route.jobs for route in problem.present}
    visits = {each.key: len(each.visits) for each in problem.jobs}
    split_jobs = {
        shift.key: {job, *present.get(shift.key, ())}
        for shift in problem.shifts
        if target.skills <= shift.skills
    }
    return [
        ShiftProblem(shift, extract_part(problem, jobs, {shift}))
        for shift, jobs in split_jobs.items()
        if sum(visits[each] for each in jobs) <= MAX_VISITS
    ]


def rank_by_great_circles(
    problems: Sequence[ShiftProblem], job: str, points: Sequence[Point], pace: Pace
) -> list[RankedInsertion]:
    """Rank all shifts along great circles, the best first."""
    ranked = (insert(each, job, measure(each, points, pace), "great_circle") for each in problems)
    return sort(each for each in ranked if each is not None)


def measure(problem: ShiftProblem, points: Sequence[Point], pace: Pace) -> Roads:
    """Measure the great circles between the points of a shift."""
    [shift] = problem.part.problem.shifts
    own = [points[number] for number in problem.part.points]
    matrix = measure_great_circle_matrix(own, pace, shift.profile)
    return Roads(matrix.distances, matrix.times)


def sort(ranked: Iterable[RankedInsertion]) -> list[RankedInsertion]:
    """Sort insertions, those in time first."""
    return sorted(ranked, key=lambda each: (not each.is_feasible, each.price))


def insert(problem: ShiftProblem, job: str, roads: Roads, source: Source) -> RankedInsertion | None:
    """Insert a job where it costs least. None if the vehicle is too small, or no road leads.

    Where it is impossible in time, it is late itself. Where the route is late anyway, it goes where
    the whole is shortest.
    """
    [shift] = problem.part.problem.shifts
    exact = problem.part.with_roads({shift.profile: roads})
    for number, relaxed in enumerate(_list_relaxed(exact, job)):
        drafts = _insert(relaxed, job)
        if drafts is None:
            continue
        price = drafts[1].price - drafts[0].price
        found = RankedInsertion(shift=shift.key, drafts=drafts, price=price, source=source)
        return found if number == 0 else _add_lateness(found, exact)
    return None


def _list_relaxed(problem: PlanningProblem, job: str) -> Iterator[PlanningProblem]:
    """Yield the problem, and then with fewer and fewer rules on time."""
    yield problem
    yield _relax(problem, {job})
    yield _relax(problem, {each.key for each in problem.jobs})


def _add_lateness(found: RankedInsertion, problem: PlanningProblem) -> RankedInsertion:
    """Add to the price what the job makes late."""
    before = found.before
    late = count_late(found.after, problem) - (count_late(before, problem) if before else 0)
    price = found.price + LATE_COST * max(0, late)
    return msgspec.structs.replace(found, price=price, is_feasible=late <= 0)


def _insert(problem: PlanningProblem, job: str) -> tuple[DraftRoute, DraftRoute] | None:
    """Return the shift's route without and with the job, or None."""
    search = Search(Model(problem), Random(0))  # noqa: S311 - no secret
    [legs] = search.list_present()
    before = build_route(search.model, search.objective, 0, legs)
    number = [each.key for each in problem.jobs].index(job)
    if not before.is_feasible:
        return None
    search.model.allowed[number, 0] = True
    found = Positions(search.model, search.objective, [before]).find_best_of_each(number)
    return (before, found[0].after) if found else None


def _relax(problem: PlanningProblem, jobs: Collection[str]) -> PlanningProblem:
    """Let some jobs and the shift's end be late. Breaks would make that impossible."""
    relaxed = (_open_windows(job) if job.key in jobs else job for job in problem.jobs)
    shifts = (
        msgspec.structs.replace(shift, closes=MAX_TIME, breaks=()) for shift in problem.shifts
    )
    return msgspec.structs.replace(problem, jobs=tuple(relaxed), shifts=tuple(shifts))


def _open_windows(job: PlanJob) -> PlanJob:
    visits = (msgspec.structs.replace(visit, closes=MAX_TIME) for visit in job.visits)
    return msgspec.structs.replace(job, visits=tuple(visits))
