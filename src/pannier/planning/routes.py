"""Routes under construction: the legs of a shift, prepared for insertions.

A route is immutable. It has the segment between any two of its nodes, so the effect of inserting
two legs at any two positions follows from five segments. The *edges* of a route connect each node
to the next one.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final

import numpy as np

from pannier.planning.model import NO_LIMIT, NO_ROAD, Model, Numbers
from pannier.planning.problem import PlanBreak
from pannier.planning.segments import Segment, merge, merge_one

# Node 0 is the start and the last node is the end; the legs are between them.
START: Final = 0
NOT_TAKEN: Final = -1


class Objective:
    """The cost of a route by its duration and distance, for the aim of the problem."""

    def __init__(self, model: Model) -> None:
        problem, shifts = model.problem, model.problem.shifts
        is_priced = problem.aim == "cost" and any(
            shift.cost_hour or shift.cost_km for shift in shifts
        )
        self.fixed_costs = np.array(
            [shift.cost_fixed if is_priced else 0 for shift in shifts], dtype=float
        )
        if problem.aim == "vehicles":
            # More than a day's drive: no detour is worth another vehicle.
            self.fixed_costs += 100_000
        # Time and distance decide between equal costs.
        tie_cost = 0.001 if is_priced else 1.0
        self.second_costs = np.array(
            [tie_cost + is_priced * shift.cost_hour / 3600 for shift in shifts]
        )
        self.metre_costs = np.array(
            [tie_cost / 50 + is_priced * shift.cost_km / 1000 for shift in shifts]
        )
        # A cost that grows with the square of the duration makes all routes equally long.
        self.square_cost = 1 / 3600 if problem.aim == "balance" else 0.0

    def price(self, shift: int, duration: int, distance: int) -> float:
        """Compute the cost of a route that has stops."""
        return float(
            self.fixed_costs[shift]
            + self.second_costs[shift] * duration
            + self.metre_costs[shift] * distance
            + self.square_cost * duration * duration
        )


class DraftRoute:
    """The legs of a shift in their order."""

    def __init__(
        self,
        model: Model,
        objective: Objective,
        shift: int,
        legs: Sequence[int] = (),
        *,
        hosts: Sequence[int] = (),
    ) -> None:
        """Build a route. `hosts` are the nodes that the shift's first breaks come before."""
        self.model, self.objective, self.shift = model, objective, shift
        self.legs, self.hosts = tuple(legs), tuple(hosts)
        self.profile = int(model.shift_profiles[shift])
        self._segments = list(self._list_segments())
        self._fill_times()
        self._fill_distances()
        self.total = Segment(*(int(field[START, -1]) for field in self.spans))
        self.price = (
            objective.price(shift, self.total.duration, self.distance) if self.legs else 0.0
        )

    @property
    def is_feasible(self) -> bool:
        """Whether the route keeps all time windows, breaks and capacities."""
        return not self.total.is_broken and self.is_within_capacity

    @property
    def has_roads(self) -> bool:
        """Whether roads lead along the whole route."""
        inner_distances = self.model.leg_distances[self.profile][list(self.legs)]
        return bool((self.edge_distances < NO_ROAD).all() and (inner_distances < NO_ROAD).all())

    @property
    def jobs(self) -> list[int]:
        """The jobs in the order of their first legs."""
        return list(dict.fromkeys(self.model.leg_jobs[leg] for leg in self.legs))

    def _list_segments(self) -> Iterator[Segment]:
        """List the nodes as segments. A break comes right before the node that hosts it."""
        shift = self.model.problem.shifts[self.shift]
        leg_segments = self.model.leg_segments[self.profile]
        yield Segment(0, shift.opens, shift.closes)
        nodes = [*(leg_segments[leg] for leg in self.legs), Segment(0, shift.opens, shift.closes)]
        for number, node in enumerate(nodes, 1):
            segment = node
            for host, pause in reversed(list(zip(self.hosts, shift.breaks, strict=False))):
                if host == number:
                    segment = merge_one(to_break_segment(pause), 0, segment)
            yield segment

    def _fill_times(self) -> None:
        """Join the segments between all pairs of nodes: from a row's node to a column's."""
        firsts, lasts = self.model.first_places, self.model.last_places
        legs = list(self.legs)
        self.destinations = np.array([*firsts[legs], self.model.ends[self.shift]], dtype=np.int64)
        self.origins = np.array([self.model.starts[self.shift], *lasts[legs]], dtype=np.int64)
        self.edge_times = self.model.times[self.profile][self.origins, self.destinations]
        self.spans = join_all(self._segments, self.edge_times)

    def _fill_distances(self) -> None:
        self.edge_distances = self.model.distances[self.profile][self.origins, self.destinations]
        inner_distances = self.model.leg_distances[self.profile][list(self.legs)]
        self.distance = int(self.edge_distances.sum() + inner_distances.sum())

    @cached_property
    def load(self) -> Numbers:
        """The load after each node, without the end."""
        initial_load = self.model.initial_loads[self.jobs].sum(axis=0)
        changes = self.model.leg_changes[list(self.legs)]
        load: Numbers = np.cumsum(np.concatenate([initial_load[None, :], changes]), axis=0)
        return load

    @cached_property
    def peaks(self) -> Numbers:
        """The highest load between any two nodes, both included, by row and column."""
        count = len(self.legs) + 1
        rows = np.where(np.tri(count, dtype=bool).T, self.load.T[:, None, :], 0)
        peaks: Numbers = np.maximum.accumulate(rows, axis=2)
        return peaks

    @property
    def is_within_capacity(self) -> bool:
        """Whether the load never exceeds the vehicle's capacity."""
        if not self.model.dimensions:
            return True
        peaks = self.load[:-1] + self.model.leg_peaks[list(self.legs)]
        capacity = self.model.capacities[self.shift]
        return bool((peaks <= capacity).all() and (self.load[0] <= capacity).all())

    @cached_property
    def edge_table(self) -> Numbers:
        """The edges of the route as columns.

        The rows are `duration`, `early` and `late` of the segment before the edge, the same of the
        segment after it, the edge's two places, and its distance.
        """
        return np.array(
            [
                *self.spans[:3, START, :-1],
                *self.spans[:3, 1:, -1],
                self.origins,
                self.destinations,
                self.edge_distances,
            ]
        )


