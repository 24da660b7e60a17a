"""HTTP handlers for customers: their orders, payments and places."""

from litestar import Response

from pannier.accounts.company_settings import queries as company_settings
from pannier.customers import storefront_routers
from pannier.customers.auth import Shopper
from pannier.customers.queries import CUSTOMERS
from pannier.db import Db, PageIn
from pannier.errors import NotFound
from pannier.orders import views as orders
from pannier.orders.attempts import queries as attempts
from pannier.orders.flow import IllegalMove
from pannier.orders.quotes.checks import QuoteStale
from pannier.orders.quotes.pricing import QuoteReplaced
from pannier.orders.quotes.service import AlreadyAccepted
from pannier.orders.storefront import customer_orders, queries, tracker, views
from pannier.orders.storefront.customer_orders import (
    CancelOwnIn,
    CheckoutAgainIn,
    CustomerOrderIn,
    CustomerPlacedOut,
    PaymentOut,
)
from pannier.orders.storefront.schemas import (
    CustomerOrderFilters,
    CustomerOrderOut,
    CustomerPlaceOut,
    CustomerTracked,
)
from pannier.orders.tracking import links
from pannier.orders.views import OrderAggregate
from pannier.payments.gateway import Gateway, GatewayNotConfigured
from pannier.payments.transactions.service import AlreadyPaid, AlreadyVoid
from pannier.rates.quotes.signing import QuoteExpired
from pannier.routing.router import Router
from pannier.web.exchange import Exchange
from pannier.web.lists import to_array_response
from pannier.web.routes import get, post


@get("/customers/orders")
async def list_own_orders(
    caller: Shopper, filters: CustomerOrderFilters, exchange: Exchange, db: Db
) -> Response[list[CustomerOrderOut]]:
    """List the customer's own orders, newest first."""
    customer = await CUSTOMERS.get(db, caller.company, caller.customer)
    page = await queries.list_orders(db, customer, filters)
    related = await orders.load_related(db, caller.company, page.rows)
    return to_array_response(exchange, page, lambda row: views.to_order_out(row, related, customer))


@get("/customers/orders/{order_id:str}")
async def get_own_order(caller: Shopper, order_id: str, db: Db) -> CustomerOrderOut:
    """Retrieve one of the customer's own orders."""
    customer = await CUSTOMERS.get(db, caller.company, caller.customer)
    order = await queries.get_own_order(db, customer, order_id)
    return views.to_order_out(
        order, await orders.load_related(db, caller.company, [order]), customer
    )


@get("/customers/orders/{order_id:str}/tracker")
async def track_own_order(
    caller: Shopper, order_id: str, db: Db, exchange: Exchange, router: Router
) -> CustomerTracked:
    """Track one of the customer's own orders.

    The driver is visible only on the way to the customer.
    """
    customer = await CUSTOMERS.get(db, caller.company, caller.customer)
    order = await queries.get_own_order(db, customer, order_id)
    snapshot = await tracker.load_snapshot(db, await OrderAggregate.load(db, order))
    pace = (await company_settings.load(db, caller.company)).routing
    link = links.page_url(db, snapshot.number)
    latest_attempts = await attempts.load_latest_attempts(db, order)
    async with exchange.edge.suspend_transaction(exchange):
        route = await router.measure(snapshot.points, pace, snapshot.order.profile)
    return tracker.to_tracking(db.now, snapshot, route, customer.contact, link, latest_attempts)


@post(
    "/customers/orders",
    problems=[
        customer_orders.OrderingOff,
        NotFound,
        QuoteExpired,
        QuoteReplaced,
        QuoteStale,
        AlreadyAccepted,
    ],
)
async def place_own_order(
    caller: Shopper,
    data: CustomerOrderIn,
    exchange: Exchange,
    db: Db,
    gateway: Gateway,
    router: Router,
) -> CustomerPlacedOut:
    """Create an order from a quote of this store, at the quoted price.

    With a payment gateway, `payment.checkout_url` is set shortly afterwards: read the payment
    again, or request a checkout page.
    """
    customer = await CUSTOMERS.get(db, caller.company, caller.customer)
    order = await customer_orders.place_order(exchange, db, router, gateway, caller, data)
    return CustomerPlacedOut(
        order=views.to_order_out(order.row, order.related, customer),
        payment=await customer_orders.load_payment(db, caller, order.row.public_id),
    )


@get("/customers/orders/{order_id:str}/payment")
async def get_own_payment(caller: Shopper, order_id: str, db: Db) -> PaymentOut:
    """Retrieve the amount owed for an order, and its checkout page."""
    return await customer_orders.load_payment(db, caller, order_id)


@post(
    "/customers/orders/{order_id:str}/checkout",
    status_code=200,
    problems=[AlreadyPaid, AlreadyVoid, GatewayNotConfigured],
)
async def checkout_own_order(
    caller: Shopper,
    order_id: str,
    data: CheckoutAgainIn,
    exchange: Exchange,
    db: Db,
    gateway: Gateway,
) -> PaymentOut:
    """Get or create the checkout page of an order."""
    return_url = await customer_orders.validate_return_url(db, caller, data.return_url)
    transaction_id = await customer_orders.get_owed_transaction(db, caller, order_id)
    async with exchange.edge.suspend_transaction(exchange):
        await customer_orders.request_checkout(
            exchange.edge.database, gateway, caller.company, transaction_id, return_url, db
        )
    return await customer_orders.load_payment(db, caller, order_id)


@post(
    "/customers/orders/{order_id:str}/cancel",
    status_code=200,
    problems=[NotFound, IllegalMove],
)
async def cancel_own_order(
    caller: Shopper, order_id: str, data: CancelOwnIn, db: Db
) -> CustomerOrderOut:
    """Cancel one of the customer's own orders before the driver starts.

    The store's cancellation fee applies: see `cancellation_fee` of the payment. The rest of what
    was paid is refunded.
    """
    customer = await CUSTOMERS.get(db, caller.company, caller.customer)
    order = await customer_orders.cancel_order(db, caller, order_id, data.reason)
    return views.to_order_out(order.row, order.related, customer)


@get("/customers/places")
async def list_own_places(
    caller: Shopper, filters: PageIn, exchange: Exchange, db: Db
) -> Response[list[CustomerPlaceOut]]:
    """List the places where the customer's orders are delivered, newest first."""
    customer = await CUSTOMERS.get(db, caller.company, caller.customer)
    return to_array_response(
        exchange, await queries.list_places(db, customer, filters), views.to_place_out
    )


routes = storefront_routers.customer_router(
    "Customer orders",
    [
        list_own_orders,
        get_own_order,
        track_own_order,
        list_own_places,
        place_own_order,
        get_own_payment,
        checkout_own_order,
        cancel_own_order,
    ],
)
