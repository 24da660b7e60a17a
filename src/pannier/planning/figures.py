"""A plan in figures, and how late its stops are. Pure rules."""

from collections.abc import Mapping

from pannier.planning.material import PlanMaterial
from pannier.planning.models import PlanFigures
from pannier.planning.plan import Plan, PlannedRoute, PlannedStop


class Promises:
    """The ends of time windows, by job and visit."""

    def __init__(self, material: PlanMaterial) -> None:
        self._ends: Mapping[tuple[str, str], int] = {
            (order.key, stop.key): stop.promised
            for order in material.orders
            for stop in order.stops
            if stop.promised is not None
        }

    def count_late(self, stop: PlannedStop) -> int:
        """Return how many seconds after its time window a stop begins."""
        end = self._ends.get((stop.job, stop.visit))
        return 0 if end is None else max(0, stop.begin - end)

    def list_late(self, route: PlannedRoute) -> list[int]:
        """List how late the late stops of a route are."""
        return [late for stop in route.stops if (late := self.count_late(stop))]


def compute_figures(material: PlanMaterial, plan: Plan) -> PlanFigures:
    """Add up a plan."""
    promises = Promises(material)
    late = [each for route in plan.routes for each in promises.list_late(route)]
    drivers = {shift.key: shift.driver for shift in material.shifts}
    assigned = {stop.job for route in plan.routes for stop in route.stops}
    return PlanFigures(
        orders=len(assigned),
        unassigned=len(material.orders) - len(assigned) + len(material.outside),
        drivers=len({drivers[route.shift] for route in plan.routes}),
        distance=plan.distance,
        drive_time=sum(route.drive for route in plan.routes),
        time=plan.duration,
        cost=plan.cost,
        currency=material.currency,
        late_stops=len(late),
        lateness=sum(late),
    )
