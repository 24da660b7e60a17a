"""The figures of a plan, and the lateness of its stops. Pure rules."""

from collections.abc import Mapping

from pannier.planning.material import PlanMaterial
from pannier.planning.models import PlanFigures
from pannier.planning.plan import Plan, PlannedRoute, PlannedStop


class PromisedTimes:
    """The ends of the time windows, by job and visit."""

    def __init__(self, material: PlanMaterial) -> None:
        self._ends: Mapping[tuple[str, str], int] = {
            (order.key, stop.key): stop.promised
            for order in material.orders
            for stop in order.stops
            if stop.promised is not None
        }

    def compute_lateness(self, stop: PlannedStop) -> int:
        """Return the seconds between the end of a stop's time window and the stop's begin."""
        end = self._ends.get((stop.job, stop.visit))
        return 0 if end is None else max(0, stop.begin - end)

    def list_lateness(self, route: PlannedRoute) -> list[int]:
        """List the seconds of lateness of a route's late stops."""
        return [lateness for stop in route.stops if (lateness := self.compute_lateness(stop))]


def compute_figures(material: PlanMaterial, plan: Plan) -> PlanFigures:
    """Add up the figures of a plan."""
    promises = PromisedTimes(material)
    lateness = [seconds for route in plan.routes for seconds in promises.list_lateness(route)]
    drivers = {shift.key: shift.driver for shift in material.shifts}
    assigned_jobs = {stop.job for route in plan.routes for stop in route.stops}
    return PlanFigures(
        orders=len(assigned_jobs),
        unassigned=len(material.orders) - len(assigned_jobs) + len(material.outside),
        drivers=len({drivers[route.shift] for route in plan.routes}),
        distance=plan.distance,
        drive_time=sum(route.drive for route in plan.routes),
        time=plan.duration,
        cost=plan.cost,
        currency=material.currency,
        late_stops=len(lateness),
        lateness=sum(lateness),
    )
