"""The doors through which customers see their orders, and the places these go to."""

from litestar import Response

from pannier.accounts.company_settings import queries as company_settings
from pannier.customers import doors
from pannier.customers.auth import Shopper
from pannier.customers.queries import CUSTOMERS
from pannier.db import Db, PageIn
from pannier.orders import views as orders
from pannier.orders.aggregate import Aggregate
from pannier.orders.storefront import queries, tracker, views
from pannier.orders.storefront.schemas import (
    CustomerOrderFilters,
    CustomerOrderOut,
    CustomerPlaceOut,
    CustomerTracked,
)
from pannier.routing.router import Router
from pannier.web.exchange import Exchange
from pannier.web.lists import linked
from pannier.web.routes import get


@get("/customers/orders")
async def list_own_orders(
    caller: Shopper, filters: CustomerOrderFilters, exchange: Exchange, db: Db
) -> Response[list[CustomerOrderOut]]:
    """List one's own orders, the newest first."""
    customer = await CUSTOMERS.get(db, caller.company, caller.customer)
    page = await queries.order_page(db, customer, filters)
    shown = await orders.shown(db, caller.company, page.rows)
    return linked(exchange, page, lambda row: views.order_out(row, shown, customer))


@get("/customers/orders/{order_id:str}")
async def get_own_order(caller: Shopper, order_id: str, db: Db) -> CustomerOrderOut:
    """Read one of one's own orders."""
    customer = await CUSTOMERS.get(db, caller.company, caller.customer)
    order = await queries.own_order(db, customer, order_id)
    return views.order_out(order, await orders.shown(db, caller.company, [order]), customer)


@get("/customers/orders/{order_id:str}/tracker")
async def track_own_order(
    caller: Shopper, order_id: str, db: Db, exchange: Exchange, router: Router
) -> CustomerTracked:
    """Follow one of one's own orders; the driver is seen while on the way to the customer."""
    customer = await CUSTOMERS.get(db, caller.company, caller.customer)
    order = await queries.own_order(db, customer, order_id)
    sight = await tracker.look(db, await Aggregate.of(db, order))
    pace = (await company_settings.of(db, caller.company)).routing
    async with exchange.edge.outside(exchange):
        way = await router.along(sight.points, pace)
    return tracker.tracked(db.now, sight, way, customer.contact)


@get("/customers/places")
async def list_own_places(
    caller: Shopper, filters: PageIn, exchange: Exchange, db: Db
) -> Response[list[CustomerPlaceOut]]:
    """List the places where one's orders are handed over, the newest first."""
    customer = await CUSTOMERS.get(db, caller.company, caller.customer)
    return linked(exchange, await queries.place_page(db, customer, filters), views.place_out)


routes = doors.for_customers(
    "Customers", [list_own_orders, get_own_order, track_own_order, list_own_places]
)
