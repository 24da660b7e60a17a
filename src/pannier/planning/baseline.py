"""The timetable of the present assignment, which may be late."""

from collections.abc import Sequence
from random import Random

from pannier.planning.model import Model
from pannier.planning.plan import Plan
from pannier.planning.problem import PlanningProblem
from pannier.planning.routes import DraftRoute, build_route
from pannier.planning.schedule import to_planned_route
from pannier.planning.search import Search


def schedule_present(problem: PlanningProblem) -> Plan:
    """Build the timetable of the present assignment, even if it breaks rules.

    Jobs to which no road leads are left out.
    """
    search = Search(Model(problem), Random(0))  # noqa: S311 - no secret
    routes = []
    for shift, legs in enumerate(search.list_present_legs()):
        route = _build_with_roads(search, shift, legs)
        if route.legs:
            routes.append(to_planned_route(route))
    return Plan(routes=tuple(routes))


def _build_with_roads(search: Search, shift: int, legs: Sequence[int]) -> DraftRoute:
    """Build a route from legs in their order, without jobs to which no road leads."""
    model, reachable_legs = search.model, list[int]()
    route = build_route(model, search.objective, shift, legs)
    if route.has_roads:
        return route
    for job in dict.fromkeys(model.leg_jobs[leg] for leg in legs):
        longer_route = build_route(
            model, search.objective, shift, [*reachable_legs, *model.list_job_legs(job)]
        )
        if longer_route.has_roads:
            reachable_legs = list(longer_route.legs)
    return build_route(model, search.objective, shift, reachable_legs)
