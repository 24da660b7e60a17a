"""Pricing of orders: quotes are drafted with the order, and again after relevant changes."""

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from pannier.db import Db
from pannier.errors import Conflict
from pannier.orders.models import Order, PriceStatus
from pannier.orders.quotes import queries
from pannier.orders.quotes.models import ServiceQuote
from pannier.orders.quotes.queries import QUOTES
from pannier.orders.views import OrderAggregate
from pannier.rates import queries as rates
from pannier.rates.models import ServiceRate
from pannier.rates.quotes import quoting, shipments, signing
from pannier.rates.quotes.quoting import Quote
from pannier.rates.shipment import Shipment
from pannier.routing.route import Route


class QuoteReplaced(Conflict):
    """Newer quotes have replaced this one."""

    code = "quote_replaced"
    title = "The order has changed since this quote."
    remedy = "Accept one of the order's current quotes."


# Columns of an order that its price depends on, besides the payload.
PRICE_COLUMNS: Final = frozenset(
    {
        "customer",
        "order_config",
        "facilitator",
        "scheduled_at",
        "distance",
        "time",
        "route_source",
        "route_firm",
    }
)
# If very many rates apply, only the cheapest quotes are kept.
MAX_QUOTES: Final = 50


def to_shipment(db: Db, order: OrderAggregate) -> Shipment | None:
    """Return an order as a shipment to price; None while its route is unknown."""
    row = order.row
    draft = shipments.from_payload(
        order.payload_aggregate,
        order.related.places,
        db.now,
        scheduled_at=row.scheduled_at,
        order_config=row.order_config,
        facilitator=row.facilitator,
        customer=shipments.to_tariff_customer(
            order.related.partner(row.customer, row.customer_type)
        ),
    )
    if draft is None or row.distance is None or row.time is None:
        return None
    source = row.route_source or "great_circle"
    return draft.with_route(Route(row.distance, row.time, source, firm=row.route_firm))


def compute_fingerprint(shipment: Shipment) -> bytes:
    """Compute a fingerprint of a shipment, including its measured route."""
    route = f"{shipment.route.distance} {shipment.route.time}"
    # A firm price replaces an estimate, even if it is the same.
    route += "" if shipment.route.firm else " estimate"
    return hashlib.sha256(signing.fingerprint_shipment(shipment) + route.encode()).digest()


async def draft_quotes(db: Db, order: OrderAggregate) -> list[ServiceQuote]:
    """Draft the quotes of an order, cheapest first, without writing them."""
    shipment = to_shipment(db, order)
    if shipment is None:
        return []
    fingerprint = compute_fingerprint(shipment)
    quotes = await quoting.find_quotes(db, order.row.company, shipment)
    return [_draft_quote(db, order.row, quote, fingerprint) for quote in quotes[:MAX_QUOTES]]


async def create_quotes(db: Db, order: OrderAggregate) -> list[ServiceQuote]:
    """Create quotes for an order that has none, cheapest first."""
    rows = await draft_quotes(db, order)
    if rows:
        await QUOTES.insert_all(db, rows)
    return rows


async def reprice(db: Db, order: OrderAggregate) -> PriceStatus:
    """Replace outdated quotes; return the order's new price status."""
    row, shipment = order.row, to_shipment(db, order)
    open_quotes = await queries.list_open_quotes(db, row.company, row.uuid)
    if (
        open_quotes
        and shipment is not None
        and open_quotes[0].shipment == compute_fingerprint(shipment)
        and open_quotes[0].customer == row.customer
    ):
        return "priced"
    if open_quotes:
        await queries.mark_open_quotes_replaced(db, row.company, row.uuid)
    return to_price_status(await create_quotes(db, order))


async def confirm_estimate(db: Db, quote: ServiceQuote, shipment: Shipment) -> ServiceQuote:
    """Price a signed estimate again by the measured route of its order.

    Raise QuoteReplaced if the amount differs. While the routing engine is unavailable, the estimate
    stands, so that an outage does not stop sales.
    """
    if quote.firm or not shipment.route.firm:
        return quote
    # The time of the quote still decides which surcharges apply.
    priced_at = shipment.scheduled_at or quote.created_at
    rate = await rates.get_version(
        db, quote.company, quote.service_rate, quote.service_rate_version
    )
    firm_quote = await quoting.find_quote_by_version(
        db, rate, msgspec.structs.replace(shipment, effective_at=priced_at)
    )
    if firm_quote is None or firm_quote.amount != quote.amount:
        raise QuoteReplaced("The price was an estimate, and the measured route has another one.")
    route = shipment.route
    return msgspec.structs.replace(
        quote, distance=route.distance, time=route.time, route_source=route.source, firm=True
    )


def to_price_status(quotes: Sequence[ServiceQuote]) -> PriceStatus:
    """Return the price status of an order with these open quotes."""
    return "priced" if quotes else "unpriced"


def rate_columns(rate: ServiceRate) -> dict[str, Any]:
    """Return the columns that identify a quote's rate and its version."""
    return {
        "service_rate": rate.uuid,
        "service_rate_id": rate.public_id,
        "service_rate_version": rate.version,
        "service_name": rate.service_name,
        "service_type": rate.service_type,
    }


def _draft_quote(db: Db, order: Order, quote: Quote, fingerprint: bytes) -> ServiceQuote:
    return QUOTES.draft(
        db,
        order.company,
        order_uuid=order.uuid,
        order_id=order.public_id,
        **rate_columns(quote.rate),
        amount=quote.amount,
        tax_rate=quote.tax_rate,
        tax_amount=quote.tax_amount,
        currency=quote.currency,
        items=list(quote.lines),
        distance=quote.route.distance,
        time=quote.route.time,
        route_source=quote.route.source,
        firm=quote.route.firm,
        shipment=fingerprint,
        customer=quote.customer,
        state="open",
        expired_at=quote.expired_at,
    )
