"""Operations on quotes: load a request, measure the route, price it. Nothing is written."""

from collections.abc import Coroutine, Sequence
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec

from pannier.customers.queries import CUSTOMERS
from pannier.db import Db
from pannier.errors import FieldError, Invalid, NotFound
from pannier.rates import queries, service
from pannier.rates.matching import RateCriteria
from pannier.rates.models import ServiceRate
from pannier.rates.quotes import quoting, shipments, signing
from pannier.rates.quotes.quoting import QUEUE, Pricing, Quote, RateRefusal
from pannier.rates.quotes.schemas import (
    ExplainedOut,
    PreviewedOut,
    PreviewIn,
    PreviewOut,
    QuoteFilters,
    QuoteOut,
    RefusalOut,
    ShipmentIn,
    ShopQuoteFilters,
)
from pannier.rates.quotes.shipments import ShipmentDraft
from pannier.rates.schemas import ServiceRateIn
from pannier.rates.shipment import Shipment
from pannier.routing.router import Router
from pannier.web.exchange import Exchange
from pannier.web.lists import is_single
from pannier.web.streams import run_while_connected

Value = TypeVar("Value")
# The maximum number of rates without a price in a response.
MAX_EXPLAINED: Final = 500


class QuoteRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request for quotes, completely loaded except for the route."""

    company: UUID
    pricing: Pricing
    draft: ShipmentDraft
    criteria: RateCriteria
    # Inactive rates, for requests with `explain`.
    inactive: Sequence[ServiceRate] = ()
    store: UUID | None = None
    # The maximum number of quotes in the response.
    limit: int = MAX_EXPLAINED


async def load_request(db: Db, company: UUID, query: QuoteFilters) -> QuoteRequest:
    """Load a request for quotes."""
    quote_request = await _load_request(db, company, query)
    inactive_rates = (
        await queries.list_inactive_rates(db, company, MAX_EXPLAINED) if query.explain else []
    )
    return msgspec.structs.replace(quote_request, inactive=inactive_rates, limit=query.limit)


async def load_shop_request(
    db: Db, company: UUID, store: UUID, query: ShopQuoteFilters, customer: UUID | None = None
) -> QuoteRequest:
    """Load a shop's request, which uses only rates that storefronts show."""
    criteria = shipments.to_criteria(query, public=True)
    draft = await shipments.load_shop_draft(db, company, query)
    if customer is not None:
        account = await CUSTOMERS.get(db, company, customer)
        tariff_customer = await queries.load_tariff_customer(
            db, company, account.contact, "contact"
        )
        draft = msgspec.structs.replace(draft, customer=tariff_customer)
    pricing = await quoting.load_pricing(db, company)
    return QuoteRequest(
        company=company,
        pricing=pricing,
        draft=_set_default_config(draft, pricing),
        criteria=criteria,
        store=store,
        limit=query.limit,
    )


async def load_preview_request(db: Db, company: UUID, data: PreviewIn) -> QuoteRequest:
    """Load a request that previews one rate, saved or not, or all rates."""
    quote_request = await _load_request(db, company, data)
    if data.rate is not None:
        rate = await _draft_rate(db, company, data.rate)
    elif data.service_rate is not None:
        rate = await queries.resolve_rate(db, company, data.service_rate)
    else:
        return quote_request
    catalogue = await quote_request.pricing.catalogue.load_for_rate(db, rate)
    pricing = msgspec.structs.replace(quote_request.pricing, catalogue=catalogue)
    return msgspec.structs.replace(quote_request, pricing=pricing)


async def _draft_rate(db: Db, company: UUID, data: ServiceRateIn) -> ServiceRate:
    """Build an unsaved rate. Report its validation errors under the field `rate`."""
    try:
        return await service.draft_rate(db, company, data)
    except (Invalid, NotFound) as error:
        fields = [FieldError(f"rate.{field.path}", field.message) for field in error.fields]
        raise type(error)(fields=fields) from None


async def _load_request(db: Db, company: UUID, data: ShipmentIn) -> QuoteRequest:
    criteria = shipments.to_criteria(data)
    draft = await shipments.load_draft(db, company, data)
    pricing = await quoting.load_pricing(db, company)
    return QuoteRequest(
        company=company,
        pricing=pricing,
        draft=_set_default_config(draft, pricing),
        criteria=criteria,
    )


