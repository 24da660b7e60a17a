"""A problem as arrays, for the search.

A job becomes one or two *legs*: its leading pickups, and the rest. The stops of a leg follow each
other, and other work can come between the legs. A leg is a segment per profile, so that inserting
it anywhere takes constant time.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from pannier.maps.folder import Profile
from pannier.planning.problem import MAX_TIME, PlanJob, PlanningProblem, PlanShift, Roads, Visit
from pannier.planning.segments import Segment, merge_one

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

DIMENSIONS: Final = 3
# Seconds and metres where no road leads: no shift is that long.
NO_ROAD: Final = 100 * MAX_TIME
NO_LIMIT: Final = 2**40
NO_LEG: Final = -1


class StopPlace(msgspec.Struct, frozen=True):
    """A point of the matrices with the set-up time of a stop; None is anywhere, at no distance."""

    point: int | None
    setup: int = 0


class JobLoads(msgspec.Struct, frozen=True):
    """What a job adds to the load: before its first leg, between its legs, and after its last."""

    before: Numbers
    between: Numbers
    after: Numbers


class Model:
    """A problem as arrays. Legs, places, jobs and shifts are numbered."""

    def __init__(self, problem: PlanningProblem) -> None:
        self.problem = problem
        self.profiles: list[Profile] = sorted(
            {shift.profile for shift in problem.shifts} or problem.roads
        )
        self._places: dict[StopPlace, int] = {}
        self._add_places(problem)
        self.times, self.distances = self._measure(problem)
        self._fill_shifts(problem.shifts)
        self._fill_legs(problem.jobs)
        self.allowed = self._match(problem)

    def place_of(self, visit: Visit) -> int:
        """Return the number of a visit's place."""
        return self._places[StopPlace(visit.point, visit.setup)]

    def list_job_legs(self, job: int) -> range:
        """Return the legs of a job."""
        first, last = self.job_legs[job]
        return range(first, last + 1)

    @property
    def places(self) -> list[StopPlace]:
        """The places by number."""
        return list(self._places)

    def _add_places(self, problem: PlanningProblem) -> None:
        stops = [
            StopPlace(visit.point, visit.setup) for job in problem.jobs for visit in job.visits
        ]
        ends = [StopPlace(point) for shift in problem.shifts for point in (shift.start, shift.end)]
        for place in (*stops, *ends):
            self._places.setdefault(place, len(self._places))

    def _measure(self, problem: PlanningProblem) -> tuple[Numbers, Numbers]:
        """Return the seconds and metres between all places, for each profile."""
        roads = [problem.roads[profile] for profile in self.profiles]
        times = np.stack([self._spread([list(row) for row in each.times]) for each in roads])
        distances = np.stack(
            [self._spread([list(row) for row in each.distances]) for each in roads]
        )
        points = np.array([-1 if place.point is None else place.point for place in self._places])
        setups = np.array([place.setup for place in self._places], dtype=np.int64)
        # The set-up is a part of the way. At the same point, only the rest of a longer one is due.
        same = (points[:, None] == points[None, :]) & (points[:, None] >= 0)
        rest = np.maximum(setups[None, :] - setups[:, None], 0)
        times += np.where(same, rest, setups[None, :])
        return times, distances

    def _spread(self, table: list[list[int | None]]) -> Numbers:
        """Spread a table of points to all places."""
        known = np.array([[NO_ROAD if cell is None else cell for cell in row] for row in table])
        # The row and column of a place without a point.
        padded = np.zeros((len(table) + 1, len(table) + 1), dtype=np.int64)
        padded[:-1, :-1] = known.reshape(len(table), len(table))
        points = [len(table) if place.point is None else place.point for place in self._places]
        return padded[np.ix_(points, points)]

    def _fill_shifts(self, shifts: Sequence[PlanShift]) -> None:
        self.shift_profiles = np.array(
            [self.profiles.index(shift.profile) for shift in shifts], dtype=np.int64
        )
        self.starts = [self._places[StopPlace(shift.start)] for shift in shifts]
        self.ends = [self._places[StopPlace(shift.end)] for shift in shifts]
        self.capacities = np.array(
            [[NO_LIMIT if each is None else each for each in shift.capacity] for shift in shifts],
            dtype=np.int64,
        ).reshape(len(shifts), DIMENSIONS)

    def _fill_legs(self, jobs: Sequence[PlanJob]) -> None:
        """Split all jobs into legs."""
        self.legs: list[tuple[Visit, ...]] = []
        self.leg_jobs: list[int] = []
        # The legs of each job: (first, last), which are the same if it has only one.
        self.job_legs: list[tuple[int, int]] = []
        for number, job in enumerate(jobs):
            parts = split_legs(job)
            self.job_legs.append((len(self.legs), len(self.legs) + len(parts) - 1))
            self.legs += parts
            self.leg_jobs += [number] * len(parts)
        self.first_places = np.array([self.place_of(leg[0]) for leg in self.legs], dtype=np.int64)
        self.last_places = np.array([self.place_of(leg[-1]) for leg in self.legs], dtype=np.int64)
        chains = [
            [self._chain(leg, number) for leg in self.legs] for number in range(len(self.profiles))
        ]
        # One row for each profile, one column for each leg.
        self.leg_segments = [[segment for segment, _ in row] for row in chains]
        self.leg_distances = np.array(
            [[distance for _, distance in row] for row in chains], dtype=np.int64
        )
        self.loads = [measure_loads(job) for job in jobs]
        self._fill_loads(len(jobs))

    def _fill_loads(self, count: int) -> None:
        """Note how each leg changes the load, and by how much the load rises within it."""
        shape = len(self.legs), DIMENSIONS
        self.leg_changes = np.zeros(shape, dtype=np.int64)
        self.leg_peaks = np.zeros(shape, dtype=np.int64)
        self.job_befores = np.array([load.before for load in self.loads]).reshape(count, DIMENSIONS)
        for (first, last), loads in zip(self.job_legs, self.loads, strict=True):
            self.leg_changes[first] += loads.between - loads.before
            self.leg_changes[last] += loads.after - loads.between
            self.leg_peaks[first] = loads.between - loads.before
        # Dimensions that no job uses cost no time.
        used = np.array([load.between for load in self.loads]).reshape(count, DIMENSIONS)
        self.dimensions = [number for number in range(DIMENSIONS) if used[:, number].any()]

    def _chain(self, leg: tuple[Visit, ...], profile: int) -> tuple[Segment, int]:
        """Join the visits of a leg."""
        whole, distance = to_segment(leg[0]), 0
        for last, visit in pairwise(leg):
            way = self.place_of(last), self.place_of(visit)
            whole = merge_one(whole, int(self.times[profile][way]), to_segment(visit))
            distance += int(self.distances[profile][way])
        return whole, distance

    def _match(self, problem: PlanningProblem) -> Flags:
        """Return which shift (column) may do which job (row)."""
        rows = [[can_do(shift, job) for shift in problem.shifts] for job in problem.jobs]
        return np.array(rows, dtype=bool).reshape(len(problem.jobs), len(problem.shifts))


