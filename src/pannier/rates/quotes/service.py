"""Verbs of quotes: read what is asked, measure the way, price it. Nothing is written."""

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
# How many rates are told of that have no price.
MOST_EXPLAINED: Final = 500


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody's question, with everything that was read for it; only the way is to be measured."""

    company: UUID
    pricing: Pricing
    draft: Draft
    wanted: Wanted
    # Rates that are switched off, for whoever wants to know why they have no price.
    idle: Sequence[ServiceRate] = ()
    store: UUID | None = None


async def ask(db: Db, company: UUID, given: QuoteFilters) -> Asking:
    """Read what quotes are asked for."""
    asking = await _asking(db, company, given)
    idle = await queries.idle_rates(db, company, MOST_EXPLAINED) if given.explain else []
    return msgspec.structs.replace(asking, idle=idle)


async def ask_in_shop(db: Db, company: UUID, store: UUID, given: ShopShipmentIn) -> Asking:
    """Read what a customer asks for: only rates that shops show are there."""
    wanted = shipments.wanted(given, public=True)
    draft = await shipments.asked_in_shop(db, company, given)
    pricing = await quoting.pricing_of(db, company)
    return Asking(
        company=company, pricing=pricing, draft=_typed(draft, pricing), wanted=wanted, store=store
    )


async def ask_for_preview(db: Db, company: UUID, given: PreviewIn) -> Asking:
    """Read what is to be tried out: by one rate, saved or not, or by all."""
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
    """Make a rate that nobody keeps; what is wrong with it is wrong with the field `rate`."""
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
    """An order that names no configuration has the company's usual one."""
    order_config = draft.order_config or pricing.order_config
    return msgspec.structs.replace(draft, order_config=order_config)


async def measured(exchange: Exchange, router: Router, asking: Asking) -> Shipment:
    """Measure the way with no connection in hand, unless whoever asks has done so."""
    draft = asking.draft
    if draft.given_route is not None:
        return draft.along(draft.given_route)
    async with exchange.edge.outside(exchange):
        way = await router.along(draft.stops, asking.pricing.company.routing)
    assert way is not None  # noqa: S101 - all of its points are known
    return draft.along(way)


async def quotes(exchange: Exchange, asking: Asking, shipment: Shipment) -> list[QuoteOut]:
    """Return a signed quote for each rate that matches, the cheapest first, or that one only."""
    found = await _price(exchange, asking, _sign_quotes(exchange, asking, shipment))
    return found[:1] if is_single(exchange) else found


async def explained(exchange: Exchange, asking: Asking, shipment: Shipment) -> ExplainedOut:
    """Return quotes, and for every other rate why it has no price."""
    return await _price(exchange, asking, _explain(exchange, asking, shipment))


async def previewed(exchange: Exchange, asking: Asking, shipment: Shipment) -> PreviewOut:
    """Return what each rate makes of a shipment, the prices first."""
    return await _price(exchange, asking, _preview(asking, shipment))


async def _price(exchange: Exchange, asking: Asking, work: Coroutine[Any, Any, Value]) -> Value:
    """Price in the company's turn, for as long as the caller is there.

    The queue may be long, so nobody waits in it with a connection in hand.
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
