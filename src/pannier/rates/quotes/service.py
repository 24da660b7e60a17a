"""Verbs of quotes: read what is asked, measure the way, price it. Nothing is written."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.errors import Field, Invalid, NotFound
from pannier.rates import queries, service
from pannier.rates.matching import Wanted
from pannier.rates.models import ServiceRate
from pannier.rates.quotes import quoting, shipments, signing
from pannier.rates.quotes.quoting import Pricing, Quote, Refusal
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
    """Answer a quote for each rate that holds, signed, the cheapest first."""
    found = await asking.pricing.quotes(shipment, asking.wanted)
    mark = signing.mark(shipment, asking.draft.scheduled_at)
    return [_signed(exchange, asking, quote, mark) for quote in found]


def _signed(exchange: Exchange, asking: Asking, quote: Quote, mark: bytes) -> QuoteOut:
    database = exchange.edge.database
    name = signing.sign(database, asking.company, quote, mark, asking.store)
    return QuoteOut.of(quote, name, exchange.id)


async def explained(exchange: Exchange, asking: Asking, shipment: Shipment) -> ExplainedOut:
    """Answer quotes, and of each other rate why it has none."""
    rates = [*asking.pricing.catalogue.rates.values(), *asking.idle]
    refused = await asking.pricing.refusals(rates, shipment, asking.wanted)
    told = sorted(refused, key=lambda refusal: (refusal.rate.service_name, refusal.rate.uuid))
    return ExplainedOut(
        quotes=await quotes(exchange, asking, shipment),
        rejected=[RefusalOut.of(refusal) for refusal in told[:MOST_EXPLAINED]],
    )


async def previewed(asking: Asking, shipment: Shipment) -> PreviewOut:
    """Answer what rates make of a shipment, with the prices first."""
    rates = list(asking.pricing.catalogue.rates.values())
    judged: list[Quote | Refusal] = [
        *await asking.pricing.quotes(shipment, asking.wanted),
        *await asking.pricing.refusals(rates, shipment, asking.wanted),
    ]
    way = shipment.route
    return PreviewOut(
        stops=len(shipment.stops),
        distance=way.distance,
        time=way.time,
        source=way.source,
        items=len(shipment.parcels),
        rates=[PreviewedOut.of(each) for each in judged[:MOST_EXPLAINED]],
    )
