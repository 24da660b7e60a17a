"""The timetable of a route: when each stop is reached, begun and left, and what is on board."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pannier.planning.model import Model
from pannier.planning.plan import PlannedBreak, PlannedRoute, PlannedStop
from pannier.planning.problem import Loads, PlanShift, Visit
from pannier.planning.routes import DraftRoute


class _Node(NamedTuple):
    """A visit of a job, or the end of the route, with the breaks that come right before it."""

    job: str
    visit: Visit | None
    place: int
    breaks: tuple[int, ...]


def to_planned_route(route: DraftRoute) -> PlannedRoute:
    """Return the timetable of a route: it starts as early as that costs no waiting."""
    model = route.model
    shift = model.problem.shifts[route.shift]
    times, distances = model.times[route.profile], model.distances[route.profile]
    clock = start = int(route.total.early)
    place, load = model.starts[route.shift], route.load[0].copy()
    stops: list[PlannedStop] = []
    breaks: list[PlannedBreak] = []
    drive = distance = 0
    for node in _list_nodes(route):
        way, length = int(times[place, node.place]), int(distances[place, node.place])
        drive, distance = drive + way, distance + length
        arrival = clock = clock + way
        for number in node.breaks:
            due = shift.breaks[number]
            begin = max(clock, due.opens)
            clock = begin + due.duration
            breaks.append(PlannedBreak(before=len(stops), begin=begin, end=clock))
        place = node.place
        if node.visit is not None:
            begin = max(clock, node.visit.opens)
            clock = begin + node.visit.service
            sign = 1 if node.visit.kind == "pickup" else -1
            load += sign * np.array(node.visit.loads, dtype=np.int64)
            stops.append(
                _to_stop(node.job, node.visit, arrival, begin, way, length, tuple(map(int, load)))
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


def _to_stop(
    job: str, visit: Visit, arrival: int, begin: int, way: int, length: int, load: tuple[int, ...]
) -> PlannedStop:
    loads: Loads = (load[0], load[1], load[2])
    return PlannedStop(
        job=job,
        visit=visit.key,
        kind=visit.kind,
        point=visit.point,
        arrival=arrival,
        begin=begin,
        end=begin + visit.service,
        drive=way,
        distance=length,
        loads=loads,
    )


def _list_nodes(route: DraftRoute) -> Iterator[_Node]:
    """List the visits of a route, and its end."""
    model: Model = route.model
    jobs = model.problem.jobs
    for number, leg in enumerate(route.legs, 1):
        job = jobs[model.leg_jobs[leg]].key
        for place, visit in enumerate(model.legs[leg]):
            taken = _list_breaks(route, number) if place == 0 else ()
            yield _Node(job, visit, model.place_of(visit), taken)
    ending = _list_breaks(route, len(route.legs) + 1)
    yield _Node("", None, model.ends[route.shift], ending)


def _list_breaks(route: DraftRoute, node: int) -> tuple[int, ...]:
    return tuple(number for number, host in enumerate(route.hosts) if host == node)


def compute_cost(shift: PlanShift, duration: int, distance: int) -> int:
    """Return the cost of a route in minor units, rounded half up."""
    parts = shift.cost_hour * duration * 1000 + shift.cost_km * distance * 3600
    return shift.cost_fixed + (parts + 1_800_000) // 3_600_000
