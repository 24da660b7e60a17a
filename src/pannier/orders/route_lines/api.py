"""The HTTP handler for the lines of an order's route."""

from typing import Final

from pannier.accounts import api_routers
from pannier.db import Db
from pannier.fleet import auth as fleet
from pannier.orders import aggregate, tracker
from pannier.orders.access import OrderCaller, load_order
from pannier.orders.route_lines.schemas import OrderRouteOut, RouteLineOut
from pannier.routing.router import Router
from pannier.web.exchange import Exchange
from pannier.web.routes import get


@get(
    "/orders/{order_id:str}/route",
    before_request=fleet.require_driver_or_key("orders"),
    security=[{"driverToken": []}],
)
async def get_order_route(
    caller: OrderCaller, order_id: str, db: Db, exchange: Exchange, router: Router
) -> OrderRouteOut:
    """Retrieve the lines of an order's route along streets.

    Without a routing engine, lines go straight from stop to stop.
    """
    snapshot = await tracker.load_snapshot(db, await load_order(db, caller, order_id))
    stops = [point for point in aggregate.route_points(snapshot.order) if point is not None]
    profile = snapshot.order.profile
    async with exchange.edge.suspend_transaction(exchange):
        planned_line = await router.draw(stops, profile)
        remaining_line = await router.draw(snapshot.remaining_points, profile)
    return OrderRouteOut(
        RouteLineOut.from_line(planned_line, stops),
        RouteLineOut.from_line(remaining_line, snapshot.remaining_points),
    )


routes: Final = api_routers.api_router("Orders", "orders", [get_order_route])
