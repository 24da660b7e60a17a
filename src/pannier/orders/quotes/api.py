"""HTTP handlers for quotes of orders."""

from typing import Any, Final
from uuid import UUID

from litestar import MediaType, Response

from pannier.accounts import api_routers, auth
from pannier.accounts.auth import Caller, FleetKey
from pannier.db import Database, Db
from pannier.db.actor import Actor
from pannier.errors import NotFound
from pannier.orders import measurement
from pannier.orders.aggregate import OrderClosed
from pannier.orders.queries import ORDERS
from pannier.orders.quotes import queries, service
from pannier.orders.quotes.checks import QuoteStale
from pannier.orders.quotes.debts import AcceptanceTerms, CurrencyDiffers
from pannier.orders.quotes.pricing import QuoteReplaced
from pannier.orders.quotes.queries import QUOTES
from pannier.orders.quotes.schemas import AcceptIn, OrderQuoteOut, QuoteRowFilters
from pannier.orders.quotes.service import (
    AcceptedQuote,
    AlreadyAccepted,
    QuoteNotFirm,
)
from pannier.orders.views import OrderAggregate
from pannier.payments import checkouts
from pannier.payments.gateway import Gateway
from pannier.payments.transactions import queries as transactions
from pannier.payments.transactions.queries import TRANSACTIONS
from pannier.payments.transactions.schemas import TransactionOut
from pannier.rates.quotes.signing import QuoteExpired
from pannier.routing.router import Router
from pannier.web.exchange import Exchange
from pannier.web.lists import Listed, to_array_response, to_envelope
from pannier.web.routes import get, post
from pannier.web.serialization import encode

ACCEPT_PROBLEMS: Final = [
    NotFound, QuoteExpired, QuoteReplaced, QuoteStale, QuoteNotFirm, AlreadyAccepted,
    CurrencyDiffers, OrderClosed,
]  # fmt: skip
# A repeated request returns the same transaction and creates nothing.
REPEATED_RESPONSE: Final[dict[str, Any]] = {
    "responses": {200: {"application/json": TransactionOut}}
}
QUOTE_PATH: Final = "/service-quotes/{service_quote_id:str}"
ORDER_QUOTES_PATH: Final = "/orders/{order_id:str}/service-quotes"
RENEW_PROBLEMS: Final = [NotFound, AlreadyAccepted, OrderClosed]


async def get_service_quote(
    caller: FleetKey | Caller, service_quote_id: str, db: Db
) -> OrderQuoteOut:
    """Retrieve a quote."""
    return OrderQuoteOut.from_row(await QUOTES.get(db, caller.company, service_quote_id), db.now)


async def list_order_quotes(
    key: FleetKey, order_id: str, filters: QuoteRowFilters, exchange: Exchange, db: Db
) -> Response[list[OrderQuoteOut]]:
    """List the quotes of an order, newest first, including replaced ones."""
    order = await ORDERS.get(db, key.company, order_id)
    page = await queries.list_quotes(db, key.company, filters, order.uuid)
    return to_array_response(exchange, page, lambda row: OrderQuoteOut.from_row(row, db.now))


async def list_all_quotes(
    caller: Caller, filters: QuoteRowFilters, db: Db
) -> Listed[OrderQuoteOut]:
    """List the quotes of all orders, newest first."""
    page = await queries.list_quotes(db, caller.company, filters)
    return to_envelope(page, lambda row: OrderQuoteOut.from_row(row, db.now))


async def list_quotes_of_order(
    caller: Caller, order_id: str, filters: QuoteRowFilters, db: Db
) -> Listed[OrderQuoteOut]:
    """List the quotes of an order, newest first, including replaced ones."""
    order = await ORDERS.get(db, caller.company, order_id)
    page = await queries.list_quotes(db, caller.company, filters, order.uuid)
    return to_envelope(page, lambda row: OrderQuoteOut.from_row(row, db.now))


async def renew_order_quotes(
    caller: FleetKey | Caller, order_id: str, exchange: Exchange, db: Db, router: Router
) -> list[OrderQuoteOut]:
    """Reprice an order and list its new quotes, cheapest first. Open quotes are replaced."""
    database, actor = exchange.edge.database, db.actor
    async with exchange.edge.suspend_transaction(exchange):
        await measurement.measure_order(database, router, caller.company, order_id, actor)
    order = await OrderAggregate.load(db, await ORDERS.lock(db, caller.company, order_id))
    quotes = await service.renew_quotes(db, order)
    return [OrderQuoteOut.from_row(row, db.now) for row in quotes]


async def accept_service_quote(
    caller: FleetKey | Caller,
    service_quote_id: str,
    data: AcceptIn,
    exchange: Exchange,
    db: Db,
    gateway: Gateway,
    router: Router,
) -> Response[TransactionOut]:
    """Accept a quote. The payer owes it from then on, and can pay it if there is a gateway.

    A repeated request returns the same transaction with status 200.
    """
    return_url = await checkouts.parse_return_url(db, caller.company, data.return_url)
    terms = AcceptanceTerms(
        gateway=gateway, order=data.order, customer=data.customer, return_url=return_url
    )
    database, actor = exchange.edge.database, db.actor
    async with exchange.edge.suspend_transaction(exchange):
        await measurement.measure_quoted_order(
            database, router, caller.company, service_quote_id, data.order, actor
        )
        acceptance = await accept_quote(database, caller.company, service_quote_id, terms, actor)
    (transaction_out,) = await transactions.load_transactions_out(
        db,
        caller.company,
        [await TRANSACTIONS.get(db, caller.company, acceptance.transaction.uuid)],
    )
    # Encoded here, because Litestar would encode decimals as strings.
    return Response(
        encode(transaction_out),  # type: ignore[arg-type]  # of such a transaction
        media_type=MediaType.JSON,
        status_code=201 if acceptance.new else 200,
    )


async def accept_quote(
    database: Database, company: UUID, quote_id: str, terms: AcceptanceTerms, actor: Actor
) -> AcceptedQuote:
    """Accept a quote, commit, and then request the checkout page."""
    async with database.transaction() as db:
        db.actor = actor
        acceptance = await service.accept_quote(db, company, quote_id, terms)
    await checkouts.open_requested_page(database, terms.gateway, acceptance.transaction)
    return acceptance


routers: Final = (
    api_routers.api_router(
        "Service quotes",
        "service-quotes",
        [
            get(QUOTE_PATH, problems=[NotFound])(get_service_quote),
            get(ORDER_QUOTES_PATH, problems=[NotFound])(list_order_quotes),
            post(ORDER_QUOTES_PATH, status_code=200, problems=RENEW_PROBLEMS)(renew_order_quotes),
            post(f"{QUOTE_PATH}/accept", problems=ACCEPT_PROBLEMS, opt=REPEATED_RESPONSE)(
                accept_service_quote
            ),
        ],
    ),
    api_routers.operator_router(
        "Service quotes",
        "viewer",
        [
            get("/service-quotes")(list_all_quotes),
            get(QUOTE_PATH, problems=[NotFound])(get_service_quote),
            get(ORDER_QUOTES_PATH, problems=[NotFound])(list_quotes_of_order),
            post(
                ORDER_QUOTES_PATH,
                status_code=200,
                problems=RENEW_PROBLEMS,
                before_request=auth.require_operator("dispatcher"),
            )(renew_order_quotes),
            post(
                f"{QUOTE_PATH}/accept",
                problems=ACCEPT_PROBLEMS,
                opt=REPEATED_RESPONSE,
                before_request=auth.require_operator("dispatcher"),
            )(accept_service_quote),
        ],
    ),
)