@lru_cache(maxsize=16)
def _list_blocks(count: int) -> list[tuple[Numbers, Numbers, Numbers]]:
    """List the joins by level: rows of the first segments, cuts, columns of the second ones.

    Each level completes blocks of twice the size.
    """
    levels, size = [], 1
    while size < count:
        cuts = np.arange(size, count, 2 * size)
        steps = np.arange(size)
        levels.append((cuts[:, None] - size + steps, cuts, cuts[:, None] + steps))
        size *= 2
    return levels


def join_all(segments: Sequence[Segment], edge_times: Numbers) -> Numbers:
    """Join the segments between all pairs of nodes: from a row's node to a column's.

    The number of nodes is rounded up to a power of two, so that a few joins of arrays suffice.
    """
    count = len(segments)
    size = 1 << (count - 1).bit_length()
    fields = np.zeros((4, size, size), dtype=np.int64)
    fields[2] = NO_LIMIT
    diagonal = np.arange(count)
    fields[:, diagonal, diagonal] = np.array(segments, dtype=np.int64).T
    times = np.zeros(size, dtype=np.int64)
    times[: len(edge_times)] = edge_times
    for rows, cuts, columns in _list_blocks(size):
        first = fields[:, rows, cuts[:, None] - 1][:, :, :, None]
        second = fields[:, cuts[:, None], columns][:, :, None, :]
        joined = merge(Segment(*first), times[cuts - 1][:, None, None], Segment(*second))
        for number, field in enumerate(joined):
            fields[number, rows[:, :, None], columns[:, None, :]] = field
    return fields[:, :count, :count]


def to_break_segment(pause: PlanBreak) -> Segment:
    """Return the segment of a break."""
    return Segment(pause.duration, pause.opens, pause.closes)


def build_route(model: Model, objective: Objective, shift: int, legs: Sequence[int]) -> DraftRoute:
    """Build a route with its breaks, each where it costs least."""
    route = DraftRoute(model, objective, shift, legs)
    breaks = model.problem.shifts[shift].breaks
    hosts = [NOT_TAKEN] * len(breaks)
    # Each break makes the route longer, so that another one can become due.
    for _ in range(len(breaks) if legs else 0):
        due_breaks = [
            number
            for number, pause in enumerate(breaks)
            if hosts[number] == NOT_TAKEN and is_due(pause, route.total)
        ]
        if not due_breaks:
            break
        hosts[due_breaks[0]] = _choose_host(route, due_breaks[0], hosts)
        route = DraftRoute(model, objective, shift, legs, hosts=hosts)
    return route


def is_due(pause: PlanBreak, total: Segment) -> bool:
    """Return whether a route with this total segment has to include a break."""
    return bool(total.early < pause.opens and total.early + total.duration > pause.closes)


def _choose_host(route: DraftRoute, number: int, hosts: Sequence[int]) -> int:
    """Choose the node before which a break costs least. Breaks keep their order."""
    pause = to_break_segment(route.model.problem.shifts[route.shift].breaks[number])
    first_node = max([1, *hosts[:number]])
    last_node = min([len(route.legs) + 1, *(host for host in hosts[number + 1 :] if host > 0)])
    costs = []
    for node in range(first_node, last_node + 1):
        total = merge_one(
            Segment(*map(int, route.spans[:, START, node - 1])),
            int(route.edge_times[node - 1]),
            merge_one(pause, 0, Segment(*map(int, route.spans[:, node, -1]))),
        )
        costs.append((bool(total.is_broken), int(total.duration), node))
    return min(costs)[2]