def can_do(shift: PlanShift, job: PlanJob) -> bool:
    """Return whether a shift has a job's skills, and the job is not fixed to another."""
    return job.skills <= shift.skills and job.shift in {None, shift.key}


def split_legs(job: PlanJob) -> list[tuple[Visit, ...]]:
    """Split a job into its leading pickups and the rest."""
    count = next(
        (number for number, visit in enumerate(job.visits) if visit.kind == "dropoff"),
        len(job.visits),
    )
    return [leg for leg in (job.visits[:count], job.visits[count:]) if leg]


def measure_loads(job: PlanJob) -> JobLoads:
    """Return what a job adds to the load. Between its legs it counts with its peak."""
    before = np.maximum(-np.minimum.reduce(list(_sums(job.visits))), 0)
    sums = [before + each for each in _sums(job.visits)]
    return JobLoads(before, np.maximum.reduce(sums), sums[-1])


def _sums(visits: Iterable[Visit]) -> Iterable[Numbers]:
    """Yield the change of the load after each visit, from zero."""
    load = np.zeros(DIMENSIONS, dtype=np.int64)
    yield load
    for visit in visits:
        amount = np.array(visit.loads, dtype=np.int64)
        load = load + amount if visit.kind == "pickup" else load - amount
        yield load


def to_segment(visit: Visit) -> Segment:
    """Return the segment of a single visit."""
    return Segment(visit.service, visit.opens, visit.closes)


def count_points(roads: Roads) -> int:
    """Return how many points the matrices have."""
    return len(roads.times)
