"""The search: remove neighbouring jobs from a few routes and insert them where they cost less.

The method is *slack induction by string removals* (Christiaens and Vanden Berghe, 2020): strings of
stops near each other are removed, jobs are inserted greedily with a few positions overlooked, and
simulated annealing decides whether to continue from the result. All routes are always feasible.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Final, NamedTuple

import numpy as np

from pannier.planning.insertion import Candidates, Positions
from pannier.planning.model import Model, Numbers
from pannier.planning.routes import DraftRoute, Objective, build_route

# The average number of jobs removed in one step, and the longest string.
MEAN_REMOVED: Final = 10
MAX_STRING: Final = 10
# Share of positions that an insertion overlooks, called "blinks" in the paper.
BLINK_SHARE: Final = 0.01
# Neighbours of a job that a step considers.
MAX_NEIGHBOURS: Final = 100
# Share of steps that remove a whole route, to save a vehicle.
EMPTYING_SHARE: Final = 0.05
# Temperatures of the annealing, as shares of the average cost of a job.
FIRST_TEMPERATURE, LAST_TEMPERATURE = 0.2, 0.002

# Smaller gains are rounding errors of floats.
SMALLEST_GAIN: Final = 1e-6
# The cost of leaving out a job: more than any route. Each priority multiplies it by four.
LEFT_OUT_COST: Final = 1e9


class DraftPlan(NamedTuple):
    """One route for each shift, in the order of the shifts, and the jobs that are left out."""

    routes: tuple[DraftRoute, ...]
    left_out: tuple[int, ...]
    cost: float


# Takes the best draft so far and returns the share of the work that is done. It may raise.
GetProgress = Callable[[DraftPlan], float]


class Search:
    """A search on one model. Equal random generators give equal results."""

    def __init__(self, model: Model, random: Random) -> None:
        self.model, self._random = model, random
        self.objective = Objective(model)
        jobs = model.problem.jobs
        self._left_out_costs = [LEFT_OUT_COST * 4.0 ** min(job.priority, 9) for job in jobs]
        self._neighbours = list_neighbours(model)
        self._sizes = [float(loads.peak.sum()) for loads in model.loads]
        self._opens = [job.visits[-1].opens for job in jobs]
        self._widths = [min(visit.closes - visit.opens for visit in job.visits) for job in jobs]

    def to_draft(self, routes: Iterable[DraftRoute], left_out: Iterable[int]) -> DraftPlan:
        """Return the draft of routes with its cost."""
        draft_routes, left_out_jobs = tuple(routes), tuple(left_out)
        cost = sum(route.price for route in draft_routes)
        left_out_cost = sum(self._left_out_costs[job] for job in left_out_jobs)
        return DraftPlan(draft_routes, left_out_jobs, cost + left_out_cost)

    def make_empty_draft(self) -> DraftPlan:
        """Return the draft that leaves out all jobs."""
        count = len(self.model.problem.shifts)
        routes = [DraftRoute(self.model, self.objective, shift) for shift in range(count)]
        return self.to_draft(routes, range(len(self.model.problem.jobs)))

    def list_present_legs(self) -> list[list[int]]:
        """List the legs of each shift's present route, job after job."""
        model = self.model
        jobs = {job.key: number for number, job in enumerate(model.problem.jobs)}
        rows = {route.shift: route.jobs for route in model.problem.present}
        return [
            [leg for key in rows.get(shift.key, ()) for leg in model.list_job_legs(jobs[key])]
            for shift in model.problem.shifts
        ]

    def build_draft(self, rows: Sequence[Sequence[int]]) -> DraftPlan:
        """Build a draft from the legs of each shift, without the jobs that do not fit."""
        routes, left_out = (
            list(self.make_empty_draft().routes),
            set(range(len(self.model.problem.jobs))),
        )
        for shift, legs in enumerate(rows):
            route = build_route(self.model, self.objective, shift, legs)
            if not route.is_feasible or not self.model.allowed_shifts[route.jobs, shift].all():
                route = self._drop_misfits(shift, legs)
            routes[shift] = route
            left_out -= set(route.jobs)
        return self.to_draft(routes, sorted(left_out))

    def _drop_misfits(self, shift: int, legs: Sequence[int]) -> DraftRoute:
        """Build a route from legs in their order, without the jobs that do not fit."""
        route = build_route(self.model, self.objective, shift, ())
        for job in dict.fromkeys(self.model.leg_jobs[leg] for leg in legs):
            jobs = {*route.jobs, job}
            job_legs = [leg for leg in legs if self.model.leg_jobs[leg] in jobs]
            longer_route = build_route(self.model, self.objective, shift, job_legs)
            if longer_route.is_feasible and self.model.allowed_shifts[job, shift]:
                route = longer_route
        return route

    def insert_left_out(self, start: DraftPlan) -> DraftPlan:
        """Insert the left-out jobs where they fit, high priorities first."""
        jobs = sorted(
            start.left_out,
            key=lambda job: (-self._left_out_costs[job], self._widths[job], self._opens[job]),
        )
        return self._insert_jobs(list(start.routes), jobs, blinks=False)

    def improve(self, start: DraftPlan, get_progress: GetProgress) -> DraftPlan:
        """Improve a draft until the progress reaches 1; never return a worse one."""
        best_draft = current_draft = start
        scale = sum(route.price for route in start.routes) / max(1, len(self._sizes))
        while (progress := get_progress(best_draft)) < 1:
            cooling = (LAST_TEMPERATURE / FIRST_TEMPERATURE) ** progress
            candidate = self._reinsert_jobs(current_draft)
            chance = -math.log(1 - self._random.random())
            if candidate.cost < current_draft.cost + scale * FIRST_TEMPERATURE * cooling * chance:
                current_draft = candidate
            if candidate.cost < best_draft.cost - SMALLEST_GAIN:
                best_draft = candidate
        return best_draft

    def _reinsert_jobs(self, current_draft: DraftPlan) -> DraftPlan:
        """Remove some jobs and insert them again, together with left-out jobs."""
        routes = list(current_draft.routes)
        empties_route = self._random.random() < EMPTYING_SHARE
        removed_jobs = self._empty_route(routes) if empties_route else self._remove_strings(routes)
        jobs = [*removed_jobs, *self._choose_left_out(current_draft.left_out)]
        skipped_jobs = [job for job in current_draft.left_out if job not in set(jobs)]
        self._sort_jobs(jobs)
        draft = self._insert_jobs(routes, jobs, blinks=True)
        return self.to_draft(draft.routes, (*draft.left_out, *skipped_jobs))

    def _choose_left_out(self, left_out: Sequence[int]) -> list[int]:
        """Choose the left-out jobs to try again."""
        if len(left_out) <= MEAN_REMOVED:
            return list(left_out)
        return self._random.sample(left_out, MEAN_REMOVED)

    def _empty_route(self, routes: list[DraftRoute]) -> list[int]:
        """Empty a route, preferably a short one, and return its jobs."""
        used_shifts = [shift for shift, route in enumerate(routes) if route.legs]
        if not used_shifts:
            return []
        sample = self._random.sample(used_shifts, min(3, len(used_shifts)))
        shortest = min(sample, key=lambda shift: len(routes[shift].legs))
        return self._remove_jobs(routes, shortest, set(routes[shortest].jobs))

    def _remove_strings(self, routes: list[DraftRoute]) -> list[int]:
        """Remove a string of jobs from each of several neighbouring routes."""
        used_routes = [route for route in routes if route.legs]
        if not used_routes:
            return []
        mean_length = sum(len(route.jobs) for route in used_routes) / len(used_routes)
        max_length = min(float(MAX_STRING), mean_length)
        max_strings = max(1.0, 4 * MEAN_REMOVED / (1 + max_length) - 1)
        string_count = int(self._random.uniform(1, max_strings + 1))
        job_shifts = {job: shift for shift, route in enumerate(routes) for job in route.jobs}
        seed_job = self._random.choice(sorted(job_shifts))
        removed_jobs: list[int] = []
        changed_shifts: set[int] = set()
        for job in (seed_job, *self._neighbours[seed_job]):
            shift = job_shifts.get(job)
            if shift is None or shift in changed_shifts:
                continue
            if len(changed_shifts) == string_count:
                break
            route = routes[shift]
            length = int(self._random.uniform(1, min(max_length, len(route.jobs)) + 1))
            removed_jobs += self._remove_jobs(
                routes, shift, self._choose_string(route, job, length)
            )
            changed_shifts.add(shift)
        return removed_jobs

    def _choose_string(self, route: DraftRoute, job: int, length: int) -> set[int]:
        """Choose a string of jobs that includes a job of the route."""
        jobs = route.jobs
        index = jobs.index(job)
        first = self._random.randint(max(0, index - length + 1), min(index, len(jobs) - length))
        return set(jobs[first : first + length])

    def _remove_jobs(self, routes: list[DraftRoute], shift: int, jobs: set[int]) -> list[int]:
        """Remove jobs from a shift's route. If its breaks no longer fit, remove all its jobs."""
        legs = [leg for leg in routes[shift].legs if self.model.leg_jobs[leg] not in jobs]
        shorter_route = build_route(self.model, self.objective, shift, legs)
        if not shorter_route.is_feasible:
            jobs = set(routes[shift].jobs)
            shorter_route = build_route(self.model, self.objective, shift, ())
        routes[shift] = shorter_route
        return sorted(jobs)

    def _sort_jobs(self, jobs: list[int]) -> None:
        """Sort jobs for insertion: at random, or by a random one of several keys."""
        random = self._random
        random.shuffle(jobs)
        keys: tuple[Sequence[float], ...] = (
            self._sizes, self._widths, self._opens, self._left_out_costs,
        )  # fmt: skip
        weights = (2, 2, 1, 1, 4)
        number = random.choices(range(len(weights)), weights)[0]
        if number < len(keys):
            jobs.sort(key=keys[number].__getitem__, reverse=number in {0, 3})

    def _insert_jobs(
        self, routes: list[DraftRoute], jobs: Sequence[int], *, blinks: bool
    ) -> DraftPlan:
        """Insert jobs one after the other, each where it costs least."""
        if not routes:
            return self.to_draft(routes, jobs)
        left_out = []
        for job in jobs:
            positions = Positions(self.model, self.objective, routes)
            candidates = positions.find_candidates(job)
            if blinks and len(candidates.costs):
                candidates = self._overlook_candidates(candidates)
            insertion = positions.find_best(job, candidates)
            if insertion is None:
                left_out.append(job)
            else:
                routes[insertion.old_route.shift] = insertion.new_route
        return self.to_draft(routes, left_out)

    def _overlook_candidates(self, candidates: Candidates) -> Candidates:
        """Overlook a few candidates at random, so that the cheapest one does not always win."""
        count = len(candidates.costs) * BLINK_SHARE + self._random.random()
        costs = candidates.costs.copy()
        costs[[self._random.randrange(len(costs)) for _ in range(int(count))]] = np.inf
        return candidates._replace(costs=costs)


def list_neighbours(model: Model) -> list[Numbers]:
    """List the nearest jobs of each job, by the places of their last legs."""
    places = [int(model.first_places[last]) for _, last in model.job_legs]
    times = model.times[0][np.ix_(places, places)] if places else np.zeros((0, 0), dtype=np.int64)
    nearness = times + times.T
    return [row[:MAX_NEIGHBOURS] for row in np.argsort(nearness, axis=1, kind="stable")]
