"""An independent check of a plan, which shares no code with the search.

It follows each route from stop to stop by the plan's times, and lists all violations. The worker
checks every plan before it stores it.
"""

from collections.abc import Iterator
from itertools import pairwise

from pannier.planning.plan import Plan, PlannedBreak, PlannedRoute, PlannedStop
from pannier.planning.problem import PlanJob, PlanningProblem, PlanShift, Visit


def list_faults(problem: PlanningProblem, plan: Plan) -> list[str]:
    """List the faults of a plan. A correct plan has none."""
    jobs = {job.key: job for job in problem.jobs}
    shifts = {shift.key: shift for shift in problem.shifts}
    faults = list(_check_assignment(problem, plan))
    for route in plan.routes:
        if route.shift not in shifts:
            faults.append(f"unknown shift {route.shift}")
            continue
        checker = _RouteCheck(problem, shifts[route.shift], jobs, route)
        faults += [f"{route.shift}: {fault}" for fault in checker.list_faults()]
    return faults


def _check_assignment(problem: PlanningProblem, plan: Plan) -> Iterator[str]:
    """Check that every job is in one route or left out, and every shift has at most one route."""
    assigned_jobs = [job for route in plan.routes for job in {stop.job for stop in route.stops}]
    all_jobs = sorted([*assigned_jobs, *(left_out.job for left_out in plan.left_out)])
    if all_jobs != sorted(job.key for job in problem.jobs):
        yield "a job is missing, unknown or duplicate"
    shifts = [route.shift for route in plan.routes]
    if len(set(shifts)) < len(shifts):
        yield "a shift has two routes"


class _RouteCheck:
    """Checks one route."""

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
        job_keys = {stop.job for stop in route.stops}
        if not job_keys <= self._jobs.keys():
            yield "unknown job"
            return
        for key in sorted(job_keys):
            yield from self._check_job(self._jobs[key])
        if not shift.opens <= route.start <= route.end <= shift.closes:
            yield "work outside the shift"
        yield from self._check_loads()
        yield from self._check_times()
        yield from self._check_breaks()
        yield from self._check_sums()

    def _check_job(self, job: PlanJob) -> Iterator[str]:
        """Check that the shift may do the job, and that each visit occurs once and in order."""
        if job.shift not in {None, self._shift.key}:
            yield f"{job.key} is fixed to another shift"
        if not job.skills <= self._shift.skills:
            yield f"{job.key} needs other skills"
        visits = [stop.visit for stop in self._route.stops if stop.job == job.key]
        if visits != [visit.key for visit in job.visits]:
            yield f"{job.key} does not have each visit once and in order"

    def _find_visit(self, stop: PlannedStop) -> Visit:
        return next(visit for visit in self._jobs[stop.job].visits if visit.key == stop.visit)

    def _check_loads(self) -> Iterator[str]:
        """Check the loads. Goods without a pickup are on board from the start."""
        stops = self._route.stops
        for number, capacity in enumerate(self._shift.capacity):
            load = 0
            for key in {stop.job for stop in stops}:
                load += self._compute_initial_load(self._jobs[key], number)
            loads = [load]
            for stop in stops:
                amount = self._find_visit(stop).loads[number]
                load += amount if stop.kind == "pickup" else -amount
                loads.append(load)
                if stop.loads[number] != load:
                    yield f"{stop.visit} has a wrong load"
            if capacity is not None and max(loads) > capacity:
                yield f"load {number} exceeds the capacity"

    @staticmethod
    def _compute_initial_load(job: PlanJob, number: int) -> int:
        """Compute the load that a job has on board from the start."""
        load = lowest_load = 0
        for visit in job.visits:
            load += visit.loads[number] if visit.kind == "pickup" else -visit.loads[number]
            lowest_load = min(lowest_load, load)
        return -lowest_load

    def _check_times(self) -> Iterator[str]:
        """Check that drives take as long as the roads require, and that time windows are kept."""
        clock, place = self._route.start, (self._shift.start, 0)
        for number, stop in enumerate(self._route.stops):
            visit = self._find_visit(stop)
            time, distance = self._measure_drive(place, (visit.point, visit.setup))
            if time is None or stop.arrival != clock + time or stop.drive != time:
                yield f"{stop.visit} has a wrong arrival or drive"
            if stop.distance != distance:
                yield f"{stop.visit} has a wrong distance"
            ready_times = [stop.arrival, *(pause.end for pause in self._list_breaks(number))]
            if stop.begin < max(ready_times) or not visit.opens <= stop.begin <= visit.closes:
                yield f"{stop.visit} begins outside its window"
            if stop.end != stop.begin + visit.service:
                yield f"{stop.visit} has a wrong duration"
            clock, place = stop.end, (visit.point, visit.setup)
        time, _ = self._measure_drive(place, (self._shift.end, 0))
        break_ends = [pause.end for pause in self._list_breaks(len(self._route.stops))]
        if time is None or self._route.end != max([clock + time, *break_ends]):
            yield "the route has a wrong end"

    def _measure_drive(
        self, place: tuple[int | None, int], next_place: tuple[int | None, int]
    ) -> tuple[int | None, int | None]:
        """Return the seconds and metres of a drive, with the set-up at its end."""
        (point, setup), (next_point, next_setup) = place, next_place
        if next_point is None:
            return 0, 0
        if point is None:
            return next_setup, 0
        time = self._roads.times[point][next_point]
        due_setup = max(next_setup - setup, 0) if point == next_point else next_setup
        return None if time is None else time + due_setup, self._roads.distances[point][next_point]

    def _list_breaks(self, number: int) -> list[PlannedBreak]:
        """List the breaks right before a stop, or before the end of the route."""
        return [pause for pause in self._route.breaks if pause.before == number]

    def _check_breaks(self) -> Iterator[str]:
        """Check that each due break is taken once, in its window and not during a drive."""
        route, extra_breaks = self._route, list(self._route.breaks)
        for pause in self._shift.breaks:
            matches = [
                extra_break
                for extra_break in extra_breaks
                if extra_break.end - extra_break.begin == pause.duration
                and pause.opens <= extra_break.begin <= pause.closes
            ]
            if matches:
                extra_breaks.remove(matches[0])
            elif route.start < pause.opens and route.end > pause.closes:
                yield "a break is missing"
        if extra_breaks:
            yield "a break is not due"
        for route_break in route.breaks:
            arrival = (
                route.stops[route_break.before].arrival
                if route_break.before < len(route.stops)
                else 0
            )
            if route_break.begin < arrival:
                yield "a break is during a drive"
        for earlier, later in pairwise(
            sorted(route.breaks, key=lambda route_break: route_break.begin)
        ):
            if later.begin < earlier.end:
                yield "two breaks overlap"

    def _check_sums(self) -> Iterator[str]:
        route, shift = self._route, self._shift
        last_stop = route.stops[-1] if route.stops else None
        place: tuple[int | None, int] = (None, 0)
        if last_stop is not None:
            place = (last_stop.point, self._find_visit(last_stop).setup)
        time, distance = self._measure_drive(place, (shift.end, 0))
        if route.distance != sum(stop.distance for stop in route.stops) + (distance or 0):
            yield "the distance is not the sum of the legs"
        if route.drive != sum(stop.drive for stop in route.stops) + (time or 0):
            yield "the driving time is not the sum of the legs"
        exact_cost = (shift.cost_hour * route.duration / 3600) + (
            shift.cost_km * route.distance / 1000
        )
        if abs(route.cost - shift.cost_fixed - exact_cost) > 1:
            yield "the cost is wrong"
