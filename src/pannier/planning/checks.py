"""An independent check of a plan: it shares no code with the search.

It follows each route from stop to stop, by the times that the plan states, and lists everything
that is wrong. The worker checks every plan before it is stored.
"""

from collections.abc import Iterator
from itertools import pairwise

from pannier.planning.plan import Plan, PlannedBreak, PlannedRoute, PlannedStop
from pannier.planning.problem import PlanJob, PlanningProblem, PlanShift, Visit


def list_faults(problem: PlanningProblem, plan: Plan) -> list[str]:
    """List what is wrong with a plan. A correct plan has no faults."""
    jobs = {job.key: job for job in problem.jobs}
    shifts = {shift.key: shift for shift in problem.shifts}
    faults = list(_check_once(problem, plan))
    for route in plan.routes:
        if route.shift not in shifts:
            faults.append(f"unknown shift {route.shift}")
            continue
        checker = _RouteCheck(problem, shifts[route.shift], jobs, route)
        faults += [f"{route.shift}: {fault}" for fault in checker.list_faults()]
    return faults


def _check_once(problem: PlanningProblem, plan: Plan) -> Iterator[str]:
    """Every job is in one route or left out, and every shift has one route at most."""
    assigned = [job for route in plan.routes for job in {stop.job for stop in route.stops}]
    everything = sorted([*assigned, *(each.job for each in plan.left_out)])
    if everything != sorted(job.key for job in problem.jobs):
        yield "a job is missing, unknown or there twice"
    shifts = [route.shift for route in plan.routes]
    if len(set(shifts)) < len(shifts):
        yield "a shift has two routes"


class _RouteCheck:
    """The check of one route."""

    def __init__(
        self,
        problem: PlanningProblem,
        shift: PlanShift,
        jobs: dict[str, PlanJob],
        route: PlannedRoute,
    ) -> None:
        self._roads = problem.roads[shift.profile]
        self._shift, self._jobs, self._route = shift, jobs, route

    def list_faults(self) -> Iterator[str]:
        route, shift = self._route, self._shift
        own = {stop.job for stop in route.stops}
        if not own <= self._jobs.keys():
            yield "an unknown job"
            return
        for key in sorted(own):
            yield from self._check_job(self._jobs[key])
        if not shift.opens <= route.start <= route.end <= shift.closes:
            yield "work outside the shift"
        yield from self._check_loads()
        yield from self._check_times()
        yield from self._check_breaks()
        yield from self._check_sums()

    def _check_job(self, job: PlanJob) -> Iterator[str]:
        """The shift may do the job, and its visits are there once and in their order."""
        if job.shift not in {None, self._shift.key}:
            yield f"{job.key} is fixed to another shift"
        if not job.skills <= self._shift.skills:
            yield f"{job.key} needs other skills"
        visits = [stop.visit for stop in self._route.stops if stop.job == job.key]
        if visits != [visit.key for visit in job.visits]:
            yield f"{job.key} is not visited once in its order"

    def _visit(self, stop: PlannedStop) -> Visit:
        return next(each for each in self._jobs[stop.job].visits if each.key == stop.visit)

    def _check_loads(self) -> Iterator[str]:
        """The load fits at all times, starting with what is dropped but never picked up."""
        stops = self._route.stops
        for number, capacity in enumerate(self._shift.capacity):
            load = 0
            for key in {stop.job for stop in stops}:
                load += self._count_on_board(self._jobs[key], number)
            loads = [load]
            for stop in stops:
                amount = self._visit(stop).loads[number]
                load += amount if stop.kind == "pickup" else -amount
                loads.append(load)
                if stop.loads[number] != load:
                    yield f"{stop.visit} has a wrong load"
            if capacity is not None and max(loads) > capacity:
                yield f"load {number} exceeds the capacity"

    @staticmethod
    def _count_on_board(job: PlanJob, number: int) -> int:
        """Return what a job has on board from the start."""
        load = lowest = 0
        for visit in job.visits:
            load += visit.loads[number] if visit.kind == "pickup" else -visit.loads[number]
            lowest = min(lowest, load)
        return -lowest

    def _check_times(self) -> Iterator[str]:
        """Ways take as long as the roads say, and windows are kept."""
        clock, place = self._route.start, (self._shift.start, 0)
        for number, stop in enumerate(self._route.stops):
            visit = self._visit(stop)
            time, length = self._way(place, (visit.point, visit.setup))
            if time is None or stop.arrival != clock + time or stop.drive != time:
                yield f"{stop.visit} is not reached in this time"
            if stop.distance != length:
                yield f"{stop.visit} has a wrong distance"
            ready = [stop.arrival, *(each.end for each in self._breaks_before(number))]
            if stop.begin < max(ready) or not visit.opens <= stop.begin <= visit.closes:
                yield f"{stop.visit} is begun outside its window"
            if stop.end != stop.begin + visit.service:
                yield f"{stop.visit} has a wrong duration"
            clock, place = stop.end, (visit.point, visit.setup)
        time, _ = self._way(place, (self._shift.end, 0))
        ends = [each.end for each in self._breaks_before(len(self._route.stops))]
        if time is None or self._route.end != max([clock + time, *ends]):
            yield "the end is not reached in this time"

    def _way(
        self, place: tuple[int | None, int], goal: tuple[int | None, int]
    ) -> tuple[int | None, int | None]:
        """Return the seconds and metres of a way, with the set-up at its end."""
        (point, setup), (next_point, next_setup) = place, goal
        if next_point is None:
            return 0, 0
        if point is None:
            return next_setup, 0
        time = self._roads.times[point][next_point]
        rest = max(next_setup - setup, 0) if point == next_point else next_setup
        return None if time is None else time + rest, self._roads.distances[point][next_point]

    def _breaks_before(self, number: int) -> list[PlannedBreak]:
        return [each for each in self._route.breaks if each.before == number]

    def _check_breaks(self) -> Iterator[str]:
        """Every break that is due is taken once, in its window, and nothing else meanwhile."""
        route, taken = self._route, list(self._route.breaks)
        for due in self._shift.breaks:
            fits = [
                each
                for each in taken
                if each.end - each.begin == due.duration and due.opens <= each.begin <= due.closes
            ]
            if fits:
                taken.remove(fits[0])
            elif route.start < due.opens and route.end > due.closes:
                yield "a break is missing"
        if taken:
            yield "a break that is not due"
        for each in route.breaks:
            before = route.stops[each.before].arrival if each.before < len(route.stops) else 0
            if each.begin < before:
                yield "a break on the way"
        for one, other in pairwise(sorted(route.breaks, key=lambda each: each.begin)):
            if other.begin < one.end:
                yield "two breaks at once"

    def _check_sums(self) -> Iterator[str]:
        route, shift = self._route, self._shift
        last = route.stops[-1] if route.stops else None
        place = (None, 0) if last is None else (last.point, self._visit(last).setup)
        time, length = self._way(place, (shift.end, 0))
        if route.distance != sum(stop.distance for stop in route.stops) + (length or 0):
            yield "the distance is not the sum of the legs"
        if route.drive != sum(stop.drive for stop in route.stops) + (time or 0):
            yield "the driving time is not the sum of the legs"
        exact = (shift.cost_hour * route.duration / 3600) + (shift.cost_km * route.distance / 1000)
        if abs(route.cost - shift.cost_fixed - exact) > 1:
            yield "the cost is wrong"
