"""Routes of quotes, for programs, operators and shops."""

from typing import Final
from uuid import UUID

from pannier.accounts import api_routers, auth
from pannier.accounts.auth import StorefrontKey
from pannier.customers import storefront_routers as shop
from pannier.customers.auth import Shopper
from pannier.db import Db
from pannier.errors import NotFound
from pannier.rates.quotes import service
from pannier.rates.quotes.quoting import PricingBusy
from pannier.rates.quotes.schemas import (
    ExplainedOut,
    PreviewIn,
    PreviewOut,
    QuoteFilters,
    QuoteOut,
    ShopQuoteFilters,
)
from pannier.routing.router import Router
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post


async def list_service_quotes(
    company: UUID, filters: QuoteFilters, exchange: Exchange, router: Router, db: Db
) -> list[QuoteOut] | ExplainedOut:
    """List a shipment's prices under every rate that applies, cheapest first.

    Quotes are not stored: a quote's id contains the complete signed quote. With `explain`, the
    response is an object that also lists the other rates and why each of them has no price. With
    `single`, the list has only the cheapest quote.
    """
    quote_request = await service.load_request(db, company, filters)
    shipment = await service.measure_shipment(exchange, router, quote_request)
    if filters.explain:
        return await service.explain_quotes(exchange, quote_request, shipment)
    return await service.list_quotes(exchange, quote_request, shipment)


async def preview_service_rates(
    company: UUID, data: PreviewIn, exchange: Exchange, router: Router, db: Db
) -> PreviewOut:
    """Price a shipment with one rate or all rates, or explain why no price applies.

    `rate` is a rate that is not saved. The preview stores nothing.
    """
    quote_request = await service.load_preview_request(db, company, data)
    shipment = await service.measure_shipment(exchange, router, quote_request)
    return await service.preview_rates(exchange, quote_request, shipment)


@get("/service-quotes", problems=[PricingBusy])
async def list_shop_quotes(
    caller: StorefrontKey | Shopper,
    filters: ShopQuoteFilters,
    exchange: Exchange,
    router: Router,
    db: Db,
) -> list[QuoteOut]:
    """List a shipment's prices under every rate visible in the store, cheapest first.

    With a customer's token, the list includes the customer's own rates.
    """
    customer = caller.customer if isinstance(caller, Shopper) else None
    quote_request = await service.load_shop_request(
        db, caller.company, caller.store, filters, customer
    )
    return await service.list_quotes(
        exchange, quote_request, await service.measure_shipment(exchange, router, quote_request)
    )


PROBLEMS: Final = [NotFound, PricingBusy]

routers: Final = (
    api_routers.api_router(
        "Service quotes",
        "service-quotes",
        [get("/service-quotes", problems=PROBLEMS)(list_service_quotes)],
    ),
    api_routers.api_router(
        "Service rates",
        "service-rates",
        [post("/service-rates/preview", status_code=200, problems=PROBLEMS)(preview_service_rates)],
    ),
    api_routers.operator_router(
        "Service rates",
        "viewer",
        [
            get("/service-quotes/preview", problems=PROBLEMS)(list_service_quotes),
            post(
                "/service-rates/preview",
                status_code=200,
                before_request=auth.require_operator("dispatcher"),
                problems=PROBLEMS,
            )(preview_service_rates),
        ],
    ),
    shop.visitor_router("Service quotes", [list_shop_quotes]),
)
