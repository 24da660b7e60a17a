"""Routes under construction: the legs of a shift, with everything that insertion needs.

A route is immutable. It knows the segments between any two of its nodes, so the effect of inserting
two legs at any two positions follows from five segments.
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
        priced = problem.aim == "cost" and any(each.cost_hour or each.cost_km for each in shifts)
        self.fixed = np.array([each.cost_fixed if priced else 0 for each in shifts], dtype=float)
        if problem.aim == "vehicles":
            # More than a day's drive: no detour is worth another vehicle.
            self.fixed += 100_000
        # Time and distance decide between equal costs.
        small = 0.001 if priced else 1.0
        self.second = np.array([small + priced * each.cost_hour / 3600 for each in shifts])
        self.metre = np.array([small / 50 + priced * each.cost_km / 1000 for each in shifts])
        # Long routes cost more than in proportion, so that all become equally long.
        self.square = 1 / 3600 if problem.aim == "balance" else 0.0

    def price(self, shift: int, duration: int, distance: int) -> float:
        """Return the cost of a route that is used."""
        return float(
            self.fixed[shift]
            + self.second[shift] * duration
            + self.metre[shift] * distance
            + self.square * duration * duration
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
        """Build a route. `hosts` are the nodes at which the first breaks are taken."""
        self.model, self.objective, self.shift = model, objective, shift
        self.legs, self.hosts = tuple(legs), tuple(hosts)
        self.profile = int(model.shift_profiles[shift])
        self._segments = list(self._list_segments())
        self._fill_times()
        self._fill_distances()
        self.total = Segment(*(int(field[START, -1]) for field in self.between))
        self.price = (
            objective.price(shift, self.total.duration, self.distance) if self.legs else 0.0
        )

    @property
    def is_feasible(self) -> bool:
        """Whether all windows, breaks and capacities are kept."""
        return not self.total.is_broken and self.is_within_capacity

    @property
    def has_roads(self) -> bool:
        """Whether roads lead along the whole route."""
        inside = self.model.leg_distances[self.profile][list(self.legs)]
        return bool((self.way_distances < NO_ROAD).all() and (inside < NO_ROAD).all())

    @property
    def jobs(self) -> list[int]:
        """The jobs in the order of their first legs."""
        return list(dict.fromkeys(self.model.leg_jobs[leg] for leg in self.legs))

    def _list_segments(self) -> Iterator[Segment]:
        """List the nodes as segments. A break comes right before the node that hosts it."""
        shift, found = self.model.problem.shifts[self.shift], self.model.leg_segments[self.profile]
        yield Segment(0, shift.opens, shift.closes)
        nodes = [*(found[leg] for leg in self.legs), Segment(0, shift.opens, shift.closes)]
        for number, node in enumerate(nodes, 1):
            whole = node
            for host, due in reversed(list(zip(self.hosts, shift.breaks, strict=False))):
                if host == number:
                    whole = merge_one(to_segment(due), 0, whole)
            yield whole

    def _fill_times(self) -> None:
        """Join the segments between all pairs of nodes: from a row's node to a column's."""
        firsts, lasts = self.model.first_places, self.model.last_places
        legs = list(self.legs)
        self.enters = np.array([*firsts[legs], self.model.ends[self.shift]], dtype=np.int64)
        self.leaves = np.array([self.model.starts[self.shift], *lasts[legs]], dtype=np.int64)
        self.ways = self.model.times[self.profile][self.leaves, self.enters]
        self.between = join_all(self._segments, self.ways)

    def _fill_distances(self) -> None:
        model = self.model
        ways = model.distances[self.profile][self.leaves, self.enters]
        self.way_distances = ways
        self.distance = int(ways.sum() + model.leg_distances[self.profile][list(self.legs)].sum())

    @cached_property
    def load(self) -> Numbers:
        """What is on board after each node but the end."""
        befores = self.model.job_befores[self.jobs].sum(axis=0)
        changes = self.model.leg_changes[list(self.legs)]
        load: Numbers = np.cumsum(np.concatenate([befores[None, :], changes]), axis=0)
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
        """Whether no leg takes more than the vehicle may carry."""
        if not self.model.dimensions:
            return True
        peaks = self.load[:-1] + self.model.leg_peaks[list(self.legs)]
        capacity = self.model.capacities[self.shift]
        return bool((peaks <= capacity).all() and (self.load[0] <= capacity).all())

    @cached_property
    def positions(self) -> Numbers:
        """The ways of the route as columns: what is before and after each, and its two places.

        The rows are the duration, early and late of the part before and of the part after, the
        places, and the length.
        """
        return np.array(
            [
                *self.between[:3, START, :-1],
                *self.between[:3, 1:, -1],
                self.leaves,
                self.enters,
                self.way_distances,
            ]
        )


@lru_cache(maxsize=16)
def _list_blocks(count: int) -> list[tuple[Numbers, Numbers, Numbers]]:
    """List by level which segments are joined: rows of the first, the cut, columns of the second.

    At each level, blocks of twice the size are complete.
    """
    levels, size = [], 1
    while size < count:
        cuts = np.arange(size, count, 2 * size)
        steps = np.arange(size)
        levels.append((cuts[:, None] - size + steps, cuts, cuts[:, None] + steps))
        size *= 2
    return levels


def join_all(segments: Sequence[Segment], ways: Numbers) -> Numbers:
    """Join the segments between all pairs of nodes: from a row's node to a column's.

    The number of nodes is rounded up to a power of two, so that a few joins of arrays do it.
    """
    count = len(segments)
    size = 1 << (count - 1).bit_length()
    fields = np.zeros((4, size, size), dtype=np.int64)
    fields[2] = NO_LIMIT
    diagonal = np.arange(count)
    fields[:, diagonal, diagonal] = np.array(segments, dtype=np.int64).T
    all_ways = np.zeros(size, dtype=np.int64)
    all_ways[: len(ways)] = ways
    for rows, cuts, columns in _list_blocks(size):
        first = fields[:, rows, cuts[:, None] - 1][:, :, :, None]
        second = fields[:, cuts[:, None], columns][:, :, None, :]
        joined = merge(Segment(*first), all_ways[cuts - 1][:, None, None], Segment(*second))
        for number, field in enumerate(joined):
            fields[number, rows[:, :, None], columns[:, None, :]] = field
    return fields[:, :count, :count]


def to_segment(due: PlanBreak) -> Segment:
    """Return the segment of a break."""
    return Segment(due.duration, due.opens, due.closes)


def build_route(model: Model, objective: Objective, shift: int, legs: Sequence[int]) -> DraftRoute:
    """Build a route with its breaks, each where it costs least."""
    route = DraftRoute(model, objective, shift, legs)
    breaks = model.problem.shifts[shift].breaks
    hosts = [NOT_TAKEN] * len(breaks)
    # A break can make another one due, so all are looked at again.
    for _ in range(len(breaks) if legs else 0):
        due = [number for number, each in enumerate(breaks) if hosts[number] == NOT_TAKEN]
        due = [number for number in due if is_due(breaks[number], route.total)]
        if not due:
            break
        hosts[due[0]] = _choose_host(route, due[0], hosts)
        route = DraftRoute(model, objective, shift, legs, hosts=hosts)
    return route


def is_due(due: PlanBreak, total: Segment) -> bool:
    """Return whether a route of this length has to include a break."""
    return bool(total.early < due.opens and total.early + total.duration > due.closes)


def _choose_host(route: DraftRoute, number: int, hosts: Sequence[int]) -> int:
    """Return the node at which a break costs least, in the order of the breaks."""
    due = to_segment(route.model.problem.shifts[route.shift].breaks[number])
    first = max([1, *hosts[:number]])
    last = min([len(route.legs) + 1, *(host for host in hosts[number + 1 :] if host > 0)])
    costs = []
    for node in range(first, last + 1):
        total = merge_one(
            Segment(*map(int, route.between[:, START, node - 1])),
            int(route.ways[node - 1]),
            merge_one(due, 0, Segment(*map(int, route.between[:, node, -1]))),
        )
        costs.append((bool(total.is_broken), int(total.duration), node))
    return min(costs)[2]
