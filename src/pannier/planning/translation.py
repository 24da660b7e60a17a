"""Translation of a problem to pyvrp and back.

pyvrp finds good sequences quickly, but has neither skills nor breaks nor jobs of several stops.
Skills and fixed shifts become load dimensions. Breaks shorten the shift. A leg of several stops
becomes one place that is entered at its first stop and left at its last. Our own search checks and
completes the result.

The *hub* is the place of most pickups. Jobs from there become deliveries, because pyvrp is far
better at deliveries than at pairs of stops. A vehicle may return to the hub to reload.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pyvrp
from pyvrp import Activity, ActivityType

from pannier.planning.compatibility import Compatibility
from pannier.planning.model import NO_LIMIT, Model, Numbers
from pannier.planning.problem import Visit
from pannier.planning.routes import Objective
from pannier.planning.search import DraftPlan

# A place is a hub if at least this share of the jobs is picked up there.
HUB_SHARE: Final = 0.5
MAX_RELOADS: Final = 4
# pyvrp needs whole numbers, so costs are counted in hundredths.
COST_FACTOR: Final = 100


class PlaceList:
    """The places of a model, and added ones that are entered and left at different places."""

    def __init__(self, model: Model) -> None:
        self._model = model
        count = len(model.places)
        self._entries, self._exits = list(range(count)), list(range(count))
        self._times: list[Numbers] = [np.zeros(len(model.profiles), dtype=np.int64)] * count
        self._distances = list(self._times)

    @property
    def count(self) -> int:
        return len(self._entries)

    def add(self, first_stop: int, last_stop: int, time: Numbers, distance: Numbers) -> int:
        """Add a place and return its number. Leaving it adds a time and distance by profile."""
        self._entries.append(first_stop)
        self._exits.append(last_stop)
        self._times.append(time)
        self._distances.append(distance)
        return self.count - 1

    def build_time_matrices(self) -> list[Any]:
        return self._build_matrices(self._model.times, self._times)

    def build_distance_matrices(self) -> list[Any]:
        return self._build_matrices(self._model.distances, self._distances)

    def _build_matrices(self, tables: Numbers, extras: list[Numbers]) -> list[Any]:
        matrices = []
        for number, table in enumerate(tables):
            matrix = table[np.ix_(self._exits, self._entries)]
            matrix = matrix + np.array([extra[number] for extra in extras])[:, None]
            np.fill_diagonal(matrix, 0)
            matrices.append(matrix)
        return matrices


class Translation:
    """A problem in pyvrp's terms."""

    def __init__(self, model: Model, objective: Objective, start: DraftPlan) -> None:
        self._model, self._objective = model, objective
        self._hub = find_hub(model)
        self._compatibility = Compatibility(model.allowed_shifts)
        self._target_duration = _compute_mean_duration(start)
        self._places = PlaceList(model)
        self._depots: list[pyvrp.Depot] = []
        self._prize = self._choose_base_prize()
        # The job of each client and of each shipment, by its number in pyvrp.
        self._client_jobs: list[int] = []
        self._shipment_jobs: list[int] = []
        clients: list[pyvrp.Client] = []
        shipments: list[pyvrp.Shipment] = []
        for job, (first, last) in enumerate(model.job_legs):
            if not self._is_possible(job):
                continue
            if first == last or self._is_from_hub(job):
                self._client_jobs.append(job)
                clients.append(self._to_client(job))
            else:
                self._shipment_jobs.append(job)
                shipments.append(self._to_shipment(job))
        vehicles = [self._to_vehicle(number) for number in range(len(model.starts))]
        self.data = pyvrp.ProblemData(
            [pyvrp.Location(0, 0) for _ in range(self._places.count)],
            clients,
            self._depots,
            vehicles,
            self._places.build_distance_matrices(),
            self._places.build_time_matrices(),
            [],
            shipments,
        )

    @property
    def is_simple(self) -> bool:
        """Whether the problem has no pairs of stops, for which pyvrp is slow."""
        return not self._shipment_jobs

    def _is_possible(self, job: int) -> bool:
        """Return whether a job has a shift and consistent windows, which pyvrp requires."""
        first_leg, last_leg = self._model.job_legs[job]
        rows = self._model.leg_segments
        is_broken = any(row[first_leg].is_broken or row[last_leg].is_broken for row in rows)
        begin, end = (
            max(row[first_leg].early for row in rows),
            min(row[last_leg].late for row in rows),
        )
        return not is_broken and begin <= end and bool(self._model.allowed_shifts[job].any())

    def _is_from_hub(self, job: int) -> bool:
        return self._hub is not None and is_picked_up_at(self._model, job, self._hub)

    def _choose_base_prize(self) -> int:
        """Choose the prize of jobs without priority: more than the longest route costs."""
        objective, shifts = self._objective, self._model.problem.shifts
        spans = np.array([shift.closes - shift.opens for shift in shifts])
        max_costs = (
            objective.fixed_costs + (objective.second_costs + 30 * objective.metre_costs) * spans
        )
        return int(COST_FACTOR * 2 * (max_costs.max() + 1_000))

    def _compute_prize(self, job: int) -> int:
        return self._prize << min(self._model.problem.jobs[job].priority, 9)

    def _list_amounts(self, job: int) -> list[int]:
        loads = self._model.loads[job].peak
        return [
            *(int(loads[number]) for number in self._model.dimensions),
            *self._compatibility.list_amounts(job),
        ]

    def _to_client(self, job: int) -> pyvrp.Client:
        """Translate a job of one leg, or a delivery from the hub."""
        model = self._model
        first_leg, last_leg = model.job_legs[job]
        visit, release = model.legs[first_leg][0], 0
        if first_leg != last_leg:
            release = max(0, visit.opens)
        is_delivery = first_leg != last_leg or model.loads[job].final.max() == 0
        amounts = self._list_amounts(job)
        return pyvrp.Client(
            **self._describe_leg(last_leg),
            delivery=amounts if is_delivery else [],
            pickup=[] if is_delivery else amounts,
            release_time=release,
            prize=self._compute_prize(job),
            required=False,
        )

    def _to_shipment(self, job: int) -> pyvrp.Shipment:
        first_leg, last_leg = self._model.job_legs[job]
        return pyvrp.Shipment(
            **{f"pickup_{name}": value for name, value in self._describe_leg(first_leg).items()},
            **{f"delivery_{name}": value for name, value in self._describe_leg(last_leg).items()},
            amount=self._list_amounts(job),
            prize=self._compute_prize(job),
            required=False,
        )

    def _describe_leg(self, leg: int) -> dict[str, Any]:
        """Describe a leg as a single stop in pyvrp's fields."""
        model = self._model
        place = int(model.first_places[leg])
        if len(model.legs[leg]) > 1:
            # The service duration includes the drives within the leg.
            times = np.zeros(len(model.profiles), dtype=np.int64)
            distances = model.leg_distances[:, leg]
            place = self._places.add(place, int(model.last_places[leg]), times, distances)
        segments = [row[leg] for row in model.leg_segments]
        early = max(segment.early for segment in segments)
        return {
            "location": place,
            "tw_early": max(0, early),
            "tw_late": max(0, early, min(segment.late for segment in segments)),
            "service_duration": max(segment.duration for segment in segments),
        }

    def _to_vehicle(self, number: int) -> pyvrp.VehicleType:
        model, objective = self._model, self._objective
        shift = model.problem.shifts[number]
        break_time = sum(pause.duration for pause in shift.breaks)
        latest_end = max(shift.opens, shift.closes - break_time)
        capacity = [
            min(NO_LIMIT, int(model.capacities[number, dimension]))
            for dimension in model.dimensions
        ]
        start_depot, reload_depot = self._add_start(number)
        extra: dict[str, Any] = {}
        if objective.square_cost:
            # Work beyond the average costs more, which balances routes.
            extra = {
                "shift_duration": self._target_duration,
                "max_overtime": max(0, latest_end - shift.opens),
                "unit_overtime_cost": 4 * COST_FACTOR,
            }
        return pyvrp.VehicleType(
            1,
            [*capacity, *self._compatibility.list_capacities(number)],
            start_depot,
            self._add_depot(model.ends[number]),
            fixed_cost=int(COST_FACTOR * objective.fixed_costs[number]),
            tw_early=shift.opens,
            tw_late=latest_end,
            unit_distance_cost=max(1, round(COST_FACTOR * objective.metre_costs[number])),
            unit_duration_cost=max(1, round(COST_FACTOR * objective.second_costs[number])),
            profile=int(model.shift_profiles[number]),
            reload_depots=[] if reload_depot is None else [reload_depot],
            max_reloads=0 if reload_depot is None else MAX_RELOADS,
            **extra,
        )

    def _add_start(self, number: int) -> tuple[int, int | None]:
        """Add the depot where a shift starts, and a depot at the hub, which is its first stop."""
        model, place = self._model, self._model.starts[number]
        if self._hub is None:
            return self._add_depot(place), None
        time, distance = model.times[:, place, self._hub], model.distances[:, place, self._hub]
        start = self._places.add(place, self._hub, time, distance)
        return self._add_depot(start), self._add_depot(self._hub)

    def _add_depot(self, place: int) -> int:
        self._depots.append(pyvrp.Depot(place))
        return len(self._depots) - 1

    def to_solution(self, draft: DraftPlan) -> pyvrp.Solution:
        """Translate a draft, without the jobs that pyvrp cannot express."""
        clients = {job: number for number, job in enumerate(self._client_jobs)}
        shipments = {job: number for number, job in enumerate(self._shipment_jobs)}
        routes = []
        for route in draft.routes:
            activities = []
            for leg in route.legs:
                job = self._model.leg_jobs[leg]
                first_leg, last_leg = self._model.job_legs[job]
                if job in clients and leg == last_leg:
                    activities.append(Activity(ActivityType.CLIENT, clients[job]))
                elif job in shipments:
                    kind = ActivityType.PICKUP if leg == first_leg else ActivityType.DELIVERY
                    activities.append(Activity(kind, shipments[job]))
            if activities:
                routes.append(pyvrp.Route(self.data, activities, route.shift))
        return pyvrp.Solution(self.data, routes)

    def from_solution(self, solution: pyvrp.Solution) -> list[list[int]]:
        """Translate a solution to the legs of each shift."""
        rows: list[list[int]] = [[] for _ in self._model.starts]
        for route in solution.routes():
            rows[route.vehicle_type()] = list(self._list_legs(route))
        return rows

    def _list_legs(self, route: pyvrp.Route) -> Iterator[int]:
        """Yield the legs of a route. All pickups of a trip from the hub come first."""
        trips: list[list[Any]] = [[]]
        for step in route.schedule():
            if step.is_depot():
                trips.append([])
            else:
                trips[-1].append(step)
        for trip in trips:
            for step in trip:
                if step.is_client():
                    first_leg, last_leg = self._model.job_legs[self._client_jobs[step.idx]]
                    yield from (first_leg,) if first_leg != last_leg else ()
            for step in trip:
                if step.is_client():
                    yield self._model.job_legs[self._client_jobs[step.idx]][1]
                else:
                    first_leg, last_leg = self._model.job_legs[self._shipment_jobs[step.idx]]
                    yield first_leg if step.is_pickup() else last_leg


def find_hub(model: Model) -> int | None:
    """Find the place of most pickups, if it is a hub."""
    pickups = Counter(
        int(model.first_places[first_leg])
        for first_leg, last_leg in model.job_legs
        if first_leg != last_leg and len(model.legs[first_leg]) == 1
    )
    if not pickups:
        return None
    place, count = pickups.most_common(1)[0]
    return place if count >= HUB_SHARE * len(model.job_legs) else None


def is_picked_up_at(model: Model, job: int, place: int) -> bool:
    """Return whether a job's only pickup is at a place."""
    first_leg, last_leg = model.job_legs[job]
    leg: tuple[Visit, ...] = model.legs[first_leg]
    return first_leg != last_leg and len(leg) == 1 and int(model.first_places[first_leg]) == place


def _compute_mean_duration(draft: DraftPlan) -> int:
    """Compute the mean duration of the routes that have stops."""
    durations = [route.total.duration for route in draft.routes if route.legs]
    return sum(durations) // len(durations) if durations else 0
