"""Drawing a plan's routes on a map, along streets if there is a routing engine."""

import asyncio
from typing import Final

import msgspec

from pannier.db import Db
from pannier.kit.geo import Point
from pannier.maps.folder import Profile
from pannier.orders.route_lines.schemas import RouteLineOut
from pannier.places.queries import places
from pannier.planning import queries
from pannier.planning.material import PlanMaterial
from pannier.planning.models import PlanRow
from pannier.planning.plan import PlannedRoute
from pannier.planning.plan_out import PlanLineOut
from pannier.routing.router import Router

# Lines drawn at a time. Other requests need the routing engine too.
CONCURRENCY: Final = 4


class RoutePoints(msgspec.Struct):
    """The points of a route, from its start to its end."""

    driver: str
    profile: Profile
    points: list[Point]


async def load_points(db: Db, plan: PlanRow) -> list[RoutePoints]:
    """Load the points of all routes of a plan, at the current locations of the places."""
    contents = await queries.load_contents(db, plan.company, plan.uuid)
    material, solution = contents.material, contents.solution
    if material is None or solution is None:
        return []
    uuids = {stop.place for order in material.orders for stop in order.stops}
    rows = await places.load_many(db, plan.company, list(uuids))
    locations = {
        (order.key, stop.key): rows[stop.place].location
        for order in material.orders
        for stop in order.stops
    }
    return [
        _to_route_points(material, route, [locations[stop.job, stop.visit] for stop in route.stops])
        for route in solution.plan.routes
    ]


def _to_route_points(
    material: PlanMaterial, route: PlannedRoute, locations: list[Point | None]
) -> RoutePoints:
    shift = next(shift for shift in material.shifts if shift.key == route.shift)
    profile = next(shift.profile for shift in material.problem.shifts if shift.key == route.shift)
    start, end = (None if pair is None else Point(*pair) for pair in (shift.start, shift.end))
    points = [point for point in (start, *locations, end) if point is not None]
    # Consecutive stops at one place need only one point.
    distinct_points = [
        point
        for point, previous_point in zip(points, [None, *points], strict=False)
        if point != previous_point
    ]
    return RoutePoints(shift.driver_id, profile, distinct_points)


async def draw_routes(router: Router, routes: list[RoutePoints]) -> list[PlanLineOut]:
    """Draw routes. It waits for the routing engine: never call it inside a transaction."""
    slots = asyncio.Semaphore(CONCURRENCY)

    async def draw_route(route: RoutePoints) -> PlanLineOut:
        async with slots:
            line = await router.draw(route.points, route.profile)
        return PlanLineOut(driver=route.driver, line=RouteLineOut.from_line(line, route.points))

    return list(await asyncio.gather(*map(draw_route, routes)))
