"""Operations on quotes: load a request, measure the route, price it. Nothing is written."""

from collections.abc import Coroutine, Sequence
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec

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
    ShopShipmentIn,
)
from pannier.rates.quotes.shipments import ShipmentDraft
from pannier.rates.schemas import ServiceRateIn
from pannier.rates.shipment import Shipment
from pannier.routing.router import Router
from pannier.web.exchange import Exchange
from pannier.web.lists import is_single
from pannier.web.streams import run_while_connected

Value = TypeVar("Value")
# The maximum number of rates without a price in an answer.
MAX_EXPLAINED: Final = 500


class QuoteRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request for quotes, with everything loaded but the route."""

    company: UUID
    pricing: Pricing
    draft: ShipmentDraft
    criteria: RateCriteria
    # Inactive rates, for requests that ask why a rate has no price.
    inactive: Sequence[ServiceRate] = ()
    store: UUID | None = None


async def load_request(db: Db, company: UUID, given: QuoteFilters) -> QuoteRequest:
    """Load a request for quotes."""
    asking = await _load_request(db, company, given)
    idle = await queries.list_inactive_rates(db, company, MAX_EXPLAINED) if given.explain else []
    return msgspec.structs.replace(asking, inactive=idle)


async def load_shop_request(
    db: Db, company: UUID, store: UUID, given: ShopShipmentIn
) -> QuoteRequest:
    """Load a customer's request, which uses only rates that shops show."""
    wanted = shipments.to_criteria(given, public=True)
    draft = await shipments.load_shop_draft(db, company, given)
    pricing = await quoting.load_pricing(db, company)
    return QuoteRequest(
        company=company,
        pricing=pricing,
        draft=_with_default_config(draft, pricing),
        criteria=wanted,
        store=store,
    )


async def load_preview_request(db: Db, company: UUID, given: PreviewIn) -> QuoteRequest:
    """Load a request that tries out one rate, saved or not, or all rates."""
    asking = await _load_request(db, company, given)
    if given.rate is not None:
        rate = await _draft_rate(db, company, given.rate)
    elif given.service_rate is not None:
        rate = await queries.resolve_rate(db, company, given.service_rate)
    else:
        return asking
    catalogue = await asking.pricing.catalogue.load_for_rate(db, rate)
    pricing = msgspec.structs.replace(asking.pricing, catalogue=catalogue)
    return msgspec.structs.replace(asking, pricing=pricing)


async def _draft_rate(db: Db, company: UUID, given: ServiceRateIn) -> ServiceRate:
    """Build a rate that is not saved. Report its faults under the field `rate`."""
    try:
        return await service.draft_rate(db, company, given)
    except (Invalid, NotFound) as refusal:
        fields = [FieldError(f"rate.{field.path}", field.message) for field in refusal.fields]
        raise type(refusal)(fields=fields) from None


async def _load_request(db: Db, company: UUID, given: ShipmentIn) -> QuoteRequest:
    wanted = shipments.to_criteria(given)
    draft = await shipments.load_draft(db, company, given)
    pricing = await quoting.load_pricing(db, company)
    return QuoteRequest(
        company=company,
        pricing=pricing,
        draft=_with_default_config(draft, pricing),
        criteria=wanted,
    )


def _with_default_config(draft: ShipmentDraft, pricing: Pricing) -> ShipmentDraft:
    """Set the company's default order configuration where the request has none."""
    order_config = draft.order_config or pricing.order_config
    return msgspec.structs.replace(draft, order_config=order_config)


async def measure(exchange: Exchange, router: Router, request: QuoteRequest) -> Shipment:
    """Measure the route without holding a connection, unless the request gives it."""
    draft = request.draft
    if draft.given_route is not None:
        return draft.with_route(draft.given_route)
    async with exchange.edge.suspend_transaction(exchange):
        route = await router.measure(draft.stops, request.pricing.company.routing)
    assert route is not None  # noqa: S101 - all of its points are known
    return draft.with_route(route)


async def list_quotes(
    exchange: Exchange, request: QuoteRequest, shipment: Shipment
) -> list[QuoteOut]:
    """Return a signed quote per matching rate, the cheapest first. `single` keeps only one."""
    found = await _price(exchange, request, _sign_quotes(exchange, request, shipment))
    return found[:1] if is_single(exchange) else found


async def explain(exchange: Exchange, request: QuoteRequest, shipment: Shipment) -> ExplainedOut:
    """Return quotes, and the reasons of every other rate."""
    return await _price(exchange, request, _explain(exchange, request, shipment))


async def preview(exchange: Exchange, request: QuoteRequest, shipment: Shipment) -> PreviewOut:
    """Return the result of each rate, prices first."""
    return await _price(exchange, request, _preview(request, shipment))


async def _price(
    exchange: Exchange, request: QuoteRequest, work: Coroutine[Any, Any, Value]
) -> Value:
    """Price in the company's turn, and stop when the caller disconnects.

    The queue may be long, so requests wait in it without a connection.
    """

    async def run() -> Value:
        try:
            async with QUEUE.wait_turn(request.company):
                return await work
        finally:
            work.close()

    async with exchange.edge.suspend_transaction(exchange):
        return await run_while_connected(exchange, run())


async def _sign_quotes(
    exchange: Exchange, request: QuoteRequest, shipment: Shipment
) -> list[QuoteOut]:
    found = await request.pricing.find_quotes(shipment, request.criteria)
    return await _sign(exchange, request, shipment, found)


async def _explain(exchange: Exchange, request: QuoteRequest, shipment: Shipment) -> ExplainedOut:
    rates = [*request.pricing.catalogue.rates.values(), *request.inactive]
    found, refused = await request.pricing.explain(rates, shipment, request.criteria)
    refused.sort(key=lambda refusal: (refusal.rate.service_name, refusal.rate.uuid))
    return ExplainedOut(
        quotes=await _sign(exchange, request, shipment, found),
        rejected=[RefusalOut.from_refusal(refusal) for refusal in refused[:MAX_EXPLAINED]],
    )


async def _preview(request: QuoteRequest, shipment: Shipment) -> PreviewOut:
    rates = list(request.pricing.catalogue.rates.values())
    found, refused = await request.pricing.explain(rates, shipment, request.criteria)
    judged: list[Quote | RateRefusal] = [*found, *refused]
    route = shipment.route
    return PreviewOut(
        stops=len(shipment.stops),
        distance=route.distance,
        time=route.time,
        source=route.source,
        items=len(shipment.parcels),
        rates=[PreviewedOut.from_result(result) for result in judged[:MAX_EXPLAINED]],
    )


async def _sign(
    exchange: Exchange, request: QuoteRequest, shipment: Shipment, found: Sequence[Quote]
) -> list[QuoteOut]:
    database = exchange.edge.database
    currencies = {quote.currency for quote in found}
    marks = {
        currency: signing.fingerprint_shipment(shipment.with_cash_in(currency))
        for currency in currencies
    }
    signed: list[QuoteOut] = []
    async for quote in quoting.yield_in_turns(found):
        mark = marks[quote.currency]
        name = signing.sign(database, request.company, quote, mark, request.store)
        signed.append(QuoteOut.from_quote(quote, name, exchange.id))
    return signed
