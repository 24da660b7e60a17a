"""Pricing of orders: quotes are drafted with the order, and again after relevant changes."""

import hashlib
from collections.abc import Sequence
from typing import Any, Final

from pannier.db import Db
from pannier.orders.models import Order, PriceStatus
from pannier.orders.quotes import queries
from pannier.orders.quotes.models import ServiceQuote
from pannier.orders.quotes.queries import QUOTES
from pannier.orders.views import Aggregate
from pannier.rates.models import ServiceRate
from pannier.rates.quotes import quoting, shipments, signing
from pannier.rates.quotes.quoting import Quote
from pannier.rates.shipment import Shipment
from pannier.routing.route import Route

# Columns of an order that its price depends on, besides the payload.
PRICED: Final = frozenset(
    {"order_config", "facilitator", "scheduled_at", "distance", "time", "route_source"}
)
# If very many rates apply, only the cheapest quotes are kept.
MOST: Final = 50


def shipment_of(db: Db, held: Aggregate) -> Shipment | None:
    """Return an order as a shipment to price; None while its route is unknown."""
    order = held.order
    draft = shipments.of_whole(
        held.whole,
        held.shown.places,
        db.now,
        scheduled_at=order.scheduled_at,
        order_config=order.order_config,
        facilitator=order.facilitator,
    )
    if draft is None or order.distance is None or order.time is None:
        return None
    return draft.along(Route(order.distance, order.time, order.route_source or "great_circle"))


def mark_of(shipment: Shipment) -> bytes:
    """Compute a fingerprint of what was priced, including the measured route."""
    way = f"{shipment.route.distance} {shipment.route.time}"
    return hashlib.sha256(signing.mark(shipment) + way.encode()).digest()


async def draft_quotes(db: Db, held: Aggregate) -> list[ServiceQuote]:
    """Draft the quotes of an order, cheapest first, without writing them."""
    shipment = shipment_of(db, held)
    if shipment is None:
        return []
    mark = mark_of(shipment)
    found = await quoting.quoted(db, held.order.company, shipment)
    return [_row(db, held.order, quote, mark) for quote in found[:MOST]]


async def price(db: Db, held: Aggregate) -> list[ServiceQuote]:
    """Create quotes for an order that has none, cheapest first."""
    rows = await draft_quotes(db, held)
    if rows:
        await QUOTES.insert_all(db, rows)
    return rows


async def price_again(db: Db, held: Aggregate) -> PriceStatus:
    """Replace outdated quotes; return the order's new price status."""
    order, shipment = held.order, shipment_of(db, held)
    kept = await queries.open_quotes(db, order.company, order.uuid)
    if kept and shipment is not None and kept[0].shipment == mark_of(shipment):
        return "priced"
    if kept:
        await queries.replace_open(db, order.company, order.uuid)
    return status_of(await price(db, held))


def status_of(quotes: Sequence[ServiceQuote]) -> PriceStatus:
    """Return the price status of an order with these open quotes."""
    return "priced" if quotes else "unpriced"


def columns_of(rate: ServiceRate) -> dict[str, Any]:
    """Return the columns that identify a quote's rate and its version."""
    return {
        "service_rate": rate.uuid,
        "service_rate_id": rate.public_id,
        "service_rate_version": rate.version,
        "service_name": rate.service_name,
        "service_type": rate.service_type,
    }


def _row(db: Db, order: Order, quote: Quote, mark: bytes) -> ServiceQuote:
    return QUOTES.draft(
        db,
        order.company,
        order_uuid=order.uuid,
        order_id=order.public_id,
        **columns_of(quote.rate),
        amount=quote.amount,
        currency=quote.currency,
        items=list(quote.lines),
        distance=quote.route.distance,
        time=quote.route.time,
        route_source=quote.route.source,
        shipment=mark,
        state="open",
        expired_at=quote.expired_at,
    )
