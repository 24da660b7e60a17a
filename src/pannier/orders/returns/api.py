"""HTTP handlers for returns of delivered orders."""

from typing import Final

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet.presence import DriverInactive
from pannier.orders import measurement
from pannier.orders.access import load_order
from pannier.orders.quotes.debts import AcceptanceTerms
from pannier.orders.returns import service
from pannier.orders.returns.pieces import ReturnExceedsDelivered
from pannier.orders.returns.schemas import ReturnableItem, ReturnIn
from pannier.orders.returns.service import OrderNotCompleted, TooManyReturns
from pannier.orders.schemas import OrderOut
from pannier.payments.gateway import Gateway
from pannier.routing.router import Router
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post


@post(
    "/orders/{order_id:str}/return",
    problems=[NotFound, OrderNotCompleted, ReturnExceedsDelivered, TooManyReturns, DriverInactive],
)
async def return_order(
    key: FleetKey,
    order_id: str,
    data: ReturnIn,
    exchange: Exchange,
    db: Db,
    gateway: Gateway,
    router: Router,
) -> OrderOut:
    """Create an order that brings delivered items back to where they were picked up.

    The order must be completed. The return has its own price and tracking number. Cash on delivery,
    proofs and the driver are not copied.
    """
    order = await load_order(db, key, order_id)
    _, order_in = await service.plan_return(db, order, data)
    measured_route = await measurement.measure_new_order(
        exchange, db, router, key.company, order_in
    )
    terms = AcceptanceTerms(gateway=gateway, fetched=False)
    created_order = await service.create_return(
        db, key.company, order.row.public_id, data, terms, measured_route
    )
    return created_order.to_order_out()


@get("/orders/{order_id:str}/returnable-items")
async def list_returnable_items(key: FleetKey, order_id: str, db: Db) -> list[ReturnableItem]:
    """List the items of an order, and how many pieces of each can still be returned.

    Until the order is completed, nothing can be returned.
    """
    return await service.list_returnable_items(db, await load_order(db, key, order_id))


routes: Final = api_routers.api_router("Orders", "orders", [return_order, list_returnable_items])
