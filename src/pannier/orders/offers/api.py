"""HTTP handlers for offers, only for drivers."""

from pannier.accounts import api_routers
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet import auth
from pannier.fleet.auth import DriverCaller
from pannier.fleet.presence import DriverInactive
from pannier.orders.access import to_order_out
from pannier.orders.flow import IllegalMove
from pannier.orders.offers import service
from pannier.orders.offers.schemas import OfferFilters, OfferOut
from pannier.orders.schemas import OrderOut
from pannier.web.routes import get, post

TAKE_PROBLEMS = [service.AlreadyTaken, service.DriverOffline, DriverInactive, IllegalMove, NotFound]


@get("/orders/nearby", problems=[service.DriverOffline, service.DriverUnlocated])
async def list_offers(caller: DriverCaller, filters: OfferFilters, db: Db) -> list[OfferOut]:
    """List the open ad-hoc orders near the driver, nearest first.

    There is a single page. The driver must be on duty and must have reported a position.
    """
    return await service.list_offers(db, caller, filters.limit)


@post("/orders/{order_id:str}/take", status_code=200, problems=TAKE_PROBLEMS)
async def take_order(caller: DriverCaller, order_id: str, db: Db) -> OrderOut:
    """Take an offered ad-hoc order. Only one driver gets it."""
    return to_order_out(db, caller, await service.take_offer(db, caller, order_id))


routes = api_routers.guarded_router(
    "/v1", auth.require_driver, "Order assignment", [list_offers, take_order], {"driverToken": []}
)
