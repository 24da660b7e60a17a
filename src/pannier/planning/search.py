"""The search: remove neighbouring jobs from a few routes and insert them where they cost less.

The method is *slack induction by string removals* (Christiaens and Vanden Berghe, 2020): strings of
stops near each other are removed, jobs are inserted greedily with a few positions overlooked, and
simulated annealing decides whether to go on from the result. All routes are feasible at all times.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Final, NamedTuple

import numpy as np

from pannier.planning.insertion import Candidates, Positions
from pannier.planning.model import Model, Numbers
from pannier.planning.routes import DraftRoute, Objective, build_route

# Jobs removed in one step on average, and the longest string.
MEAN_REMOVED: Final = 10
MAX_STRING: Final = 10
# Share of positions that an insertion overlooks.
BLINK_SHARE: Final = 0.01
# Neighbours of a job that a step looks at.
MAX_NEIGHBOURS: Final = 100
# Share of steps that remove a whole route, to save a vehicle.
EMPTYING_SHARE: Final = 0.05
# Temperatures of the annealing, as shares of the average cost of a job.
FIRST_TEMPERATURE, LAST_TEMPERATURE = 0.2, 0.002

# Costs are sums of floats.
SMALLEST_GAIN: Final = 1e-6
# What it costs to leave out a job: more than any route. Each priority counts fourfold.
LEFT_OUT_COST: Final = 1e9


class DraftPlan(NamedTuple):
    """A route of each shift in their order, and the jobs that are in none."""

    routes: tuple[DraftRoute, ...]
    left_out: tuple[int, ...]
    cost: float


# Is given the best draft so far, and returns which share of the work is done. It may raise.
GetProgress = Callable[[DraftPlan], float]


class Search:
    """A search on one model. `choose` is its source of chance."""

    def __init__(self, model: Model, choose: Random) -> None:
        self.model, self._choose = model, choose
        self.objective = Objective(model)
        jobs = model.problem.jobs
        self._left_out_costs = [LEFT_OUT_COST * 4.0 ** min(job.priority, 9) for job in jobs]
        self._neighbours = list_neighbours(model)
        self._sizes = [float(loads.between.sum()) for loads in model.loads]
        self._opens = [job.visits[-1].opens for job in jobs]
        self._widths = [min(visit.closes - visit.opens for visit in job.visits) for job in jobs]

    def to_draft(self, routes: Iterable[DraftRoute], left_out: Iterable[int]) -> DraftPlan:
        """Return the draft of routes with its cost."""
        all_routes, others = tuple(routes), tuple(left_out)
        cost = sum(route.price for route in all_routes)
        return DraftPlan(
            all_routes, others, cost + sum(self._left_out_costs[job] for job in others)
        )

    def make_empty(self) -> DraftPlan:
        """Return the draft in which nobody does anything."""
        count = len(self.model.problem.shifts)
        routes = [DraftRoute(self.model, self.objective, shift) for shift in range(count)]
        return self.to_draft(routes, range(len(self.model.problem.jobs)))

    def list_present(self) -> list[list[int]]:
        """Return the legs of each shift at present: those of each job in turn."""
        model = self.model
        jobs = {job.key: number for number, job in enumerate(model.problem.jobs)}
        rows = {route.shift: route.jobs for route in model.problem.present}
        return [
            [leg for key in rows.get(shift.key, ()) for leg in model.list_job_legs(jobs[key])]
            for shift in model.problem.shifts
        ]

    def read(self, rows: Sequence[Sequence[int]]) -> DraftPlan:
        """Return the draft of given legs in their order, without the jobs that do not fit."""
        routes, left = list(self.make_empty().routes), set(range(len(self.model.problem.jobs)))
        for shift, legs in enumerate(rows):
            route = build_route(self.model, self.objective, shift, legs)
            if not route.is_feasible or not self.model.allowed[route.jobs, shift].all():
                route = self._drop_misfits(shift, legs)
            routes[shift] = route
            left -= set(route.jobs)
        return self.to_draft(routes, sorted(left))

    def _drop_misfits(self, shift: int, legs: Sequence[int]) -> DraftRoute:
        """Build a route of the legs in their order, leaving out jobs that do not fit."""
        route = build_route(self.model, self.objective, shift, ())
        for job in dict.fromkeys(self.model.leg_jobs[leg] for leg in legs):
            chosen = {*route.jobs, job}
            kept = [leg for leg in legs if self.model.leg_jobs[leg] in chosen]
            longer = build_route(self.model, self.objective, shift, kept)
            if longer.is_feasible and self.model.allowed[job, shift]:
                route = longer
        return route

    def complete(self, start: DraftPlan) -> DraftPlan:
        """Insert the jobs that are left out wherever they fit, those of high priority first."""
        jobs = sorted(
            start.left_out,
            key=lambda job: (-self._left_out_costs[job], self._widths[job], self._opens[job]),
        )
        return self._insert_all(list(start.routes), jobs, blinks=False)

    def improve(self, start: DraftPlan, get_progress: GetProgress) -> DraftPlan:
        """Improve a draft until the progress reaches 1; never return a worse one."""
        best = current = start
        scale = sum(route.price for route in start.routes) / max(1, len(self._sizes))
        while (progress := get_progress(best)) < 1:
            cooling = (LAST_TEMPERATURE / FIRST_TEMPERATURE) ** progress
            candidate = self._step(current)
            luck = -math.log(1 - self._choose.random())
            if candidate.cost < current.cost + scale * FIRST_TEMPERATURE * cooling * luck:
                current = candidate
            if candidate.cost < best.cost - SMALLEST_GAIN:
                best = candidate
        return best

    def _step(self, current: DraftPlan) -> DraftPlan:
        """Remove some jobs and insert them again, together with those that are left out."""
        routes = list(current.routes)
        emptying = self._choose.random() < EMPTYING_SHARE
        removed = self._empty_one(routes) if emptying else self._remove_strings(routes)
        jobs = [*removed, *self._choose_left_out(current.left_out)]
        others = [job for job in current.left_out if job not in set(jobs)]
        self._sort(jobs)
        inserted = self._insert_all(routes, jobs, blinks=True)
        return self.to_draft(inserted.routes, (*inserted.left_out, *others))

    def _choose_left_out(self, left_out: Sequence[int]) -> list[int]:
        """Choose which of the jobs that are left out to try again."""
        if len(left_out) <= MEAN_REMOVED:
            return list(left_out)
        return self._choose.sample(left_out, MEAN_REMOVED)

    def _empty_one(self, routes: list[DraftRoute]) -> list[int]:
        """Empty a route, preferably a short one."""
        used = [number for number, route in enumerate(routes) if route.legs]
        shorter = sorted(
            self._choose.sample(used, min(3, len(used))), key=lambda at: len(routes[at].legs)
        )
        return self._remove(routes, shorter[0], set(routes[shorter[0]].jobs)) if shorter else []

    def _remove_strings(self, routes: list[DraftRoute]) -> list[int]:
        """Remove a string of jobs from each of several neighbouring routes."""
        used = [route for route in routes if route.legs]
        if not used:
            return []
        mean_length = sum(len(route.jobs) for route in used) / len(used)
        longest = min(float(MAX_STRING), mean_length)
        most_strings = max(1.0, 4 * MEAN_REMOVED / (1 + longest) - 1)
        strings = int(self._choose.uniform(1, most_strings + 1))
        homes = {job: at for at, route in enumerate(routes) for job in route.jobs}
        seed = self._choose.choice(sorted(homes))
        removed: list[int] = []
        ruined: set[int] = set()
        for job in (seed, *self._neighbours[seed]):
            at = homes.get(job)
            if at is None or at in ruined:
                continue
            if len(ruined) == strings:
                break
            length = int(self._choose.uniform(1, min(longest, len(routes[at].jobs)) + 1))
            removed += self._remove(routes, at, self._choose_string(routes[at], job, length))
            ruined.add(at)
        return removed

    def _choose_string(self, route: DraftRoute, job: int, length: int) -> set[int]:
        """Choose this number of jobs around a job on its route."""
        jobs = route.jobs
        place = jobs.index(job)
        first = self._choose.randint(max(0, place - length + 1), min(place, len(jobs) - length))
        return set(jobs[first : first + length])

    def _remove(self, routes: list[DraftRoute], at: int, jobs: set[int]) -> list[int]:
        """Remove jobs from a route. If it can then not keep its breaks, remove all."""
        legs = [leg for leg in routes[at].legs if self.model.leg_jobs[leg] not in jobs]
        shorter = build_route(self.model, self.objective, routes[at].shift, legs)
        if not shorter.is_feasible:
            jobs = set(routes[at].jobs)
            shorter = build_route(self.model, self.objective, routes[at].shift, ())
        routes[at] = shorter
        return sorted(jobs)

    def _sort(self, jobs: list[int]) -> None:
        """Choose the order in which jobs are inserted."""
        choose = self._choose
        choose.shuffle(jobs)
        keys: tuple[Sequence[float], ...] = (
            self._sizes, self._widths, self._opens, self._left_out_costs,
        )  # fmt: skip
        weights = (2, 2, 1, 1, 4)
        number = choose.choices(range(len(weights)), weights)[0]
        if number < len(keys):
            jobs.sort(key=keys[number].__getitem__, reverse=number in {0, 3})

    def _insert_all(
        self, routes: list[DraftRoute], jobs: Sequence[int], *, blinks: bool
    ) -> DraftPlan:
        """Insert jobs one after the other where each costs least at that time."""
        if not routes:
            return self.to_draft(routes, jobs)
        left_out = []
        for job in jobs:
            positions = Positions(self.model, self.objective, routes)
            candidates = positions.find_candidates(job)
            if blinks and len(candidates.costs):
                candidates = self._overlook(candidates)
            found = positions.find_best(job, candidates)
            if found is None:
                left_out.append(job)
            else:
                routes[found.before.shift] = found.after
        return self.to_draft(routes, left_out)

    def _overlook(self, candidates: Candidates) -> Candidates:
        """Overlook a few candidates, so that the next insertion is not always the cheapest."""
        count = len(candidates.costs) * BLINK_SHARE + self._choose.random()
        costs = candidates.costs.copy()
        costs[[self._choose.randrange(len(costs)) for _ in range(int(count))]] = np.inf
        return candidates._replace(costs=costs)


def list_neighbours(model: Model) -> list[Numbers]:
    """List the nearest jobs of each job, by the places of their last legs."""
    places = [int(model.first_places[last]) for _, last in model.job_legs]
    times = model.times[0][np.ix_(places, places)] if places else np.zeros((0, 0), dtype=np.int64)
    nearness = times + times.T
    return [row[:MAX_NEIGHBOURS] for row in np.argsort(nearness, axis=1, kind="stable")]
