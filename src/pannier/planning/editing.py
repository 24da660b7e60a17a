"""Moving orders of a finished plan by hand. A dispatcher's move is possible even if it is late.

Only the affected routes are rebuilt. Loading this module loads numpy.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from random import Random
from typing import Final

import msgspec

from pannier.maps.folder import Profile
from pannier.planning.insertion import Candidates, Positions
from pannier.planning.model import Model
from pannier.planning.plan import LeftOut, Plan, PlannedRoute
from pannier.planning.problem import PlanJob, PlanningProblem, PlanShift, Roads, Visit
from pannier.planning.routes import DraftRoute, build_route
from pannier.planning.schedule import to_planned_route
from pannier.planning.search import Search

# Costs more than any route, so that late routes are compared by their lateness.
BROKEN_COST: Final = 1e12
# Positions tried for the drop-off in a late route. Each takes milliseconds.
MAX_ENDS: Final = 8
# Stops of an edited route. The memory grows with their square.
MAX_ROUTE_STOPS: Final = 500


class NoRoadLeads(Exception):  # noqa: N818 - the caller turns it into an error
    """No road leads to a moved job, or away from it."""

    def __init__(self, job: str) -> None:
        super().__init__(job)
        self.job = job


class RouteTooLong(Exception):  # noqa: N818 - the caller turns it into an error
    """A route would have more stops than can be edited."""

    def __init__(self, job: str) -> None:
        super().__init__(job)
        self.job = job


class JobMove(msgspec.Struct, frozen=True):
    """A job, the shifts of its new driver, and its position among the stops.

    Without shifts, the job is removed. Without a position, it goes where it costs least.
    """

    job: str
    shifts: tuple[str, ...]
    position: int | None = None


class PartialProblem(msgspec.Struct, frozen=True):
    """Some shifts and jobs of a problem, and the points that they need."""

    problem: PlanningProblem
    points: tuple[int, ...]

    def add_roads(self, roads: Mapping[Profile, Roads]) -> PlanningProblem:
        """Return the problem with the roads between its points."""
        return msgspec.structs.replace(self.problem, roads=dict(roads))


def extract_routes(
    problem: PlanningProblem, plan: Plan, moves: Sequence[JobMove]
) -> PartialProblem:
    """Extract the routes that some moves affect."""
    moved_jobs = {move.job for move in moves}
    shifts = {shift for move in moves for shift in move.shifts}
    shifts |= {route.shift for route in plan.routes if moved_jobs & set(route.jobs)}
    jobs = moved_jobs | {
        job for route in plan.routes if route.shift in shifts for job in route.jobs
    }
    return extract_part(problem, jobs, shifts)


def extract_part(
    problem: PlanningProblem, jobs: Collection[str], shifts: Collection[str]
) -> PartialProblem:
    """Extract some jobs and shifts, with the points that they need."""
    part_jobs = [job for job in problem.jobs if job.key in jobs]
    part_shifts = [shift for shift in problem.shifts if shift.key in shifts]
    points = dict.fromkeys(
        point for point in _list_points(part_jobs, part_shifts) if point is not None
    )
    numbers = {point: number for number, point in enumerate(points)}
    partial = msgspec.structs.replace(
        problem,
        jobs=tuple(_renumber_job(job, numbers) for job in part_jobs),
        shifts=tuple(_renumber_shift(shift, numbers) for shift in part_shifts),
        roads={},
        present=tuple(route for route in problem.present if route.shift in shifts),
    )
    return PartialProblem(partial, tuple(points))


def _list_points(jobs: Sequence[PlanJob], shifts: Sequence[PlanShift]) -> Iterator[int | None]:
    for shift in shifts:
        yield from (shift.start, shift.end)
    for job in jobs:
        yield from (visit.point for visit in job.visits)


def _renumber_job(job: PlanJob, numbers: Mapping[int, int]) -> PlanJob:
    visits = (msgspec.structs.replace(visit, point=numbers[visit.point]) for visit in job.visits)
    return msgspec.structs.replace(job, visits=tuple(visits))


def _renumber_shift(shift: PlanShift, numbers: Mapping[int, int]) -> PlanShift:
    return msgspec.structs.replace(
        shift,
        start=None if shift.start is None else numbers[shift.start],
        end=None if shift.end is None else numbers[shift.end],
    )


def apply_moves(
    whole: PlanningProblem, partial: PlanningProblem, plan: Plan, moves: Sequence[JobMove]
) -> Plan:
    """Return the plan after some moves. `partial` has the affected routes, with roads."""
    if not partial.shifts:
        return plan
    editor = _Editor(partial, plan)
    for move in moves:
        editor.move(move)
    points = _map_points(whole)
    changed_routes = [_restore_points(route, points) for route in editor.list_routes()]
    other_routes = [route for route in plan.routes if route.shift not in editor.shifts]
    moved_jobs = {move.job for move in moves}
    assigned_jobs = {job for route in changed_routes for job in route.jobs}
    left_out = [entry for entry in plan.left_out if entry.job not in moved_jobs]
    left_out += [LeftOut(job, "removed") for job in sorted(moved_jobs - assigned_jobs)]
    return Plan(routes=(*other_routes, *changed_routes), left_out=tuple(left_out))


def _map_points(problem: PlanningProblem) -> dict[tuple[str, str], int]:
    return {(job.key, visit.key): visit.point for job in problem.jobs for visit in job.visits}


def _restore_points(route: PlannedRoute, points: Mapping[tuple[str, str], int]) -> PlannedRoute:
    """Number the points of a route as in the whole problem."""
    stops = (
        msgspec.structs.replace(stop, point=points[stop.job, stop.visit]) for stop in route.stops
    )
    return msgspec.structs.replace(route, stops=tuple(stops))


class _Editor:
    """Moves jobs between the routes of a plan."""

    def __init__(self, problem: PlanningProblem, plan: Plan) -> None:
        self._model = Model(problem)
        self._search = Search(self._model, Random(0))  # noqa: S311 - no secret
        self._jobs = {job.key: number for number, job in enumerate(problem.jobs)}
        self.shifts = {shift.key: number for number, shift in enumerate(problem.shifts)}
        self._rows: list[list[int]] = [[] for _ in problem.shifts]
        for route in plan.routes:
            if route.shift in self.shifts:
                self._rows[self.shifts[route.shift]] = list_legs(self._model, route)

    def move(self, move: JobMove) -> None:
        """Move a job to the best of the move's shifts, or remove it."""
        job = self._jobs[move.job]
        job_legs = set(self._model.list_job_legs(job))
        self._rows = [[leg for leg in row if leg not in job_legs] for row in self._rows]
        choices = [
            self._insert_job(job, self.shifts[shift], move.position) for shift in move.shifts
        ]
        if choices:
            best = min(choices, key=self._compute_ranking_cost)
            if not best.has_roads:
                raise NoRoadLeads(move.job)
            self._rows[best.shift] = list(best.legs)

    def _insert_job(self, job: int, shift: int, position: int | None) -> DraftRoute:
        """Insert a job into a shift, at a position or where it costs least."""
        legs = self._rows[shift]
        stops = (len(self._model.legs[leg]) for leg in (*legs, *self._model.list_job_legs(job)))
        if sum(stops) > MAX_ROUTE_STOPS:
            raise RouteTooLong(self._model.problem.jobs[job].key)
        index = None if position is None else self._to_leg_index(legs, position)
        best = self._find_best_insertion(job, shift, index)
        if best is not None:
            return best
        # Every insertion is late. Without a position, the job comes last.
        index = len(legs) if index is None else index
        first_leg, *last_legs = self._model.list_job_legs(job)
        drafts = [
            [*legs[:index], first_leg, *legs[index:end], *last_legs, *legs[end:]]
            for end in (_list_ends(index, len(legs)) if last_legs else [index])
        ]
        return min(
            (self._build_route(shift, draft) for draft in drafts), key=self._compute_ranking_cost
        )

    def _find_best_insertion(self, job: int, shift: int, index: int | None) -> DraftRoute | None:
        """Find the cheapest feasible insertion, whether or not the driver has the skills.

        With an index, the job's first leg goes there.
        """
        self._model.allowed_shifts[job, shift] = True
        route = self._build_route(shift, self._rows[shift])
        if not route.is_feasible:
            return None
        positions = Positions(self._model, self._search.objective, [route])
        candidates = positions.find_candidates(job)
        if index is not None:
            is_there = candidates.first_edges == index
            candidates = Candidates(*(field[is_there] for field in candidates))
        best = positions.find_best(job, candidates)
        return None if best is None else best.new_route

    def _to_leg_index(self, legs: Sequence[int], position: int) -> int:
        """Return the index of the leg at a position among the stops."""
        stops = 0
        for number, leg in enumerate(legs):
            if stops >= position:
                return number
            stops += len(self._model.legs[leg])
        return len(legs)

    def _build_route(self, shift: int, legs: Sequence[int]) -> DraftRoute:
        return build_route(self._model, self._search.objective, shift, legs)

    def _compute_ranking_cost(self, route: DraftRoute) -> float:
        """Return the cost for comparing routes. Late routes cost more, the later they are."""
        if route.is_feasible:
            return route.price
        if not route.has_roads:
            return math.inf
        lateness = compute_lateness(to_planned_route(route), self._model.problem)
        return BROKEN_COST + lateness * BROKEN_COST + route.price

    def list_routes(self) -> Iterator[PlannedRoute]:
        """Yield the routes that have stops."""
        for shift, legs in enumerate(self._rows):
            if legs:
                yield to_planned_route(self._build_route(shift, legs))


