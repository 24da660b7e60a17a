"""HTTP handlers for quotes of orders."""

from typing import Any, Final
from uuid import UUID

from litestar import Response

from pannier.accounts import auth, doors
from pannier.accounts.auth import Caller, FleetKey
from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Database, Db
from pannier.db.actor import Actor
from pannier.errors import NotFound, checked
from pannier.orders.aggregate import OrderClosed
from pannier.orders.queries import ORDERS
from pannier.orders.quotes import queries, service
from pannier.orders.quotes.owing import Accepting
from pannier.orders.quotes.queries import QUOTES
from pannier.orders.quotes.schemas import AcceptIn, OrderQuoteOut, QuoteRowFilters
from pannier.orders.quotes.service import Accepted, AlreadyAccepted, QuoteReplaced, QuoteStale
from pannier.orders.views import Aggregate
from pannier.payments import checkouts, returning
from pannier.payments.gateway import Gateway
from pannier.payments.transactions import queries as transactions
from pannier.payments.transactions.queries import TRANSACTIONS
from pannier.payments.transactions.schemas import TransactionOut
from pannier.rates.quotes.signing import QuoteExpired
from pannier.web.exchange import Exchange
from pannier.web.lists import Listed, enveloped, linked
from pannier.web.routes import get, post

ACCEPTING: Final = [
    NotFound, QuoteExpired, QuoteReplaced, QuoteStale, AlreadyAccepted, OrderClosed,
]  # fmt: skip
# A repeated request returns the same transaction and creates nothing.
AGAIN: Final[dict[str, Any]] = {"responses": {200: {"application/json": TransactionOut}}}
ONE: Final = "/service-quotes/{service_quote_id:str}"
OF_ORDER: Final = "/orders/{order_id:str}/service-quotes"
RENEWING: Final = [NotFound, AlreadyAccepted, OrderClosed]


async def get_service_quote(
    caller: FleetKey | Caller, service_quote_id: str, db: Db
) -> OrderQuoteOut:
    """Read a quote of an order, or an accepted quote."""
    return OrderQuoteOut.of(await QUOTES.get(db, caller.company, service_quote_id), db.now)


async def list_order_quotes(
    key: FleetKey, order_id: str, filters: QuoteRowFilters, exchange: Exchange, db: Db
) -> Response[list[OrderQuoteOut]]:
    """List the quotes of an order, newest first, including replaced ones."""
    order = await ORDERS.get(db, key.company, order_id)
    page = await queries.page(db, key.company, filters, order.uuid)
    return linked(exchange, page, lambda row: OrderQuoteOut.of(row, db.now))


async def list_all_quotes(
    caller: Caller, filters: QuoteRowFilters, db: Db
) -> Listed[OrderQuoteOut]:
    """List the quotes of all orders, newest first."""
    page = await queries.page(db, caller.company, filters)
    return enveloped(page, lambda row: OrderQuoteOut.of(row, db.now))


async def list_quotes_of_order(
    caller: Caller, order_id: str, filters: QuoteRowFilters, db: Db
) -> Listed[OrderQuoteOut]:
    """List the quotes of an order, newest first, including replaced ones."""
    order = await ORDERS.get(db, caller.company, order_id)
    page = await queries.page(db, caller.company, filters, order.uuid)
    return enveloped(page, lambda row: OrderQuoteOut.of(row, db.now))


async def renew_order_quotes(
    caller: FleetKey | Caller, order_id: str, db: Db
) -> list[OrderQuoteOut]:
    """Reprice an order and list its new quotes, cheapest first. Open quotes are replaced."""
    held = await Aggregate.of(db, await ORDERS.take(db, caller.company, order_id))
    found = await service.renew(db, held)
    return [OrderQuoteOut.of(row, db.now) for row in found]


async def accept_service_quote(
    caller: FleetKey | Caller,
    service_quote_id: str,
    data: AcceptIn,
    exchange: Exchange,
    db: Db,
    gateway: Gateway,
) -> Response[TransactionOut]:
    """Accept a quote. It is owed from then on, and payable if there is a gateway.

    A repeated request returns the same transaction with status 200.
    """
    mode = (await company_settings.of(db, caller.company)).mode
    back = data.return_url and checked(
        "return_url", lambda url: returning.checked(url, mode), data.return_url
    )
    wish = Accepting(
        gateway=gateway, order=data.order, customer=data.customer, return_url=back or None
    )
    actor = db.actor
    async with exchange.edge.outside(exchange):
        done = await accepted(exchange.edge.database, caller.company, service_quote_id, wish, actor)
    (shown,) = await transactions.shown(
        db, caller.company, [await TRANSACTIONS.get(db, caller.company, done.transaction.uuid)]
    )
    return Response(shown, status_code=201 if done.new else 200)


async def accepted(
    database: Database, company: UUID, name: str, wish: Accepting, actor: Actor
) -> Accepted:
    """Accept a quote, commit, and then request the checkout page."""
    async with database.transaction() as db:
        db.actor = actor
        done = await service.accept(db, company, name, wish)
    await checkouts.offer(database, wish.gateway, done.transaction)
    return done


routers: Final = (
    doors.for_keys(
        "Service quotes",
        "service-quotes",
        [
            get(ONE, problems=[NotFound])(get_service_quote),
            get(OF_ORDER, problems=[NotFound])(list_order_quotes),
            post(OF_ORDER, status_code=200, problems=RENEWING)(renew_order_quotes),
            post(f"{ONE}/accept", problems=ACCEPTING, opt=AGAIN)(accept_service_quote),
        ],
    ),
    doors.for_operators(
        "Service quotes",
        "viewer",
        [
            get("/service-quotes")(list_all_quotes),
            get(ONE, problems=[NotFound], operation_id="get_service_quote_as_operator")(
                get_service_quote
            ),
            get(OF_ORDER, problems=[NotFound])(list_quotes_of_order),
            post(
                OF_ORDER,
                status_code=200,
                problems=RENEWING,
                before_request=auth.operator("dispatcher"),
                operation_id="renew_order_quotes_as_operator",
            )(renew_order_quotes),
            post(
                f"{ONE}/accept",
                problems=ACCEPTING,
                opt=AGAIN,
                before_request=auth.operator("dispatcher"),
                operation_id="accept_service_quote_as_operator",
            )(accept_service_quote),
        ],
    ),
)
