"""The timetable of a route: arrival, begin, end and load of each stop."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pannier.planning.model import Model
from pannier.planning.plan import PlannedBreak, PlannedRoute, PlannedStop
from pannier.planning.problem import PlanShift, Visit
from pannier.planning.routes import DraftRoute


class _Node(NamedTuple):
    """A visit of a job, or the end of the route, with the breaks that come right before it."""

    job: str
    visit: Visit | None
    place: int
    breaks: tuple[int, ...]


def to_planned_route(route: DraftRoute) -> PlannedRoute:
    """Return the timetable of a route. It starts late enough to avoid waiting."""
    model = route.model
    shift = model.problem.shifts[route.shift]
    times, distances = model.times[route.profile], model.distances[route.profile]
    clock = start = int(route.total.early)
    place, load = model.starts[route.shift], route.load[0].copy()
    stops: list[PlannedStop] = []
    breaks: list[PlannedBreak] = []
    drive = distance = 0
    for node in _list_nodes(route):
        edge = place, node.place
        edge_time, edge_distance = int(times[edge]), int(distances[edge])
        drive, distance = drive + edge_time, distance + edge_distance
        arrival = clock = clock + edge_time
        for number in node.breaks:
            pause = shift.breaks[number]
            begin = max(clock, pause.opens)
            clock = begin + pause.duration
            breaks.append(PlannedBreak(before=len(stops), begin=begin, end=clock))
        place = node.place
        if node.visit is not None:
            begin = max(clock, node.visit.opens)
            clock = begin + node.visit.service
            sign = 1 if node.visit.kind == "pickup" else -1
            load += sign * np.array(node.visit.loads, dtype=np.int64)
            stops.append(
                PlannedStop(
                    job=node.job,
                    visit=node.visit.key,
                    kind=node.visit.kind,
                    point=node.visit.point,
                    arrival=arrival,
                    begin=begin,
                    end=clock,
                    drive=edge_time,
                    distance=edge_distance,
                    loads=(int(load[0]), int(load[1]), int(load[2])),
                )
            )
    return PlannedRoute(
        shift=shift.key,
        start=start,
        end=clock,
        stops=tuple(stops),
        breaks=tuple(breaks),
        drive=drive,
        distance=distance,
        cost=compute_cost(shift, clock - start, distance),
    )


def _list_nodes(route: DraftRoute) -> Iterator[_Node]:
    """Yield the visits of a route, and its end."""
    model: Model = route.model
    jobs = model.problem.jobs
    for number, leg in enumerate(route.legs, 1):
        job = jobs[model.leg_jobs[leg]].key
        for index, visit in enumerate(model.legs[leg]):
            breaks = _list_breaks(route, number) if index == 0 else ()
            yield _Node(job, visit, model.find_place(visit), breaks)
    breaks = _list_breaks(route, len(route.legs) + 1)
    yield _Node("", None, model.ends[route.shift], breaks)


def _list_breaks(route: DraftRoute, node: int) -> tuple[int, ...]:
    return tuple(number for number, host in enumerate(route.hosts) if host == node)


def compute_cost(shift: PlanShift, duration: int, distance: int) -> int:
    """Compute the cost of a route in minor units, rounded half up."""
    parts = shift.cost_hour * duration * 1000 + shift.cost_km * distance * 3600
    return shift.cost_fixed + (parts + 1_800_000) // 3_600_000
