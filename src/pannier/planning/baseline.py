"""The timetable of the present assignment, as it would go: late where it cannot be in time."""

from random import Random

from pannier.planning.model import Model
from pannier.planning.plan import Plan
from pannier.planning.problem import PlanningProblem
from pannier.planning.routes import build_route
from pannier.planning.schedule import to_planned_route
from pannier.planning.search import Search


def time_present(problem: PlanningProblem) -> Plan:
    """Return the timetable of the present assignment, whether or not it keeps the rules."""
    search = Search(Model(problem), Random(0))  # noqa: S311 - no secret
    routes = []
    for shift, legs in enumerate(search.list_present()):
        if legs:
            route = build_route(search.model, search.objective, shift, legs)
            routes.append(to_planned_route(route))
    return Plan(routes=tuple(routes))