def _set_default_config(draft: ShipmentDraft, pricing: Pricing) -> ShipmentDraft:
    """Set the company's default order configuration if the request has none."""
    order_config = draft.order_config or pricing.order_config
    return msgspec.structs.replace(draft, order_config=order_config)


async def measure_shipment(exchange: Exchange, router: Router, request: QuoteRequest) -> Shipment:
    """Measure the route, unless it is in the request, without holding a connection."""
    draft = request.draft
    if draft.requested_route is not None:
        return draft.with_route(draft.requested_route)
    async with exchange.edge.suspend_transaction(exchange):
        route = await router.measure(draft.stops, request.pricing.company.routing)
    assert route is not None  # noqa: S101 - all of its points are known
    return draft.with_route(route)


async def list_quotes(
    exchange: Exchange, request: QuoteRequest, shipment: Shipment
) -> list[QuoteOut]:
    """Return a signed quote per matching rate, the cheapest first. `single` keeps only one."""
    quotes = await _run_pricing(exchange, request, _sign_quotes(exchange, request, shipment))
    return quotes[:1] if is_single(exchange) else quotes


async def explain_quotes(
    exchange: Exchange, request: QuoteRequest, shipment: Shipment
) -> ExplainedOut:
    """Return the quotes, and the reasons why other rates have no price."""
    return await _run_pricing(exchange, request, _price_and_explain(exchange, request, shipment))


async def preview_rates(
    exchange: Exchange, request: QuoteRequest, shipment: Shipment
) -> PreviewOut:
    """Return the result of each rate, prices first."""
    return await _run_pricing(exchange, request, _price_and_preview(request, shipment))


async def _run_pricing(
    exchange: Exchange, request: QuoteRequest, pricing_job: Coroutine[Any, Any, Value]
) -> Value:
    """Price in the company's turn, and stop when the caller disconnects.

    The queue may be long, so requests wait in it without a connection.
    """

    async def run() -> Value:
        try:
            async with QUEUE.wait_turn(request.company):
                return await pricing_job
        finally:
            pricing_job.close()

    async with exchange.edge.suspend_transaction(exchange):
        return await run_while_connected(exchange, run())


async def _sign_quotes(
    exchange: Exchange, request: QuoteRequest, shipment: Shipment
) -> list[QuoteOut]:
    quotes = await request.pricing.find_quotes(shipment, request.criteria)
    return await _sign_all(exchange, request, shipment, quotes)


async def _price_and_explain(
    exchange: Exchange, request: QuoteRequest, shipment: Shipment
) -> ExplainedOut:
    rates = [*request.pricing.catalogue.rates.values(), *request.inactive]
    quotes, rejections = await request.pricing.evaluate_rates(rates, shipment, request.criteria)
    rejections.sort(key=lambda rejection: (rejection.rate.service_name, rejection.rate.uuid))
    return ExplainedOut(
        quotes=await _sign_all(exchange, request, shipment, quotes),
        rejected=[RefusalOut.from_refusal(rejection) for rejection in rejections[:MAX_EXPLAINED]],
    )


async def _price_and_preview(request: QuoteRequest, shipment: Shipment) -> PreviewOut:
    rates = list(request.pricing.catalogue.rates.values())
    quotes, rejections = await request.pricing.evaluate_rates(rates, shipment, request.criteria)
    results: list[Quote | RateRefusal] = [*quotes, *rejections]
    route = shipment.route
    return PreviewOut(
        stops=len(shipment.stops),
        distance=route.distance,
        time=route.time,
        source=route.source,
        firm=route.firm,
        items=shipment.item_count,
        rates=[PreviewedOut.from_result(result) for result in results[:MAX_EXPLAINED]],
    )


async def _sign_all(
    exchange: Exchange, request: QuoteRequest, shipment: Shipment, quotes: Sequence[Quote]
) -> list[QuoteOut]:
    database = exchange.edge.database
    currencies = {quote.currency for quote in quotes}
    fingerprints = {
        currency: signing.fingerprint_shipment(shipment.with_amounts_in(currency))
        for currency in currencies
    }
    quotes_out: list[QuoteOut] = []
    async for quote in quoting.yield_in_turns(quotes[: request.limit]):
        fingerprint = fingerprints[quote.currency]
        quote_id = signing.sign_quote(database, request.company, quote, fingerprint, request.store)
        quotes_out.append(QuoteOut.from_quote(quote, quote_id, exchange.id))
    return quotes_out
