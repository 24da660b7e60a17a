"""Operations on quotes: load a request, measure the route, price it. Nothing is written."""

from collections.abc import Coroutine, Sequence
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.errors import Field, Invalid, NotFound
from pannier.rates import queries, service
from pannier.rates.matching import Wanted
from pannier.rates.models import ServiceRate
from pannier.rates.quotes import quoting, shipments, signing
from pannier.rates.quotes.quoting import QUEUE, Pricing, Quote, Refusal
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
from pannier.rates.quotes.shipments import Draft
from pannier.rates.schemas import ServiceRateIn
from pannier.rates.shipment import Shipment
from pannier.routing.router import Router
from pannier.web.exchange import Exchange
from pannier.web.lists import is_single
from pannier.web.streams import run_while_connected

Value = TypeVar("Value")
# The maximum number of rates without a price in an answer.
MOST_EXPLAINED: Final = 500


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """A request for quotes, with everything loaded but the route."""

    company: UUID
    pricing: Pricing
    draft: Draft
    wanted: Wanted
    # Inactive rates, for requests that ask why a rate has no price.
    idle: Sequence[ServiceRate] = ()
    store: UUID | None = None


async def ask(db: Db, company: UUID, given: QuoteFilters) -> Asking:
    """Load a request for quotes."""
    asking = await _asking(db, company, given)
    idle = await queries.idle_rates(db, company, MOST_EXPLAINED) if given.explain else []
    return msgspec.structs.replace(asking, idle=idle)


async def ask_in_shop(db: Db, company: UUID, store: UUID, given: ShopShipmentIn) -> Asking:
    """Load a customer's request, which uses only rates that shops show."""
    wanted = shipments.wanted(given, public=True)
    draft = await shipments.asked_in_shop(db, company, given)
    pricing = await quoting.pricing_of(db, company)
    return Asking(
        company=company, pricing=pricing, draft=_typed(draft, pricing), wanted=wanted, store=store
    )


async def ask_for_preview(db: Db, company: UUID, given: PreviewIn) -> Asking:
    """Load a request that tries out one rate, saved or not, or all rates."""
    asking = await _asking(db, company, given)
    if given.rate is not None:
        rate = await _draft(db, company, given.rate)
    elif given.service_rate is not None:
        rate = await queries.rate_named(db, company, given.service_rate)
    else:
        return asking
    catalogue = await asking.pricing.catalogue.about(db, rate)
    pricing = msgspec.structs.replace(asking.pricing, catalogue=catalogue)
    return msgspec.structs.replace(asking, pricing=pricing)


async def _draft(db: Db, company: UUID, given: ServiceRateIn) -> ServiceRate:
    """Build a rate that is not saved. Report its faults under the field `rate`."""
    try:
        return await service.drafted(db, company, given)
    except (Invalid, NotFound) as refusal:
        fields = [Field(f"rate.{field.path}", field.message) for field in refusal.fields]
        raise type(refusal)(fields=fields) from None


async def _asking(db: Db, company: UUID, given: ShipmentIn) -> Asking:
    wanted = shipments.wanted(given)
    draft = await shipments.asked(db, company, given)
    pricing = await quoting.pricing_of(db, company)
    return Asking(company=company, pricing=pricing, draft=_typed(draft, pricing), wanted=wanted)


def _typed(draft: Draft, pricing: Pricing) -> Draft:
    """Set the company's default order configuration where the request has none."""
    order_config = draft.order_config or pricing.order_config
    return msgspec.structs.replace(draft, order_config=order_config)


async def measured(exchange: Exchange, router: Router, asking: Asking) -> Shipment:
    """Measure the route without holding a connection, unless the request gives it."""
    draft = asking.draft
    if draft.given_route is not None:
        return draft.along(draft.given_route)
    async with exchange.edge.outside(exchange):
        way = await router.along(draft.stops, asking.pricing.company.routing)
    assert way is not None  # noqa: S101 - all of its points are known
    return draft.along(way)


async def quotes(exchange: Exchange, asking: Asking, shipment: Shipment) -> list[QuoteOut]:
    """Return a signed quote per matching rate, the cheapest first. `single` keeps only one."""
    found = await _price(exchange, asking, _sign_quotes(exchange, asking, shipment))
    return found[:1] if is_single(exchange) else found


async def explained(exchange: Exchange, asking: Asking, shipment: Shipment) -> ExplainedOut:
    """Return quotes, and the reasons of every other rate."""
    return await _price(exchange, asking, _explain(exchange, asking, shipment))


async def previewed(exchange: Exchange, asking: Asking, shipment: Shipment) -> PreviewOut:
    """Return the result of each rate, prices first."""
    return await _price(exchange, asking, _preview(asking, shipment))


async def _price(exchange: Exchange, asking: Asking, work: Coroutine[Any, Any, Value]) -> Value:
    """Price in the company's turn, and stop when the caller disconnects.

    The queue may be long, so requests wait in it without a connection.
    """

    async def run() -> Value:
        try:
            async with QUEUE.turn(asking.company):
                return await work
        finally:
            work.close()

    async with exchange.edge.outside(exchange):
        return await run_while_connected(exchange, run())


async def _sign_quotes(exchange: Exchange, asking: Asking, shipment: Shipment) -> list[QuoteOut]:
    found = await asking.pricing.quotes(shipment, asking.wanted)
    return await _sign(exchange, asking, shipment, found)


async def _explain(exchange: Exchange, asking: Asking, shipment: Shipment) -> ExplainedOut:
    rates = [*asking.pricing.catalogue.rates.values(), *asking.idle]
    found, refused = await asking.pricing.explain(rates, shipment, asking.wanted)
    refused.sort(key=lambda refusal: (refusal.rate.service_name, refusal.rate.uuid))
    return ExplainedOut(
        quotes=await _sign(exchange, asking, shipment, found),
        rejected=[RefusalOut.of(refusal) for refusal in refused[:MOST_EXPLAINED]],
    )


async def _preview(asking: Asking, shipment: Shipment) -> PreviewOut:
    rates = list(asking.pricing.catalogue.rates.values())
    found, refused = await asking.pricing.explain(rates, shipment, asking.wanted)
    judged: list[Quote | Refusal] = [*found, *refused]
    route = shipment.route
    return PreviewOut(
        stops=len(shipment.stops),
        distance=route.distance,
        time=route.time,
        source=route.source,
        items=len(shipment.parcels),
        rates=[PreviewedOut.of(each) for each in judged[:MOST_EXPLAINED]],
    )


async def _sign(
    exchange: Exchange, asking: Asking, shipment: Shipment, found: Sequence[Quote]
) -> list[QuoteOut]:
    database = exchange.edge.database
    currencies = {quote.currency for quote in found}
    marks = {each: signing.mark(shipment.with_cash_in(each)) for each in currencies}
    signed: list[QuoteOut] = []
    async for quote in quoting.in_turns(found):
        mark = marks[quote.currency]
        name = signing.sign(database, asking.company, quote, mark, asking.store)
        signed.append(QuoteOut.of(quote, name, exchange.id))
    return signed
