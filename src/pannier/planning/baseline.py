"""The timetable of the present assignment, as it would go: late where it cannot be in time."""

from collections.abc import Sequence
from random import Random

from pannier.planning.model import Model
from pannier.planning.plan import Plan
from pannier.planning.problem import PlanningProblem
from pannier.planning.routes import DraftRoute, build_route
from pannier.planning.schedule import to_planned_route
from pannier.planning.search import Search


def time_present(problem: PlanningProblem) -> Plan:
    """Return the timetable of the present assignment, whether or not it keeps the rules.

    Jobs to which no road leads are left out.
    """
    search = Search(Model(problem), Random(0))  # noqa: S311 - no secret
    routes = []
    for shift, legs in enumerate(search.list_present()):
        route = _build(search, shift, legs)
        if route.legs:
            routes.append(to_planned_route(route))
    return Plan(routes=tuple(routes))


def _build(search: Search, shift: int, legs: Sequence[int]) -> DraftRoute:
    """Build a route of the legs in their order, without jobs to which no road leads."""
    model, kept = search.model, list[int]()
    route = build_route(model, search.objective, shift, legs)
    if route.has_roads:
        return route
    for job in dict.fromkeys(model.leg_jobs[leg] for leg in legs):
        longer = build_route(model, search.objective, shift, [*kept, *model.list_job_legs(job)])
        if longer.has_roads:
            kept = list(longer.legs)
    return build_route(model, search.objective, shift, kept)
