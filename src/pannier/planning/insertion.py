"""Finding the cheapest insertions of a job, in all edges of all routes at once.

The segments of a route give the effect of an insertion in constant time. A leg is inserted into an
edge. Edges are numbered through all routes, and an array has a value for each candidate.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pannier.planning.model import DIMENSIONS, Flags, Model, Numbers
from pannier.planning.routes import DraftRoute, Objective, build_route
from pannier.planning.segments import Segment, merge

# Routes that are tried with the job, because a break can still make an insertion impossible.
MAX_TRIES: Final = 3
# Rows of a route's table of edges.
ORIGIN_ROW, DESTINATION_ROW, DISTANCE_ROW = 6, 7, 8


class Insertion(NamedTuple):
    """A route before and after an insertion, and the cost of that."""

    cost: float
    old_route: DraftRoute
    new_route: DraftRoute


class Candidates(NamedTuple):
    """Possible insertions of a job: the edges for its first and last leg, and the costs."""

    first_edges: Numbers
    last_edges: Numbers
    costs: npt.NDArray[np.float64]


class Positions:
    """All edges of some routes, with the cost of inserting a job there."""

    def __init__(self, model: Model, objective: Objective, routes: Sequence[DraftRoute]) -> None:
        self._model, self._objective, self._routes = model, objective, routes
        counts = np.array([len(route.legs) + 1 for route in routes])
        numbers = np.arange(len(routes))
        self._table = np.concatenate([route.edge_table for route in routes], axis=1)
        # The route of each edge, and the edge's index in that route.
        self._numbers = np.repeat(numbers, counts)
        starts = np.cumsum(counts) - counts
        self._indices = np.arange(len(self._numbers)) - starts[self._numbers]
        self._shifts = np.array([route.shift for route in routes])[self._numbers]
        self._profiles = model.shift_profiles[self._shifts]
        # The segments between all nodes of each route, one route after the other.
        self._spans = np.concatenate([route.spans[:3].reshape(3, -1) for route in routes], axis=1)
        self._peaks = (
            np.concatenate([route.peaks.reshape(DIMENSIONS, -1) for route in routes], axis=1)
            if model.dimensions
            else np.zeros((DIMENSIONS, 0), dtype=np.int64)
        )
        sizes = (counts + 1) ** 2
        self._span_starts = np.cumsum(sizes) - sizes
        self._peak_starts = np.cumsum(counts**2) - counts**2
        self._counts = counts

    def find_candidates(self, job: int) -> Candidates:
        """Find all edges into which a job can be inserted."""
        first_leg, last_leg = self._model.job_legs[job]
        edges = np.flatnonzero(self._model.allowed_shifts[job, self._shifts])
        if first_leg == last_leg:
            edges = edges[self._has_capacity(job, edges, edges)]
            return self._price_single_leg(first_leg, edges)
        # Each leg alone must be possible in its edge, which leaves few pairs.
        heads, first_edges = self._join_heads(first_leg, self._filter_by_tails(first_leg, edges))
        _, last_edges = self._join_heads(last_leg, self._filter_by_tails(last_leg, edges))
        pairs = np.nonzero(
            (self._numbers[first_edges][:, None] == self._numbers[last_edges][None, :])
            & (first_edges[:, None] <= last_edges[None, :])
        )
        first_edges, last_edges = first_edges[pairs[0]], last_edges[pairs[1]]
        indices = np.flatnonzero(self._has_capacity(job, first_edges, last_edges))
        heads = heads.take(pairs[0][indices])
        return self._price_leg_pairs(job, heads, first_edges[indices], last_edges[indices])

    def _has_capacity(self, job: int, first_edges: Numbers, last_edges: Numbers) -> Flags:
        """Return for each pair of edges whether the vehicle can carry the job."""
        is_possible = np.ones(len(first_edges), dtype=bool)
        loads, numbers = self._model.loads[job], self._numbers[first_edges]
        starts, counts = self._peak_starts[numbers], self._counts[numbers]
        first_indices, last_indices = self._indices[first_edges], self._indices[last_edges]
        for dimension in self._model.dimensions:
            capacity = self._model.capacities[self._shifts[first_edges], dimension]
            peaks = self._peaks[dimension]
            for load, rows, columns in (
                (loads.initial, 0, first_indices),
                (loads.peak, first_indices, last_indices),
                (loads.final, last_indices, counts - 1),
            ):
                if load[dimension]:
                    total = peaks[starts + rows * counts + columns] + load[dimension]
                    is_possible &= total <= capacity
        return is_possible

    def _join_heads(self, leg: int, edges: Numbers) -> tuple[Segment, Numbers]:
        """Join the segment before each edge with a leg. Leave out edges that it would miss."""
        table, profiles = self._table[:, edges], self._profiles[edges]
        times = self._model.times[profiles, table[ORIGIN_ROW], self._model.first_places[leg]]
        heads = merge(Segment(*table[0:3]), times, self._load_segments(leg, profiles))
        indices = np.flatnonzero(~heads.is_broken)
        return heads.take(indices), edges[indices]

    def _filter_by_tails(self, leg: int, edges: Numbers) -> Numbers:
        """Return the edges where a leg leaves enough time for the stops after it."""
        table, profiles = self._table[:, edges], self._profiles[edges]
        times = self._model.times[profiles, self._model.last_places[leg], table[DESTINATION_ROW]]
        tails = merge(self._load_segments(leg, profiles), times, Segment(*table[3:6]))
        possible_edges: Numbers = edges[~tails.is_broken]
        return possible_edges

    def _price_single_leg(self, leg: int, edges: Numbers) -> Candidates:
        """Price the insertions of a job that has one leg."""
        heads, edges = self._join_heads(leg, edges)
        table, profiles = self._table[:, edges], self._profiles[edges]
        model = self._model
        next_drive = profiles, model.last_places[leg], table[DESTINATION_ROW]
        totals = merge(heads, model.times[next_drive], Segment(*table[3:6]))
        added_distances = (
            model.distances[profiles, table[ORIGIN_ROW], model.first_places[leg]]
            + model.leg_distances[profiles, leg]
            + model.distances[next_drive]
            - table[DISTANCE_ROW]
        )
        return self._to_candidates(edges, edges, totals, added_distances)

    def _price_leg_pairs(
        self, job: int, heads: Segment, first_edges: Numbers, last_edges: Numbers
    ) -> Candidates:
        """Price the insertions of a job that has two legs. `heads` end with the first leg."""
        model, table, profiles = self._model, self._table, self._profiles[first_edges]
        first_leg, last_leg = model.job_legs[job]
        numbers = self._numbers[first_edges]
        is_same = first_edges == last_edges
        # The segments between the legs, unless the legs follow each other.
        widths = self._counts[numbers] + 1
        rows = np.minimum(self._indices[first_edges] + 1, self._indices[last_edges])
        cells = self._span_starts[numbers] + rows * widths + self._indices[last_edges]
        origins = model.last_places[first_leg]
        next_drive = profiles, origins, table[DESTINATION_ROW, first_edges]
        longer_heads = merge(heads, model.times[next_drive], Segment(*self._spans[:, cells]))
        heads = Segment(
            np.where(is_same, heads.duration, longer_heads.duration),
            np.where(is_same, heads.early, longer_heads.early),
            np.where(is_same, heads.late, longer_heads.late),
            ~is_same & longer_heads.is_broken,
        )
        origins = np.where(is_same, origins, table[ORIGIN_ROW, last_edges])
        last_drive = profiles, origins, model.first_places[last_leg]
        heads = merge(heads, model.times[last_drive], self._load_segments(last_leg, profiles))
        tail_drive = profiles, model.last_places[last_leg], table[DESTINATION_ROW, last_edges]
        totals = merge(heads, model.times[tail_drive], Segment(*table[3:6, last_edges]))
        first_drive = profiles, table[ORIGIN_ROW, first_edges], model.first_places[first_leg]
        detours = model.distances[next_drive] - table[DISTANCE_ROW, first_edges]
        added_distances = (
            model.distances[first_drive]
            + model.leg_distances[profiles, first_leg]
            + np.where(is_same, 0, detours)
            + model.distances[last_drive]
            + model.leg_distances[profiles, last_leg]
            + model.distances[tail_drive]
            - table[DISTANCE_ROW, last_edges]
        )
        return self._to_candidates(first_edges, last_edges, totals, added_distances)

    def _to_candidates(
        self,
        first_edges: Numbers,
        last_edges: Numbers,
        totals: Segment,
        added_distances: Numbers,
    ) -> Candidates:
        """Keep the insertions that meet all time windows, with the cost of each."""
        indices = np.flatnonzero(~totals.is_broken)
        first_edges, last_edges = first_edges[indices], last_edges[indices]
        durations, objective = totals.duration[indices], self._objective
        numbers, shifts = self._numbers[first_edges], self._shifts[first_edges]
        distances = np.array([route.distance for route in self._routes])[numbers]
        distances = distances + added_distances[indices]
        prices = np.array([route.price for route in self._routes])[numbers]
        costs = (
            objective.fixed_costs[shifts]
            + objective.second_costs[shifts] * durations
            + objective.metre_costs[shifts] * distances
            + objective.square_cost * durations * durations
            - prices
        )
        return Candidates(first_edges, last_edges, costs)

    def _load_segments(self, leg: int, profiles: Numbers) -> Segment:
        """Return the segments of a leg, one for each of the profiles."""
        rows = [segments[leg] for segments in self._model.leg_segments]
        if len(rows) == 1:
            return rows[0]
        fields = np.array(rows, dtype=np.int64)[profiles].T
        return Segment(fields[0], fields[1], fields[2], fields[3].astype(bool))

    def find_best(self, job: int, candidates: Candidates) -> Insertion | None:
        """Find the cheapest insertion among candidates, or None if none is possible."""
        first_edges, last_edges, costs = candidates
        for _ in range(MAX_TRIES):
            if not len(costs) or costs[best := int(np.argmin(costs))] == np.inf:
                return None
            insertion = self._insert_job(job, int(first_edges[best]), int(last_edges[best]))
            if insertion is not None:
                return insertion
            is_same_route = self._numbers[first_edges] == self._numbers[first_edges[best]]
            costs = np.where(is_same_route, np.inf, costs)
        return None

    def find_best_of_each(self, job: int) -> list[Insertion]:
        """Find the cheapest insertion into each route, cheapest first."""
        (first_edges, last_edges, costs), insertions = self.find_candidates(job), []
        numbers = self._numbers[first_edges]
        for number in np.unique(numbers):
            indices = np.flatnonzero(numbers == number)
            best = indices[np.argmin(costs[indices])]
            insertion = self._insert_job(job, int(first_edges[best]), int(last_edges[best]))
            if insertion is not None:
                insertions.append(insertion)
        return sorted(insertions, key=lambda insertion: insertion.cost)

    def _insert_job(self, job: int, first_edge: int, last_edge: int) -> Insertion | None:
        """Insert a job into the edges, or return None if the breaks no longer fit."""
        old_route = self._routes[int(self._numbers[first_edge])]
        legs = list(old_route.legs)
        first_leg, last_leg = self._model.job_legs[job]
        if first_leg != last_leg:
            legs.insert(int(self._indices[last_edge]), last_leg)
        legs.insert(int(self._indices[first_edge]), first_leg)
        new_route = build_route(self._model, self._objective, old_route.shift, legs)
        if not new_route.is_feasible:
            return None
        return Insertion(new_route.price - old_route.price, old_route, new_route)
