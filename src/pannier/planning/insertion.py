"""The best places to insert a job into routes, all of them at once.

What a route becomes by an insertion follows from segments that the route keeps, in constant time.
All positions lie in arrays: first those at which the first leg is possible, then those of the last.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pannier.planning.model import DIMENSIONS, Flags, Model, Numbers
from pannier.planning.routes import DraftRoute, Objective, build_route
from pannier.planning.segments import Segment, merge

# Routes of which the best position is tried, because a break can still make it impossible.
MAX_TRIES: Final = 3
LEAVES, ENTERS, LENGTHS = 6, 7, 8


class Insertion(NamedTuple):
    """A route with a job inserted, the route before, and what that costs."""

    cost: float
    before: DraftRoute
    after: DraftRoute


class Candidates(NamedTuple):
    """Where a job is possible: the ways into which its legs go, and what that costs."""

    first: Numbers
    last: Numbers
    costs: npt.NDArray[np.float64]


class Positions:
    """All ways of some routes, and what inserting a job there costs."""

    def __init__(self, model: Model, objective: Objective, routes: Sequence[DraftRoute]) -> None:
        self._model, self._objective, self._routes = model, objective, routes
        counts = np.array([len(route.legs) + 1 for route in routes])
        numbers = np.arange(len(routes))
        self._table = np.concatenate([route.positions for route in routes], axis=1)
        # The route of each way, and its number there.
        self._numbers = np.repeat(numbers, counts)
        starts = np.cumsum(counts) - counts
        self._indices = np.arange(len(self._numbers)) - starts[self._numbers]
        self._shifts = np.array([route.shift for route in routes])[self._numbers]
        self._profiles = model.shift_profiles[self._shifts]
        # The segments between all nodes of each route, one route after the other.
        self._between = np.concatenate(
            [route.between[:3].reshape(3, -1) for route in routes], axis=1
        )
        self._peaks = (
            np.concatenate([route.peaks.reshape(DIMENSIONS, -1) for route in routes], axis=1)
            if model.dimensions
            else np.zeros((DIMENSIONS, 0), dtype=np.int64)
        )
        sizes = (counts + 1) ** 2
        self._between_starts = np.cumsum(sizes) - sizes
        self._peak_starts = np.cumsum(counts**2) - counts**2
        self._counts = counts

    def find_candidates(self, job: int) -> Candidates:
        """Find all positions at which a job is possible."""
        first, last = self._model.job_legs[job]
        allowed = self._model.allowed[job, self._shifts]
        if first == last:
            at = np.flatnonzero(allowed)
            at = at[self._has_capacity(job, at, at)]
            return self._price_single(first, at)
        # Each leg alone must be possible at its position, which leaves few pairs.
        at = self._find_tails(first, np.flatnonzero(allowed))
        heads, begins = self._join_heads(first, at)
        _, ends = self._join_heads(last, self._find_tails(last, np.flatnonzero(allowed)))
        pairs = np.nonzero(
            (self._numbers[begins][:, None] == self._numbers[ends][None, :])
            & (begins[:, None] <= ends[None, :])
        )
        begin, end = begins[pairs[0]], ends[pairs[1]]
        chosen = np.flatnonzero(self._has_capacity(job, begin, end))
        heads = heads.take(pairs[0][chosen])
        return self._price_pairs(first, last, heads, begin[chosen], end[chosen])

    def _has_capacity(self, job: int, begin: Numbers, end: Numbers) -> Flags:
        """Return at which pairs of positions the vehicle can carry the job."""
        possible = np.ones(len(begin), dtype=bool)
        loads, numbers = self._model.loads[job], self._numbers[begin]
        starts, counts = self._peak_starts[numbers], self._counts[numbers]
        first, last = self._indices[begin], self._indices[end]
        for dimension in self._model.dimensions:
            room = self._model.capacities[self._shifts[begin], dimension]
            peaks = self._peaks[dimension]
            for amount, row, column in (
                (loads.before, 0, first),
                (loads.between, first, last),
                (loads.after, last, counts - 1),
            ):
                if amount[dimension]:
                    possible &= peaks[starts + row * counts + column] + amount[dimension] <= room
        return possible

    def _join_heads(self, leg: int, at: Numbers) -> tuple[Segment, Numbers]:
        """Join what is before each position with a leg; return where that is possible."""
        table, profiles = self._table[:, at], self._profiles[at]
        way = self._model.times[profiles, table[LEAVES], self._model.first_places[leg]]
        heads = merge(Segment(*table[0:3]), way, self._gather(leg, profiles))
        chosen = np.flatnonzero(~heads.is_broken)
        return heads.take(chosen), at[chosen]

    def _find_tails(self, leg: int, at: Numbers) -> Numbers:
        """Find the positions at which a leg can come before the rest of the route."""
        table, profiles = self._table[:, at], self._profiles[at]
        way = self._model.times[profiles, self._model.last_places[leg], table[ENTERS]]
        tails = merge(self._gather(leg, profiles), way, Segment(*table[3:6]))
        possible: Numbers = at[~tails.is_broken]
        return possible

    def _price_single(self, leg: int, at: Numbers) -> Candidates:
        """Price the positions of a job of one leg."""
        heads, at = self._join_heads(leg, at)
        table, profiles = self._table[:, at], self._profiles[at]
        model = self._model
        way = profiles, model.last_places[leg], table[ENTERS]
        whole = merge(heads, model.times[way], Segment(*table[3:6]))
        added = (
            model.distances[profiles, table[LEAVES], model.first_places[leg]]
            + model.leg_distances[profiles, leg]
            + model.distances[way]
            - table[LENGTHS]
        )
        return self._to_candidates(at, at, whole, added)

    def _price_pairs(
        self, first: int, last: int, heads: Segment, begin: Numbers, end: Numbers
    ) -> Candidates:
        """Price pairs of positions, given what is before and including the first leg."""
        model, profiles, numbers = self._model, self._profiles[begin], self._numbers[begin]
        leaves, enters = model.last_places[first], model.first_places[last]
        is_same = begin == end
        # What lies between the legs, unless they follow each other.
        widths = self._counts[numbers] + 1
        row = np.minimum(self._indices[begin] + 1, self._indices[end])
        middle = self._between[:, self._between_starts[numbers] + row * widths + self._indices[end]]
        way = profiles, leaves, self._table[ENTERS, begin]
        passed = merge(heads, model.times[way], Segment(*middle))
        heads = Segment(
            np.where(is_same, heads.duration, passed.duration),
            np.where(is_same, heads.early, passed.early),
            np.where(is_same, heads.late, passed.late),
            ~is_same & passed.is_broken,
        )
        leave = np.where(is_same, leaves, self._table[LEAVES, end])
        heads = merge(heads, model.times[profiles, leave, enters], self._gather(last, profiles))
        rest = profiles, model.last_places[last], self._table[ENTERS, end]
        whole = merge(heads, model.times[rest], Segment(*self._table[3:6, end]))
        added = (
            model.distances[profiles, self._table[LEAVES, begin], model.first_places[first]]
            + model.leg_distances[profiles, first]
            + np.where(is_same, 0, model.distances[way] - self._table[LENGTHS, begin])
            + model.distances[profiles, leave, enters]
            + model.leg_distances[profiles, last]
            + model.distances[rest]
            - self._table[LENGTHS, end]
        )
        return self._to_candidates(begin, end, whole, added)

    def _to_candidates(
        self, begin: Numbers, end: Numbers, whole: Segment, added: Numbers
    ) -> Candidates:
        chosen = np.flatnonzero(~whole.is_broken)
        begin, end, duration = begin[chosen], end[chosen], whole.duration[chosen]
        numbers, shifts, objective = self._numbers[begin], self._shifts[begin], self._objective
        distances = np.array([route.distance for route in self._routes])[numbers] + added[chosen]
        prices = np.array([route.price for route in self._routes])[numbers]
        costs = (
            objective.fixed[shifts]
            + objective.second[shifts] * duration
            + objective.metre[shifts] * distances
            + objective.square * duration * duration
            - prices
        )
        return Candidates(begin, end, costs)

    def _gather(self, leg: int, profiles: Numbers) -> Segment:
        """Return the segment of a leg for each position's profile."""
        rows = [segments[leg] for segments in self._model.leg_segments]
        if len(rows) == 1:
            return rows[0]
        fields = np.array(rows, dtype=np.int64)[profiles].T
        return Segment(fields[0], fields[1], fields[2], fields[3].astype(bool))

    def find_best(self, job: int, found: Candidates) -> Insertion | None:
        """Find the cheapest insertion among candidates, or None if there is none."""
        costs = found.costs
        for _ in range(MAX_TRIES):
            if not len(costs) or costs[best := int(np.argmin(costs))] == np.inf:
                return None
            insertion = self._insert(job, int(found.first[best]), int(found.last[best]))
            if insertion is not None:
                return insertion
            same = self._numbers[found.first] == self._numbers[found.first[best]]
            costs = np.where(same, np.inf, costs)
        return None

    def find_best_of_each(self, job: int) -> list[Insertion]:
        """Find the cheapest insertion into each route, cheapest first."""
        found, best = self.find_candidates(job), []
        numbers = self._numbers[found.first]
        for number in np.unique(numbers):
            columns = np.flatnonzero(numbers == number)
            chosen = columns[np.argmin(found.costs[columns])]
            insertion = self._insert(job, int(found.first[chosen]), int(found.last[chosen]))
            if insertion is not None:
                best.append(insertion)
        return sorted(best, key=lambda each: each.cost)

    def _insert(self, job: int, begin: int, end: int) -> Insertion | None:
        """Insert a job at a position, or return None if no break fits any more."""
        before = self._routes[int(self._numbers[begin])]
        legs = list(before.legs)
        first, last = self._model.job_legs[job]
        if first != last:
            legs.insert(int(self._indices[end]), last)
        legs.insert(int(self._indices[begin]), first)
        after = build_route(self._model, self._objective, before.shift, legs)
        if not after.is_feasible:
            return None
        return Insertion(after.price - before.price, before, after)