def _list_ends(first_index: int, last_index: int) -> list[int]:
    """List indices for a drop-off, evenly from right after the pickup to the end."""
    count = min(MAX_ENDS, last_index - first_index + 1)
    return [
        first_index + number * (last_index - first_index) // max(1, count - 1)
        for number in range(count)
    ]


def list_legs(model: Model, route: PlannedRoute) -> list[int]:
    """Return the legs of a route in their order."""
    first_visits: dict[tuple[str, str], int] = {}
    for leg, visits in enumerate(model.legs):
        job = model.problem.jobs[model.leg_jobs[leg]].key
        first_visits[job, visits[0].key] = leg
    stops = ((stop.job, stop.visit) for stop in route.stops)
    return [first_visits[stop] for stop in stops if stop in first_visits]


def compute_lateness(route: PlannedRoute, problem: PlanningProblem) -> int:
    """Add up the seconds by which a route misses its windows and the end of its shift."""
    visits: dict[tuple[str, str], Visit] = {
        (job.key, visit.key): visit for job in problem.jobs for visit in job.visits
    }
    shift = next(shift for shift in problem.shifts if shift.key == route.shift)
    lateness = sum(max(0, stop.begin - visits[stop.job, stop.visit].closes) for stop in route.stops)
    return lateness + max(0, route.end - shift.closes)
