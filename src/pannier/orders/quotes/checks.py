"""Checks of whether a quote can be accepted for an order: its shipment, customer and rate."""

from datetime import datetime

import msgspec

from pannier.db import Db
from pannier.errors import Conflict
from pannier.orders.quotes import pricing
from pannier.orders.quotes.models import ServiceQuote
from pannier.orders.views import OrderAggregate
from pannier.rates import queries as rates
from pannier.rates.quotes import signing
from pannier.rates.quotes.signing import QuoteExpired
from pannier.rates.shipment import Shipment


class QuoteStale(Conflict):
    """A quote is valid only for the shipment that it was calculated for."""

    code = "quote_stale"
    title = "The quote is for a different shipment."
    remedy = "Request a quote for this order."


def check_shipment(db: Db, order: OrderAggregate, quote: ServiceQuote) -> Shipment:
    """Return the shipment of an order that the quote was made for, or raise QuoteStale."""
    shipment = pricing.to_shipment(db, order)
    if shipment is None:
        raise QuoteStale
    shipments = [shipment]
    if shipment.cod_currency == quote.currency:
        # A quote for cash on delivery of any amount also covers this amount.
        shipments.append(msgspec.structs.replace(shipment, cod_amount=None, cod_currency=None))
    for candidate in shipments:
        if quote.shipment == signing.fingerprint_shipment(candidate):
            return candidate
    raise QuoteStale


async def check_customer(db: Db, order: OrderAggregate, quote: ServiceQuote) -> None:
    """Reject a rate for certain customers if it was quoted for another customer."""
    if quote.customer == order.row.customer:
        return
    version = quote.service_rate_version
    if (await rates.get_version(db, quote.company, quote.service_rate, version)).is_bound:
        raise QuoteStale("The rate of this quote is for another customer.")


async def check_rate(db: Db, quote: ServiceQuote, priced_at: datetime) -> None:
    """Reject a rate that was withdrawn or does not apply at that time."""
    if not await rates.is_offered(db, quote.company, quote.service_rate, priced_at):
        raise QuoteExpired("The rate of this quote is no longer offered. Ask for a new quote.")
