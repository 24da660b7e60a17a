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
from pannier.planning.problem import MAX_TIME, PlanJob, PlanningProblem, PlanShift, Visit
from pannier.planning.segments import Segment, merge_one

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

DIMENSIONS: Final = 3
# Seconds and metres where no road leads: no shift is that long.
NO_ROAD: Final = 100 * MAX_TIME
NO_LIMIT: Final = 2**40
NO_LEG: Final = -1


class StopPlace(msgspec.Struct, frozen=True):
    """A point of the matrices and a stop's set-up time. None is anywhere, at no distance."""

    point: int | None
    setup: int = 0


class JobLoads(msgspec.Struct, frozen=True):
    """The load of a job before its first leg, at its peak, and after its last leg."""

    initial: Numbers
    peak: Numbers
    final: Numbers


class Model:
    """A problem as arrays. Legs, places, jobs and shifts are numbered."""

    def __init__(self, problem: PlanningProblem) -> None:
        self.problem = problem
        self.profiles: list[Profile] = sorted(
            {shift.profile for shift in problem.shifts} or problem.roads
        )
        self._places: dict[StopPlace, int] = {}
        self._add_places(problem)
        self.times, self.distances = self._measure_places(problem)
        self._fill_shifts(problem.shifts)
        self._fill_legs(problem.jobs)
        self.allowed_shifts = self._match_shifts(problem)

    def find_place(self, visit: Visit) -> int:
        """Find the number of a visit's place."""
        return self._places[StopPlace(visit.point, visit.setup)]

    def list_job_legs(self, job: int) -> range:
        """Return the legs of a job."""
        first_leg, last_leg = self.job_legs[job]
        return range(first_leg, last_leg + 1)

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

    def _measure_places(self, problem: PlanningProblem) -> tuple[Numbers, Numbers]:
        """Return the seconds and metres between all places, for each profile."""
        roads = [problem.roads[profile] for profile in self.profiles]
        times = np.stack(
            [
                self._expand_table([list(row) for row in profile_roads.times])
                for profile_roads in roads
            ]
        )
        distances = np.stack(
            [
                self._expand_table([list(row) for row in profile_roads.distances])
                for profile_roads in roads
            ]
        )
        points = np.array([-1 if place.point is None else place.point for place in self._places])
        setups = np.array([place.setup for place in self._places], dtype=np.int64)
        # Travel times include the set-up. At the same point, stops share the shorter set-up.
        is_same_point = (points[:, None] == points[None, :]) & (points[:, None] >= 0)
        extra_setups = np.maximum(setups[None, :] - setups[:, None], 0)
        times += np.where(is_same_point, extra_setups, setups[None, :])
        return times, distances

    def _expand_table(self, table: list[list[int | None]]) -> Numbers:
        """Expand a table of points to all places."""
        cells = np.array([[NO_ROAD if cell is None else cell for cell in row] for row in table])
        # The last row and column are for places without a point.
        padded_table = np.zeros((len(table) + 1, len(table) + 1), dtype=np.int64)
        padded_table[:-1, :-1] = cells.reshape(len(table), len(table))
        points = [len(table) if place.point is None else place.point for place in self._places]
        return padded_table[np.ix_(points, points)]

    def _fill_shifts(self, shifts: Sequence[PlanShift]) -> None:
        self.shift_profiles = np.array(
            [self.profiles.index(shift.profile) for shift in shifts], dtype=np.int64
        )
        self.starts = [self._places[StopPlace(shift.start)] for shift in shifts]
        self.ends = [self._places[StopPlace(shift.end)] for shift in shifts]
        self.capacities = np.array(
            [
                [NO_LIMIT if limit is None else limit for limit in shift.capacity]
                for shift in shifts
            ],
            dtype=np.int64,
        ).reshape(len(shifts), DIMENSIONS)

    def _fill_legs(self, jobs: Sequence[PlanJob]) -> None:
        """Split all jobs into legs, and join the visits of each."""
        self.legs: list[tuple[Visit, ...]] = []
        self.leg_jobs: list[int] = []
        # The first and the last leg of each job. They are the same if it has only one.
        self.job_legs: list[tuple[int, int]] = []
        for number, job in enumerate(jobs):
            parts = split_legs(job)
            self.job_legs.append((len(self.legs), len(self.legs) + len(parts) - 1))
            self.legs += parts
            self.leg_jobs += [number] * len(parts)
        self.first_places = np.array([self.find_place(leg[0]) for leg in self.legs], dtype=np.int64)
        self.last_places = np.array([self.find_place(leg[-1]) for leg in self.legs], dtype=np.int64)
        chains = [
            [self._join_visits(leg, profile) for leg in self.legs]
            for profile in range(len(self.profiles))
        ]
        # One row for each profile, one column for each leg.
        self.leg_segments = [[segment for segment, _ in row] for row in chains]
        self.leg_distances = np.array(
            [[distance for _, distance in row] for row in chains], dtype=np.int64
        )
        self.loads = [measure_loads(job) for job in jobs]
        self._fill_loads(len(jobs))

    def _fill_loads(self, count: int) -> None:
        """Compute by how much each leg changes the load, and by how much the load rises in it."""
        shape = len(self.legs), DIMENSIONS
        self.leg_changes = np.zeros(shape, dtype=np.int64)
        self.leg_peaks = np.zeros(shape, dtype=np.int64)
        initial_loads = np.array([load.initial for load in self.loads])
        self.initial_loads = initial_loads.reshape(count, DIMENSIONS)
        for (first_leg, last_leg), loads in zip(self.job_legs, self.loads, strict=True):
            self.leg_changes[first_leg] += loads.peak - loads.initial
            self.leg_changes[last_leg] += loads.final - loads.peak
            self.leg_peaks[first_leg] = loads.peak - loads.initial
        # The search skips dimensions that no job uses.
        peaks = np.array([load.peak for load in self.loads]).reshape(count, DIMENSIONS)
        self.dimensions = [number for number in range(DIMENSIONS) if peaks[:, number].any()]

    def _join_visits(self, leg: tuple[Visit, ...], profile: int) -> tuple[Segment, int]:
        """Join the visits of a leg to its segment, and add up their distances."""
        segment, distance = to_segment(leg[0]), 0
        for previous_visit, visit in pairwise(leg):
            edge = self.find_place(previous_visit), self.find_place(visit)
            segment = merge_one(segment, int(self.times[profile][edge]), to_segment(visit))
            distance += int(self.distances[profile][edge])
        return segment, distance

    def _match_shifts(self, problem: PlanningProblem) -> Flags:
        """Return which shift (column) may do which job (row)."""
        rows = [[can_do_job(shift, job) for shift in problem.shifts] for job in problem.jobs]
        return np.array(rows, dtype=bool).reshape(len(problem.jobs), len(problem.shifts))


def can_do_job(shift: PlanShift, job: PlanJob) -> bool:
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
    """Return the loads of a job. Goods without a pickup are on board from the start."""
    initial = np.maximum(-np.minimum.reduce(list(_list_changes(job.visits))), 0)
    loads = [initial + change for change in _list_changes(job.visits)]
    return JobLoads(initial, np.maximum.reduce(loads), loads[-1])


def _list_changes(visits: Iterable[Visit]) -> Iterable[Numbers]:
    """Yield by how much the load has changed before the first visit, and after each."""
    load = np.zeros(DIMENSIONS, dtype=np.int64)
    yield load
    for visit in visits:
        amount = np.array(visit.loads, dtype=np.int64)
        load = load + amount if visit.kind == "pickup" else load - amount
        yield load


def to_segment(visit: Visit) -> Segment:
    """Return the segment of a single visit."""
    return Segment(visit.service, visit.opens, visit.closes)
